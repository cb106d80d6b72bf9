"""Fields of the atmosphere against closed forms: bodies that turn as a whole, columns of straight lines, shear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.atmosphere.kinematics import RADIUS_M, ROTATION, divergence, geostrophic_wind, vorticity
from labrig_earth.atmosphere.levels import PRESSURE, at_level, at_levels, by_pressure, level_axis
from labrig_earth.atmosphere.moisture import GRAVITY, column, vapour_transport, water_vapour
from labrig_earth.atmosphere.shear import vertical_shear
from labrig_earth.atmosphere.thermodynamics import mixing_ratio, potential_temperature
from labrig_earth.data.formats import Place
from labrig_earth.grids.humidity import dew_point_of_pressure, vapour_pressure, vapour_pressure_of_specific
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call
from labrig_earth.world.cyclone import HUMIDITY, LEVELS_HPA, WIND_EAST, WIND_NORTH, write_cyclone
from labrig_earth.world.writing import Folder

U = 20.0


def field(act: Any, *, lat: Any = None, lon: Any = None, units: str = "m s-1") -> Any:
    """Return a field of latitude and longitude in radians on a grid in degrees."""
    import xarray as xr

    lat = np.arange(-80.0, 81, 2) if lat is None else lat
    lon = np.arange(0.0, 360, 2) if lon is None else lon
    phi, lam = np.meshgrid(np.radians(lat), np.radians(lon), indexing="ij")
    made = xr.DataArray(act(phi, lam), {"lat": lat, "lon": lon}, ("lat", "lon"), "u", {"units": units})
    made["lat"].attrs, made["lon"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    return made


def columns(values: Any, levels: Any, *, unit: str = "hPa", name: str = "level") -> Any:
    import xarray as xr

    made = xr.DataArray(np.asarray(values, "f8"), {name: np.asarray(levels, "f8")}, (name,), "q")
    made[name].attrs = {"units": unit} if unit else {}
    return made


@pytest.mark.parametrize("south_first", [True, False])
def test_a_body_that_turns_as_a_whole_has_twice_its_rotation(south_first: bool) -> None:
    """u = U cos(phi): vorticity 2 U sin(phi) / a, of which the tangent's term is half; no divergence."""
    lat = np.arange(-80.0, 81, 2)
    lat = lat if south_first else lat[::-1]
    u, v = field(lambda phi, lam: U * np.cos(phi), lat=lat), field(lambda phi, lam: 0 * phi, lat=lat)
    expected = 2 * U * np.sin(np.radians(lat)) / RADIUS_M
    found = vorticity(u, v)
    np.testing.assert_allclose(
        found.values[1:-1], np.repeat(expected[1:-1, None], 180, 1), rtol=2e-3, atol=1e-10
    )
    assert np.abs(found.values - expected[:, None]).max() < 0.01 * np.abs(expected).max()
    assert np.abs(divergence(u, v).values).max() < 1e-15 and found.attrs["units"] == "s-1"
    plane = -np.gradient(u.values, np.radians(lat), axis=0) / RADIUS_M  # without the tangent
    assert np.abs(found.values - plane).max() > 0.4 * np.abs(expected).max()


def test_a_wave_spreads_and_turns_across_greenwich_as_its_derivatives_say() -> None:
    """u = U cos(phi) sin(2 lam), v = U cos(phi) cos(lam), on a globe whose first column follows its last."""
    u = field(lambda phi, lam: U * np.cos(phi) * np.sin(2 * lam))
    v = field(lambda phi, lam: U * np.cos(phi) * np.cos(lam))
    phi, lam = np.meshgrid(np.radians(u.lat.values), np.radians(u.lon.values), indexing="ij")
    spreads = U * (2 * np.cos(2 * lam) - 2 * np.sin(phi) * np.cos(lam)) / RADIUS_M
    turns = U * (-np.sin(lam) + 2 * np.sin(phi) * np.sin(2 * lam)) / RADIUS_M
    for found, expected in ((divergence(u, v), spreads), (vorticity(u, v), turns)):
        assert np.abs(found.values - expected)[1:-1].max() < 0.003 * np.abs(expected).max()
    across = np.concatenate([np.arange(340.0, 360, 2), np.arange(0.0, 22, 2)])
    cut = [each.sel(lon=across) for each in (u, v)]
    found = divergence(*cut)
    np.testing.assert_allclose(
        found.values[:, 1:-1], divergence(u, v).sel(lon=across).values[:, 1:-1], rtol=1e-6
    )
    poles = [each.reindex(lat=[88.0, 89, 90]).fillna(1.0) for each in (u, v)]
    for each in poles:
        each["lat"].attrs = {"units": "degrees_north"}
    assert np.isnan(vorticity(*poles).sel(lat=90)).all() and np.isfinite(vorticity(*poles).sel(lat=89)).all()


