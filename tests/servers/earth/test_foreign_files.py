"""Files that the server did not make, nor the libraries that it reads by: described, cut, counted and drawn right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labrig.errors import LabrigError
from labrig_earth.catalogue.scanning import entry_of
from labrig_earth.data.formats import Place
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.plots.operations import OPERATIONS as PLOTS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from support import foreign_files as foreign


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("foreign")
    foreign.rain(made / "rain.nc")
    foreign.land_cover(made / "cover.tif")
    foreign.places(made / "places.gpkg")
    return made


@pytest.fixture
def asks(folder: Path, tmp_path: Path) -> Any:
    def ask(operation: str, data: str, polygons: str = "", **arguments: Any) -> Result:
        roles = {"data": data, "polygons": polygons}
        inputs = {role: (Place.of(folder / name),) for role, name in roles.items() if name}
        return OPERATIONS[operation](Call(inputs, arguments, tmp_path))

    return ask


def test_each_is_described_as_it_was_written(asks: Any, folder: Path) -> None:
    rain = asks("describe_data", "rain.nc").data
    field = rain["variables"]["prate"]
    assert (field["unit"], field["name"], field["range"]) == ("mm/day", "Daily precipitation", [0.0, 6.82])
    assert field["missing"] == f"{30 * 144} of {30 * 73 * 144}" and "int16 x 0.01" in field["packed"]
    assert (rain["time"]["first"], rain["time"]["last"]) == ("2021-06-01", "2021-06-30")
    assert rain["extent"]["longitudes"].startswith("0 to 360")
    assert rain["extent"]["latitudes"] == "from south to north"
    cover = asks("describe_data", "cover.tif")
    assert cover.crs == "EPSG:32633" and cover.grid == "100 x 100 m, 50 x 60"
    (band,) = cover.data["variables"].values()
    assert (band["missing"], band["range"]) == ("60 of 3000", [10.0, 80.0]) and "packed" not in band
    layers = asks("describe_data", "places.gpkg").data["layers"]
    assert {name: (each["features"], each["crs"]) for name, each in layers.items()} == {
        "districts": (2, "EPSG:4326"), "fields": (2, "EPSG:32633")
    }  # fmt: skip
    found = entry_of(Place.of(folder / "places.gpkg"))
    assert found.title.startswith("4 features in 2 layers")


def test_each_is_cut_and_counted_as_numpy_does(asks: Any, tmp_path: Path) -> None:
    select = {"start": "2021-06-10", "end": "2021-06-20"}
    with pytest.raises(LabrigError, match="2 layers") as refused:
        asks("aggregate", "rain.nc", "places.gpkg", statistic="max", select=select)
    assert "districts, fields" in str(refused.value) and 'layer="districts"' in str(refused.value)
    found = asks("aggregate", "rain.nc", "places.gpkg", statistic="max", select=select, layer="districts")
    days = foreign.millimetres()[9:20]
    rows = [int(np.flatnonzero(latitude == foreign.LATITUDES)[0]) for latitude in (47.5, 50.0)]
    # A cell counts by sin(north) - sin(south).
    north, south = np.sin(np.deg2rad([48.75, 51.25])), np.sin(np.deg2rad([46.25, 48.75]))
    weights = (north - south)[:, None] * np.ones(2)
    channel = (days[:, rows][:, :, [143, 0]] * weights).sum(axis=(1, 2)) / weights.sum()
    inn = days[:, rows[0], [5, 6]].mean(axis=1)
    assert [each.value for each in found.values] == pytest.approx([channel.max(), inn.max()], rel=1e-5)
    parts = asks(
        "zonal_statistics", "cover.tif", "places.gpkg", layer="fields", statistics=["fractions", "count"]
    )
    values = {f"{each.note}: {each.name}": each.value for each in parts.values}
    assert values == {
        "around the block: fraction_10": 0.5, "around the block: fraction_50": 0.5, "around the block: count": 1000,
        "the west: fraction_10": 1.0, "the west: fraction_50": 0.0, "the west: count": 800,
    }  # fmt: skip
    # Degrees of the middle of the block; its cells lie within 200 m of it.
    cut = asks("extract", "cover.tif", select={"box": [12.744, 48.301, 12.749, 48.304]}, format="geotiff")
    with Image.open(tmp_path / cut.files[0]) as image:
        assert set(np.asarray(image).ravel().tolist()) == {80.0}


@pytest.mark.accept
def test_each_is_drawn_where_it_lies(folder: Path, tmp_path: Path) -> None:
    """The block of the land cover is a rectangle of its share of the map; a field's outline runs around it."""
    styles = [{"style": "outline", "label": "fields", "layer": "fields"}]
    inputs = {"data": (Place.of(folder / "cover.tif"),), "layers": (Place.of(folder / "places.gpkg"),)}
    names = {"10": "trees", "50": "built-up", "80": "water"}
    PLOTS["plot_map"](Call(inputs, {"classes": names, "styles": styles}, tmp_path))
    with Image.open(tmp_path / "map.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    trees, built, water = (
        (pixels == colour).all(axis=2) for colour in ((0, 158, 115), (213, 94, 0), (0, 114, 178))
    )
    # Legends lie below the map; each class is its largest patch there.
    rows, columns = (np.flatnonzero(water.sum(axis=axis) > 60) for axis in (1, 0))
    cell = (columns[-1] - columns[0]) / 20
    assert (rows[-1] - rows[0]) / cell == pytest.approx(10, abs=0.3)
    middle = (rows[0] + rows[-1]) // 2
    green, orange = np.flatnonzero(trees[middle]), np.flatnonzero(built[middle])
    assert (columns[0] - green[0]) / cell == pytest.approx(20, abs=0.3)
    assert (orange[-1] - columns[-1]) / cell == pytest.approx(20, abs=0.3)
    dark = (pixels.max(axis=2) < 80)[middle]
    left = columns[0] - round(10 * cell)
    assert dark[left - 4 : left + 5].any(), "the outline ten cells west of the block"
    inputs = {"data": (Place.of(folder / "rain.nc"),)}
    select = {"start": "2021-06-10", "end": "2021-06-10", "box": [-10, 40, 20, 55]}
    found = PLOTS["plot_map"](Call(inputs, {"select": select}, tmp_path))
    day = foreign.millimetres()[9]
    part = day[(foreign.LATITUDES >= 40) & (foreign.LATITUDES <= 55)]
    part = part[:, (foreign.LONGITUDES <= 20) | (foreign.LONGITUDES >= 350)]
    assert [each.value for each in found.values] == pytest.approx([part.min(), part.max()], abs=1e-3)
