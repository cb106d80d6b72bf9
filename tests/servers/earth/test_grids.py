"""Grids are recognised, described and cut as they are, whatever their names, conventions and calendars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyproj
import pytest
import rioxarray  # noqa: F401
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_earth.data.bounds import note_land
from labrig_earth.grids.arithmetic import combined
from labrig_earth.grids.axes import axes_of, grid_text, variable_of
from labrig_earth.grids.conventions import ACCUMULATED, Accumulation, accumulation_of, deaccumulated, spliced
from labrig_earth.grids.describing import describe_data
from labrig_earth.grids.selecting import select_box, select_level, select_point, unbroken
from labrig_earth.grids.times import select_hours, select_months, select_range, shifted, time_axis
from labrig_earth.grids.units import convert


def world(
    step: float = 1.0, *, to_360: bool = True, names: tuple[str, str] = ("latitude", "longitude")
) -> Any:
    """Return latitude + longitude / 1000 of each cell (longitude from -180 to 180), all round, from north to south."""
    latitudes = np.arange(90 - step / 2, -90, -step)
    longitudes = np.arange(0, 360, step) + step / 2
    longitudes = longitudes if to_360 else longitudes - 180
    signed = (longitudes + 180) % 360 - 180
    return xr.DataArray(
        latitudes[:, None] + signed[None, :] / 1000,
        dims=names,
        coords={names[0]: latitudes, names[1]: longitudes},
        name="v",
        attrs={"units": "K"},
    )


def test_axes_are_known_by_attributes_before_names() -> None:
    odd = xr.DataArray(
        np.zeros((2, 3, 4)),
        dims=("a", "b", "c"),
        coords={
            "a": ("a", pd.date_range("2000", periods=2), {"standard_name": "time"}),
            "b": ("b", [1.0, 2, 3], {"units": "degrees_north"}),
            "c": ("c", [1.0, 2, 3, 4], {"units": "degrees_east"}),
        },
    )
    axes = axes_of(odd)
    assert (axes.time, axes.y, axes.x, axes.geographic, axes.crs) == ("a", "b", "c", True, "EPSG:4326")
    assert grid_text(odd, axes) == "1 x 1 degree, 3 x 4"
    projected = xr.DataArray(np.zeros((2, 2)), dims=("y", "x"), coords={"y": [20.0, 10], "x": [0.0, 10]})
    axes = axes_of(projected.rio.write_crs("EPSG:32633"))
    assert (axes.y, axes.x, axes.geographic, axes.crs) == ("y", "x", False, "EPSG:32633")
    rows = np.arange(4.0).reshape(2, 2)
    curved = xr.DataArray(
        np.zeros((2, 2)), dims=("j", "i"), coords={"lat": (("j", "i"), rows), "lon": (("j", "i"), rows)}
    )
    assert axes_of(curved).curvilinear
    with pytest.raises(LabrigError, match="in no cell"):
        select_point(curved, 1, 50)


def test_a_description_says_what_a_user_must_know() -> None:
    times = xr.date_range("2001-01-01", periods=20, calendar="noleap", use_cftime=True)
    keep = [number for number in range(20) if number not in (4, 5)]
    data = xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), np.full((18, 2, 3), 15.0), {"units": "K"}),
            "tp": (("time", "lat", "lon"), np.zeros((18, 2, 3)), {"units": "m"}),
            "x": (("time",), np.zeros(18)),
        },
        coords={"time": times[keep], "lat": [50.0, 100.0], "lon": [0.0, 10.0, 20.0]},
    )
    data.t2m[0, 0, 0] = np.nan
    found = describe_data(data)
    assert found.data["time"] == {
        "first": "2001-01-01",
        "last": "2001-01-20",
        "count": 18,
        "step": "1 day",
        "calendar": "noleap",
        "gaps": [{"after": "2001-01-04", "steps": 2}],
        "missing_steps": 2,
    }
    assert found.data["variables"]["t2m"]["missing"] == "1 of 108"
    assert "begins at each time" in found.data["variables"]["tp"]["covers"]
    said = " ".join(found.warnings)
    for part in (
        "noleap",
        "2 time steps",
        "beyond the poles",
        "exchanged",
        "x has no unit",
        "may be in degC",
    ):
        assert part in said


@pytest.mark.parametrize("to_360", [True, False])
@pytest.mark.parametrize(
    "box",
    [(10, 40, 20, 50), (170, -10, -170, 10), (-10, 60, 10, 70), (-180, -90, 180, 90), (0, 89, 360, 90)],
)
def test_a_box_holds_the_cells_in_it_in_either_convention(box: tuple[float, ...], to_360: bool) -> None:
    found, _ = select_box(world(to_360=to_360), box)
    west, south, east, north = box
    width = 360 if abs(east - west) == 360 else (east - west) % 360
    assert found.shape == (north - south, width)
    steps = np.diff(found.longitude.values)
    assert np.allclose(steps, 1)  # no break
    signed = (found.longitude + 180) % 360 - 180
    assert np.abs(found - (found.latitude + signed / 1000)).max() < 1e-9  # each cell has kept its value
    assert ((found.longitude.values[0] - west) % 360) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("box", "said"),
    [
        ((0, 95, 10, 98), "beyond the poles"),
        ((40, 100, 50, 120), r"\[100, 40, 120, 50\]"),  # latitudes of 100: exchanged
        ((0, 50, 10, 40), "above north"),
        ((0.6, 0.6, 0.9, 0.9), "no cell centre.*within"),
        ((0, 0, float("nan"), 1), "four numbers"),
        ((350, 0, 370, 1), "beyond 360"),
    ],
)
def test_a_box_that_cannot_be_says_what_to_do(box: tuple[float, ...], said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        select_box(world(), box)


def test_a_box_in_degrees_cuts_a_projected_grid() -> None:
    """Against pyproj on each centre: every cell of the box is there, and a box in the unit of the grid is one."""
    x, y = np.arange(500_050.0, 510_000, 100), np.arange(5_530_050.0, 5_540_000, 100)[::-1]
    data = xr.DataArray(np.zeros((y.size, x.size)), dims=("y", "x"), coords={"y": y, "x": x}).rio.write_crs(
        32632
    )
    box = (9.02, 49.93, 9.05, 49.96)
    found, (said,) = select_box(data, box)
    to_degrees = pyproj.Transformer.from_crs(32632, 4326, always_xy=True)
    longitudes, latitudes = to_degrees.transform(*np.meshgrid(x, y))
    inside = (longitudes >= box[0]) & (longitudes <= box[2]) & (latitudes >= box[1]) & (latitudes <= box[3])
    rows, columns = inside.any(axis=1), inside.any(axis=0)
    assert inside.sum() <= found.size <= 1.1 * inside.sum()
    assert set(y[rows]) <= set(found.y.values) and set(x[columns]) <= set(found.x.values)
    assert "EPSG:32632" in said and "degrees" in said
    metres, nothing = select_box(data, (501_000, 5_531_000, 502_000, 5_532_000))
    assert metres.shape == (10, 10) and nothing == ()
    with pytest.raises(LabrigError, match="EPSG:32632"):
        select_box(data, (10, 49, 11, 50))


def test_a_region_around_greenwich_becomes_one_piece() -> None:
    data = world().isel(longitude=[0, 1, 2, 357, 358, 359])
    assert unbroken(data, axes_of(data)).longitude.values.tolist() == [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]


@settings(max_examples=12, deadline=None)
@given(st.floats(-89, 89), st.floats(-180, 360), st.booleans())
def test_a_point_is_interpolated_exactly_where_the_field_is_linear(
    latitude: float, longitude: float, to_360: bool
) -> None:
    data = world(to_360=to_360)
    near = select_point(data, latitude, longitude)
    signed = (longitude + 180) % 360 - 180
    assert abs(near.latitude - latitude) <= 0.5 + 1e-9
    assert abs((near.longitude - longitude + 180) % 360 - 180) <= 0.5 + 1e-9
    far = pyproj.Geod(ellps="WGS84").inv(near.longitude, near.latitude, signed, latitude)[2] / 1000
    assert near.distance_km == pytest.approx(far, abs=1e-6)
    if abs(signed) < 179:  # the field breaks at the 180th meridian
        value = float(select_point(data, latitude, longitude, method="linear").data)
        assert value == pytest.approx(latitude + signed / 1000, abs=1e-9)


def test_a_point_outside_says_where_the_data_are() -> None:
    region = world().sel(latitude=slice(60, 40), longitude=slice(0, 20))
    with pytest.raises(LabrigError, match=r"within \(0.5, 40.5, 19.5, 59.5\)") as refused:
        select_point(region, 10, 50)
    assert refused.value.code == "not_found"
    with pytest.raises(LabrigError, match="latitude=10, longitude=100"):
        select_point(region, 100, 10)
    with pytest.raises(LabrigError, match="nothing can be interpolated"):
        select_point(region, 59.9, 10, method="linear")


def test_levels_times_months_hours_and_local_days() -> None:
    times = pd.date_range("2000-01-01", periods=24 * 60, freq="h")
    data = xr.DataArray(
        np.arange(times.size * 2).reshape(-1, 2),
        dims=("time", "level"),
        coords={"time": times, "level": [1000, 850]},
    )
    data.level.attrs["units"] = "hPa"
    assert select_level(data, axes_of(data), 850).shape == (times.size,)
    with pytest.raises(LabrigError, match="1000, 850 hPa"):
        select_level(data, axes_of(data), 500)
    assert select_range(data, "time", "2000-02", "2000-02-03").sizes["time"] == 72
    assert select_months(data, "time", (2,)).sizes["time"] == 29 * 24
    assert select_hours(data, "time", (0, 12)).sizes["time"] == 120
    assert str(shifted(data, "time", 5.5).time.values[0])[:16] == "2000-01-01T05:30"
    for wrong, said in (
        ("2000-13", "no such time"),
        ("yesterday", "no time"),
        ("2010", "2000-01-01 to 2000-02-29T23:00"),
    ):
        with pytest.raises(LabrigError, match=said):
            select_range(data, "time", wrong)
    with pytest.raises(LabrigError, match="before the start"):
        select_range(data, "time", "2000-02", "2000-01")


def test_a_day_that_a_calendar_has_not() -> None:
    times = xr.date_range("2000-01-01", periods=720, calendar="360_day", use_cftime=True)
    data = xr.DataArray(np.arange(720), dims="time", coords={"time": times})
    assert select_range(data, "time", "2000-02-30", "2000-02").sizes["time"] == 1
    with pytest.raises(LabrigError, match="360_day has no such time"):
        select_range(data, "time", "2000-01-31")
    assert time_axis(data, "time").calendar == "360_day"


def _since_00() -> tuple[xr.DataArray, np.ndarray]:
    """Three days on ERA5-Land's grid, accumulated from 01 UTC to 00 UTC of the next day; and the hourly amounts."""
    times = pd.date_range("2020-06-01T01:00", periods=72, freq="h")
    amounts = np.random.default_rng(1).gamma(0.5, 1e-3, (72, 2, 3))
    summed = amounts.reshape(3, 24, 2, 3).cumsum(axis=1).reshape(72, 2, 3)
    coords = {"time": times, "latitude": [0.1, 0.0], "longitude": [0.0, 0.1, 0.2]}
    return xr.DataArray(summed, dims=("time", "latitude", "longitude"), coords=coords, name="tp"), amounts


