"""Statistics of fields against NumPy on the raw arrays, closed forms and second libraries."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import geopandas as gpd
import netCDF4
import numpy as np
import pandas as pd
import pytest
import rasterio
import rasterio.mask
import rioxarray
import xarray as xr
import zarr
from rasterio.transform import from_origin
from scipy import stats
from shapely.geometry import Polygon, box

from labrig.errors import LabrigError
from labrig_earth.grids import heat, humidity, wind
from labrig_earth.grids.areas import METHODS, area_mean, polygon_means
from labrig_earth.grids.axes import horizontal
from labrig_earth.grids.climatology import anomaly, climatology
from labrig_earth.grids.periods import over_time
from labrig_earth.grids.regridding import conservation, grid_of, regrid, reproject, target_grid
from labrig_earth.grids.spells import beyond, degree_days, longest_spell, runs, spells
from labrig_earth.grids.trends import mann_kendall, slopes, trend
from labrig_earth.grids.writing import write
from labrig_earth.grids.zonal import weighted_quantile, zonal_statistics

RANDOM = np.random.default_rng(7)


def daily(years: int = 3, calendar: str = "standard", shape: tuple[int, int] = (2, 3)) -> Any:
    """Return random daily values from 2000 on; standard times are NumPy's."""
    end = f"{1999 + years}-12-{30 if calendar == '360_day' else 31}"
    times = xr.date_range("2000-01-01", end, calendar=calendar, use_cftime=calendar != "standard")
    values = RANDOM.normal(280, 10, (times.size, *shape))
    coords = {"time": times, "latitude": 50.0 - np.arange(shape[0]), "longitude": np.arange(shape[1]) * 1.0}
    return xr.DataArray(
        values, dims=("time", "latitude", "longitude"), coords=coords, name="t2m", attrs={"units": "K"}
    )


@pytest.mark.parametrize(
    ("calendar", "statistic", "by_numpy"),
    [
        ("standard", "mean", np.mean),
        ("noleap", "sum", np.sum),
        ("360_day", "percentile", None),
        *(
            pytest.param(*case, marks=pytest.mark.accept)
            for case in (
                ("noleap", "mean", np.mean),
                ("360_day", "mean", np.mean),
                ("standard", "sum", np.sum),
                ("360_day", "sum", np.sum),
                ("standard", "percentile", None),
                ("noleap", "percentile", None),
            )
        ),
    ],
)
def test_months_against_numpy(calendar: str, statistic: str, by_numpy: Any) -> None:
    data = daily(2, calendar=calendar)
    found = over_time(
        data.chunk({"time": 300}), "time", statistic, every="month", percentile=90
    ).data.compute()
    assert found.sizes["time"] == 24
    for place in (0, 1, 13, 23):
        year, month = 2000 + place // 12, place % 12 + 1
        chosen = (data.time.dt.year.values == year) & (data.time.dt.month.values == month)
        part = data.values[chosen]
        expected = by_numpy(part, axis=0) if by_numpy else np.percentile(part, 90, axis=0)
        assert np.allclose(found.values[place], expected)
        assert (int(found.time.dt.month[place]), int(found.time.dt.day[place])) == (month, 1)


def test_a_period_without_enough_steps_is_missing_and_said_to_be() -> None:
    data = daily(1).isel(time=slice(10, 80))  # from 11 January to 20 March
    found = over_time(data, "time", "mean", every="month", least_part=0.8)
    assert np.isfinite(found.data.values[:, 0, 0]).tolist() == [False, True, False]
    assert found.incomplete == ("2000-01-01", "2000-03-01") and "2 of 3 periods" in found.warnings[0]
    assert np.isfinite(over_time(data, "time", "mean", every="month", least_part=0.5).data.values).all()
    seasons = over_time(daily(2), "time", "mean", every="season")
    assert [str(each)[:7] for each in seasons.data.time.values[:3]] == ["1999-12", "2000-03", "2000-06"]
    assert np.isnan(seasons.data.values[0]).any() == (60 / 91 < 0.8)  # December is not there
    expected = daily(2)
    holes = expected.where(expected.time.dt.day != 3)
    assert np.isnan(over_time(holes, "time", "sum", every="month").data.values).all()
    assert over_time(holes, "time", "count", every="month").data.values[0, 0, 0] == 30


