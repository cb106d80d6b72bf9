"""Four questions, worked through over MCP as an agent would, against what was planted in the world."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytest_asyncio
import rasterio
import xarray as xr
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.every_server import examples

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.accept]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(world: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(
        toolsets=("default", "tables", "code"), workspace=tmp_path_factory.mktemp("work"), roots=(world,)
    )
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    found = (await client.call_tool(tool, arguments)).structured_content
    assert found is not None
    assert any("synthetic" in each for each in found.get("warnings", ())), "made data say so in each result"
    return found


async def table(client: Client[Any], answer: dict[str, Any]) -> pd.DataFrame:
    """Return the CSV that an answer keeps, as another tool reads it."""
    import io

    text = (await client.call_tool("read_file", {"path": answer["artifacts"][0]["handle"]})).content[0].text
    return pd.read_csv(io.StringIO(text))


def value(answer: dict[str, Any], name: str, note: str = "") -> Any:
    return next(
        each["value"] for each in answer["values"] if each["name"] == name and note in each.get("note", "")
    )


async def test_a_heat_wave_in_a_polygon(client: Client[Any], world: Path, truth: dict[str, Any]) -> None:
    spell = truth["climate/daily.nc"]["hot_spell"]
    west, south, east, north = spell["box_west_south_east_north"]
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    area = {
        "type": "Feature",
        "properties": {"name": "area"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    text = json.dumps({"type": "FeatureCollection", "features": [area]})
    await client.call_tool("write_file", {"path": "area.geojson", "content": text})
    year = spell["first_day"][:4]
    asked = {
        "data": "@data/climate/daily.nc",
        "variable": "t2m",
        "polygons": "area.geojson",
        "select": {"start": year, "end": year},
    }
    usual = {"percentile": 99, "base": ["2017", "2020"], "window": 31}
    found = await call(
        client, "aggregate_grid", statistic="spells", options={**usual, "least_steps": 5}, **asked
    )
    days = (pd.Timestamp(spell["last_day"]) - pd.Timestamp(spell["first_day"])).days + 1
    assert 0 < value(found, "longest_spell") <= days
    series = await table(client, await call(client, "aggregate_grid", over="space", unit="degC", **asked))
    means = series["t2m [degC]"].to_numpy()
    with xr.open_dataset(world / "climate" / "daily.nc", engine="netcdf4") as raw:
        part = (
            raw.t2m.sel(time=year, latitude=slice(north, south), longitude=slice(west, east)).values - 273.15
        )
    inside = (
        np.outer([0.5, 1, 0.5], [0.5, 1, 1, 0.5]) * np.cos(np.deg2rad(np.linspace(north, south, 3)))[:, None]
    )
    assert means == pytest.approx((part * inside).sum(axis=(1, 2)) / inside.sum(), abs=2e-3)
    assert spell["first_day"] <= str(series["time"][int(means.argmax())])[:10] <= spell["last_day"]


async def test_ndvi_answers_to_the_rain_of_the_month_before(
    client: Client[Any], truth: dict[str, Any]
) -> None:
    rain = await call(
        client, "aggregate_grid", data="@data/climate/daily.nc", variable="tp", statistic="sum", over="both",
        every="month", unit="mm",
    )  # fmt: skip
    green = await call(client, "aggregate_grid", data="@data/climate/ndvi_monthly.nc", over="space")
    before, after = await table(client, rain), await table(client, green)
    x, y = before["tp [mm]"].to_numpy()[:-1], after["ndvi [1]"].to_numpy()
    assert before["time"][0][:7] == "2017-01" and after["time"][0][:7] == "2017-02"
    assert np.polyfit(x, y, 1)[0] == pytest.approx(truth["climate/ndvi_monthly.nc"]["slope_per_mm"], rel=0.05)


async def test_a_flood_closes_streets_and_a_detour_is_found(
    client: Client[Any], truth: dict[str, Any]
) -> None:
    planted = truth["town"]["route"]
    ends = {"start": planted["from_lon_lat"], "end": planted["to_lon_lat"]}
    dry = await call(client, "route_on_streets", data="@data/town/town.osm", **ends)
    wet = await call(
        client, "route_on_streets", data="@data/town/town.osm", other="@data/town/flood.gpkg", **ends
    )
    assert value(dry, "time") == pytest.approx(planted["time_s"], rel=0.01)
    assert value(wet, "time") > 2 * value(dry, "time")
    assert value(wet, "street pieces closed") == truth["town"]["street_pieces_touched_by_flood"]
    hit = await call(
        client, "find_exposed_features", data="@data/town/buildings.gpkg", other="@data/town/flood.gpkg",
        sums=["residents"],
    )  # fmt: skip
    assert truth["town"]["residents_of_buildings_touched_by_flood"] in [
        each["value"] for each in hit["values"]
    ]


async def test_bad_air_by_the_people_who_breathe_it(
    client: Client[Any], world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    over = await call(
        client, "aggregate_grid", data="@data/air/hourly.zarr", variable="pm2p5", statistic="exceedance", daily="mean",
        options={"threshold": 15, "unit": "ug m-3", "format": "geotiff"},
    )  # fmt: skip
    shared = {"polygons": "@data/town/districts.geojson", "options": {"names": "district"}}
    days = await call(
        client, "zonal_statistics", data=over["artifacts"][0]["handle"], statistics=["max"], **shared
    )
    people = await call(
        client, "zonal_statistics", data="@data/town/people.tif", statistics=["sum"], **shared
    )
    planted = truth["air/hourly.zarr"]["days_above_15_ug_m3_of_pm2p5"]
    sides = {"east": planted["east of the middle"], "west": planted["west of it"]}
    exposed = 0.0
    for district in ("North-east", "South-east", "North-west", "South-west"):
        bad = value(days, "max", district)
        assert bad >= sides[district[6:]]
        if district.endswith("east"):
            assert bad == sides["east"]
            exposed += value(people, "sum", district)
    assert exposed == pytest.approx(truth["town"]["people_east_of_middle_by_cell_centres"], rel=0.1)
    with rasterio.open(world / "town" / "people.tif") as raster:
        cells = raster.read(1, masked=True)
    assert sum(each["value"] for each in people["values"]) == pytest.approx(float(cells.sum()), rel=0.02)


async def test_the_example_of_a_description_runs(client: Client[Any]) -> None:
    calls = examples(await client.list_tools())
    assert len(calls) >= 19
    for name, example in calls.items():
        found = await client.call_tool(name, example)
        assert found.content and not found.is_error, name


async def test_a_word_that_a_closed_list_does_not_have_is_refused_with_those_that_it_has(
    client: Client[Any],
) -> None:
    tools = await client.list_tools()
    calls, tried = examples(tools), 0
    for tool in tools:
        for key, argument in tool.input_schema["properties"].items():
            words = argument.get("enum") or argument.get("items", {}).get("enum")
            if tool.name not in calls or not words:
                continue
            wrong = "average_of_it" if argument["type"] == "string" else ["average_of_it"]
            found = await client.call_tool(tool.name, {**calls[tool.name], key: wrong}, raise_on_error=False)
            said = found.content[0].text
            assert found.is_error and "average_of_it" in said, (tool.name, key, said)
            assert sum(word.lower() in said.lower() for word in words) >= min(len(words), 3), (
                tool.name,
                key,
                said,
            )
            tried += 1
    assert tried >= 12
