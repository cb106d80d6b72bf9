"""Inputs of simulators out of data of the workspace: each number against the raw file, and what is refused."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import rasterio

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.impact.building import make_input
from labrig_earth.impact.crops.building_season import sowing_day
from labrig_earth.impact.crops.pedotransfer import held
from labrig_earth.impact.crops.weather import read_weather
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from labrig_earth.world.climate import days_of, grid_of
from labrig_earth.world.impacts import write_impacts
from labrig_earth.world.sizes import SIZES
from labrig_earth.world.writing import Folder
from support.crops import made_weather

SOIL = {
    "clay_percent": "clay",
    "sand_percent": "sand",
    "organic_carbon_percent": "soc",
    "bulk_density_g_cm3": "bdod",
}
MET = {
    "tair_c": "t2m",
    "dew_point_c": "d2m",
    "u10": "u10",
    "v10": "v10",
    "solar_down_w_m2": "ssrd",
    "solar_direct_w_m2": "fdir",
    "solar_net_w_m2": "ssr",
    "thermal_down_w_m2": "strd",
    "thermal_net_w_m2": "str",
}
POINT = [48.2, 12.8]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the soil and the hours of a small world, and people on a grid."""
    folder, size = Folder(tmp_path_factory.mktemp("data"), 7), SIZES["small"]
    lat, lon = grid_of(size)
    t2m = 297 + np.random.default_rng(1).random((len(days_of(size)), len(lat), len(lon)))
    write_impacts(folder, size, np.random.default_rng(7), t2m)
    people = np.arange(16, dtype="f4").reshape(1, 4, 4)
    folder.geotiff("people.tif", people, west=330_000, north=5_350_400, step=100, names=["people"], nodata=-1)
    folder.text("weather.csv", made_weather().decode())
    return folder.path


def make(data: Path, scratch: Path, kind: str, files: list[str], **arguments: Any) -> Result:
    given = {"data": tuple(Place.of(data / name) for name in files)}
    return make_input(Call(given, {"kind": kind, **arguments}, scratch))


# Table 3 of Saxton and Rawls (2006), 2.5 % of organic matter: % sand and clay; % of volume; mm/h.
@pytest.mark.parametrize(
    ("sand", "clay", "wilting", "capacity", "full", "conducts"),
    [
        (88, 5, 5, 10, 46, 108.1),
        (65, 10, 8, 18, 45, 50.3),
        (40, 20, 14, 28, 46, 15.5),
        (20, 15, 11, 31, 48, 16.1),
        (30, 35, 22, 36, 48, 4.3),
        (25, 50, 30, 42, 50, 1.1),
    ],
)
def test_published_soils(
    sand: float, clay: float, wilting: float, capacity: float, full: float, conducts: float
) -> None:
    found = held(sand, clay, 2.5)
    assert 100 * found.wilting_point == pytest.approx(wilting, abs=0.6)
    assert 100 * found.field_capacity == pytest.approx(capacity, abs=0.6)
    assert 100 * found.saturation == pytest.approx(full, abs=0.6)
    assert found.ksat_mm_day / 24 == pytest.approx(conducts, rel=0.05)


@pytest.mark.parametrize(
    "soil", [(50, 61, 2), (60, 50, 2), (-1, 20, 2), (40, 20, 8.1), (40, 20, -1), (float("nan"), 20, 2)]
)
def test_soils_that_the_equations_do_not_know(soil: tuple[float, float, float]) -> None:
    with pytest.raises(LabrigError, match="The soil has"):
        held(*soil)