def test_hourly_amounts_belong_to_the_day_in_which_they_fell() -> None:
    times = pd.date_range("2020-06-01T01:00", periods=48, freq="h")
    rain = xr.DataArray(np.ones(48), dims="time", coords={"time": times}, name="tp")
    days = over_time(rain, "time", "sum", every="day", ends=True).data
    assert days.values.tolist() == [24, 24]
    assert np.isnan(
        over_time(rain, "time", "sum", every="day").data.values[[0, 2]]
    ).all()  # by time stamps: 23, 24, 1


def test_the_area_mean_of_the_globe_is_that_of_the_sphere() -> None:
    latitudes, longitudes = np.arange(90, -90.1, -1.0), np.arange(0, 360, 1.0)  # centres at the poles
    field = xr.DataArray(
        np.repeat(np.sin(np.deg2rad(latitudes))[:, None] ** 2, 360, axis=1),
        dims=("latitude", "longitude"),
        coords={"latitude": latitudes, "longitude": longitudes},
    )
    assert float(area_mean(field)) == pytest.approx(1 / 3, abs=1e-4)  # mean of sin^2 over a sphere
    ones = field.copy(data=np.ones(field.shape))
    world = gpd.GeoDataFrame({"name": ["all"]}, geometry=[box(-180, -90, 180, 90)], crs="EPSG:4326")
    found = polygon_means(ones, world, method="exactextract")
    assert float(found.area_km2[0]) == pytest.approx(4 * math.pi * 6371.0088**2, rel=1e-9)


@pytest.fixture(scope="module")
def country() -> Any:
    """A triangle with a hole, and a box, around Greenwich."""
    triangle = Polygon([(-3, 42), (4, 43), (1, 48)], holes=[[(0, 43.5), (1, 43.5), (1, 44.5)]])
    return gpd.GeoDataFrame(
        {"id": ["north", "south"]}, geometry=[triangle, box(1, 41, 2, 42)], crs="EPSG:4326"
    )


def plane(step: float = 0.25, *, to_360: bool = False) -> Any:
    latitudes = np.arange(50, 39.9, -step)
    longitudes = np.arange(-5, 5.01, step)
    values = latitudes[:, None] * 2 + longitudes[None, :] + 100
    field = xr.DataArray(
        values,
        dims=("latitude", "longitude"),
        coords={"latitude": latitudes, "longitude": longitudes % 360 if to_360 else longitudes},
        name="t",
        attrs={"units": "K"},
    )
    return field.sortby("longitude")


@pytest.mark.parametrize(
    "method",
    [pytest.param(each, marks=[pytest.mark.accept] if each != "exactextract" else []) for each in METHODS],
)
def test_polygon_means_against_a_fine_grid(country: Any, method: str) -> None:
    found = polygon_means(plane(), country, method=method)
    assert found.data.region.values.tolist() == ["north", "south"]
    y, x = np.meshgrid(np.arange(41, 48, 0.01) + 0.005, np.arange(-3, 4, 0.01) + 0.005, indexing="ij")
    from shapely import contains_xy

    for place, shape in enumerate(country.geometry):
        inside = contains_xy(shape, x, y)
        weights = np.cos(np.deg2rad(y)) * inside
        exact = (weights * (2 * y + x + 100)).sum() / weights.sum()
        assert float(found.data[place]) == pytest.approx(exact, abs=0.05 if method == "centres" else 0.01)
        assert 0 < float(found.spread[place]) < 0.2
    moved = polygon_means(plane(to_360=True), country, method=method)
    assert np.allclose(moved.data, found.data, atol=1e-6)
    turned = polygon_means(plane().isel(latitude=slice(None, None, -1)), country.to_crs(32631), method=method)
    # Straight lines of a projection are bent on latitudes: centres on an edge may fall on its other side.
    assert np.allclose(turned.data, found.data, atol=0.2 if method == "centres" else 2e-3)


