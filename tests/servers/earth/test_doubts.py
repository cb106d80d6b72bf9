"""What is computed as asked and yet measures nothing, or counts values that stand for none: it is said beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import netCDF4
import numpy as np
import pytest
from shapely.geometry import box

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.grids.doubts import stands_for_missing, sum_doubt
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.plots.operations import OPERATIONS as PLOTS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

DAYS, LATITUDES, LONGITUDES = 60, np.arange(50.0, 46.0, -1), np.arange(8.0, 13.0)
HOLE = (3, 2)
"""Row and column of a cell that is -9999 on every third day, which the file does not state."""


def _field() -> Any:
    day, row, column = np.ogrid[:DAYS, : LATITUDES.size, : LONGITUDES.size]
    values = (280.0 + day % 7 + row - column).astype("f4")
    values[::3, *HOLE] = -9999.0
    return values


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field with an undeclared -9999, a rainfall rate, and a polygon around the cells of two columns."""
    folder = tmp_path_factory.mktemp("doubts")
    with netCDF4.Dataset(folder / "field.nc", "w") as file:
        for name, values, units in (
            ("time", np.arange(DAYS), "days since 2001-01-01"),
            ("lat", LATITUDES, "degrees_north"),
            ("lon", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units, axis[:] = units, values
        for name, units, field in (
            ("tas", "K", _field()),
            ("clean", "K", np.where(_field() < 0, 281, _field())),
            ("pr", "kg m-2 s-1", np.full(_field().shape, 1e-5)),
            ("people", "1", np.full(_field().shape, 3.0)),
        ):
            variable = file.createVariable(name, "f4", ("time", "lat", "lon"), chunksizes=(20, 4, 5))
            variable.units, variable[:] = units, field
    shapes = gpd.GeoDataFrame({"name": ["two columns"]}, geometry=[box(9.5, 46.5, 11.5, 50.5)], crs=4326)
    shapes.to_file(folder / "shapes.gpkg", driver="GPKG")
    return folder


@pytest.fixture
def asks(files: Path, tmp_path: Path) -> Any:
    def ask(operation: str, polygons: bool = False, **arguments: Any) -> Result:
        inputs = {"data": (Place.of(files / "field.nc"),)}
        if polygons:
            inputs["polygons"] = (Place.of(files / "shapes.gpkg"),)
        return OPERATIONS[operation](Call(inputs, arguments, tmp_path))

    return ask


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"variable": "clean", "statistic": "sum", "over": "space", "unit": "degC"}, "degree days"),
        ({"variable": "pr", "statistic": "sum"}, "length of a step"),
        ({"variable": "people", "statistic": "sum", "over": "space"}, ""),
        *(
            pytest.param(*case, marks=pytest.mark.accept)
            for case in (
                ({"variable": "clean", "statistic": "sum"}, "degree days"),
                ({"variable": "clean", "daily": "sum", "over": "both"}, "degree days"),
                ({"variable": "pr", "statistic": "sum", "over": "space"}, "areas"),
                ({"variable": "clean", "statistic": "degree_days", "options": {"base_temperature": 280}}, ""),
                ({"variable": "clean", "statistic": "mean", "over": "space"}, ""),
            )
        ),
    ],
)
def test_a_sum_that_measures_nothing_is_said_to_be_one(
    asks: Any, arguments: dict[str, Any], said: str
) -> None:
    found = asks("aggregate", **arguments)
    assert bool(found.warnings) == bool(said)
    assert said in " ".join(found.warnings)


def test_sums_in_polygons_are_doubted_by_the_same_rule(asks: Any) -> None:
    select = {"end": "2001-01-02"}
    found = asks("zonal_statistics", polygons=True, variable="clean", statistics=["sum"], select=select)
    assert "degree days" in " ".join(found.warnings)
    people = asks("zonal_statistics", polygons=True, variable="people", statistics=["sum"], select=select)
    assert people.values[0].value == 24.0 and not people.warnings  # 4 rows of 2 cells with 3 each


@pytest.mark.parametrize(
    ("unit", "over", "doubted"),
    [
        ("K", "time", True), ("degC", "space", True), ("degF", "time", True), ("K d", "time", False),
        ("mm", "time", False), ("mm", "space", True), ("J m-2", "time", False), ("W m-2", "time", True),
        ("mm/day", "time", True), ("kg", "space", False), ("", "time", False), ("people", "space", False),
        ("km-2", "space", True),
    ],
)  # fmt: skip
def test_which_sums_mean_something(unit: str, over: str, doubted: bool) -> None:
    assert bool(sum_doubt({"units": unit}, over)) == doubted
    assert not sum_doubt({"units": "K", "labrig_difference": "1"}, "time")
    assert "m a day" in sum_doubt({"units": "m", "GRIB_stepType": "avgad"}, "time")


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("zonal_statistics", {"statistics": ["mean"], "polygons": True}),
        ("aggregate", {"over": "both", "polygons": True}),
        ("extract", {}),
        pytest.param("aggregate", {"statistic": "max", "unit": "degC"}, marks=pytest.mark.accept),
        pytest.param("regrid_or_reproject", {"resolution": 2.0}, marks=pytest.mark.accept),
    ],
)
def test_a_missing_value_that_nobody_states_is_pointed_at(
    asks: Any, operation: str, arguments: dict[str, Any]
) -> None:
    name = {"variables": ["tas"]} if operation == "extract" else {"variable": "tas"}
    found = asks(operation, **arguments, **name)
    assert any("-9999" in each and "missing" in each for each in found.warnings), found.warnings
    clean = asks(
        operation, **arguments, **{key: ["clean"] if key == "variables" else "clean" for key in name}
    )
    assert not any("-9999" in each for each in clean.warnings)


