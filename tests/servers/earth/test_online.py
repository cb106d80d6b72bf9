"""Tools that ask the network, over MCP, against imitations: what is fetched is a file that other tools take."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.every_server import examples
from support.imitation import Imitation, as_json, imitation, parts, status, text

BOX = [12.711, 48.282, 12.714, 48.284]


@pytest.fixture
def site(world: Path) -> Iterator[Imitation]:
    """A STAC service, a raster, a Zarr store and an Overpass."""
    with imitation() as made:
        made.on("/*").then(status(404))
        made.on("/s.tif").then(parts((world / "scenes/2022-06-18.tif").read_bytes()))
        top = world / "air/hourly.zarr"
        for path in top.rglob("*"):
            if path.is_file():
                made.on(f"/z/{path.relative_to(top).as_posix()}").then(parts(path.read_bytes()))
        made.on("/api/interpreter", method="POST").then(text((world / "town/town.osm").read_text()))
        item = {
            "type": "Feature", "id": "S2_1", "bbox": [12, 48, 13, 49],
            "properties": {"datetime": "2022-06-18T10:10:31Z"},
            "assets": {"red": {"href": made.url("/s.tif"), "roles": ["data"]}},
        }  # fmt: skip
        made.on("/v1/search", method="POST").then(as_json({"features": [item], "links": []}))
        yield made


@pytest_asyncio.fixture
async def served(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Client[Any]]:
    origin = site.url("").rstrip("/")
    for name, value in {
        "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
        "LABRIG_HTTP_CONTACT": "a@example.org",
        "LABRIG_HTTP_URL_EARTH_SEARCH": f"{origin}/v1", "LABRIG_HTTP_URL_OVERPASS": f"{origin}/api",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "work").mkdir()
    options = ServeOptions(workspace=tmp_path / "work", toolsets=("default", "online"))
    async with Client(build(toolbox, options)) as client:
        yield client


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    found = (await client.call_tool(tool, arguments)).structured_content
    assert found is not None
    return found


async def refused(client: Client[Any], **arguments: Any) -> str:
    result = await client.call_tool("fetch_part", arguments, raise_on_error=False)
    assert result.is_error
    return str(result.meta["labrig"]["error"]["code"])


@pytest.mark.accept
async def test_a_band_is_found_fetched_in_part_and_used(
    served: Client[Any], site: Imitation, world: Path
) -> None:
    found = await call(served, "find_online", collections=["sentinel-2-l2a"], bbox=BOX, start="2022-06")
    url = found["data"]["found"][0]["bands"]["red"]
    assert url == site.url("/s.tif") and json.loads(site.hits[0].body)["collections"] == ["sentinel-2-l2a"]
    part = await call(served, "fetch_part", kind="raster", url=url, bbox=BOX)
    handle = part["artifacts"][0]["handle"]
    index = await call(served, "spectral_index", index="NDVI", files=[handle])
    means = [each["value"] for each in index["values"] if each["name"] == "mean of NDVI"]
    assert -0.2 <= means[0] <= 0.8 and "stored * 0.0001 -0.1, applied once" in str(index["data"]["assumed"])
    assert await refused(served, kind="raster", url=site.url("/absent.tif"), bbox=BOX) == "not_found"
    assert await refused(served, kind="raster", url="http://169.254.169.254/x.tif", bbox=BOX) == "refused"
    assert await refused(served, kind="raster", url="file:///etc/passwd", bbox=BOX) == "bad_input"


@pytest.mark.accept
async def test_a_store_and_streets_are_fetched(
    served: Client[Any], site: Imitation, truth: dict[str, Any]
) -> None:
    store = await call(
        served,
        "fetch_part",
        kind="zarr",
        url=site.url("/z"),
        variables=["pm2p5"],
        start="2020-01-02",
        end="2020-01-03",
    )
    assert store["data"]["part"]["time"] == 48
    means = await call(served, "aggregate_grid", data=store["artifacts"][0]["handle"], over="both")
    assert 5 < means["values"][0]["value"] < 40
    streets = await call(
        served, "fetch_part", kind="osm", bbox=[12.70, 48.28, 12.73, 48.29], where={"highway": True}
    )
    way = truth["town"]["route"]
    ends = {
        "start": way["from_lon_lat"],
        "end": way["to_lon_lat"],
        "speeds_km_h": truth["town"]["speeds_km_h"],
    }
    route = await call(served, "route_on_streets", data=streets["artifacts"][0]["handle"], **ends)
    assert route["values"][0]["value"] == pytest.approx(way["time_s"], abs=0.06)
    assert await refused(served, kind="zarr", url=site.url("/nothing"), variables=["x"]) == "bad_input"
    assert await refused(served, kind="osm", bbox=[0, 40, 20, 50], where={"highway": True}) == "limit"
    assert await refused(served, kind="grib", url="https://example.org") in ("not_found", "bad_input")
    for name, example in examples(await served.list_tools()).items():
        if name in ("find_online", "fetch_part"):
            assert (await call(served, name, **example))["status"] == "ok"
    result = await served.call_tool("find_online", {"collections": [], "source": "cds"}, raise_on_error=False)
    assert result.meta["labrig"]["error"]["code"] == "unavailable"