def test_the_wind_that_balances_a_geopotential() -> None:
    """Phi = -U a Omega sin2(phi) balances u = U cos(phi), since f u = -dPhi/dy: no factor of gravity in it."""
    lat = np.arange(-60.0, 61, 1)
    potential = field(lambda phi, lam: -U * RADIUS_M * ROTATION * np.sin(phi) ** 2, lat=lat, units="m2 s-2")
    u, v = geostrophic_wind(potential)
    away = np.abs(lat) > 5
    np.testing.assert_allclose(u.values[away][1:-1, 0], (U * np.cos(np.radians(lat)))[away][1:-1], rtol=1e-3)
    assert np.isnan(u.sel(lat=slice(-3, 3))).all() and float(np.abs(v).max()) < 1e-12
    wave = field(lambda phi, lam: 500 * np.sin(lam), lat=lat, units="m2 s-2")
    _, north = geostrophic_wind(wave)
    cell = north.sel(lat=45, lon=0)
    f = 2 * ROTATION * np.sin(np.pi / 4)
    assert float(cell) == pytest.approx(500 / (RADIUS_M * np.cos(np.pi / 4) * f), rel=1e-3)


@pytest.mark.parametrize(
    "u, said",
    [
        (field(lambda phi, lam: phi, lat=np.array([0.0, 1])), "too few"),
        (field(lambda phi, lam: phi, lat=np.array([0.0, 2, 1])), "neither rises"),
        (field(lambda phi, lam: phi).rename(lat="y", lon="x").drop_attrs(), "no horizontal grid"),
    ],
)
def test_grids_without_derivatives(u: Any, said: str) -> None:
    if "x" in u.dims:
        u = u.drop_vars(["x", "y"])
    with pytest.raises(LabrigError) as refused:
        vorticity(u, u)
    assert said in str(refused.value)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
@pytest.mark.parametrize("unit, factor", [("hPa", 1), ("Pa", 100), ("", 1), ("", 100)])
def test_a_column_of_a_straight_line_is_its_area(order: slice, unit: str, factor: float) -> None:
    """q = a + b p: the trapezoidal rule is exact, whatever the order and the unit of the levels."""
    levels = np.array([1000.0, 925, 850, 700, 500, 300])[order]
    q = 1e-4 + 1.2e-5 * levels
    made = columns(q, levels * factor, unit=unit)
    data, assumed = by_pressure(made)
    p0, p1 = 30000.0, 100000.0
    expected = (1e-4 * (p1 - p0) + 1.2e-7 * (p1**2 - p0**2) / 2) / GRAVITY
    assert float(water_vapour(data)) == pytest.approx(expected, rel=1e-12) and expected > 0
    rising = np.sort(levels) * 100
    assert float(column(data)) == pytest.approx(np.trapezoid(data.values, rising) / GRAVITY, rel=1e-12)
    east, north, size = vapour_transport(data, data * 0 + 3.0, data * 0 - 4.0)
    assert float(east) == pytest.approx(3 * expected) and float(north) == pytest.approx(-4 * expected)
    assert float(size) == pytest.approx(5 * expected) and bool(assumed) == (not unit)


def test_what_lies_below_the_ground_does_not_count() -> None:
    import xarray as xr

    data, _ = by_pressure(columns(np.full(4, 0.01), [1000, 900, 800, 700]))
    ground = xr.DataArray([95000.0, 100500.0, 80000.0, 60000.0, np.nan], dims="x")
    found = column(data.expand_dims(x=5), ground)
    expected = np.array([25000.0, 30000.0, 10000.0, 0.0, np.nan]) * 0.01 / GRAVITY
    np.testing.assert_allclose(found, expected)
    hole = data.copy(data=[0.01, 0.01, 0.01, np.nan])  # below the ground, where nothing is known
    np.testing.assert_allclose(column(hole, xr.DataArray(90000.0)), 20000 * 0.01 / GRAVITY)
    assert np.isnan(column(hole))