def test_what_the_caller_states_as_missing_counts_no_more(asks: Any) -> None:
    found = asks("aggregate", variable="tas", over="both", missing=-9999)
    values = np.where(_field() < 0, np.nan, _field())
    weights = np.where(np.isnan(values), 0, np.cos(np.deg2rad(LATITUDES))[:, None])
    daily = np.nansum(values * weights, axis=(1, 2)) / weights.sum(axis=(1, 2))
    assert found.values[0].value == pytest.approx(daily.mean(), rel=1e-5)
    assert "as the caller states" in " ".join(found.assumed)
    assert not any("-9999" in each for each in found.warnings)
    zonal = asks(
        "zonal_statistics", polygons=True, variable="tas", missing=-9999, statistics=["min", "count"],
        select={"end": "2001-01-01"},
    )  # fmt: skip
    assert [each.value for each in zonal.values] == [np.nanmin(values[0][:, 2:4]), 7.0]
    with pytest.raises(LabrigError, match="no number"):
        asks("extract", missing="none")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1.0, -9999.0], [-9999.0]), ([1.0, 2.0], []), ([np.nan, 1e20], [1e20]), ([-32768, 5], [-32768]),
        ([-999.0, 9.96921e36], [-999.0, 9.96921e36]), ([np.nan, np.nan], []), ([-998.9, 9998.0], []),
    ],
)  # fmt: skip
def test_which_values_may_stand_for_missing_ones(values: list[float], found: list[float]) -> None:
    assert stands_for_missing(np.array(values)) == pytest.approx(found)


@pytest.mark.accept
def test_a_map_says_it_too(files: Path, tmp_path: Path) -> None:
    inputs = {"data": (Place.of(files / "field.nc"),)}
    arguments = {"variable": "tas", "select": {"start": "2001-01-01", "end": "2001-01-01"}}
    found = PLOTS["plot_map"](Call(inputs, arguments, tmp_path))
    assert "-9999" in " ".join(found.warnings) and found.values[0].value == -9999
    stated = PLOTS["plot_map"](Call(inputs, {**arguments, "missing": -9999}, tmp_path))
    assert not stated.warnings and stated.values[0].value == 276.0
    assert "as the caller states" in " ".join(stated.assumed)


def test_a_trend_of_parts_of_years_is_told_from_one_of_years(asks: Any) -> None:
    """Sixty days hold no trend, and what is computed of them says what may stand for one."""
    found = asks("aggregate", variable="clean", over="both", statistic="trend")
    assert "seasonal cycle" in " ".join(found.warnings) and "every" in " ".join(found.warnings)


def test_days_beyond_a_threshold_are_days(asks: Any) -> None:
    counted = asks(
        "aggregate", variable="clean", over="both", statistic="exceedance", options={"threshold": 283}
    )
    assert counted.values[0].unit == "d" and counted.values[0].value is not None
    runs = asks("aggregate", variable="clean", over="both", statistic="spells", options={"threshold": 281})
    assert {each.name: each.unit for each in runs.values} == {
        "spells": "1", "steps_in_spells": "d", "longest_spell": "d"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "arguments", "said", "unsaid"),
    [
        ("extract", {"point": [8.1, 150.2]}, "", "box smaller"),
        ("extract", {"point": [9.0, 48.0]}, "[latitude, longitude] = [48, 9]", "box smaller"),
        ("extract", {"select": {"box": [9.1, 48.1, 9.2, 48.2]}}, "point=[latitude", "exchanged"),
        ("extract", {"select": {"box": [100, 0, 101, 1]}}, "", "point=["),
        ("extract", {"select": {"box": [47, 9, 50, 11]}}, "[9, 47, 11, 50], if", "point=["),
    ],
)
def test_a_place_outside_gets_the_hint_that_fits_it(
    asks: Any, operation: str, arguments: dict[str, Any], said: str, unsaid: str
) -> None:
    with pytest.raises(LabrigError) as refused:
        asks(operation, variables=["clean"], **arguments)
    assert said in str(refused.value) and unsaid not in str(refused.value)