def test_missing_cells_leave_the_weights_too(country: Any) -> None:
    field = plane().expand_dims(time=pd.date_range("2000", periods=3)).copy()
    field[1] = field[1].where(field.latitude > 44)
    found = polygon_means(field.chunk({"time": 1}), country.iloc[:1], method="centres").data
    cells = plane()
    from shapely import contains_xy

    x, y = np.meshgrid(cells.longitude, cells.latitude)
    weights = np.cos(np.deg2rad(y)) * contains_xy(country.geometry[0], x, y)
    expected = [(weights * cells.values).sum() / weights.sum()]
    weights = weights * (y > 44)
    expected.append((weights * cells.values).sum() / weights.sum())
    assert found.values[0].tolist() == pytest.approx([expected[0], expected[1], expected[0]], abs=1e-6)


def test_polygons_that_cannot_be_used_say_why(country: Any) -> None:
    far = gpd.GeoDataFrame(geometry=[box(100, 0, 101, 1)], crs="EPSG:4326")
    with pytest.raises(LabrigError, match="outside the grid") as refused:
        polygon_means(plane(), far)
    assert refused.value.code == "not_found"
    turned = gpd.GeoDataFrame(geometry=[box(44, 1, 46, 3)], crs="EPSG:4326")
    with pytest.raises(LabrigError, match="exchanged"):
        polygon_means(plane(), turned)
    with pytest.raises(LabrigError, match="no CRS"):
        polygon_means(plane(), country.set_crs(None, allow_override=True))
    with pytest.raises(LabrigError, match="no polygon"):
        polygon_means(plane(), gpd.GeoDataFrame(geometry=country.boundary, crs=country.crs))
    tiny = gpd.GeoDataFrame(geometry=[box(1.01, 44.01, 1.02, 44.02)], crs="EPSG:4326")
    with pytest.raises(LabrigError, match="exactextract"):
        polygon_means(plane(), tiny, method="centres")
    bow = gpd.GeoDataFrame(geometry=[Polygon([(0, 42), (2, 44), (2, 42), (0, 44)])], crs="EPSG:4326")
    found = polygon_means(plane(), bow, method="exactextract")
    assert "mended" in found.warnings[0] and float(found.data[0]) == pytest.approx(187, abs=0.05)


def test_zonal_statistics_against_rasterio_and_numpy(tmp_path: Path) -> None:
    values = RANDOM.integers(0, 4, (40, 50)).astype("float32")
    values[3, 3] = np.nan
    path = tmp_path / "classes.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=50, height=40, count=1, dtype="float32", nodata=np.nan, crs="EPSG:32631",
        transform=from_origin(500_000, 4_600_000, 10, 10),
    ) as file:  # fmt: skip
        file.write(values, 1)
    with rasterio.open(path) as file:
        square = box(500_020, 4_599_700, 500_300, 4_599_980)  # on edges of cells
        masked = rasterio.mask.mask(file, [square], crop=True, nodata=-1)[0][0]
    raster = rioxarray.open_rasterio(path, masked=True).squeeze(drop=True)
    shapes = gpd.GeoDataFrame({"id": ["a"]}, geometry=[square], crs="EPSG:32631").to_crs("EPSG:3857")
    names = ["mean", "sum", "min", "max", "count", "std", "majority", "fractions", "percentile"]
    row = zonal_statistics(raster, shapes, names, percentile=40).table.iloc[0]
    cells = masked[np.isfinite(masked) & (masked >= 0)]
    assert cells.size == 28 * 28 - 1 and row.region == "a"
    assert row["mean"] == pytest.approx(cells.mean(), abs=1e-4)
    assert row["sum"] == pytest.approx(cells.sum(), rel=1e-4) and row["count"] == pytest.approx(
        cells.size, rel=1e-5
    )
    assert (row["min"], row["max"]) == (0, 3)
    assert row["std"] == pytest.approx(cells.std(), abs=1e-3)
    counts = np.bincount(cells.astype(int))
    assert row["majority"] == counts.argmax()
    assert [row[f"fraction_{each}"] for each in range(4)] == pytest.approx(
        (counts / cells.size).tolist(), abs=1e-4
    )
    assert row["percentile_40"] == np.percentile(cells, 40)  # well within a class


