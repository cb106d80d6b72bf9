"""The Earth server as a client meets it: numbers with sources, files with handles, refusals that say what to do."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pandas as pd
import pyproj
import pytest
import pytest_asyncio
from fastmcp import Client

from hostile.guard import descendants
from labrig.answer import ANSWER_BYTES, Answer, Quantity, json_bytes
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from labrig_earth.server.operations import fit_answer
from labrig_earth.server.places import places
from support.known_servers.earth import CLIMATE, LATITUDES, LONGITUDES, REGIONS, SCENE, lay_out, temperature
from support.sandbox_rig import skip_unless

pytestmark = pytest.mark.asyncio(loop_scope="module")
DATES = pd.date_range("2000-01-01", periods=731)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client[Any], Path]]:
    top = tmp_path_factory.mktemp("earth")
    work = top / "work"
    work.mkdir()
    async with Client(build(toolbox, ServeOptions(workspace=work, roots=lay_out(top)))) as opened:
        yield opened, work


async def call(served: tuple[Client[Any], Path], tool: str, **arguments: Any) -> dict[str, Any]:
    found = (await served[0].call_tool(tool, arguments)).structured_content
    assert found is not None
    return found


async def refused(served: tuple[Client[Any], Path], tool: str, **arguments: Any) -> tuple[str, str]:
    result = await served[0].call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error
    return str(result.meta["labrig"]["error"]["code"]), str(result.content[0].text)


def values(answer: dict[str, Any]) -> dict[str, Any]:
    return {f"{each['name']} {each.get('note', '')}".strip(): each["value"] for each in answer["values"]}


def kept(work: Path, answer: dict[str, Any]) -> Path:
    """Return where the first artifact of an answer lies."""
    digest = answer["artifacts"][0]["handle"].removeprefix("sha256:")
    (found,) = [
        each
        for each in (work / ".labrig" / "artifacts").iterdir()
        if each.name.startswith(digest) and not each.name.endswith(".json")
    ]
    return found


async def test_a_description_and_then_a_number_with_its_source(served: tuple[Client[Any], Path]) -> None:
    found = await call(served, "describe_data", data=CLIMATE)
    t2m = found["data"]["variables"]["t2m"]
    assert t2m["unit"] == "K" and "int16 x 0.01 + 273.15" in t2m["packed"]
    assert found["data"]["time"]["last"] == "2001-12-31" and found["data"]["grid"] == "1 x 1 degree, 5 x 7"
    assert found["source"].startswith("climate.nc (sha256 ")
    years = await call(
        served, "aggregate_grid", data=CLIMATE, variable="t2m", over="both", every="year", unit="degC"
    )
    weights = np.cos(np.deg2rad(LATITUDES))[:, None] * np.ones(7)
    series = (temperature() * weights).sum(axis=(1, 2)) / weights.sum()
    assert values(years) == pytest.approx(
        {"t2m 2000-01-01": series[:366].mean(), "t2m 2001-01-01": series[366:].mean()}, abs=1e-4
    )
    assert "area-weighted" in years["data"]["method"] and "WGS 84" in years["data"]["assumed"][0]


async def test_a_result_is_a_file_that_other_tools_and_libraries_take(
    served: tuple[Client[Any], Path],
) -> None:
    warm = await call(
        served, "aggregate_grid", data=CLIMATE, variable="t2m", statistic="exceedance", every="month",
        options={"threshold": 20, "unit": "degC"},
    )  # fmt: skip
    (handle,) = [each["handle"] for each in warm["artifacts"]]
    with netCDF4.Dataset(kept(served[1], warm)) as file:
        counts = file["t2m"][:]
    july = (DATES.month == 7) & (DATES.year == 2001)
    assert np.array_equal(counts[18], (temperature()[july] > 20).sum(axis=0))
    again = await call(
        served, "sample_grid", data=handle, point=[50.0, 9.0], select={"start": "2001-07", "end": "2001-07"}
    )
    assert values(again)["t2m 2001-07-01"] == (temperature()[july][:, 2, 3] > 20).sum()
    assert not any((served[1] / ".labrig" / "scratch").iterdir())


async def test_polygons_areas_and_the_choice_of_a_method(served: tuple[Client[Any], Path]) -> None:
    found = await call(
        served, "zonal_statistics", data=CLIMATE, variable="t2m", polygons=REGIONS, select={"end": "2000-01-01"},
        options={"unit": "degC"}, statistics=["mean", "max"],
    )  # fmt: skip
    rows, columns = (LATITUDES < 50.5) & (LATITUDES > 48.5), (LONGITUDES > 6.5) & (LONGITUDES < 8.5)
    cells = temperature()[0][rows][:, columns]
    weights = np.cos(np.deg2rad(LATITUDES[rows]))[:, None] * np.ones(columns.sum())
    assert values(found)["mean west"] == pytest.approx((cells * weights).sum() / weights.sum(), abs=1e-4)
    assert values(found)["max west"] == pytest.approx(cells.max(), abs=1e-4)
    means = await call(
        served,
        "aggregate_grid",
        data=CLIMATE,
        variable="t2m",
        polygons=REGIONS,
        over="space",
        select={"end": "2000-01-01"},
    )
    assert set(means["data"]["polygons"]) == {"west", "east"}


async def test_layers_streets_and_scenes(served: tuple[Client[Any], Path]) -> None:
    layers = await call(served, "describe_data", data=REGIONS)
    assert layers["data"]["layers"]["regions.geojson"]["features"] == 2
    route = await call(
        served,
        "route_on_streets",
        data="@earth/town.osm",
        start=[9.001, 50.0],
        end=[9.002, 50.001],
        by="length",
    )
    length = next(each["value"] for each in route["values"] if "length" in each["name"])
    assert length == pytest.approx(111.2 + 71.6, rel=0.01)  # one block north, one block east
    ndvi = await call(served, "spectral_index", index="NDVI", files=SCENE)
    assert ndvi["artifacts"] and ndvi["status"].startswith("ok")


async def test_data_are_found(served: tuple[Client[Any], Path]) -> None:
    found = await call(served, "find_data", variable="temperature", bbox=[8, 49, 9, 50], start="2000-06")
    assert "@earth/climate.nc" in str(found["data"]) and "@earth/B04.tif" not in str(found["data"])
    code, text = await refused(served, "find_data", folder="@nowhere")
    assert code == "not_found" and "folder" in text
    assert (await refused(served, "plot", kind="pie"))[0] == "bad_input"


@pytest.mark.accept
async def test_data_are_drawn(served: tuple[Client[Any], Path]) -> None:
    drawn = await served[0].call_tool(
        "plot",
        {
            "kind": "map",
            "files": [CLIMATE],
            "layers": [REGIONS],
            "variable": "t2m",
            "select": {"start": "2000-07-01", "end": "2000-07-01"},
            "options": {"unit": "degC", "title": "A day"},
        },
    )
    assert base64.b64decode(drawn.content[0].data).startswith(b"\x89PNG")
    assert "greatest value shown" in drawn.content[-1].text and "sha256:" in drawn.content[-1].text
    series = await served[0].call_tool(
        "plot",
        {"kind": "series", "files": [CLIMATE], "variable": "t2m", "select": {"box": [8.9, 49.9, 9.1, 50.1]}},
    )
    assert base64.b64decode(series.content[0].data).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("names", "catalogues", "data"),
    [
        (["a.nc", "b.py"], [], ["a.nc"]),
        (["w/catalog.json", "w/a.nc", "w/x/catalog.json", "b.tif"], ["w"], ["b.tif"]),
        (["s/.zgroup", "s/t/0.0", "s/t/.zarray", "s/u/.zgroup"], [], ["s"]),
        (["@r/zarr/zarr.json", "@r/zarr/t/zarr.json"], [], ["@r/zarr"]),
    ],
)
async def test_what_may_be_data(names: list[str], catalogues: list[str], data: list[str]) -> None:
    assert places(names) == (catalogues, data)


async def test_how_far_a_point_is_from_points_and_features(served: tuple[Client[Any], Path]) -> None:
    """Two points, and a point and the nearest feature: the same number, that of the ellipsoid."""
    here, there = [9.0, 50.0], [9.001, 50.0]
    metres = pyproj.Geod(ellps="WGS84").inv(*here, *there)[2]
    point = {
        "type": "Feature",
        "properties": {"name": "well"},
        "geometry": {"type": "Point", "coordinates": there},
    }
    far = {**point, "properties": {"name": "far"}, "geometry": {"type": "Point", "coordinates": [9.01, 50.0]}}
    layer = json.dumps({"type": "FeatureCollection", "features": [far, point]})
    (served[1] / "wells.geojson").write_text(layer)
    by_points = await call(served, "measure_distances", start=here, end=there)
    by_layer = await call(served, "measure_distances", start=here, other="wells.geojson")
    turned = await call(served, "measure_distances", data="wells.geojson", end=here, within_m=100)
    assert by_points["values"][0]["value"] == pytest.approx(metres, abs=0.001)
    for found in (by_layer, turned):
        least = next(each["value"] for each in found["values"] if each["name"] == "least distance")
        assert least == pytest.approx(metres, abs=0.001)
    assert by_layer["data"]["rows"][0]["nearest_name"] == turned["data"]["rows"][0]["name"] == "well"


async def test_a_job_gives_what_the_call_gives(served: tuple[Client[Any], Path]) -> None:
    arguments = {"data": CLIMATE, "variable": "u10", "over": "both"}
    started = await call(served, "aggregate_grid", job=True, **arguments)
    done = await call(served, "get_job", job=started["data"]["job"], wait_s=45)
    assert done["values"] == (await call(served, "aggregate_grid", **arguments))["values"]
    assert done["values"][0]["value"] == 3.0


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "said"),
    [
        ("describe_data", {"data": "@earth/leads_out.tif"}, "refused", "names other files"),
        ("describe_data", {"data": "@earth/bomb.gml"}, "refused", "document type"),
        ("describe_data", {"data": "@earth/cut.nc"}, "bad_input", "cannot be read"),
        ("describe_data", {"data": "@earth/cut.tif"}, "bad_input", "cannot be read"),
        ("describe_data", {"data": "@earth/empty.nc"}, "bad_input", "empty"),
        ("describe_data", {"data": "/etc/passwd"}, "refused", "Absolute"),
        ("describe_data", {"data": "@earth/climat.nc"}, "not_found", "did you mean @earth/climate.nc"),
        ("describe_data", {"data": "zzzz"}, "not_found", "try: find_data"),
        ("describe_data", {"data": "@earth/huge.zar"}, "not_found", "did you mean @earth/huge.zarr"),
        ("describe_data", {"data": "@earth/../x"}, "refused", "leaves"),
        ("aggregate_grid", {"data": "@earth/huge.zarr"}, "limit", "498 GB"),
        (
            "aggregate_grid",
            {"data": CLIMATE, "variable": "t2m", "polygons": "@earth/swapped.geojson"},
            "not_found",
            "exchanged",
        ),
        (
            "aggregate_grid",
            {"data": CLIMATE, "variable": "t2m", "polygons": "@earth/far.geojson"},
            "not_found",
            "outside the grid",
        ),
        ("sample_grid", {"data": CLIMATE, "select": {"box": [0, 48, 2, 50]}}, "not_found", "(6, 48, 12, 52)"),
        ("sample_grid", {"data": CLIMATE, "options": {"unitt": "K"}}, "not_found", "did you mean unit"),
        ("sample_grid", {"data": REGIONS}, "bad_input", "expected: a grid"),
        (
            "derive_variable",
            {"data": CLIMATE, "what": "heat_index"},
            "bad_input",
            "needs temperature and humidity",
        ),
        ("overlay_layers", {"data": REGIONS, "other": REGIONS, "how": "dig"}, "bad_input", "'intersection'"),
        ("measure_distances", {"start": [9.0, 50.0]}, "bad_input", "end or other"),
        (
            "measure_distances",
            {"start": [9, 50], "data": REGIONS, "other": REGIONS},
            "bad_input",
            "start or data",
        ),
        ("reshape_features", {"data": REGIONS, "shape": "buffer"}, "bad_input", "size_m"),
        ("reshape_features", {"data": REGIONS, "shape": "hull", "size_m": 50}, "bad_input", "has no size_m"),
        ("route_on_streets", {"data": "@earth/town.osm", "start": [9.0, 50.0]}, "bad_input", "minutes"),
    ],
)
async def test_a_refusal_has_a_code_and_says_what_to_do(
    served: tuple[Client[Any], Path], tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(served, tool, **arguments)
    assert found == code and said.lower() in text.lower()


@pytest.mark.accept
async def test_a_child_that_is_killed_ends_one_call_alone(served: tuple[Client[Any], Path]) -> None:
    await call(
        served, "aggregate_grid", data=CLIMATE, variable="u10", over="both"
    )  # the fork server is there
    before = set(descendants(os.getpid()))
    select = {"start": "1850-01-01", "end": "1850-02-01"}
    long = asyncio.create_task(
        served[0].call_tool(
            "aggregate_grid", {"data": "@earth/huge.zarr", "select": select}, raise_on_error=False
        )
    )
    for _ in range(200):
        await asyncio.sleep(0.02)
        if child := set(descendants(os.getpid())) - before:
            break
    for pid in child:
        os.kill(pid, signal.SIGKILL)
    result = await long
    assert result.is_error and "killed by SIGKILL" in result.content[0].text
    found = await call(served, "aggregate_grid", data=CLIMATE, variable="u10", over="both")
    assert found["values"][0]["value"] == 3.0


async def test_a_large_result_is_cut_to_an_answer_and_whole_in_a_file(
    served: tuple[Client[Any], Path],
) -> None:
    many = Answer(
        source="s",
        values=tuple(Quantity("v" * 30, number, "K", "n" * 50) for number in range(100)),
        data={"variables": {f"v{number}": {"name": "x" * 200, "dims": ["a"] * 30} for number in range(60)}},
        warnings=tuple("w" * 300 for _ in range(40)),
    )
    found = fit_answer(many)
    assert (
        json_bytes(found.to_dict()) <= ANSWER_BYTES
        and found.values
        and found.warnings
        and found.data["variables"]
    )
    assert "60 more values" in found.data["not_shown"]


WARMER = """
import xarray as xr
with xr.open_dataset("inputs/climate.nc") as data:
    t2m = data.t2m.load()
