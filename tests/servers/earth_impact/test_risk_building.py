"""Events and assets of CLIMADA out of grids and polygons: what a run takes, and what is refused."""

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
from labrig_earth.impact.building import make_input
from labrig_earth.impact.risk.climada import case_of
from labrig_earth.impact.risk.hazard import read_hazard
from labrig_earth.impact.simulator import Named
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from labrig_earth.world.writing import Folder
from support.risk import given

DAYS, LATITUDES, LONGITUDES = 731, [48.0, 49.0], [359.0, 0.0, 1.0]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two years of winds, people on a grid, and polygons of floods."""
    folder = Folder(tmp_path_factory.mktemp("data"), 7)
    with netCDF4.Dataset(folder.path / "wind.nc", "w") as file:
        for name, values, units in (
            ("time", np.arange(DAYS), "days since 2000-01-01"),
            ("latitude", LATITUDES, "degrees_north"),
            ("longitude", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        wind = file.createVariable("gust", "f4", ("time", "latitude", "longitude"), fill_value=-1)
        wind.units = "km h-1"
        speed = np.full((DAYS, 2, 3), 36.0)
        speed[40, 0, 0], speed[500, 1, 2] = 180.0, 108.0
        speed[:, 0, 1] = -1
        wind[:] = speed
    people = np.array([[[0, 5], [7, -1]]], dtype="f4")
    folder.geotiff("people.tif", people, west=330_000, north=5_350_400, step=100, names=["people"], nodata=-1)
    frame = gpd.GeoDataFrame(
        {"depth_m": [0.5, 2.0, 1.0], "event_id": ["a", "a", "b"], "frequency_per_year": [0.1, 0.1, 0.01]},
        geometry=[box(0, 0, 250, 100), box(200, 0, 400, 100), box(0, 0, 400, 100)],
        crs="EPSG:32633",
    )
    frame.geometry = frame.geometry.translate(330_000, 5_350_000)
    frame.to_file(folder.path / "floods.gpkg", driver="GPKG")
    many = frame.loc[[0] * 200, ["depth_m", "geometry"]].assign(event_id=[str(each) for each in range(200)])
    many.to_crs("EPSG:4326").to_file(folder.path / "many.geojson", driver="GeoJSON")
    return folder.path


def make(data: Path, scratch: Path, kind: str, file: str, **arguments: Any) -> Result:
    return make_input(Call({"data": (Place.of(data / file),)}, {"kind": kind, **arguments}, scratch))


STORM = {"variables": {"intensity": "gust"}, "options": {"hazard_type": "WS", "unit": "m/s", "above": 20}}
FLOODS = {"options": {"hazard_type": "FL", "unit": "m", "spacing_m": 50}}


@pytest.mark.accept
def test_the_maximum_of_each_year_is_an_event(data: Path, tmp_path: Path) -> None:
    result = make(data, tmp_path, "hazard", "wind.nc", **STORM)
    found = read_hazard(Named("hazard.json", (tmp_path / "hazard.json").read_bytes()))
    assert (found.kind, found.unit) == ("WS", "m/s")
    assert found.frequency.tolist() == [0.5, 0.5]
    assert found.longitude.tolist() == [-1, 1, -1, 0, 1], "a cell without values is no centroid"
    assert found.intensity.toarray() == pytest.approx(np.array([[50, 0, 0, 0, 0], [0, 0, 0, 0, 30]]))
    assert found.events == ("2000", "2001")
    assert any("an event is a year" in each for each in result.assumed)
    assert any("1/2 a year" in each for each in result.assumed)
    two = {"events": "steps", "frequency_per_year": 0.1, "start": "2000-02-09", "end": "2000-02-10"}
    steps = {**STORM, "options": {**STORM["options"], **two}}
    make(data, tmp_path, "hazard", "wind.nc", **steps)
    found = read_hazard(Named("hazard.json", (tmp_path / "hazard.json").read_bytes()))
    assert len(found.events) == 2
    assert found.frequency.tolist() == [0.1, 0.1]
    assert found.intensity.toarray().max(axis=1) == pytest.approx([0, 50])


def test_polygons_and_people_meet_in_a_run(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path, "hazard", "floods.gpkg", **FLOODS)
    make(
        data,
        tmp_path,
        "assets",
        "people.tif",
        options={"value_unit": "people"},
    )
    hazard = read_hazard(Named("hazard.json", (tmp_path / "hazard.json").read_bytes()))
    assert hazard.events == ("a", "b")
    assert hazard.frequency.tolist() == [0.1, 0.01]
    assert set(hazard.intensity[0].data.tolist()) == {0.5, 2.0}, "the deeper of two polygons of an event"
    functions = {
        "hazard_type": "FL",
        "intensity_unit": "m",
        "functions": {"1": {"intensity": [0, 1], "mdd": [0, 1]}},
    }
    case = case_of(
        given((tmp_path / "hazard.json").read_bytes(), (tmp_path / "assets.csv").read_bytes(),
              {**functions, "max_centroid_distance_km": 1})
    )  # fmt: skip
    assert case.exposure.value.tolist() == [5, 7]
    assert case.exposure.unit == "people"
    lines = (tmp_path / "assets.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["r0c1", "r1c0"]
    point = gpd.GeoSeries(
        gpd.points_from_xy(case.exposure.longitude, case.exposure.latitude), crs="EPSG:4326"
    )
    assert point.to_crs("EPSG:32633").x.round().tolist() == [330_150, 330_050]


@pytest.mark.parametrize(
    ("kind", "file", "arguments", "code", "said"),
    [
        ("hazard", "wind.nc", {**STORM, "variables": {"strength": "gust"}}, "not_found", "intensity"),
        ("hazard", "wind.nc", {**STORM, "variables": {"intensity": "gusts"}}, "not_found", "gust"),
        ("hazard", "wind.nc", {**STORM, "options": {"hazard_type": "WS", "unit": "K"}}, "bad_input", "K"),
        ("hazard", "wind.nc", {**STORM, "options": {}}, "bad_input", "no hazard_type"),
        ("hazard", "wind.nc", {**STORM, "options": {**STORM["options"], "events": "steps"}}, "bad_input", "frequency"),
        ("hazard", "wind.nc", {**STORM, "options": {**STORM["options"], "spacing_m": 5}}, "not_found", "spacing_m"),
        ("hazard", "floods.gpkg", {"options": {**FLOODS["options"], "spacing_m": True}}, "bad_input", "no number"),
        ("hazard", "floods.gpkg", {"options": {**FLOODS["options"], "spacing_m": 0.5}}, "bad_input", "is 0.5"),
        ("hazard", "floods.gpkg", {"options": {**FLOODS["options"], "column": "depth"}}, "not_found", "depth_m"),
        ("hazard", "many.geojson", {"options": {**FLOODS["options"], "spacing_m": 1, "frequency_per_year": 1}}, "limit",
         "events at"),
        ("assets", "people.tif", {}, "bad_input", "does not say what"),
        ("assets", "people.tif", {"variables": {"people": "people"}}, "not_found", "value"),
        ("assets", "wind.nc", {"variables": {"value": "gust"}}, "bad_input", "further axis"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(
    data: Path, tmp_path: Path, kind: str, file: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(LabrigError) as found:
        make(data, tmp_path, kind, file, **arguments)
    assert found.value.code == code, found.value
    assert said in str(found.value), found.value