def test_era5_land_is_known_by_its_grid_and_name_and_never_by_rising_values() -> None:
    tp, amounts = _since_00()
    assert accumulation_of(tp, "time") == Accumulation(
        "since_00", "the grid of 0.1 degree is that of ERA5-Land"
    )
    assert np.allclose(deaccumulated(tp, "time").values, amounts)
    for coarse in (
        tp.assign_coords(latitude=[1.0, 0.0], longitude=[0.0, 1.0, 2.0]),
        tp.assign_coords(latitude=[0.25, 0.0], longitude=[0.0, 0.25, 0.5]),
        tp.isel(latitude=0),
    ):
        covers = accumulation_of(coarse, "time")
        assert covers.covers == "before" and "since_00" in covers.doubt  # it looks like it, and that is said
        assert accumulation_of(coarse.assign_attrs({ACCUMULATED: "since_00"}), "time").covers == "since_00"
        named = note_land(coarse.to_dataset().assign_attrs(source="reanalysis-era5-land"))
        assert accumulation_of(named.tp, "time").covers == "since_00"
    hourly = tp.copy(data=amounts)
    covers = accumulation_of(hourly, "time")
    assert covers.covers == "before" and "fall within a day" in covers.doubt
    assert accumulation_of(hourly.rename("t2m"), "time").covers == "instant"
    shower = tp.isel(time=slice(0, 23)).copy(
        data=np.minimum(np.arange(23), 2.0)[:, None, None] * np.ones((2, 3))
    )
    assert accumulation_of(shower, "time").covers == "since_00"  # two hours of rain in a day
    evening = shower.assign_coords(latitude=[0.25, 0.0])
    assert accumulation_of(evening, "time").covers == "before" and not accumulation_of(evening, "time").doubt
    gap = deaccumulated(tp.isel(time=[0, 1, 3, 4]), "time")
    assert np.isnan(gap.values[2]).all() and np.allclose(gap.values[3], amounts[4])


