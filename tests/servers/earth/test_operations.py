"""Operations from files to results, in this process: values, notes and files, against the arrays that were written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from shapely.geometry import box

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset, open_raster
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

TIMES = pd.date_range("2000-01-01", "2011-12-31")
RANDOM = np.random.default_rng(3)
LATITUDES, LONGITUDES = np.arange(52, 47.9, -0.5), np.arange(6, 12.1, 0.5)


@pytest.fixture(scope="module")
def climate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Daily temperature (K) and dew point, and rain, with a cycle and a trend of 0.5 K per decade."""
    season = 10 * np.sin(2 * np.pi * (TIMES.dayofyear - 110) / 365.25)
    years = np.asarray((TIMES - TIMES[0]) / pd.Timedelta(days=365.2425))
    base = 283 + season + 0.05 * years
    shape = (TIMES.size, LATITUDES.size, LONGITUDES.size)
    t2m = base.to_numpy()[:, None, None] + RANDOM.normal(0, 2, shape) + 0 * LATITUDES[None, :, None]
    coords = {"time": TIMES, "latitude": LATITUDES, "longitude": LONGITUDES}
    dims = ("time", "latitude", "longitude")
    data = xr.Dataset(
        {
            "t2m": (dims, t2m, {"units": "K", "standard_name": "air_temperature"}),
            "d2m": (dims, t2m - 5, {"units": "K", "standard_name": "dew_point_temperature"}),
            "tp": (dims, RANDOM.gamma(0.4, 0.005, shape), {"units": "m"}),
        },
        coords=coords,
    )
    data.latitude.attrs["units"], data.longitude.attrs["units"] = "degrees_north", "degrees_east"
    folder = tmp_path_factory.mktemp("climate")
    data.to_netcdf(folder / "climate.nc", engine="netcdf4", encoding={"t2m": {"chunksizes": (500, 9, 13)}})
    shapes = gpd.GeoDataFrame(
        {"name": ["west", "east"]}, geometry=[box(7, 49, 8, 51), box(9.1, 49.2, 11, 50)], crs=4326
    )
    shapes.to_file(folder / "regions.gpkg", driver="GPKG")
    return folder, data


@pytest.fixture
def asks(climate: tuple[Path, Any], tmp_path: Path) -> Any:
    """Run an operation on the files of `climate`; its files lie in `tmp_path`."""
    folder, _ = climate

    def ask(operation: str, polygons: bool = False, **arguments: Any) -> Result:
        inputs = {"data": (Place.of(folder / "climate.nc"),)}
        if polygons:
            inputs["polygons"] = (Place.of(folder / "regions.gpkg"),)
        return OPERATIONS[operation](Call(inputs, arguments, tmp_path))

    return ask


def value(result: Result, name: str) -> Any:
    return next(each.value for each in result.values if each.name == name)


def test_a_point_and_a_box_are_cut_out(asks: Any, climate: tuple[Path, Any], tmp_path: Path) -> None:
    data = climate[1].t2m
    select = {"start": "2003-07-01", "end": "2003-07-05"}
    found = asks("extract", variables=["t2m"], point=[50.2, 8.1], select=select, unit="degC")
    expected = data.sel(time=slice("2003-07-01", "2003-07-05"), latitude=50, longitude=8) - 273.15
    assert [each.value for each in found.values[3:]] == pytest.approx(expected.values.tolist(), abs=1e-4)
    assert found.values[3].unit == "degC" and found.values[3].note == "2003-07-01" and not found.files
    assert value(found, "distance_to_cell") == pytest.approx(23.36, abs=0.1)
    assert found.source == "climate.nc" and found.grid == "0.5 x 0.5 degree, 9 x 13"
    whole = asks("extract", variables=["t2m", "tp"], select={"box": [7, 49, 8, 50], "months": [7, 8]})
    assert whole.files == ("extract.nc",)
    part = climate[1][["t2m", "tp"]].sel(latitude=slice(50, 49), longitude=slice(7, 8))
    part = part.isel(time=np.flatnonzero(part.time.dt.month.isin([7, 8])))
    written = open_dataset(tmp_path / "extract.nc")
    assert np.allclose(written.t2m, part.t2m) and np.allclose(written.tp, part.tp)
    assert "box" in written.attrs["history"] and value(whole, "tp max") == pytest.approx(
        float(part.tp.max()), rel=1e-6
    )