def test_a_weighted_quantile_is_numpys_and_knows_equal_values() -> None:
    for values in (RANDOM.normal(size=50), RANDOM.integers(0, 4, 50), np.array([3.0])):
        for part in (0.0, 0.3, 0.6, 1.0):
            found = weighted_quantile(values, np.full(values.size, 0.7), part)
            assert found == pytest.approx(np.quantile(values, part))
    assert weighted_quantile([1.0, 2.0, np.nan], [1.0, 0.0, 1.0], 0.5) == 1.0
    assert weighted_quantile([np.nan], [1.0], 0.5) is None


def test_zonal_means_on_latitudes_are_polygon_means(country: Any) -> None:
    field = plane().expand_dims(time=pd.date_range("2000", periods=40)).copy()
    field = (field + xr.DataArray(np.arange(40.0), dims="time")).assign_attrs(units="K").rename("t")
    table = zonal_statistics(field, country, ["mean", "max"]).table
    means = polygon_means(field, country, method="exactextract").data
    assert table["mean"].to_numpy().reshape(2, 40) == pytest.approx(means.values, abs=1e-6)
    assert len(table) == 80
    with pytest.raises(LabrigError, match="fractions of classes"):
        zonal_statistics(plane(0.05), country, ["fractions"])


def test_anomalies_of_a_pure_cycle_are_the_planted_change() -> None:
    data = daily(12, shape=(1, 1))
    day = data.time.dt.dayofyear
    cycle = 280 + 10 * np.sin(2 * np.pi * data.time.dt.month / 12)
    planted = xr.where(data.time.dt.year == 2011, 2.0, 0.0)
    series = (cycle + planted + 0 * day).expand_dims(latitude=[0.0]).transpose("time", "latitude").rename("t")
    series.attrs["units"] = "K"
    usual = climatology(series.chunk({"time": 500}), "time", every="month", start="2000", end="2010")
    found = anomaly(series, "time", usual)
    assert np.abs(found.sel(time="2011") - 2).max() < 1e-9 and np.abs(found.sel(time="2005")).max() < 1e-9
    assert (usual.years, found.attrs["labrig_difference"]) == (11, "1")


def test_a_day_of_the_year_is_the_mean_of_its_window() -> None:
    data = daily(4)
    usual = climatology(data, "time", every="day", window=5).data
    frame = data[:, 0, 0].to_series()
    key = frame.index.strftime("%m-%d")
    for day, around in (
        ("01-01", ["12-30", "12-31", "01-01", "01-02", "01-03"]),
        ("03-01", ["02-28", "02-29", "03-01", "03-02", "03-03"]),
    ):
        place = pd.Timestamp(f"2000-{day}").day_of_year - 1
        assert float(usual[place, 0, 0]) == pytest.approx(frame[key.isin(around)].mean())
    p90 = climatology(data, "time", every="day", window=5, percentile=90).data
    assert float(p90[60, 0, 0]) == pytest.approx(np.percentile(frame[key.isin(around)], 90))


@pytest.mark.parametrize(
    ("series", "lengths"),
    [("0110111", {2: 1, 3: 1}), ("1111", {4: 1}), ("0000", {}), ("11x11", {2: 2}), ("x1", {1: 1})],
)
def test_runs(series: str, lengths: dict[int, int]) -> None:
    values = np.array([np.nan if each == "x" else float(each) for each in series])
    found = runs(values)
    assert {int(each): int((found == each).sum()) for each in found[found > 0]} == lengths