def test_accumulated_values_of_every_sixth_hour_become_amounts_of_six_hours() -> None:
    tp, amounts = _since_00()
    sixth = tp.isel(time=slice(5, None, 6))  # 06, 12, 18 and 00 UTC
    assert accumulation_of(sixth, "time").covers == "since_00"
    assert np.allclose(deaccumulated(sixth, "time").values, amounts.reshape(12, 6, 2, 3).sum(axis=1))
    with pytest.raises(LabrigError, match="divide a day"):
        deaccumulated(tp.isel(time=slice(4, None, 6)), "time")


@pytest.mark.parametrize(
    ("name", "step_type", "hour"), [("tp", "avgad", 0), ("tp", "avgad", 6), ("t2m", "avgua", 0)]
)
def test_monthly_means_of_the_store_are_of_the_month_at_whose_begin_they_stand(
    name: str, step_type: str, hour: int
) -> None:
    """CDS splits its files of monthly means by this attribute; those of forecasts are dated 06 UTC."""
    times = pd.date_range("2020-01-01", periods=24, freq="MS") + pd.Timedelta(hours=hour)
    attrs = {"units": "m", "GRIB_stepType": step_type}
    found = xr.DataArray(
        np.arange(24.0), dims="valid_time", coords={"valid_time": times}, name=name, attrs=attrs
    )
    for series in (found, found[:1]):
        covers = accumulation_of(series, "valid_time")
        assert covers.covers == "after" and covers.stated and step_type in covers.why


