"""Bounds of times decide what values cover: a month's sum takes the days that lie in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

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