def test_a_soil_is_that_of_the_cell(data: Path, tmp_path: Path) -> None:
    result = make(
        data, tmp_path, "soil", ["impacts/soil.nc"], point=POINT, variables=SOIL, options={"bottom_m": 2.5}
    )
    with netCDF4.Dataset(data / "impacts/soil.nc") as file:
        row, column = list(file["latitude"][:]).index(48), list(file["longitude"][:]).index(13)
        raw = {name: np.asarray(file[name][:, row, column], float) for name in SOIL.values()}
    for name in ("soil_aquacrop.json", "soil_dssat.json"):
        layers = json.loads((tmp_path / name).read_text())["layers"]
        assert [each["thickness_m"] for each in layers] == [0.05, 0.1, 0.15, 0.3, 0.4, 1.5]
        for place, layer in enumerate(layers):
            carbon = raw["soc"][place] / 100
            water = held(raw["sand"][place] / 10, raw["clay"][place] / 10, 1.724 * carbon)
            assert layer["field_capacity"] == pytest.approx(water.field_capacity, abs=1e-4)
            assert layer["ksat_mm_day"] == pytest.approx(water.ksat_mm_day, abs=0.01)
    assert layers[0]["silt_percent"] == pytest.approx(100 - (raw["sand"][0] + raw["clay"][0]) / 10, abs=1e-3)
    assert layers[0]["bulk_density_g_cm3"] == pytest.approx(raw["bdod"][0] / 100, abs=1e-3)
    assert any("from 2 m down to 2.5 m" in each for each in result.assumed)
    assert any("synthetic" in each for each in result.warnings)


def test_hours_are_those_of_the_cell_in_the_units_of_the_columns(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path, "met", ["impacts/heat_hours.nc"], point=POINT, variables=MET)
    rows = list(csv.DictReader((tmp_path / "met.csv").open()))
    with netCDF4.Dataset(data / "impacts/heat_hours.nc") as file:
        row, column = list(file["latitude"][:]).index(48), list(file["longitude"][:]).index(13)
        raw = {name: np.asarray(file[name][:, row, column], float) for name in MET.values()}
    assert len(rows) == len(raw["t2m"]) == 384 and rows[14]["time"] == "2018-07-19T14:00:00Z"
    for place in range(0, 384, 7):
        got = {name: float(value) for name, value in rows[place].items() if name != "time"}
        assert got["tair_c"] == pytest.approx(raw["t2m"][place] - 273.15, abs=1e-3)
        assert got["wind_10m_m_s"] == pytest.approx(
            (raw["u10"][place] ** 2 + raw["v10"][place] ** 2) ** 0.5, abs=1e-4
        )
        assert got["solar_down_w_m2"] == pytest.approx(raw["ssrd"][place] / 3600, rel=1e-5, abs=1e-3)
        assert got["solar_up_w_m2"] == pytest.approx(
            (raw["ssrd"][place] - raw["ssr"][place]) / 3600, rel=1e-5, abs=1e-3
        )
        assert got["thermal_up_w_m2"] == pytest.approx(
            (raw["strd"][place] - raw["str"][place]) / 3600, rel=1e-5
        )
        assert (got["latitude"], got["longitude"]) == (48, 13)


def test_people_are_summed(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path, "population", ["people.tif"])
    with rasterio.open(data / "people.tif") as file:
        assert (tmp_path / "people.csv").read_text() == f"group,persons\nall,{file.read(1).sum():g}\n"


def test_people_of_zones(data: Path, tmp_path: Path) -> None:
    import geopandas
    from shapely.geometry import box

    zones = geopandas.GeoDataFrame(
        {"name": ["west", "east", "empty"]},
        geometry=[
            box(330_000, 5_350_000, 330_200, 5_350_400),
            box(330_200, 5_350_000, 330_400, 5_350_400),
            box(330_000, 5_350_300, 330_100, 5_350_400),
        ],
        crs="EPSG:32633",
    )
    zones.to_file(tmp_path / "zones.gpkg")
    given = {"data": (Place.of(data / "people.tif"),), "zones": (Place.of(tmp_path / "zones.gpkg"),)}
    result = make_input(Call(given, {"kind": "population", "options": {"names": "name"}}, tmp_path))
    people = np.arange(16).reshape(4, 4)
    rows = list(csv.DictReader((tmp_path / "people.csv").open()))
    assert {row["group"]: float(row["persons"]) for row in rows} == {
        "west": people[:, :2].sum(),
        "east": people[:, 2:].sum(),
    }
    assert "empty" in result.assumed[0]


