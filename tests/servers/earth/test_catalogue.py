"""Catalogues: entries of files against what they hold, static STAC that leads nowhere else, services by imitation."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import xarray as xr

from labrig.errors import LabrigError
from labrig.http.hosts import Limit
from labrig.http.services import Service
from labrig.http.sync import SyncClient
from labrig_earth.catalogue import operations
from labrig_earth.catalogue.archives import require_connected
from labrig_earth.catalogue.entries import Entry, Variable
from labrig_earth.catalogue.operations import OPERATIONS
from labrig_earth.catalogue.overpass import OVERPASS, fetch_osm, overpass_query
from labrig_earth.catalogue.remote import fetch_raster, fetch_zarr
from labrig_earth.catalogue.scanning import entry_of
from labrig_earth.catalogue.searching import search
from labrig_earth.catalogue.stac_service import search_items, search_scenes
from labrig_earth.catalogue.static import MEDIA, read_static, write_static
from labrig_earth.data.formats import Place
from labrig_earth.work.calls import Call
from support.imitation import Answer, Hit, Imitation, as_json, imitation, page, parts, status, text
from support.web import client


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


@pytest.fixture
def web(site: Imitation, tmp_path: Path) -> Iterator[SyncClient]:
    made = SyncClient(lambda: client(tmp_path, site))
    yield made
    made.close()


# --- files here


def test_entries_say_what_files_hold(world: Path, truth: dict[str, Any]) -> None:
    daily = entry_of(Place.of(world / "climate/daily.nc"))
    assert (daily.kind, daily.box, daily.start, daily.end) == (
        "netcdf",
        (9.5, 45.5, 15.5, 50.5),
        "2017-01-01",
        "2020-12-31",
    )
    assert {each.name: each.unit for each in daily.variables} == {
        "t2m": "K",
        "d2m": "K",
        "tp": "m",
        "u10": "m s-1",
        "v10": "m s-1",
    }
    assert daily.synthetic and Entry.from_dict(json.loads(json.dumps(daily.to_dict()))) == daily
    assert entry_of(Place.of(world / "climate/monthly_global.nc")).box == (-180, -90, 180, 90)
    scene = entry_of(Place.of(world / "scenes/2022-06-18.tif"))
    assert scene.start == "2022-06-18T10:10:31" and scene.variables[2] == Variable("B04", "", "red")
    streets = entry_of(Place.of(world / "town/town.osm.pbf"))
    lon, lat = truth["town"]["route"]["from_lon_lat"]
    assert streets.box and streets.box[0] < lon < streets.box[2] and streets.box[1] < lat < streets.box[3]
    assert streets.synthetic and "highway" in {each.name for each in streets.variables}
    buildings = entry_of(Place.of(world / "town/buildings.gpkg"))
    assert (
        buildings.title == f"{truth['town']['buildings']} features (Polygon): buildings"
        and buildings.synthetic
    )


def test_data_are_found_by_what_is_asked_of_them(world: Path) -> None:
    entries = read_static(world)

    def found(**asked: Any) -> list[str]:
        return [entry.where for entry in search(entries, **asked)]

    assert found(variable="precipitation", start="2018") == ["climate/daily.nc"]
    assert found(variable="temperature", start="2019-07", end="2019-08") == [
        "climate/daily.nc", "climate/monthly_global.nc", "climate/t2m_packed.nc", "seasonal/observed.nc",
    ]  # fmt: skip
    assert found(box=[100, -50, 110, -40]) == ["climate/monthly_global.nc"]
    assert found(start="2022") == ["scenes/2022-06-18.tif", "scenes/2022-06-18_SCL.tif"]
    assert found(text="flooded roads")[:1] == ["town/town.osm"] or "town/flood.gpkg" in found(
        text="flooded roads"
    )
    assert found(variable="elevation") == ["terrain/dem.tif", "town/buildings.gpkg"]
    assert found(variable="sea ice") == []
    for wrong in ({"start": "July"}, {"start": "2020", "end": "2019"}, {"box": [11, -100, 12, -99]}):
        with pytest.raises(LabrigError):
            found(**wrong)


def test_find_data_looks_into_files_and_catalogues_and_says_what_it_could_not_read(
    world: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.nc").write_bytes(b"CDF\x01 and no more")
    files = (Place.of(world / "terrain/dem.tif"), Place.of(tmp_path / "broken.nc"))
    call = Call(
        {"data": files, "catalogues": (Place.of(world),)},
        {"names": ["world/terrain/dem.tif", "broken.nc"], "prefixes": ["world"], "text": "dem.tif"},
        tmp_path,
    )
    result = OPERATIONS["find_data"](call)
    where = [each["where"] for each in result.data["found"]]
    assert where[0] == "world/terrain/dem.tif" and len(set(where)) == len(where)
    assert "not read: broken.nc" in result.warnings[0] and result.warnings[1].startswith("some of these")
    nothing = OPERATIONS["find_data"](Call(call.inputs, {**call.arguments, "text": "volcano"}, tmp_path))
    assert "nothing fits; there are 28 data sets" in nothing.warnings[1]


# --- static STAC


@pytest.mark.parametrize("asked", [{"end": "soon"}, {"bbox": [8, 50, 9]}, {"start": "2020", "end": "2019"}])
def test_what_cannot_be_asked_is_refused_before_any_file_is_opened(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(operations, "entry_of", lambda place, **_: opened.append(place.name))
    call = Call({"data": (Place.of(tmp_path / "a.nc"),)}, asked, tmp_path)
    with pytest.raises(LabrigError) as error:
        OPERATIONS["find_data"](call)
    assert (error.value.code, opened) == ("bad_input", [])


def test_the_catalogue_is_valid_stac_and_comes_back_as_written(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pystac

    def refuse(*_: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    items = list(pystac.Catalog.from_file(str(world / "catalog.json")).get_items())  # pystac's own reader
    assert len(items) == 28
    for item in items:
        path = Path(str(item.assets["data"].get_absolute_href()))
        assert path.exists() and item.to_dict()["type"] == "Feature"
    entries = [
        Entry("a b.nc", "a b.nc", "netcdf", "A", (Variable("t", "K"),), (170.0, -20.0, -170.0, -10.0), "2020-01-01",
              "2020-12-31"),
        Entry("deep/x.csv", "deep/x.csv", "csv", "X"),
    ]  # fmt: skip
    write_static(tmp_path, entries, title="Mine")
    back = read_static(tmp_path)
    assert [(e.where, e.kind, e.box, e.start, e.end, e.variables) for e in back] == [
        (e.where, e.kind, e.box, e.start, e.end, e.variables) for e in entries
    ]


@pytest.mark.parametrize(
    ("links", "code"),
    [
        ([{"rel": "item", "href": "https://example.org/item.json"}], "refused"),
        ([{"rel": "child", "href": "../../etc/catalog.json"}], "refused"),
        ([{"rel": "item", "href": "/etc/passwd"}], "refused"),
        ([{"rel": "item", "href": "./absent.json"}], "not_found"),
        ([{"rel": "item", "href": "./odd.json"}], "bad_input"),
    ],
)
def test_a_catalogue_leads_nowhere_else(tmp_path: Path, links: list[dict[str, str]], code: str) -> None:
    (tmp_path / "odd.json").write_text('{"type": "Feature"}')
    plain = {"type": "Catalog", "stac_version": "1.0.0", "id": "x", "description": "x", "links": links}
    (tmp_path / "catalog.json").write_text(json.dumps(plain))
    with pytest.raises(LabrigError) as refused:
        read_static(tmp_path)
    assert refused.value.code == code
    assert str(tmp_path) not in str(refused.value)


# --- services


def _item(number: int) -> dict[str, Any]:
    return {
        "type": "Feature", "id": f"S2_{number}", "collection": "sentinel-2-l2a", "bbox": [10, 47, 11, 48],
        "properties": {"datetime": f"2022-06-{number:02d}T10:10:31Z"},
        "assets": {
            "red": {"href": f"https://data.example.org/{number}/B04.tif", "roles": ["data"],
                    "eo:bands": [{"common_name": "red"}],
                    "type": "image/tiff; application=geotiff; profile=cloud-optimized"},
            "scl": {"href": f"https://data.example.org/{number}/SCL.tif", "roles": ["data"]},
            "thumbnail": {"href": "https://data.example.org/t.jpg", "roles": ["thumbnail"]},
            "local": {"href": "/etc/passwd", "roles": ["data"]},
        },
    }  # fmt: skip


async def test_a_stac_service_is_asked_page_by_page(site: Imitation, tmp_path: Path) -> None:
    def answer(hit: Hit) -> Answer:
        asked = json.loads(hit.body)
        first = asked.get("next") is None
        links = [{"rel": "next", "body": {"next": "2"}}] if first else []
        return as_json({"type": "FeatureCollection", "features": [_item(1 if first else 2)], "links": links})

    site.on("/v1/search", method="POST").then(answer)
    service = Service("toy_stac", site.url("/v1"))
    async with client(tmp_path, site) as web:
        found = await search_items(
            web,
            service,
            collections=["sentinel-2-l2a"],
            box=[10, 47, 11, 48],
            start="2022-06",
            end="2022-06",
            most_cloud=20,
        )
    asked = json.loads(site.hits[0].body)
    assert asked["bbox"] == [10, 47, 11, 48] and asked["query"] == {"eo:cloud_cover": {"lte": 20}}
    assert asked["datetime"] == "2022-06-01T00:00:00Z/2022-06-30T23:59:59Z"
    assert [entry.name for entry in found] == ["S2_1", "S2_2"]
    assert found[0].where == "https://data.example.org/1/B04.tif" and found[0].kind == "geotiff"
    assert found[0].more["scl"].endswith("SCL.tif") and "local" not in found[0].more
    assert found[0].variables[0] == Variable("red", "", "red")
    site.on("/v1/search", method="POST").then(as_json({"features": "none"}))
    async with client(tmp_path, site) as web:
        with pytest.raises(LabrigError, match="did not answer with items"):
            await search_items(web, service)


async def test_scenes_before_baseline_4_have_no_offset_whatever_the_catalogue_says(
    site: Imitation, tmp_path: Path
) -> None:
    service = Service("toy_stac", site.url("/v1"))
    red = {"href": "https://x.example.org/B04.tif", "raster:bands": [{"scale": 0.0001, "offset": -0.1}]}

    def item(baseline: str | None) -> dict[str, Any]:
        said = {"datetime": "2019-06-01T00:00:00Z", "s2:processing_baseline": baseline}
        return {
            "id": f"S2_{baseline}",
            "properties": {**said, "earthsearch:boa_offset_applied": False},
            "assets": {"red": red},
        }

    baselines = ("02.14", "03.01", "04.00", "05.11", None)
    site.on("/v1/search", method="POST").then(as_json({"features": [item(each) for each in baselines]}))
    async with client(tmp_path, site) as web:
        found, _ = await search_scenes(
            web, service, box=[12, 48, 13, 49], start="2019-01-01", end="2019-12-31", most_cloud=50, most=9
        )
    offsets = {each.name: each.bands["red"].offset for each in found}
    assert [offsets[f"S2_{each}"] for each in baselines] == [0, 0, -0.1, -0.1, -0.1]


async def test_data_in_buckets_of_aws_are_named_by_http_or_said_to_want_an_account(
    site: Imitation, tmp_path: Path
) -> None:
    """As Earth Search answers: its terrain models lie in open buckets, its Landsat where the requester pays."""
    service, name = Service("toy_stac", site.url("/v1")), "Copernicus_DSM_COG_10_N48_00_E012_00_DEM"

    def item(href: str) -> dict[str, Any]:
        page = {"href": "https://landsatlook.example.org/browser", "type": "text/html", "roles": ["metadata"]}
        data = {"href": href, "type": MEDIA["geotiff"], "roles": ["data"]}
        return {
            "id": name,
            "properties": {"datetime": "2021-04-22T00:00:00Z"},
            "assets": {"index": page, "data": data},
        }

    open_, paid = f"s3://copernicus-dem-30m/{name}/{name}.tif", "s3://usgs-landsat/collection02/x/x_SR_B4.TIF"
    site.on("/v1/search", method="POST").then(
        as_json({"features": [item(paid), item(open_)]}), as_json({"features": [item(paid)]})
    )
    async with client(tmp_path, site) as web:
        (found,) = await search_items(web, service, collections=["cop-dem-glo-30"])
        assert found.where == f"https://copernicus-dem-30m.s3.eu-central-1.amazonaws.com/{name}/{name}.tif"
        with pytest.raises(LabrigError, match="wants an account of AWS: s3://usgs-landsat/") as refused:
            await search_items(web, service, collections=["landsat-c2-l2"])
        assert refused.value.code == "unavailable"


async def test_overpass_gives_osm_or_says_why_not(site: Imitation, tmp_path: Path, world: Path) -> None:
    service = Service("toy_overpass", site.url("/api"))
    osm = (world / "town/town.osm").read_text()
    late = '<osm version="0.6"><remark>runtime error: Query timed out</remark></osm>'
    site.on("/api/interpreter", method="POST").then(
        text(osm), text(late), text("<html>busy</html>"), status(429, retry_after=900)
    )
    box = [12.70, 48.28, 12.73, 48.29]
    async with client(tmp_path, site) as web:
        assert (await fetch_osm(web, box, {"highway": True}, service=service)).decode() == osm
        for number, code in enumerate(("limit", "unreachable", "rate_limited")):
            with pytest.raises(LabrigError) as refused:
                await fetch_osm(web, box, {"highway": str(number)}, service=service)
            assert refused.value.code == code
    assert b"out%3Axml" in site.hits[0].body


def test_a_store_of_which_every_key_is_refused_is_said_to_be_private(
    site: Imitation, web: SyncClient, tmp_path: Path
) -> None:
    denied = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
    site.on("/*").then(page(denied, "application/xml", status=403))
    with pytest.raises(LabrigError, match="refuses every key") as refused:
        fetch_zarr(web, site.url("/private.zarr"), tmp_path / "part.nc", variables=["t"])
    assert refused.value.code == "refused"


async def test_overpass_is_left_alone_for_half_a_minute_after_it_refused(
    site: Imitation, tmp_path: Path
) -> None:
    assert OVERPASS.limit is not None and OVERPASS.limit.after_429_s == 30
    service = Service("toy_overpass", site.url("/api"), limit=Limit(per_second=100, after_429_s=30))
    site.on("/api/interpreter", method="POST").then(status(429))
    async with client(tmp_path, site) as web:
        for number in range(2):
            with pytest.raises(LabrigError) as refused:
                await fetch_osm(web, [12.70, 48.28, 12.73, 48.29], {"highway": str(number)}, service=service)
            assert refused.value.code == "rate_limited"
    assert len(site.hits) == 1


def test_a_query_of_the_past_asks_for_keys_in_the_box_and_compares_their_values() -> None:
    query = overpass_query(
        [12, 48, 12.1, 48.1], {"natural": ["water", 'a"b'], "highway": True}, date="2018-01-01"
    )
    assert query.startswith('[out:xml][timeout:60][date:"2018-01-01T00:00:00Z"];(nwr["natural"](48.0')
    assert (
        '48.1000000,12.1000000)(if:t["natural"]=="water"||t["natural"]=="a\\"b");nwr["highway"](48.0' in query
    )
    assert query.endswith(";);(._;>;);out body;") and "maxsize" not in query


def test_a_query_holds_what_is_asked_and_no_more() -> None:
    query = overpass_query([12, 48, 12.1, 48.1], {"amenity": ["a", 'b"];out;'], "highway": True})
    assert 'nwr["highway"](48.0000000,12.0000000,48.1000000,12.1000000);' in query
    assert 'nwr["amenity"~"^(a|b\\"\\\\];out;)$"]' in query
    assert query.endswith(";(._;>;);out body;")  # one set: nodes before ways, each once
    for wrong in ({}, {"a b": True}, {"a": []}, {"a": {"b": 1}}):
        with pytest.raises(LabrigError):
            overpass_query([12, 48, 12.1, 48.1], wrong)
    with pytest.raises(LabrigError, match="square degrees"):
        overpass_query([0, 40, 20, 50], {"highway": True})


def test_archives_that_are_not_connected_are_named() -> None:
    assert require_connected("Earth-Search", ("files", "earth_search")) == "earth_search"
    with pytest.raises(LabrigError, match="wants an account") as refused:
        require_connected("CDS", ("files",))
    assert refused.value.code == "unavailable" and "workspace" in refused.value.try_
    assert refused.value.try_.startswith("fetch_c3s_seasonal")
    with pytest.raises(LabrigError, match="files"):
        require_connected("filse", ("files",))


# --- parts of what lies on the network


def test_a_part_of_a_raster_comes_over_the_network(
    site: Imitation, web: SyncClient, world: Path, tmp_path: Path
) -> None:
    body = (world / "scenes/2022-06-18.tif").read_bytes()
    site.on("/s.tif").then(parts(body))
    box = [12.711, 48.282, 12.714, 48.284]
    about = fetch_raster(web, site.url("/s.tif"), box, tmp_path / "part.tif")
    with (
        rasterio.open(world / "scenes/2022-06-18.tif") as whole,
        rasterio.open(tmp_path / "part.tif") as part,
    ):
        window = rasterio.windows.from_bounds(*part.bounds, transform=whole.transform)
        assert (part.read() == whole.read(window=window)).all() and part.width == about["width"] < whole.width
        assert part.offsets == whole.offsets and part.descriptions == whole.descriptions and part.nodata == 0
        west, south, east, north = rasterio.warp.transform_bounds(part.crs, 4326, *part.bounds)
        assert west <= 12.711 and east >= 12.714 and south <= 48.282 and north >= 48.284
    with pytest.raises(LabrigError, match="outside the raster"):
        fetch_raster(web, site.url("/s.tif"), [0, 0, 1, 1], tmp_path / "p.tif")
    site.on("/t.tif").then(parts(b"no raster at all"))
    with pytest.raises(LabrigError):
        fetch_raster(web, site.url("/t.tif"), box, tmp_path / "p.tif")


def test_a_part_of_a_zarr_store_comes_over_the_network(
    site: Imitation, web: SyncClient, world: Path, tmp_path: Path
) -> None:
    top = world / "air/hourly.zarr"
    site.on("/*").then(status(404))
    for path in top.rglob("*"):
        if path.is_file():
            site.on(f"/z/{path.relative_to(top).as_posix()}").then(parts(path.read_bytes()))
    sizes = fetch_zarr(
        web, site.url("/z"), tmp_path / "p.nc", variables=["o3"], start="2020-01-02", end="2020-01-03"
    )
    with xr.open_dataset(tmp_path / "p.nc", engine="netcdf4") as part, xr.open_zarr(top) as whole:
        assert sizes["time"] == 48 and list(part.data_vars) == ["o3"]
        np.testing.assert_array_equal(
            part.o3.values, whole.o3.sel(time=slice("2020-01-02", "2020-01-03T23")).values
        )
    with pytest.raises(LabrigError, match="pm2p5"):
        fetch_zarr(web, site.url("/z"), tmp_path / "q.nc", variables=["pm25"])
    with pytest.raises(LabrigError, match="consolidated"):
        fetch_zarr(web, site.url("/nothing"), tmp_path / "q.nc", variables=["x"])