def test_heat_waves_are_counted_as_by_hand() -> None:
    data = daily(1, shape=(1, 1))
    hot = np.zeros(data.sizes["time"])
    for first, length in ((10, 2), (50, 3), (100, 7), (364, 2)):
        hot[first : first + length] = 1
    data.values[:, 0, 0] = 290 + 15 * hot
    hits = beyond(data.chunk({"time": 60}), 300.0)
    count, steps = spells(hits, "time", 3)
    assert (longest_spell(hits, "time").values.item(), count.values.item(), steps.values.item()) == (7, 2, 10)
    assert float(hits.sum()) == 14
    gone = hits.isel(
        time=[each for each in range(366) if each != 103]
    )  # a day that is not there ends a spell
    assert longest_spell(gone, "time").values.item() == 3
    with pytest.raises(LabrigError, match="comparison"):
        beyond(data, 1.0, "over")


def test_degree_days_of_a_straight_line() -> None:
    times = pd.date_range("2001-01-01", periods=21)
    line = xr.DataArray(
        np.arange(21.0), dims="time", coords={"time": times}, name="t", attrs={"units": "degC"}
    )
    assert float(degree_days(line, "time", 10.0).sum()) == 55
    assert float(degree_days(line, "time", 10.0, kind="heating").sum()) == 55
    assert float(degree_days(line, "time", 10.0, cap=15.0).sum()) == 15 + 5 * 5
    with pytest.raises(LabrigError, match="daily means"):
        degree_days(line.isel(time=slice(None, None, 2)), "time", 10.0)


def test_a_trend_is_found_with_its_interval() -> None:
    times = pd.date_range("1990-07-01", periods=40, freq="YS")
    decades = (times - times[0]) / pd.Timedelta(days=3652.425)
    noise = RANDOM.normal(0, 0.2, 40)
    series = xr.DataArray(0.3 * np.asarray(decades) + noise, dims="time", coords={"time": times})
    series[3] = np.nan
    for method in ("theil_sen", "ols"):
        found = trend(series, "time", method=method)
        assert found.low < 0.3 < found.high and found.p < 1e-3 and found.n == 39
    valid = np.delete(series.values, 3)
    tau = stats.kendalltau(np.arange(39), valid)
    s, p = mann_kendall(valid)
    assert s == pytest.approx(tau.statistic * 39 * 38 / 2)
    assert p == pytest.approx(stats.kendalltau(np.arange(39), valid, method="asymptotic").pvalue, rel=0.1)
    grid = series.expand_dims(x=3).transpose("time", "x")
    assert slopes(grid, "time").values == pytest.approx([trend(series, "time", method="ols").slope] * 3)
    with pytest.raises(LabrigError, match="says nothing"):
        trend(series[:5], "time")


def quantity(value: float | list[float], unit: str) -> Any:
    return xr.DataArray(value, name="v", attrs={"units": unit})


def test_moisture_against_published_values() -> None:
    # WMO-No. 8, and Bolton (1980), table 1: saturation over water, hPa
    for celsius, published in ((0.0, 6.11), (20.0, 23.37), (30.0, 42.43)):
        for formula in humidity.FORMULAS:
            found = humidity.saturation_vapour_pressure(quantity(celsius + 273.15, "K"), formula=formula)
            assert float(found) == pytest.approx(published, rel=3e-3)
    t, d = quantity([30.0, -5.0], "degC"), quantity([20.0, -12.0], "degC")
    for formula in humidity.FORMULAS:
        rh = humidity.relative_humidity(t, d, formula=formula)
        assert humidity.dew_point(t, rh, formula=formula).values == pytest.approx(d.values, abs=1e-6)
    q = humidity.specific_humidity(d, quantity(1000.0, "hPa"))
    assert humidity.humidity_of_specific(t, q, quantity(100000.0, "Pa")).values == pytest.approx(
        humidity.relative_humidity(t, d).values, rel=1e-9
    )
    assert "range of bolton" in humidity.beyond_range(quantity([40.0], "degC"), "bolton")


