"""Bounds of times decide what values cover: a month's sum takes the days that lie in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from labrig.errors import LabrigError
from labrig_earth.data.bounds import COVERS
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.conventions import accumulation_of
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.work.calls import Call

DAY = np.timedelta64(1, "D")


def _write(path: Path, shift_h: int, *, bounds: bool = True) -> Path:
    """Rain of 1 mm on each day of January 2020, 2 mm in February; times so many hours after the day begins."""
    days = np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]").astype("datetime64[ns]")
    times = days + np.timedelta64(shift_h, "h")
    rain = np.where(days < np.datetime64("2020-02-01"), 1.0, 2.0)[:, None, None] * np.ones((1, 2, 2))
    data = xr.Dataset(
        {"tp": (("time", "lat", "lon"), rain, {"units": "mm", "cell_methods": "time: sum"})},
        {
            "time": times,
            "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
            "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
        },
    )
    if bounds:
        data["time"].attrs["bounds"] = "time_bnds"
        data["time_bnds"] = (("time", "bnds"), np.stack([days, days + DAY], axis=1))
    when = {"units": "hours since 2000-01-01", "calendar": "standard"}
    data.to_netcdf(path, engine="netcdf4", encoding={"time": when} | ({"time_bnds": when} if bounds else {}))
    return path


@pytest.mark.parametrize(
    ("shift_h", "said"),
    [
        pytest.param(0, "after", marks=pytest.mark.accept),
        (24, "before"),
        pytest.param(12, "around", marks=pytest.mark.accept),
    ],
)
def test_a_month_holds_its_days_wherever_they_are_stamped(tmp_path: Path, shift_h: int, said: str) -> None:
    path = _write(tmp_path / "rain.nc", shift_h)
    data = open_dataset(path)
    assert data.time.attrs[COVERS] == said
    covers = accumulation_of(data.tp, "time")
    assert covers.stated and covers.covers == ("instant" if said == "around" else said)
    arguments = {"statistic": "sum", "variable": "tp", "every": "month", "over": "both"}
    result = OPERATIONS["aggregate"](Call({"data": (Place.of(path),)}, arguments, tmp_path))
    sums = {each.note[:7]: each.value for each in result.values if each.name == "tp"}
    assert sums == {"2020-01": pytest.approx(31), "2020-02": pytest.approx(58)}


def _told(path: Path, folder: Path, **arguments: object) -> dict[str, float]:
    wanted = {"statistic": "sum", "variable": "tp", "over": "both", **arguments}
    result = OPERATIONS["aggregate"](Call({"data": (Place.of(path),)}, wanted, folder))
    return {each.note: each.value for each in result.values if each.name == "tp"}


def test_days_without_bounds_begin_at_their_time_and_this_is_said(tmp_path: Path) -> None:
    path = _write(tmp_path / "rain.nc", 0, bounds=False)
    covers = accumulation_of(open_dataset(path).tp, "time")
    assert covers.covers == "after" and not covers.stated and "without bounds" in covers.why
    months = {note[:7]: value for note, value in _told(path, tmp_path, every="month").items()}
    assert months == {"2020-01": pytest.approx(31), "2020-02": pytest.approx(58)}
    one = _told(path, tmp_path, select={"start": "2020-02-01", "end": "2020-02-03"})
    assert list(one.values()) == [pytest.approx(6)]


def test_hours_end_at_their_time_and_a_day_that_is_chosen_holds_its_own(tmp_path: Path) -> None:
    """Three days of 1, 2 and 3 mm an hour; the value at 00 UTC is of the hour before, as in ERA5."""
    times = np.arange("2020-01-01T01", "2020-01-04T01", dtype="datetime64[h]").astype("datetime64[ns]")
    rain = np.repeat([1.0, 2.0, 3.0], 24)[:, None, None] * np.ones((1, 2, 2))
    axes = {
        "time": times,
        "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
        "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
    }
    path = tmp_path / "hours.nc"
    xr.Dataset({"tp": (("time", "lat", "lon"), rain, {"units": "mm"})}, axes).to_netcdf(
        path, engine="netcdf4"
    )
    assert accumulation_of(open_dataset(path).tp, "time").covers == "before"
    day = {"start": "2020-01-02", "end": "2020-01-02"}
    assert list(_told(path, tmp_path, select=day).values()) == [pytest.approx(48)]
    assert list(_told(path, tmp_path, select=day, every="day").values()) == [pytest.approx(48)]
    assert list(_told(path, tmp_path, select={"months": [1]}).values()) == [pytest.approx(144)]
    days = _told(path, tmp_path, every="day")
    assert [round(each) for each in days.values()] == [24, 48, 72]


def test_a_box_of_era5_land_is_what_all_of_it_is_and_a_caller_may_say_so(tmp_path: Path) -> None:
    """One cell of the grid shows no step of 0.1 degree; neither does the file that a box was cut out into."""
    times = np.arange("2020-01-01T00", "2020-01-03T00", dtype="datetime64[h]").astype("datetime64[ns]")
    hours = np.arange(48) - 1
    total = np.where(hours < 0, 24.0, hours % 24 + 1.0)[:, None, None] * np.ones((1, 3, 3))  # 1 mm an hour
    axes = {
        "time": times,
        "lat": ("lat", [50.2, 50.1, 50.0], {"units": "degrees_north"}),
        "lon": ("lon", [10.0, 10.1, 10.2], {"units": "degrees_east"}),
    }
    path = tmp_path / "land.nc"
    xr.Dataset({"tp": (("time", "lat", "lon"), total, {"units": "mm"})}, axes).to_netcdf(
        path, engine="netcdf4"
    )
    first = {"start": "2020-01-01", "end": "2020-01-01"}
    box = {"box": [9.95, 50.05, 10.05, 50.15]}
    one_cell = {**first, "box": [9.95, 50.05, 10.05, 50.15]}
    whole = list(_told(path, tmp_path, select=first).values())
    part = list(_told(path, tmp_path, select=one_cell).values())
    assert whole == [pytest.approx(24)] and part == [pytest.approx(24)]
    cut = OPERATIONS["extract"](Call({"data": (Place.of(path),)}, {"select": box}, tmp_path))
    again = tmp_path / cut.files[0]
    days = _told(again, tmp_path, every="day", least_part=0.5)
    assert list(days.values())[1:] == [pytest.approx(24), pytest.approx(23)]
    amounts = list(_told(path, tmp_path, select=first, accumulated="step").values())
    assert amounts == [pytest.approx(sum(range(1, 24)) + 24)]
    with pytest.raises(LabrigError, match="since_00"):
        _told(path, tmp_path, accumulated="daily")


def test_days_that_were_made_of_hours_with_bounds_begin_at_their_time(tmp_path: Path) -> None:
    """The bounds of hours that end at their times say nothing of the days that are made of them."""
    times = np.arange("2020-01-30T01", "2020-02-02T01", dtype="datetime64[h]").astype("datetime64[ns]")
    bounds = np.stack([times - np.timedelta64(1, "h"), times], axis=1)
    axes = {
        "time": ("time", times, {"bounds": "time_bnds"}),
        "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
        "lon": ("lon", np.arange(20.0), {"units": "degrees_east"}),
    }
    data = xr.Dataset(
        {
            "tp": (("time", "lat", "lon"), np.ones((72, 2, 20)), {"units": "mm", "GRIB_stepType": "accum"}),
            "time_bnds": (("time", "bnds"), bounds),
        },
        axes,
    )
    data.to_netcdf(tmp_path / "hours.nc", engine="netcdf4")
    wanted = {"statistic": "sum", "every": "day", "over": "time"}
    days = OPERATIONS["aggregate"](Call({"data": (Place.of(tmp_path / "hours.nc"),)}, wanted, tmp_path))
    months = _told(tmp_path / days.files[0], tmp_path, every="month", least_part=0)
    assert {note[:7]: round(value) for note, value in months.items()} == {"2020-01": 48, "2020-02": 24}


@pytest.mark.parametrize(
    ("calendar", "february", "year"), [("standard", 29, 366), ("noleap", 28, 365), ("360_day", 30, 360)]
)
def test_a_rate_times_its_months_is_an_amount_on_every_calendar(
    tmp_path: Path, calendar: str, february: int, year: int
) -> None:
    """1 mm a day; each month has the days of its calendar, also where February alone is chosen."""
    times = xr.date_range("2020-01-01", periods=12, freq="MS", calendar=calendar, use_cftime=True)
    attrs = {"units": "kg m-2 s-1", "standard_name": "precipitation_flux"}
    axes = {
        "time": times,
        "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
        "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
    }
    rain = xr.Dataset({"pr": (("time", "lat", "lon"), np.full((12, 2, 2), 1 / 86400), attrs)}, axes)
    rain.to_netcdf(tmp_path / "pr.nc", engine="netcdf4")

    def amounts(**more: object) -> list[float]:
        wanted = {"statistic": "sum", "over": "both", "unit": "mm", **more}
        result = OPERATIONS["aggregate"](Call({"data": (Place.of(tmp_path / "pr.nc"),)}, wanted, tmp_path))
        assert all(each.unit == "mm" for each in result.values) and "the rate of each step" in result.method
        return [each.value for each in result.values]

    assert amounts() == [pytest.approx(year)]
    assert amounts(select={"months": [2]}) == [pytest.approx(february)]


def test_a_rate_of_hours_becomes_an_amount_and_one_of_a_single_time_does_not(tmp_path: Path) -> None:
    times = np.arange("2020-01-01T03", "2020-01-03T03", 3, dtype="datetime64[h]").astype("datetime64[ns]")
    axes = {
        "time": times,
        "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
        "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
    }
    sun = xr.Dataset({"rsds": (("time", "lat", "lon"), np.full((16, 2, 2), 100.0), {"units": "W m-2"})}, axes)
    sun.to_netcdf(tmp_path / "sun.nc", engine="netcdf4")
    sun.isel(time=[0]).to_netcdf(tmp_path / "one.nc", engine="netcdf4")
    wanted = {"statistic": "sum", "over": "both", "unit": "MJ m-2"}
    found = OPERATIONS["aggregate"](Call({"data": (Place.of(tmp_path / "sun.nc"),)}, wanted, tmp_path))
    assert found.values[0].value == pytest.approx(100 * 48 * 3600 / 1e6) and not found.warnings
    with pytest.raises(LabrigError, match="one time alone"):
        OPERATIONS["aggregate"](Call({"data": (Place.of(tmp_path / "one.nc"),)}, wanted, tmp_path))