def test_a_heat_wave_in_a_polygon(asks: Any, climate: tuple[Path, Any]) -> None:
    """Regional means, days above a threshold, and the longest run, all by NumPy."""
    found = asks(
        "aggregate",
        polygons=True,
        variable="t2m",
        statistic="spells",
        select={"start": "2003", "end": "2003"},
        options={"threshold": 20, "unit": "degC", "least_steps": 3},
    )
    rows = (LATITUDES <= 51) & (LATITUDES >= 49)
    columns = (LONGITUDES >= 7) & (LONGITUDES <= 8)
    year = climate[1].t2m.sel(time="2003").values[:, rows][:, :, columns]
    inside = np.outer([0.5, 1, 1, 1, 0.5], [0.5, 1, 0.5])
    weights = inside * np.cos(np.deg2rad(LATITUDES[rows]))[:, None]
    weights[0], weights[-1] = weights[0], weights[-1]
    series = (year * weights).sum(axis=(1, 2)) / weights.sum()
    lengths = [len(run) for run in "".join("x" if each > 293.15 else " " for each in series).split()]
    assert value(found, "longest_spell") == max(lengths)
    assert value(found, "spells") == sum(each >= 3 for each in lengths)
    assert found.data["polygons"]["west"]["cells"] == 15 and "threshold" not in found.method
    counted = asks(
        "aggregate", polygons=True, variable="t2m", statistic="exceedance", every="year",
        options={"threshold": 293.15}, unit="K",
    )  # fmt: skip
    west = next(each for each in counted.values if each.note.startswith("west, 2003"))
    assert west.value == sum(lengths) and west.unit == "d"


def test_years_anomalies_and_the_planted_trend(asks: Any, climate: tuple[Path, Any], tmp_path: Path) -> None:
    means = asks("aggregate", variable="t2m", over="both", every="year")
    expected = (
        climate[1].t2m.weighted(np.cos(np.deg2rad(climate[1].latitude))).mean(("latitude", "longitude"))
    )
    assert [each.value for each in means.values] == pytest.approx(
        expected.groupby("time.year").mean().values.tolist(), rel=1e-6
    )
    slope = asks("aggregate", variable="t2m", over="both", every="year", statistic="trend")
    low, high = value(slope, "trend_low"), value(slope, "trend_high")
    assert low < 0.5 < high and value(slope, "n") == 12 and slope.values[0].unit == "K per decade"
    anomaly = asks(
        "aggregate", variable="t2m", statistic="anomaly", over="both", every="month",
        options={"by": "month", "base": ["2000", "2009"]}, select={"start": "2011-06", "end": "2011-07"},
    )  # fmt: skip
    monthly = expected.resample(time="MS").mean().to_series()
    usual = expected.sel(time=slice("2000", "2009")).groupby("time.month").mean()
    wanted = [
        monthly["2011-06-01"] - float(usual.sel(month=6)),
        monthly["2011-07-01"] - float(usual.sel(month=7)),
    ]
    assert [each.value for each in anomaly.values] == pytest.approx(wanted, abs=1e-5)
    p90 = asks(
        "aggregate", variable="t2m", statistic="percentile", options={"percentile": 90}, format="geotiff"
    )
    raster = open_raster(tmp_path / p90.files[0])
    assert np.allclose(raster.values[0], np.percentile(climate[1].t2m.values, 90, axis=0))


def test_combining_and_converting(asks: Any, climate: tuple[Path, Any]) -> None:
    select = {"start": "2003-07-01", "end": "2003-07-01", "box": [7, 50, 7.2, 50.2]}
    found = asks("combine", what="relative_humidity", select=select)
    t = float(climate[1].t2m.sel(time="2003-07-01", latitude=50, longitude=7)) - 273.15
    expected = 100 * np.exp(17.62 * (t - 5) / (243.12 + t - 5) - 17.62 * t / (243.12 + t))
    assert found.values[0].value == pytest.approx(expected, rel=1e-6) and "magnus" in found.method
    spread = asks(
        "combine", what="subtract", variable="t2m", other_variable="d2m", select=select, unit="degC"
    )
    assert spread.values[0].value == pytest.approx(5.0, abs=1e-4)  # a difference of K is one of degC
    rain = asks("combine", what="convert", variable="tp", unit="kg m-2", water=True, select=select)
    exact = 1000 * float(climate[1].tp.sel(time="2003-07-01", latitude=50, longitude=7))
    assert rain.values[0].value == pytest.approx(exact, rel=1e-6) and "1000 kg m-3" in rain.method
    with pytest.raises(LabrigError, match="needs u and v"):
        asks("combine", what="wind_speed")