def test_heat_index_and_wet_bulb_against_published_values() -> None:
    # NWS heat index chart (degF), and Stull (2011): 20 degC and 50 % give 13.7 degC
    for fahrenheit, percent, published in ((90, 70, 105), (100, 40, 109), (86, 90, 105), (80, 40, 80)):
        found = heat.heat_index(quantity(float(fahrenheit), "degF"), quantity(float(percent), "%"))
        assert float(found) * 1.8 + 32 == pytest.approx(published, abs=1.1)
    assert float(heat.wet_bulb(quantity(20.0, "degC"), quantity(0.5, "1"))) == pytest.approx(13.7, abs=0.05)
    assert np.isnan(float(heat.wet_bulb(quantity(20.0, "degC"), quantity(2.0, "%"))))


@pytest.mark.parametrize(
    ("u", "v", "whence"), [(1, 0, 270), (0, 1, 180), (-1, 0, 90), (0, -1, 0), (1, 1, 225)]
)
def test_winds_come_from_where_they_come(u: float, v: float, whence: float) -> None:
    east, north = quantity(u * 3.6, "km/h"), quantity(float(v), "m s-1")
    assert float(wind.wind_direction(east, north)) == pytest.approx(whence)
    assert float(wind.wind_speed(east, north)) == pytest.approx(math.hypot(u, v))
    speed, angle = float(wind.wind_speed(east, north)), math.radians(wind.wind_direction(east, north))
    assert [-speed * math.sin(angle), -speed * math.cos(angle)] == pytest.approx([u, v])
    with pytest.raises(LabrigError, match="no speed"):
        wind.wind_speed(quantity(1.0, "K"), north)


def test_a_conservative_regrid_keeps_the_mean_and_a_linear_one_a_plane() -> None:
    rough = plane().copy(data=RANDOM.gamma(1.0, 1.0, plane().shape))
    target = target_grid(1.0, (-4, 41, 4, 49), rough, None)  # type: ignore[arg-type]
    found = regrid(rough, target).data
    before, after = conservation(rough, found)
    assert after == pytest.approx(before, rel=2e-3) and found.shape == (8, 8)
    y, x = rough.latitude.values, rough.longitude.values
    inside = [np.clip(np.minimum(e + 0.125, 42.0) - np.maximum(e - 0.125, 41.0), 0, None) for e in y]
    across = [np.clip(np.minimum(e + 0.125, -3.0) - np.maximum(e - 0.125, -4.0), 0, None) for e in x]
    weights = (np.array(inside) * np.cos(np.deg2rad(y)))[:, None] * np.array(across)[None, :]
    assert float(found[-1, 0]) == pytest.approx((weights * rough.values).sum() / weights.sum(), rel=1e-3)
    flat = regrid(plane(to_360=True), target, method="linear").data
    assert np.allclose(flat, 2 * flat.latitude + flat.longitude + 100)
    assert grid_of(plane()).sizes == {"latitude": 41, "longitude": 41}
    with pytest.raises(LabrigError, match="do not meet"):
        regrid(plane(), target_grid(1.0, (50, 0, 60, 10), plane(), None))  # type: ignore[arg-type]


def test_means_before_and_after_are_of_the_same_cells() -> None:
    """Three rows and a half of the target lie in five rows: the last is not covered, and counts in neither mean."""
    rows, columns = np.arange(56.0, 41.0, -1), np.arange(0.0, 21.0)
    field = xr.DataArray(
        280 + rows[:, None] ** 2 / 100 + 0 * columns, dims=("latitude", "longitude"), name="t",
        coords={"latitude": rows, "longitude": columns},
    )  # fmt: skip
    found = regrid(field, target_grid(2.0, None, field, horizontal(field)), method="conservative").data
    assert found.isnull().any()
    before, after = conservation(field, found)
    assert before == pytest.approx(after, rel=1e-6)