@pytest.mark.parametrize("statistic", ["mean", "max"])
def test_an_exposure_is_a_value_a_day(data: Path, tmp_path: Path, statistic: str) -> None:
    options = {"unit": "degC", "statistic": statistic, "start": "2018-07-20", "end": "2018-07-25"}
    make(
        data,
        tmp_path,
        "exposure",
        ["impacts/heat_hours.nc"],
        point=POINT,
        variables={"heat": "t2m"},
        options=options,
    )
    rows = list(csv.DictReader((tmp_path / "exposure.csv").open()))
    with netCDF4.Dataset(data / "impacts/heat_hours.nc") as file:
        row, column = list(file["latitude"][:]).index(48), list(file["longitude"][:]).index(13)
        raw = np.asarray(file["t2m"][:, row, column], float).reshape(-1, 24) - 273.15
    assert [row["date"] for row in rows] == [f"2018-07-{day}" for day in range(20, 26)]
    for place, row in enumerate(rows, 1):
        assert float(row["heat"]) == pytest.approx(getattr(raw[place], statistic)(), abs=1e-3)


def test_a_field_is_sown_when_it_is_warm(data: Path, tmp_path: Path) -> None:
    weather = read_weather((data / "weather.csv").read_bytes(), "weather.csv")
    mean = (weather.columns["tmin_c"] + weather.columns["tmax_c"]) / 2
    options = {"engine": "aquacrop", "crop": "Maize", "after": "2001-04-01", "from_c": 10, "days": 5}
    result = make(data, tmp_path, "season", ["weather.csv"], point=[41.0, -93.0], options=options)
    place = (date.fromisoformat(result.data["sown"]) - date(2001, 1, 1)).days
    assert mean[place - 5 : place].mean() >= 10 > mean[place - 6 : place - 1].mean()
    assert json.loads((tmp_path / "crop.json").read_text()) == {
        "name": "Maize",
        "planting": result.data["sown"][5:],
    }
    assert json.loads((tmp_path / "management.json").read_text()) == {
        "start": "2001-04-01",
        "end": "2001-12-31",
    }
    assert sowing_day(weather, date(2001, 7, 1), 10, 5, "w")[0] == date(2001, 7, 1)


HOURS, TEXTURE = ["impacts/heat_hours.nc"], ["impacts/soil.nc"]
SEASON = {"engine": "aquacrop", "crop": "Maize", "after": "2001-04-01", "from_c": 10}