def test_zonal_statistics_and_another_grid(asks: Any, climate: tuple[Path, Any], tmp_path: Path) -> None:
    select = {"start": "2003-07-01", "end": "2003-07-01"}
    found = asks("zonal_statistics", polygons=True, variable="t2m", select=select, statistics=["mean", "max"])
    assert [each.note for each in found.values] == ["west", "west", "east", "east"]
    same = asks(
        "aggregate", polygons=True, variable="t2m", over="space", select=select, method="exactextract"
    )
    assert [each.value for each in found.values[::2]] == pytest.approx(
        [each.value for each in same.values], rel=1e-6
    )
    coarse = asks("regrid_or_reproject", variable="t2m", select=select, resolution=1.0)
    assert value(coarse, "area_mean_after") == pytest.approx(value(coarse, "area_mean_before"), abs=0.2)
    assert coarse.grid == "1 x 1 degree, 4 x 6" or coarse.grid.startswith("1 x 1 degree")
    there = asks("regrid_or_reproject", variable="t2m", select=select, crs="EPSG:25832", resolution=50_000)
    assert open_raster(tmp_path / there.files[0]).rio.crs.to_epsg() == 25832


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("extract", {"variables": ["t2"]}, "t2m"),
        ("extract", {"select": {"box": [48, 7, 50, 8]}}, "no cell centre|beyond"),
        ("extract", {"select": {"boxes": [1, 2, 3, 4]}}, "did you mean box"),
        ("extract", {"select": {"level": 500}}, "no levels"),
        ("extract", {"select": {"months": ["June"]}}, "whole numbers"),
        ("extract", {"point": [8.1, 150.2]}, "outside the grid"),
        ("extract", {"unit": "m"}, "several variables"),
        ("aggregate", {"variable": "t2m", "statistic": "average"}, "no statistic"),
        ("aggregate", {"variable": "t2m", "statistic": "spells"}, "threshold or a percentile"),
        ("aggregate", {"variable": "t2m", "options": {"q": 3}}, "no option"),
        ("aggregate", {"variable": "t2m", "unit": "m"}, "cannot become"),
        ("aggregate", {"variable": "t2m", "every": "week"}, "no period"),
        ("aggregate", {"variable": "t2m", "statistic": "degree_days"}, "no base_temperature"),
        ("combine", {"what": "utci"}, "no quantity"),
        ("regrid_or_reproject", {"variable": "t2m"}, "Which grid"),
        ("regrid_or_reproject", {"variable": "t2m", "resolution": 1e-6}, "cells"),
    ],
)
def test_what_cannot_be_says_what_to_do(
    asks: Any, operation: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(LabrigError, match=said):
        asks(operation, **arguments)


def test_half_a_terabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    import dask.array

    huge = xr.Dataset(
        {
            "t": (
                ("time", "latitude", "longitude"),
                dask.array.zeros((60_000, 721, 1440), chunks=(120, 721, 1440)),
                {"units": "K"},
            )
        },
        coords={
            "time": pd.date_range("1850", periods=60_000),
            "latitude": np.linspace(90, -90, 721),
            "longitude": np.arange(1440) * 0.25,
        },
    )
    huge.to_zarr(tmp_path / "huge", compute=False, zarr_format=2)
    call = Call({"data": (Place.of(tmp_path / "huge"),)}, {}, tmp_path)
    for operation in ("extract", "aggregate"):
        with pytest.raises(LabrigError, match="498 GB") as refused:
            OPERATIONS[operation](call)
        assert refused.value.code == "limit" and "smaller box" in str(refused.value)
    assert OPERATIONS["describe_data"](call).data["dimensions"]["time"] == 60_000


def test_odd_grids_give_right_numbers_or_say_why(tmp_path: Path) -> None:
    """Longitudes around Greenwich, times out of order, one cell, and exchanged coordinates."""
    times = pd.date_range("2020-01-01", periods=6, freq="D")
    field = xr.DataArray(
        RANDOM.normal(280, 5, (6, 5, 7)),
        dims=("time", "lat", "lon"),
        coords={"time": times, "lat": np.arange(50.0, 45.0, -1), "lon": (np.arange(357.0, 364.0) % 360)},
        name="t",
        attrs={"units": "K"},
    )

    def ask(data: Any, operation: str, **arguments: Any) -> Result:
        path = tmp_path / f"odd{len(list(tmp_path.iterdir()))}.nc"
        data.to_netcdf(path, engine="netcdf4")
        return OPERATIONS[operation](Call({"data": (Place.of(path),)}, arguments, tmp_path))

    weights = np.cos(np.deg2rad(field.lat.values))[:, None] * np.ones(7)
    means = (field.values * weights).sum(axis=(1, 2)) / weights.sum()
    found = ask(field, "aggregate", over="space")
    assert [each.value for each in found.values] == pytest.approx(means.tolist(), rel=1e-6)
    point = ask(field, "extract", point=[48.1, 0.2], select={"end": "2020-01-01"})
    assert point.values[3].value == pytest.approx(field.values[0, 2, 3], rel=1e-6)
    mixed = ask(field.isel(time=[2, 0, 1, 1, 3, 4, 5]), "aggregate", over="both")
    assert (
        mixed.values[0].value == pytest.approx(means.mean(), rel=1e-6) and "stand twice" in mixed.warnings[0]
    )
    one = ask(field.isel(lat=[0], lon=[0]), "aggregate", over="space")
    assert [each.value for each in one.values] == pytest.approx(field.values[:, 0, 0].tolist(), rel=1e-6)
    row = ask(field.isel(lon=[0]), "aggregate", over="space")
    assert row.values[0].value == pytest.approx(
        np.average(field.values[0, :, 0], weights=weights[:, 0]), rel=1e-6
    )
    with pytest.raises(LabrigError, match="exchanged"):
        ask(
            field.assign_coords(lat=np.arange(100.0, 105.0), lon=np.arange(40.0, 47.0)),
            "aggregate",
            over="space",
        )