def test_a_curvilinear_grid_becomes_regular() -> None:
    j, i = np.meshgrid(np.arange(40), np.arange(60), indexing="ij")
    latitude, longitude = 40 + 0.2 * j + 0.05 * i, 5 + 0.2 * i - 0.05 * j
    field = xr.DataArray(
        2 * latitude + longitude,
        dims=("j", "i"),
        coords={"lat": (("j", "i"), latitude), "lon": (("j", "i"), longitude)},
    )
    target = target_grid(0.5, (8, 44, 12, 46), field, None)  # type: ignore[arg-type]
    found = regrid(field, target, method="nearest").data
    assert np.abs(found - (2 * found.latitude + found.longitude)).max() < 0.35
    found = regrid(field, target).data
    assert np.abs(found - (2 * found.latitude + found.longitude)).max() < 0.05
    with pytest.raises(LabrigError, match="nearest"):
        regrid(field, target, method="linear")


def test_a_reprojection_puts_values_where_they_were() -> None:
    for field in (plane(), plane(to_360=True).isel(latitude=slice(None, None, -1))):
        found = reproject(field, "EPSG:32631", resolution=20_000).data
        inner = found.isel(x=slice(8, -8), y=slice(8, -8))
        x, y = np.meshgrid(inner.x, inner.y)
        import pyproj

        longitude, latitude = pyproj.Transformer.from_crs(32631, 4326, always_xy=True).transform(x, y)
        assert np.nanmax(np.abs(inner - (2 * latitude + longitude + 100))) < 0.1
    with pytest.raises(LabrigError, match="no coordinate reference system"):
        reproject(plane(), "EPSG:1")
    with pytest.raises(LabrigError, match="resampling"):
        reproject(plane(), "EPSG:32631", resampling="good")
    with pytest.raises(LabrigError, match="cells"):
        reproject(plane(), "EPSG:32631", resolution=1.0)


def test_files_that_other_software_reads(tmp_path: Path) -> None:
    field = plane().expand_dims(time=pd.date_range("2000", periods=2)).copy().rename("t")
    field.attrs = {"units": "K", "scale_factor": 0.1, "long_name": ("a", "b", "c")}
    field.encoding = {"dtype": "int16", "scale_factor": 0.1}
    names = [
        write(field, tmp_path, "out", kind, history="h", source="s") for kind in ("netcdf", "zarr", "geotiff")
    ]
    assert names == ["out.nc", "out.zarr", "out.tif"]
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert (file["t"].units, file["t"].grid_mapping) == ("K", "spatial_ref")
        assert file.Conventions == "CF-1.11"
        assert np.allclose(file["t"][:], field.values)
        assert file["spatial_ref"].grid_mapping_name == "latitude_longitude"
    assert np.allclose(zarr.open_group(tmp_path / "out.zarr", mode="r")["t"][:], field.values)
    with rasterio.open(tmp_path / "out.tif") as raster:
        assert (
            raster.crs.to_epsg() == 4326
            and raster.count == 2
            and raster.descriptions[0].startswith("2000-01-01")
        )
        assert raster.bounds.left == pytest.approx(-5.125) and raster.bounds.top == pytest.approx(50.125)
        assert np.allclose(raster.read(1), field.values[0])
    write(field.isel(latitude=0, longitude=0), tmp_path, "series", "csv", history="h")
    table = pd.read_csv(tmp_path / "series.csv")
    assert "t [K]" in table.columns and table["t [K]"].tolist() == pytest.approx(
        field.values[:, 0, 0].tolist()
    )
    with pytest.raises(LabrigError, match="is not written"):
        write(field, tmp_path, "out", "grib", history="h")