@pytest.mark.parametrize(
    "made, said",
    [
        (columns([1, 2], [1, 2], unit="1"), "levels are in 1"),
        (columns([1, 2], [10, 100], unit="m"), "levels are in m"),
        (columns([1, 2], [850, 850]), "one pressure"),
        (columns([1, 2], [850, np.nan]), "above 0"),
        (columns([1, 2], [1, 2], name="x"), "no axis of levels"),
    ],
)
def test_levels_that_are_no_pressures(made: Any, said: str) -> None:
    with pytest.raises(LabrigError) as refused:
        by_pressure(made)
    assert said in str(refused.value)


def test_a_level_is_none_other_and_shear_is_top_less_bottom() -> None:
    u, _ = by_pressure(
        columns([5.0, 12, 30], [850, 500, 200], unit="millibars", name="pressure_level"), "level"
    )
    v, _ = by_pressure(columns([1.0, 1, -6], [85000, 50000, 20000], unit="Pa", name="plev"))
    assert list(u[PRESSURE].values) == [20000, 50000, 85000] and float(at_level(u, 850, where="x")) == 5
    assert at_levels(u, [850, 200], where="x").values.tolist() == [30, 5]
    with pytest.raises(LabrigError, match="no level 700") as refused:
        at_level(u, 700, where="level")
    assert refused.value.code == "not_found" and "850" in str(refused.value.expected)
    east, north, size = vertical_shear(u, v, top=200, bottom=850)
    assert [float(each) for each in (east, north)] == [25, -7] and float(size) == pytest.approx(
        np.hypot(25, 7)
    )
    with pytest.raises(LabrigError, match="not above") as refused:
        vertical_shear(u, v, top=850, bottom=200)
    assert refused.value.try_ == "top=200, bottom=850"
    with pytest.raises(LabrigError, match="no axis height"):
        level_axis(u, "height")


def test_moist_air_by_hand() -> None:
    import xarray as xr

    def one(value: float, unit: str) -> Any:
        return xr.DataArray(value, attrs={"units": unit}, name="x")

    theta = potential_temperature(one(7.0, "degC"), one(70000.0, "Pa"))
    assert float(theta) == pytest.approx(280.15 * (1 / 0.7) ** (2 / 7), rel=1e-12)
    e = vapour_pressure_of_specific(one(0.01, "kg kg-1"), one(1000.0, "hPa"))
    assert float(e) == pytest.approx(0.01 * 1000 / (0.62198 + 0.37802 * 0.01), rel=1e-12)
    w = mixing_ratio(e, one(1000.0, "hPa"))
    assert float(w) == pytest.approx(
        0.01 / 0.99, rel=1e-9
    )  # q / (1 - q), whatever the ratio of gas constants
    back = dew_point_of_pressure(vapour_pressure(one(285.0, "K"), formula="bolton"), formula="bolton")
    assert float(back) == pytest.approx(11.85, abs=1e-9)
    assert np.isnan(mixing_ratio(one(1200.0, "hPa"), one(1000.0, "hPa")))


@pytest.mark.accept
def test_the_own_tool_combines_them(tmp_path: Path) -> None:
    """`combine` gives the planted column and, at a level, the vorticity of the cyclone."""
    import xarray as xr

    write_cyclone(Folder(tmp_path / "made", 7), np.random.default_rng([7, 8]))
    place = Place.of(tmp_path / "made/reanalysis/levels.nc")

    def made(what: str, **arguments: Any) -> tuple[Result, Any]:
        found = OPERATIONS["combine"](Call({"data": (place,)}, {"what": what, **arguments}, tmp_path))
        with xr.open_dataset(tmp_path / found.files[0]) as data:
            return found, data[next(iter(data.data_vars))].load()

    found, vapour = made("water_vapour")
    np.testing.assert_allclose(vapour, (0.01601 + 0.00001) / 2 * 80000 / GRAVITY, rtol=1e-5)
    assert "trapezoidal" in found.method and vapour.attrs["units"] == "kg m-2"
    _, transport = made("vapour_transport")
    assert float(transport[0, 0, 0]) == pytest.approx(
        float(np.hypot(*(np.trapezoid(HUMIDITY[::-1] * wind[::-1], LEVELS_HPA[::-1] * 100) / GRAVITY
                         for wind in (WIND_EAST, WIND_NORTH)))), rel=2e-3,
    )  # fmt: skip
    _, turning = made("vorticity", select={"level": 850})
    assert turning.dims == ("valid_time", "latitude", "longitude") and 3e-4 < float(turning.max()) < 5.3e-4
    row, column = np.unravel_index(int(turning[0].values.argmax()), turning[0].shape)
    assert abs(float(turning.latitude[row]) - 14.0) <= 1 and abs(float(turning.longitude[column]) + 55.5) <= 1