def test_final_and_preliminary_runs_are_spliced() -> None:
    times = pd.date_range("2020-01-01", periods=4)
    values = np.array([[1.0, 2, np.nan, np.nan], [np.nan, 20, 30, 40]])
    data = xr.Dataset({"t": (("expver", "time"), values)}, coords={"expver": [1, 5], "time": times})
    found = spliced(data, "time")
    assert found.data.t.values.tolist() == [1, 2, 30, 40] and found.preliminary == 2
    newer = xr.Dataset(
        {"t": ("time", [1.0, 2])}, coords={"time": times[:2], "expver": ("time", ["0001", "0005"])}
    )
    assert spliced(newer, "time").preliminary == 1


def test_units_are_converted_with_their_dimensions_or_not_at_all() -> None:
    field = world()
    degrees, said = convert(field, "K", "degC")
    assert np.allclose(degrees, field - 273.15) and degrees.attrs["units"] == "degC" and "273.15" in said
    anomaly = field.assign_attrs(labrig_difference="1")
    assert np.allclose(convert(anomaly, "K", "degC")[0], field)  # of a difference the zero does not move
    assert convert(1.0, "mm d-1", "kg m-2 s-1", water=True)[0] == pytest.approx(1 / 86400)
    for source, target in (
        ("K", "m"),
        ("m", "kg m-2"),
        ("days since 2000-01-01", "d"),
        ("", "K"),
        ("bananas", "K"),
    ):
        with pytest.raises(LabrigError):
            convert(1.0, source, target)


def test_fields_are_combined_on_one_grid_and_with_their_units() -> None:
    kelvin = world()
    degrees = (kelvin - 273.15).assign_attrs(units="degC").rename("w")
    turned = degrees.isel(latitude=slice(None, None, -1)).rename(latitude="lat", longitude="lon")
    difference, said = combined(kelvin, turned, "subtract")
    assert np.abs(difference).max() < 1e-9 and "turned round" in said[0]
    ratio, _ = combined(kelvin.assign_attrs(units="mm"), kelvin.assign_attrs(units="m"), "divide")
    assert ratio.attrs["units"] == "1" and np.nanmax(np.abs(ratio - 1e-3)) < 1e-12
    with pytest.raises(LabrigError, match="different grids"):
        combined(kelvin, world(2.0), "add")
    with pytest.raises(LabrigError, match="arbitrary"):
        combined(degrees, kelvin, "multiply")
    with pytest.raises(LabrigError, match="cannot be added"):
        combined(kelvin, kelvin.assign_attrs(units="m"), "add")


def test_a_variable_is_named_or_is_the_only_one() -> None:
    data = world().to_dataset()
    assert variable_of(data).name == "v"
    data["u"] = data.v.assign_attrs(standard_name="eastward_wind")
    assert variable_of(data, "eastward_wind").name == "u"
    with pytest.raises(LabrigError, match="v, u"):
        variable_of(data)
    with pytest.raises(LabrigError, match="did you mean"):
        variable_of(data, "vv")
