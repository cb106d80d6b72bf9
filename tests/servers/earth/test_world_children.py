"""Layers, routes, indices and pictures in children behind walls, on the made world, as the server asks for them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from labrig.isolation.children import Children
from labrig.plotting.images import look
from labrig_earth.results import Result
from labrig_earth.work import asking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def by() -> AsyncIterator[Children]:
    async with asking.workers() as children:
        yield children


async def ask(
    by: Children, operation: str, files: dict[str, list[Path]], scratch: Path, **arguments: Any
) -> Result:
    scratch.mkdir(exist_ok=True)
    with ExitStack() as held:

        def opened(path: Path) -> int:
            descriptor = os.open(path, os.O_RDONLY)
            held.callback(os.close, descriptor)
            return descriptor

        inputs = {
            role: [asking.Given(path.name, opened(path)) for path in paths] for role, paths in files.items()
        }
        return await asking.run(by, operation, inputs, arguments, opened(scratch))


def _value(result: Result, name: str) -> float:
    return next(float(each.value) for each in result.values if each.name == name)


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_a_route_round_the_flood_is_found_and_drawn(
    by: Children, world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    way, streets, flood = truth["town"]["route"], world / "town/town.osm.pbf", world / "town/flood.gpkg"
    ends = {"start": way["from_lon_lat"], "end": way["to_lon_lat"], "speeds": truth["town"]["speeds_km_h"]}
    found = await ask(by, "gis_route", {"data": [streets], "other": [flood]}, tmp_path / "a", **ends)
    assert _value(found, "time") == pytest.approx(way["time_s_with_flood"], abs=0.05)
    assert found.source == "town.osm.pbf" and found.files == ("features.gpkg",)
    styles = [
        {"where": {"highway": True}},
        {"style": "hazard", "label": "flood"},
        {"style": "route", "label": "way"},
    ]
    layers = {"layers": [streets, flood, tmp_path / "a/features.gpkg"]}
    drawn = await ask(by, "plot_map", layers, tmp_path / "b", styles=styles, title="Town")
    seen = look((tmp_path / "b" / drawn.files[0]).read_bytes())
    assert not isinstance(seen, str) and seen.width == 1280


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_an_index_a_buffer_and_a_map_in_children(
    by: Children, world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    scene = [world / "scenes/2022-06-18.tif", world / "scenes/2022-06-18_SCL.tif"]
    inputs = {"data": scene, "polygons": [world / "scenes/field.gpkg"]}
    found = await ask(by, "index", inputs, tmp_path / "a", index="NDVI")
    planted = truth["scenes"]["by_date"]["2022-06-18"]
    assert _value(found, "mean of NDVI") == pytest.approx(planted["mean_ndvi_of_clear_cells"], abs=1e-6)
    assert found.data["polygons"][0]["mean"] == pytest.approx(truth["scenes"]["field"]["after"], abs=1e-6)
    wide = await ask(
        by, "gis_buffer", {"data": [world / "town/districts.geojson"]}, tmp_path / "b", size=10, unit="m"
    )
    assert _value(wide, "features") == 4
    day = {"start": "2018-07-25", "end": "2018-07-25"}
    daily = {"data": [world / "climate/daily.nc"]}
    drawn = await ask(
        by, "plot_map", daily, tmp_path / "c", variable="t2m", select=day, vectors=["u10", "v10"]
    )
    assert not isinstance(look((tmp_path / "c" / drawn.files[0]).read_bytes()), str)


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_a_catalogue_is_read_in_a_child(by: Children, world: Path, tmp_path: Path) -> None:
    found = await ask(
        by, "find_data", {"catalogues": [world]}, tmp_path / "a", prefixes=["@earth"], variable="ozone"
    )
    assert [each["where"] for each in found.data["found"]] == ["@earth/air/hourly.zarr"]
