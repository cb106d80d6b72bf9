"""Four workflows over MCP on the made world, as an agent would go, end at the planted numbers.

A step takes what the step before answered: a path that was found, the handle of a file that was made.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import geopandas as gpd
import netCDF4
import numpy as np
import pandas as pd
import pytest
import pytest_asyncio
import rasterio
from fastmcp import Client
from PIL import Image
from shapely.geometry import box

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox

pytestmark = [pytest.mark.accept, pytest.mark.asyncio(loop_scope="module")]


class Agent:
    """A client with a workspace, which remembers nothing but what it was answered."""

    def __init__(self, client: Client[Any], work: Path) -> None:
        self._client, self.work = client, work

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found = (await self._client.call_tool(tool, arguments)).structured_content
        assert found is not None
        return found

    async def find(self, **asked: Any) -> str:
        """Return the path of the best data set that is found."""
        found = await self("find_data", **asked)
        return str(found["data"]["found"][0]["where"])

    async def picture(self, **arguments: Any) -> tuple[Image.Image, str]:
        """Return a plot and its text."""
        content = (await self._client.call_tool("plot", arguments)).content
        return Image.open(io.BytesIO(base64.b64decode(content[0].data))), str(content[-1].text)

    def file(self, answer: dict[str, Any]) -> Path:
        """Return where the first artifact of an answer lies."""
        digest = answer["artifacts"][0]["handle"].removeprefix("sha256:")
        places = (self.work / ".labrig" / "artifacts").iterdir()
        (found,) = [
            each for each in places if each.name.startswith(digest) and not each.name.endswith(".json")
        ]
        return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agent(world: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Agent]:
    work = tmp_path_factory.mktemp("agent")
    async with Client(build(toolbox, ServeOptions(workspace=work, roots=(world,)))) as client:
        yield Agent(client, work)


def value(answer: dict[str, Any], name: str, note: str = "") -> float:
    return next(
        float(v["value"]) for v in answer["values"] if v["name"] == name and note in v.get("note", "")
    )


def handle(answer: dict[str, Any]) -> str:
    return str(answer["artifacts"][0]["handle"])


async def test_heat_in_a_polygon(agent: Agent, world: Path, truth: dict[str, Any]) -> None:
    planted = truth["climate/daily.nc"]["hot_spell"]
    west, south, east, north = planted["box_west_south_east_north"]
    area = gpd.GeoDataFrame(
        {"name": ["hot"]}, geometry=[box(west - 0.5, south - 0.5, east + 0.5, north + 0.5)], crs=4326
    )
    area.to_file(agent.work / "hot.geojson", driver="GeoJSON")
    data = await agent.find(
        variable="temperature",
        start=planted["first_day"],
        end=planted["last_day"],
        bbox=list(area.total_bounds),
    )
    days = await agent(
        "aggregate_grid",
        data=data,
        variable="t2m",
        statistic="exceedance",
        over="time",
        options={"threshold": 300, "unit": "K"},
    )
    counted = await agent(
        "zonal_statistics", data=handle(days), polygons="hot.geojson", statistics=["sum", "count"]
    )
    assert value(counted, "sum") == pytest.approx(planted["cell_days_above_300_K"])
    with netCDF4.Dataset(world / "climate/daily.nc") as raw, netCDF4.Dataset(agent.file(days)) as made:
        above = (np.asarray(raw["t2m"][:]) > 300).sum(axis=0)
        name = next(each for each in made.variables if made[each].ndim == 2)
        assert (np.asarray(made[name][:]) == above).all()
    drawn, said = await agent.picture(
        kind="map", files=[handle(days)], layers=["hot.geojson"], options={"title": "Days above 300 K"}
    )
    assert drawn.width == 1280 and "greatest value shown" in said
    assert any("synthetic" in warning for warning in days["warnings"])


async def test_vegetation_after_rain(agent: Agent, truth: dict[str, Any]) -> None:
    point = [48, 12]
    rain_data, ndvi_data = (
        await agent.find(variable="precipitation", start="2018"),
        await agent.find(variable="ndvi"),
    )
    months = await agent(
        "aggregate_grid", data=rain_data, variable="tp", statistic="sum", over="time", every="month"
    )
    rain = await agent(
        "sample_grid", data=handle(months), point=point, options={"format": "csv", "unit": "mm"}
    )
    ndvi = await agent("sample_grid", data=ndvi_data, point=point, options={"format": "csv"})
    rain_mm, index = (pd.read_csv(agent.file(each)).iloc[:, -1].to_numpy() for each in (rain, ndvi))
    assert len(rain_mm) == len(index) + 1
    slope = np.polyfit(rain_mm[:-1], index, 1)[0]
    assert slope == pytest.approx(truth["climate/ndvi_monthly.nc"]["slope_per_mm"], rel=1e-3)


async def test_flooded_streets_and_the_way_round(agent: Agent, world: Path, truth: dict[str, Any]) -> None:
    town = truth["town"]
    streets, flood = await agent.find(text="streets"), await agent.find(text="flood")
    buildings = await agent.find(text="buildings gpkg residents")
    wet = await agent("find_exposed_features", data=streets, other=flood, where={"highway": True})
    assert value(wet, "features touched") > 0 and value(wet, "length inside") > 0
    people = await agent("find_exposed_features", data=buildings, other=flood, sums=["residents"])
    assert value(people, "residents of features touched") == town["residents_of_buildings_touched_by_flood"]
    way = town["route"]
    ends = {"start": way["from_lon_lat"], "end": way["to_lon_lat"], "speeds_km_h": town["speeds_km_h"]}
    route = await agent("route_on_streets", data=streets, other=flood, **ends)
    assert value(route, "time") == pytest.approx(way["time_s_with_flood"], abs=0.06)
    assert value(route, "time without closures") == pytest.approx(way["time_s"], abs=0.06)
    assert route["data"]["extra_length_m"] == pytest.approx(
        way["length_m_with_flood"] - way["length_m"], abs=0.2
    )
    lines = gpd.read_file(agent.file(route)).set_index("kind").geometry
    water = gpd.read_file(world / "town/flood.gpkg").to_crs(4326).geometry.iloc[0]
    assert not lines["route"].intersects(water) and lines["open"].intersects(water)
    styles = [
        {"where": {"highway": True}},
        {"style": "hazard", "label": "flood"},
        {"style": "route", "label": "way"},
    ]
    drawn, _ = await agent.picture(
        kind="map", layers=[streets, flood, handle(route)], options={"styles": styles}
    )
    assert drawn.width == 1280


async def test_people_who_breathe_smog(agent: Agent, world: Path, truth: dict[str, Any]) -> None:
    planted = truth["air/hourly.zarr"]
    air, people = await agent.find(text="air quality"), await agent.find(variable="people")
    districts = await agent.find(text="districts polygon")
    options = {"threshold": 15, "unit": "ug m-3", "format": "netcdf"}
    days = await agent(
        "aggregate_grid",
        data=air,
        variable="pm2p5",
        statistic="exceedance",
        daily="mean",
        over="time",
        options=options,
    )
    by_district = await agent(
        "zonal_statistics",
        data=handle(days),
        polygons=districts,
        statistics=["max", "majority"],
        options={"names": "district"},
    )
    residents = await agent(
        "zonal_statistics", data=people, polygons=districts, statistics=["sum"], options={"names": "district"}
    )
    names = ("North-east", "South-east", "North-west", "South-west")
    found = {name: value(by_district, "majority", name) for name in names}
    smog = planted["days_above_15_ug_m3_of_pm2p5"]["east of the middle"]
    assert found == {"North-east": smog, "South-east": smog, "North-west": 0, "South-west": 0}
    exposed = sum(value(residents, "sum", name) for name in names if found[name] > 0)
    with rasterio.open(world / "town/people.tif") as file:
        cells, middle = file.read(1), truth["terrain/dem.tif"]["side_m"] / 2
        inside = (
            np.clip((np.arange(file.width) + 1) * 100 - middle, 0, 100) / 100
        )  # part of a column that lies to the east
    assert exposed == pytest.approx(float((cells * inside).sum()), rel=0.002)
    assert json.dumps(days["data"]["method"]).count("above 15")