(t2m + 2).assign_attrs(t2m.attrs).to_dataset(name="t2m").to_netcdf("warmer.nc")
"""


@pytest.mark.accept
@pytest.mark.parametrize("python", ["science", "earth"])
async def test_code_takes_results_by_their_handles(tmp_path: Path, python: str) -> None:
    skip_unless(python)
    options = ServeOptions(
        toolsets=("default", "code"),
        workspace=tmp_path / "work",
        roots=lay_out(tmp_path),
        settings={"python": python},
    )
    async with Client(build(toolbox, options)) as client:
        both = (client, tmp_path)
        series = await call(both, "aggregate_grid", data=CLIMATE, variable="t2m", over="space", unit="degC")
        handle = series["artifacts"][0]["handle"]
        code = "import pandas as pd\nprint(round(pd.read_csv('inputs/aggregate.csv')['t2m [degC]'].max(), 4))"
        result = await client.call_tool("run_python_code", {"code": code, "files": [handle]})
        if python == "earth":  # what NumPy alone does not read, and a file that goes back to the tools
            written = await client.call_tool("run_python_code", {"code": WARMER, "files": [CLIMATE]})
            made = (written.structured_content or {})["artifacts"][0]["handle"]
            warmer = await call(both, "aggregate_grid", data=made, variable="t2m", over="both", unit="degC")
            as_it_was = await call(
                both, "aggregate_grid", data=CLIMATE, variable="t2m", over="both", unit="degC"
            )
            rise = warmer["values"][0]["value"] - as_it_was["values"][0]["value"]
            assert rise == pytest.approx(2.0, abs=1e-3)
    weights = np.cos(np.deg2rad(LATITUDES))[:, None] * np.ones(7)
    hottest = ((temperature() * weights).sum(axis=(1, 2)) / weights.sum()).max()
    assert float(result.content[0].text.splitlines()[1]) == pytest.approx(hottest, abs=2e-4)


@pytest.mark.accept
async def test_a_shapefile_is_read_by_its_shapes_and_georeferencing_beside_a_raster_is_named(
    served: tuple[Client[Any], Path],
) -> None:
    import geopandas as gpd
    import rasterio
    from rasterio.transform import from_origin
    from shapely.geometry import box

    work = served[1]
    plot = gpd.GeoDataFrame({"code": ["001"]}, geometry=[box(5e5, 4.6e6, 500100, 4600050)], crs="EPSG:32633")
    plot.to_file(work / "plot.shp")
    found = await call(served, "measure_features", data="plot.shp")
    assert values(found)["area in the plane of EPSG:32633"] == 5000
    assert found["data"]["rows"][0]["code"] == "001"
    (work / "plot.shx").unlink()
    assert "plot.shx" in (await refused(served, "measure_features", data="plot.shp"))[1]
    profile = {
        "driver": "GTiff",
        "width": 20,
        "height": 20,
        "count": 1,
        "dtype": "float32",
        "crs": "EPSG:32632",
    }
    with rasterio.open(work / "t.tif", "w", transform=from_origin(5e5, 5.03e6, 10, 10), **profile) as file:
        file.write(np.ones((1, 20, 20), "float32"))
    aux = "<PAMDataset><GeoTransform> 6.0e5, 2.0e1, 0, 5.04e6, 0, -2.0e1</GeoTransform></PAMDataset>"
    (work / "t.tif.aux.xml").write_text(aux)
    described = await call(served, "describe_data", data="t.tif")
    assert described["data"]["extent"]["west_south_east_north"] == [500000, 5029800, 500200, 5030000]
    assert described["data"]["extent"]["area_m2"] == 40_000
    assert "t.tif.aux.xml states another georeferencing (cells of 20 x 20 from 600000" in " ".join(
        described["warnings"]
    )