@pytest.mark.parametrize(
    ("kind", "files", "changed", "code", "said"),
    [
        ("sol", TEXTURE, {}, "not_found", "did you mean soil"),
        ("soil", [], {}, "bad_input", "No file is given"),
        ("soil", TEXTURE, {"point": [48]}, "bad_input", "point is no place"),
        ("soil", TEXTURE, {"point": [True, 12]}, "bad_input", "point"),
        ("soil", TEXTURE, {"point": [10.0, 100.0]}, "not_found", ""),
        ("soil", TEXTURE, {"variables": {**SOIL, "clay": "clay"}}, "not_found", "clay_percent"),
        ("soil", TEXTURE, {"variables": {**SOIL, "silt_percent": "sand"}}, "bad_input", "both named"),
        ("soil", TEXTURE, {"variables": {"clay_percent": "clay"}}, "bad_input", "organic_carbon_percent"),
        ("soil", TEXTURE, {"variables": {**SOIL, "clay_percent": "cly"}}, "not_found", "did you mean clay"),
        ("soil", TEXTURE, {"variables": {**SOIL, "clay_percent": "bdod"}}, "bad_input", "of the same dimension"),
        ("soil", TEXTURE, {"options": {"bottom_m": 1.0}}, "bad_input", "bottom_m is 1"),
        ("soil", TEXTURE, {"options": {"bottoms_m": [0.1, 0.2]}}, "bad_input", "no list of 6 numbers"),
        ("soil", TEXTURE, {"options": {"bottoms_m": [1, 0.5, 1.1, 1.2, 1.3, 1.4]}}, "bad_input", "follow one"),
        ("soil", TEXTURE, {"options": {"depth": 2}}, "not_found", "bottom_m"),
        ("soil", HOURS, {"variables": {**SOIL, "clay_percent": "t2m"}}, "bad_input", ""),
        ("met", HOURS, {"variables": {}}, "bad_input", "No variable is named"),
        ("met", HOURS, {"variables": {**MET, "tmrt_c": "t2m"}}, "bad_input", "both given"),
        ("met", HOURS, {"variables": {**{key: MET[key] for key in [*MET][:4]}, "tmrt_c": "t2m"}},
         "refused", "no mean radiant"),
        ("met", HOURS, {"variables": {**MET, "wind_10m_m_s": "u10"}}, "bad_input", "twice"),
        ("met", HOURS, {"variables": {key: value for key, value in MET.items() if key != "v10"}}, "bad_input",
         "in part"),
        ("met", HOURS, {"variables": {key: value for key, value in MET.items() if key != "thermal_down_w_m2"}},
         "bad_input", "without thermal_down"),
        ("met", HOURS, {"variables": {**MET, "dew_point_c": "ssrd"}}, "bad_input", "cannot become"),
        ("met", HOURS, {"options": {"stat": "2018-07-20"}}, "not_found", "start"),
        ("met", TEXTURE, {"variables": {"tair_c": "clay"}}, "bad_input", ""),
        ("population", HOURS, {"variables": {"persons": "t2m"}}, "bad_input", "people in each cell"),
        ("population", ["people.tif"], {"variables": {"people": "people"}}, "not_found", "persons"),
        ("exposure", HOURS, {"variables": {"a b": "t2m"}}, "bad_input", "no name of a column"),
        ("exposure", HOURS, {"variables": {"date": "t2m"}}, "bad_input", "no name of a column"),
        ("exposure", HOURS, {"variables": {"heat": "t2m"}, "options": {"statistic": "sum"}}, "not_found", "mean"),
        ("exposure", HOURS, {"variables": {"heat": "t2m"}, "options": {"unit": "W"}}, "bad_input", "cannot"),
        ("exposure", HOURS, {"variables": {"heat": "t2m"}, "options": {"start": "2018-07-20T12:00"}}, "bad_input",
         "whole days"),
        ("season", ["weather.csv"], {"options": {**SEASON, "from_c": 35}}, "not_found", "the warmest have"),
        ("season", ["weather.csv"], {"options": {**SEASON, "after": "2002-04-01"}}, "bad_input", "not within"),
        ("season", ["weather.csv"], {"options": {**SEASON, "days": True}}, "bad_input", "days is no number"),
        ("season", ["weather.csv"], {"options": {**SEASON, "engine": "dssat"}}, "bad_input", "no cultivar"),
        ("season", ["weather.csv"], {"options": {**SEASON, "engine": "epic"}}, "not_found", "aquacrop"),
        ("season", ["weather.csv"], {"options": {**SEASON, "cultivar": "x"}}, "not_found", "cultivar"),
        ("season", HOURS, {"options": SEASON}, "bad_input", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(
    data: Path, tmp_path: Path, kind: str, files: list[str], changed: dict[str, Any], code: str, said: str
) -> None:
    arguments: dict[str, Any] = {"point": POINT}
    arguments |= {"soil": {"variables": SOIL}, "met": {"variables": MET}}.get(kind, {}) | changed
    with pytest.raises(LabrigError) as caught:
        make(data, tmp_path, kind, files, **arguments)
    assert caught.value.code == code and said in str(caught.value), caught.value
    assert not list(tmp_path.iterdir()), "a refused call left a file"
