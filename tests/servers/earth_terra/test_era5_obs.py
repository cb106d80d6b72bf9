"""Group era5_obs over MCP: a body that turns, columns of a known humidity, hours and months against NumPy; refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client

from labrig_earth.atmosphere.kinematics import RADIUS_M, ROTATION
from labrig_earth.world import cyclone
from labrig_earth.world.writing import Folder
from support.terra import LATITUDES, grid, refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEVELS, SURFACE = "reanalysis/levels.nc", "reanalysis/surface.nc"
MONTHS = np.arange("1991-01", "2001-01", dtype="datetime64[M]")
HOURS = np.arange("2020-06-01T01", "2020-06-04T13", dtype="datetime64[h]")
U = 20.0
BODY_LAT, BODY_LON = np.arange(60.0, 19.0, -2.0), np.arange(350.0, 391.0, 2.0) % 360


def _body(path: Path) -> None:
    """Write a body of air that turns as a whole at 500 hPa, with the geopotential that balances it; still at 850."""
    import xarray as xr

    phi = np.radians(BODY_LAT)[:, None] + 0 * BODY_LON
    turning = np.stack([0 * phi, U * np.cos(phi)])
    potential = np.stack([14000 + 0 * phi, 57000 - U * RADIUS_M * ROTATION * np.sin(phi) ** 2])
    dims = ("level", "latitude", "longitude")
    data = xr.Dataset(
        {
            "u": (dims, turning, {"units": "m s**-1"}),
            "v": (dims, 0 * turning, {"units": "m s**-1"}),
            "z": (dims, potential, {"units": "m**2 s**-2"}),
            "gh": (dims, potential / 9.80665, {"units": "gpm"}),
        },
        {"level": [850, 500], "latitude": BODY_LAT, "longitude": BODY_LON},
    )
    data["level"].attrs = {"units": "millibars"}
    data["latitude"].attrs, data["longitude"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    data.to_netcdf(path)


@pytest.fixture(scope="module")
def work(small: Path) -> Path:
    """The workspace with a cyclone, a turning body and hours of rain."""
    import xarray as xr

    top = small
    cyclone.write_cyclone(Folder(top, 7), np.random.default_rng([7, 8]))
    _body(top / "body.nc")
    levels = xr.open_dataset(top / LEVELS)
    levels.isel(pressure_level=slice(None, None, -1)).to_netcdf(top / "upwards.nc")
    rng = np.random.default_rng(3)
    rain, warm = rng.gamma(0.4, 1e-3, (HOURS.size, 3, 4)), 283 + rng.standard_normal((HOURS.size, 3, 4))
    hourly = grid(rain, HOURS, name="tp", units="m").merge(grid(warm, HOURS))
    hourly.to_netcdf(top / "hourly.nc")
    return top


@pytest.fixture(scope="module")
def rest(work: Path) -> Path:
    """The workspace with gaps, months of warmth, masks, and files that do not fit, too."""
    import xarray as xr

    top, rng = work, np.random.default_rng(4)
    levels, hourly = xr.open_dataset(top / LEVELS), xr.open_dataset(top / "hourly.nc")
    numbered = levels.assign_coords(pressure_level=np.arange(1, 6))
    numbered["pressure_level"].attrs = {"units": "1", "positive": "down"}
    numbered.to_netcdf(top / "model_levels.nc")
    holed = hourly.copy(deep=True)
    holed["tp"][{"time": 5, "latitude": 0, "longitude": 0}] = np.nan
    holed["t2m"][{"latitude": 1, "longitude": 1}] = np.nan
    holed.to_netcdf(top / "holed.nc")
    season = 280 + 8 * np.cos(2 * np.pi * (np.arange(MONTHS.size) % 12) / 12)
    monthly = season[:, None, None] + rng.standard_normal((MONTHS.size, 3, 4))
    grid(monthly, MONTHS).to_netcdf(top / "monthly.nc")
    made = grid(monthly, MONTHS).rename(time="valid_time")
    made["valid_time"].encoding = {"calendar": "standard"}
    made.to_netcdf(top / "valid.nc")
    import cftime

    days = [cftime.Datetime360Day(1991 + month // 12, month % 12 + 1, 16) for month in range(MONTHS.size)]
    grid(monthly, MONTHS).assign_coords(time=days).to_netcdf(top / "days360.nc")
    mask = grid(np.where(LATITUDES > 48.5, 1.0, 0.0)[:, None] + np.zeros(4), name="mask", units="1")
    mask.to_netcdf(top / "north.nc")
    (mask * 0).to_netcdf(top / "nowhere.nc")
    mask.isel(latitude=slice(1, None)).to_netcdf(top / "other_grid.nc")
    projected = grid(np.ones((3, 4)), name="u10", units="m s-1")
    projected["v10"] = projected["u10"]
    projected = projected.rename(latitude="y", longitude="x")
    projected["x"].attrs, projected["y"].attrs = {"units": "m"}, {"units": "m"}
    projected.to_netcdf(top / "metres.nc")
    bare = grid(np.ones((3, 4)), name="u10", units="m s-1")
    bare["v10"], bare["w10"] = (
        (bare["u10"] * 2).assign_attrs(units="knot"),
        bare["u10"].assign_attrs(units="K"),
    )
    bare["x10"] = bare["u10"].drop_attrs()
    bare.to_netcdf(top / "bare.nc")
    (top / "note.txt").write_text("no data\n")
    return top


def values(work: Path, path: str, name: str) -> Any:
    import xarray as xr

    with xr.open_dataset(work / path) as data:
        return data[name].load()


async def test_a_turning_body_has_its_vorticity_and_its_balance(served: Client[Any], work: Path) -> None:
    done = await run(served, "kinematics", netcdf_path="body.nc", level=500)
    assert done["output_path"] == "data/diagnostics/kinematics.nc"
    assert done["variables"] == ["vorticity", "divergence", "geostrophic_u", "geostrophic_v"]
    phi = np.radians(BODY_LAT)
    found = {name: values(work, done["output_path"], name).values for name in done["variables"]}
    vorticity = 2 * U * np.sin(phi) / RADIUS_M
    np.testing.assert_allclose(found["vorticity"][1:-1], np.repeat(vorticity[1:-1, None], 21, 1), rtol=2e-3)
    assert np.abs(found["divergence"]).max() < 1e-12
    np.testing.assert_allclose(
        found["geostrophic_u"][1:-1], np.repeat(U * np.cos(phi)[1:-1, None], 21, 1), rtol=3e-3
    )
    # without the tangent's term half is missing; degrees taken as radians, or g times z, are far off
    assert np.abs(vorticity / 2 - found["vorticity"][:, 3]).max() > 0.3 * vorticity.max()
    heights = await run(
        served, "kinematics", netcdf_path="body.nc", level=500, geopotential="gh", output_path="k/gh.nc"
    )
    again = values(work, heights["output_path"], "geostrophic_u").values
    np.testing.assert_allclose(again, found["geostrophic_u"], rtol=1e-4)
    assert "times g" in heights["method"]


@pytest.mark.parametrize("path", ["upwards.nc", pytest.param(LEVELS, marks=pytest.mark.accept)])
async def test_columns_hold_the_planted_vapour_whichever_way_levels_run(
    served: Client[Any], work: Path, path: str
) -> None:
    done = await run(served, "moisture_integrals", netcdf_path=path, output_path=f"m/{Path(path).name}")
    pressures, g = cyclone.LEVELS_HPA[::-1] * 100, 9.80665
    vapour = values(work, done["output_path"], "IWV")
    np.testing.assert_allclose(vapour, (0.01601 + 0.00001) / 2 * 80000 / g, rtol=1e-5)
    around = [
        np.trapezoid(cyclone.HUMIDITY[::-1] * wind[::-1], pressures) / g
        for wind in (cyclone.WIND_EAST, cyclone.WIND_NORTH)
    ]
    for name, expected in zip(("IVT_u", "IVT_v"), around, strict=True):
        assert float(values(work, done["output_path"], name)[0, 0, 0]) == pytest.approx(expected, rel=2e-3)
    size = values(work, done["output_path"], "IVT")
    assert float(size[0, 0, 0]) == pytest.approx(np.hypot(*around), rel=2e-3)
    assert done["of"] == {"u": "u", "v": "v", "q": "q"} and "200 to 1000 hPa" in done["method"]


@pytest.mark.accept
async def test_columns_end_at_the_ground_and_at_the_levels_asked_for(served: Client[Any], work: Path) -> None:
    import xarray as xr

    data = xr.open_dataset(work / LEVELS).load()
    data["sp"] = xr.full_like(data["q"].isel(pressure_level=0, drop=True), 92500.0).assign_attrs(units="Pa")
    data.to_netcdf(work / "ground.nc")
    whole = await run(
        served, "moisture_integrals", netcdf_path="ground.nc", surface_pressure="sp", output_path="m/g.nc"
    )
    q = 1e-5 + 2e-5 * 725
    expected = (q + 1e-5) / 2 * 72500 / 9.80665
    np.testing.assert_allclose(values(work, whole["output_path"], "IWV"), expected, rtol=1e-4)
    part = await run(
        served, "moisture_integrals", netcdf_path=LEVELS, levels=[850, 500], output_path="m/p.nc"
    )
    expected = (0.01301 + 0.00601) / 2 * 35000 / 9.80665
    np.testing.assert_allclose(values(work, part["output_path"], "IWV"), expected, rtol=1e-4)


@pytest.mark.accept
async def test_the_cyclone_is_where_it_was_planted(served: Client[Any], work: Path) -> None:
    """Vorticity at 850 hPa is largest, and pressure lowest, within a cell of the track; shear is that around it."""
    done = await run(served, "kinematics", netcdf_path=LEVELS, level=850, output_path="k/850.nc")
    vorticity = values(work, done["output_path"], "vorticity")
    folder = Folder(work / "again", 7)
    cyclone.write_cyclone(folder, np.random.default_rng([7, 8]))
    track = folder.truth["reanalysis/surface.nc"]["track_of_lowest_msl"]
    for field, fix in zip(vorticity, track, strict=True):
        row, column = np.unravel_index(int(field.values.argmax()), field.shape)
        assert abs(float(field.latitude[row]) - fix["latitude"]) <= 1.0
        assert abs(float(field.longitude[column]) - fix["longitude"]) <= 1.0
    assert 3e-4 < done["ranges"]["vorticity"]["max"] < 5.3e-4
    done = await run(served, "vertical_shear", netcdf_path=LEVELS, top=200, bottom=850)
    east, north = (values(work, done["output_path"], name)[:, 0, 0] for name in ("shear_u", "shear_v"))
    np.testing.assert_allclose(east, 14.0, atol=0.02)
    np.testing.assert_allclose(north, -4.0, atol=0.02)
    size = values(work, done["output_path"], "shear_mag")[:, 0, 0]
    np.testing.assert_allclose(size, np.hypot(14, 4), atol=0.03)
    at_sea = await run(served, "kinematics", netcdf_path=SURFACE, u="u10", v="v10", output_path="k/sea.nc")
    assert any("1.225 kg m-3" in each for each in at_sea["assumed"])
    msl, wind = values(work, SURFACE, "msl"), values(work, at_sea["output_path"], "geostrophic_v")
    slope = (msl[0, 11, 12] - msl[0, 11, 10]) / (2 * np.radians(1) * RADIUS_M * np.cos(np.radians(17)))
    expected = slope / (1.225 * 2 * ROTATION * np.sin(np.radians(17)))
    assert float(wind[0, 11, 11]) == pytest.approx(float(expected), rel=1e-3)
    without = await run(served, "kinematics", netcdf_path=SURFACE, u="u10", v="v10", pressure=None)
    assert without["variables"] == ["vorticity", "divergence"] and "No geostrophic wind" in str(
        without["warnings"]
    )


@pytest.mark.accept
async def test_winds_and_humidity_by_hand(served: Client[Any], work: Path) -> None:
    done = await run(served, "winds_basic", netcdf_path=LEVELS, u="u", v="v", levels=[200, 850])
    u, v = (values(work, LEVELS, name).sel(pressure_level=[200, 850]).values for name in ("u", "v"))
    speed, whence = (values(work, done["output_path"], name) for name in ("wind_speed", "wind_dir"))
    assert speed.level.values.tolist() == [200, 850] and speed.level.attrs["units"] == "hPa"
    np.testing.assert_allclose(speed, np.hypot(u, v), rtol=1e-5)
    np.testing.assert_allclose(np.cos(np.radians(whence - 270 + np.degrees(np.arctan2(v, u)))), 1, atol=1e-6)
    again = await run(
        served, "kinematics", netcdf_path=LEVELS, level=500, output_path="k/500.nc", geopotential=None
    )
    assert "vorticity" in again["variables"]
    done = await run(served, "humidity_basic", netcdf_path=SURFACE, q=None, d2m="d2m")
    t, td, p = (values(work, SURFACE, name).values for name in ("t2m", "d2m", "sp"))
    e, es = (6.112 * np.exp(17.67 * (x - 273.15) / (x - 29.65)) for x in (td, t))
    expected = {
        "relative_humidity": e / es,
        "mixing_ratio": 0.62198 * e / (p / 100 - e),
        "potential_temperature": t * (1e5 / p) ** (2 / 7),
        "dewpoint": td,
    }
    for name, wanted in expected.items():
        np.testing.assert_allclose(values(work, done["output_path"], name), wanted, rtol=1e-5)
    aloft = await run(
        served, "humidity_basic", netcdf_path=LEVELS, T="t", p="level", output_path="h/aloft.nc"
    )
    q = values(work, LEVELS, "q").values
    pressure = cyclone.LEVELS_HPA[None, :, None, None]
    e = q * pressure / (0.62198 + 0.37802 * q)
    ln = np.log(e / 6.112)
    np.testing.assert_allclose(
        values(work, aloft["output_path"], "dewpoint"), 243.5 * ln / (17.67 - ln) + 273.15, rtol=1e-5
    )
    np.testing.assert_allclose(values(work, aloft["output_path"], "mixing_ratio"), q / (1 - q), rtol=1e-5)


async def test_rain_of_a_day_ends_at_midnight_and_a_part_of_a_day_is_none(
    served: Client[Any], work: Path
) -> None:
    done = await run(
        served, "temporal_aggregate", netcdf_path="hourly.nc", spec={"tp": "1D:sum", "t2m": "1D:max"}
    )
    assert done["variables"] == {"tp_1D_sum": "(4, 3, 4)", "t2m_1D_max": "(4, 3, 4)"}
    rain, warm = values(work, "hourly.nc", "tp").values, values(work, "hourly.nc", "t2m").values
    found = values(work, done["output_path"], "tp_1D_sum")
    np.testing.assert_allclose(found[:3], rain[:72].reshape(3, 24, 3, 4).sum(axis=1), rtol=1e-5)
    assert np.isnan(found[3]).all() and str(found.time.values[0])[:13] == "2020-06-01T00"
    high = values(work, done["output_path"], "t2m_1D_max")
    np.testing.assert_allclose(
        high[1], warm[23:47].max(axis=0), rtol=1e-5
    )  # of a moment: 00:00 is its own day
    assert any("too few steps" in each for each in done["warnings"]) and "tp of ERA5" in str(done["assumed"])
    later = await run(
        served, "temporal_aggregate", netcdf_path="hourly.nc", spec={"t2m": "12h:mean"}, align="06:00",
        output_path="a/half.nc",
    )  # fmt: skip
    found = values(work, later["output_path"], "t2m_12h_mean")
    assert str(found.time.values[1])[:13] == "2020-06-01T06"
    np.testing.assert_allclose(found[1], warm[5:17].mean(axis=0), rtol=1e-5)


@pytest.mark.accept
async def test_what_era5_land_accumulates_through_the_day_is_taken_apart(
    served: Client[Any], work: Path
) -> None:
    hours = np.arange("2020-06-01T01", "2020-06-04T01", dtype="datetime64[h]")
    amounts = np.random.default_rng(8).gamma(0.5, 1e-3, (3, 24, 3, 4))
    land = grid(amounts.cumsum(axis=1).reshape(72, 3, 4), hours, name="tp", units="m")
    land["tp"].attrs["GRIB_stepType"] = "accum"
    land.attrs["title"] = "ERA5-Land hourly data"
    land.to_netcdf(work / "land.nc")
    done = await run(
        served, "temporal_aggregate", netcdf_path="land.nc", spec={"tp": "1D:sum"}, output_path="a/land.nc"
    )
    np.testing.assert_allclose(values(work, "a/land.nc", "tp_1D_sum"), amounts.sum(axis=1), rtol=1e-5)
    assert "since 00 UTC" in str(done["assumed"])


@pytest.mark.accept
async def test_a_sum_with_a_gap_is_none_and_calendars_have_their_months(
    served: Client[Any], rest: Path
) -> None:
    done = await run(
        served, "temporal_aggregate", netcdf_path="holed.nc", spec={"tp": "1D:sum"}, output_path="a/h.nc"
    )
    found = values(rest, done["output_path"], "tp_1D_sum")
    assert np.isnan(found[0, 0, 0]) and np.isfinite(found[0, 0, 1]) and np.isfinite(found[1, 0, 0])
    for path in ("monthly.nc", "days360.nc"):
        done = await run(
            served, "temporal_aggregate", netcdf_path=path, spec={"t2m": "YS:mean"}, output_path="a/y.nc"
        )
        warm = values(rest, path, "t2m").values
        np.testing.assert_allclose(
            values(rest, "a/y.nc", "t2m_YS_mean"), warm.reshape(10, 12, 3, 4).mean(axis=1), rtol=1e-6
        )
        assert done["times"]["first"].startswith("1991-01-01")
    total = await run(
        served, "temporal_aggregate", netcdf_path="hourly.nc", spec={"t2m": "6h:sum"}, output_path="a/s.nc"
    )
    assert any("measures nothing" in each for each in total["warnings"])


@pytest.mark.accept
@pytest.mark.parametrize(
    "path, times", [("monthly.nc", None), ("valid.nc", "valid_time"), ("days360.nc", "time")]
)
async def test_normals_of_months(served: Client[Any], rest: Path, path: str, times: str | None) -> None:
    asked = {"data_path": path, "variable": "t2m", "start_year": 1992, "end_year": 1999, "time_coord": times}
    done = await run(served, "build_era5_climatology", **asked)
    stem = Path(path).stem
    assert done["output_path"] == f"data/era5_climo/{stem}_climo_1992_1999.nc"
    assert done["years_used"] == {"first": 1992, "last": 1999, "count": 8} and done["time_coord"] == (
        times or "time"
    )
    warm = values(rest, path, "t2m").values.reshape(10, 12, 3, 4)[1:9]
    mean, deviation = (
        values(rest, done["output_path"], f"t2m_climatology_{each}") for each in ("mean", "std")
    )
    np.testing.assert_allclose(mean, warm.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(deviation, warm.std(axis=0), rtol=1e-4)
    assert mean.dims == ("month", "latitude", "longitude")
    anomaly = await run(
        served, "anomaly_and_climo", field_path=path, variable="t2m", climo_mean_path=done["output_path"],
        climo_mean_variable="t2m_climatology_mean",
    )  # fmt: skip
    assert abs(anomaly["mean"]) < 0.3
    short = await run(served, "build_era5_climatology", **{**asked, "start_year": 1980})
    assert any("1991 to 1999 of 1980 to 1999" in each for each in short["warnings"])


@pytest.mark.accept
async def test_events_are_counted_and_what_is_missing_is_none(served: Client[Any], rest: Path) -> None:
    asked = {"data_path": "holed.nc", "variable": "t2m", "start_year": 2020, "end_year": 2020}
    done = await run(
        served, "count_era5_events", **asked, threshold=10.5, threshold_units="degC", comparison=">"
    )
    warm = values(rest, "holed.nc", "t2m").values
    hits = warm > 283.65
    assert done["total_events"] == int(hits.sum()) == done["yearly_counts"]["2020"]
    assert done["values"] == int(np.isfinite(warm).sum()) and done["most_in_a_cell"] == int(
        hits.sum(axis=0).max()
    )
    found = values(rest, done["output_path"], "t2m_event_count")
    assert np.isnan(found[1, 1]) and float(found[0, 0]) == hits[:, 0, 0].sum()
    assert done["output_path"] == "data/era5_events/holed_events_gt_10.5_2020_2020.nc"
    years = await run(
        served, "count_era5_events", data_path="monthly.nc", variable="t2m", start_year=1995, end_year=1997,
        threshold=285, comparison="<=",
    )  # fmt: skip
    warm = values(rest, "monthly.nc", "t2m").values.reshape(10, 12, 12)[4:7] <= 285
    assert years["yearly_counts"] == {str(1995 + year): int(each.sum()) for year, each in enumerate(warm)}
    beyond = await run(served, "count_era5_events", **asked, threshold=30)
    assert any("outside of all values" in each for each in beyond["warnings"])


async def test_a_region_counts_cells_by_their_areas(served: Client[Any]) -> None:
    asked = {"netcdf_path": "globe.nc", "variable": "t2m", "threshold": 284.0}
    done = await run(served, "region_reduce", **asked, stats=["mean", "max", "min", "p50", "area_frac"])
    north = np.arange(-90.0, 91, 5)
    edges = np.clip(np.append(north - 2.5, 92.5), -90, 90)
    area = np.diff(np.sin(np.radians(edges)))
    warm = 280 + 0.1 * north
    assert done["mean"] == pytest.approx((warm * area).sum() / area.sum(), rel=1e-9) and done["max"] == 289
    share = area[warm >= 284].sum() / area.sum()
    assert done["area_frac"] == pytest.approx(share, rel=1e-6) and share < 0.2 < (warm >= 284).mean()
    assert done["p50"] == pytest.approx(280, abs=1e-6)
    p90 = await run(served, "region_reduce", **asked, stats=["p90"])
    plain = np.quantile(warm, 0.9)
    cumulated = np.interp(p90["p90"], warm, np.cumsum(area) - area / 2) / area.sum()
    assert cumulated == pytest.approx(0.9, abs=0.01) and plain > p90["p90"] + 0.5


@pytest.mark.accept
async def test_components_in_two_units_are_added_in_one(served: Client[Any], rest: Path) -> None:
    done = await run(served, "winds_basic", netcdf_path="bare.nc", output_path="w/bare.nc")
    assert done["ranges"]["wind_speed"]["max"] == pytest.approx(np.hypot(1, 2 * 1852 / 3600), rel=1e-6)


@pytest.mark.accept
async def test_a_region_by_a_mask_or_a_name(served: Client[Any], rest: Path) -> None:
    asked = {"netcdf_path": "m0.nc", "variable": "t2m"}
    done = await run(
        served, "region_reduce", **asked, mask_path="north.nc", region_name="The north", stats=["mean"]
    )
    warm = values(rest, "m0.nc", "t2m").values[:, :2].mean(axis=(0, 2))
    edges = [np.sin(np.radians(LATITUDES[:2] + each)) for each in (0.5, -0.5)]
    area = edges[0] - edges[1]
    assert done["mean"] == pytest.approx((warm * area).sum() / area.sum(), rel=1e-8)
    assert done["region"] == "The north" and done["cells"] == 8 and done["pooled"] == {"time": 30}
    named = await run(served, "region_reduce", **asked, region_name="Austria")
    assert named["region"] == "Austria" and 0 < named["cells"] < 12 and set(named) >= {"mean", "max", "p95"}
    holes = await run(served, "region_reduce", netcdf_path="holes.nc", variable="t2m")
    assert holes["missing"] == 30 and holes["values"] == 330


WIND = {"netcdf_path": "bare.nc"}
CLIMO = {"data_path": "monthly.nc", "variable": "t2m", "start_year": 1991, "end_year": 2000}
EVENTS = {**CLIMO, "threshold": 285}
SPEC = {"netcdf_path": "hourly.nc", "spec": {"t2m": "1D:max"}}
REGION = {"netcdf_path": "m0.nc", "variable": "t2m"}


@pytest.mark.accept
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "said"),
    [
        ("winds_basic", {"netcdf_path": "none.nc"}, "not_found", "none.nc"),
        ("winds_basic", {"netcdf_path": "note.txt"}, "bad_input", "note.txt"),
        ("winds_basic", {"netcdf_path": "../x.nc"}, "refused", "x.nc"),
        ("winds_basic", {"netcdf_path": "m0.nc"}, "not_found", "u10"),
        ("winds_basic", {**WIND, "v": "w10"}, "bad_input", "is in K"),
        ("winds_basic", {**WIND, "v": "u10"}, "bad_input", "one variable"),
        ("winds_basic", {**WIND, "v": "x10"}, "bad_input", "states no unit"),
        ("winds_basic", {**WIND, "levels": [850]}, "not_found", "no axis of levels"),
        ("winds_basic", {**WIND, "levels": [True]}, "bad_input", "no numbers"),
        ("winds_basic", {**WIND, "output_path": "../up.nc"}, "refused", "workspace"),
        ("winds_basic", {**WIND, "output_path": "x.csv"}, "bad_input", "*.nc"),
        ("winds_basic", {"netcdf_path": "nothing.nc", "u": "t2m", "v": "t2m"}, "bad_input", "Every value"),
        ("winds_basic", {"netcdf_path": LEVELS, "u": "u", "v": "v", "levels": [900]}, "not_found", "no level 900"),
        ("humidity_basic", {"netcdf_path": SURFACE}, "not_found", "q"),
        ("humidity_basic", {"netcdf_path": SURFACE, "q": None}, "bad_input", "No humidity"),
        ("humidity_basic", {"netcdf_path": SURFACE, "d2m": "d2m", "p": "t2m"}, "bad_input", "is in K"),
        ("humidity_basic", {"netcdf_path": SURFACE, "d2m": "msl"}, "bad_input", "is in Pa"),
        ("humidity_basic", {"netcdf_path": LEVELS, "T": "t"}, "not_found", "sp"),
        ("humidity_basic", {"netcdf_path": SURFACE, "d2m": "d2m", "formula": "tetens"}, "bad_input", "bolton"),
        ("moisture_integrals", {"netcdf_path": SURFACE}, "not_found", "u"),
        ("moisture_integrals", {"netcdf_path": "model_levels.nc"}, "bad_input", "levels are in 1"),
        ("moisture_integrals", {"netcdf_path": LEVELS, "levels": [850]}, "bad_input", "1 level"),
        ("moisture_integrals", {"netcdf_path": LEVELS, "levels": [925, 850]}, "not_found", "925"),
        ("moisture_integrals", {"netcdf_path": LEVELS, "level_dim": "lev"}, "not_found", "pressure_level"),
        ("moisture_integrals", {"netcdf_path": LEVELS, "q": "t"}, "bad_input", "is in K"),
        ("kinematics", {"netcdf_path": "metres.nc", "u": "u10", "v": "v10"}, "bad_input", ""),
        ("kinematics", {"netcdf_path": LEVELS, "level": 925}, "not_found", "no level 925"),
        ("kinematics", {"netcdf_path": "bare.nc", "u": "u10", "v": "v10", "level": 850}, "not_found", "levels"),
        ("kinematics", {"netcdf_path": "body.nc", "level": 500, "geopotential": "u"}, "bad_input", "m s**-1"),
        ("kinematics", {"netcdf_path": "body.nc", "level": 500, "geopotential": "phi"}, "not_found", "phi"),
        ("kinematics", {"netcdf_path": SURFACE, "u": "u10", "v": "v10", "air_density": 0}, "bad_input", "air_density"),
        ("vertical_shear", {"netcdf_path": LEVELS, "top": 850, "bottom": 200}, "bad_input", "top=200, bottom=850"),
        ("vertical_shear", {"netcdf_path": LEVELS, "top": 300}, "not_found", "no level 300"),
        ("vertical_shear", {"netcdf_path": SURFACE, "u": "u10", "v": "v10"}, "not_found", "level"),
        ("vertical_shear", {"netcdf_path": LEVELS, "top": True}, "bad_input", "no numbers"),
        ("build_era5_climatology", {**CLIMO, "start_year": 2000, "end_year": 1991}, "bad_input", "start_year=1991"),
        ("build_era5_climatology", {**CLIMO, "start_year": 2000}, "bad_input", "one year"),
        ("build_era5_climatology", {**CLIMO, "start_year": 2030, "end_year": 2050}, "not_found", "1991"),
        ("build_era5_climatology", {**CLIMO, "variable": "tp"}, "not_found", "tp"),
        ("build_era5_climatology", {**CLIMO, "time_coord": "when"}, "not_found", "when"),
        ("build_era5_climatology", {**CLIMO, "data_path": "climo.nc"}, "bad_input", "time"),
        ("build_era5_climatology", {**CLIMO, "std_of": "years"}, "not_found", "months"),
        ("build_era5_climatology", {**CLIMO, "start_year": True}, "bad_input", "no numbers"),
        ("build_era5_climatology", {**CLIMO, "output_dir": "/tmp"}, "refused", "workspace"),
        ("count_era5_events", {**EVENTS, "comparison": "=="}, "not_found", ">="),
        ("count_era5_events", {**EVENTS, "threshold_units": "mm"}, "bad_input", "mm"),
        ("count_era5_events", {**EVENTS, "data_path": "nothing.nc"}, "bad_input", "missing"),
        ("temporal_aggregate", {**SPEC, "spec": {}}, "bad_input", "1D:max"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "1D"}}, "bad_input", "1D:max"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "1D:mode"}}, "not_found", "median"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "3M:max"}}, "bad_input", "QS-DEC"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "0h:max"}}, "bad_input", "QS-DEC"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "1D:max", "tp": "6h:sum"}}, "bad_input", "one file"),
        ("temporal_aggregate", {**SPEC, "spec": {"u10": "1D:max"}}, "not_found", "u10"),
        ("temporal_aggregate", {**SPEC, "align": "noon"}, "bad_input", "06:00"),
        ("temporal_aggregate", {**SPEC, "align": "30:00"}, "bad_input", "offset"),
        ("temporal_aggregate", {**SPEC, "spec": {"t2m": "MS:max"}, "align": "06:00"}, "bad_input", "00:00"),
        ("temporal_aggregate", {"netcdf_path": "monthly.nc", "spec": {"t2m": "1D:max"}}, "bad_input", "longer"),
        ("temporal_aggregate", {"netcdf_path": "climo.nc", "spec": {"t2m": "1D:max"}}, "bad_input", "time"),
        ("region_reduce", {**REGION, "variable": "u10"}, "not_found", "u10"),
        ("region_reduce", {**REGION, "stats": ["mode"]}, "not_found", "area_frac"),
        ("region_reduce", {**REGION, "stats": ["p101"]}, "not_found", "p0 to p100"),
        ("region_reduce", {**REGION, "stats": ["area_frac"]}, "bad_input", "threshold"),
        ("region_reduce", {**REGION, "mask_path": "other_grid.nc"}, "bad_input", "do not pair"),
        ("region_reduce", {**REGION, "mask_path": "nowhere.nc"}, "not_found", "No cell"),
        ("region_reduce", {**REGION, "mask_path": "climo.nc"}, "bad_input", "0 to 1"),
        ("region_reduce", {**REGION, "mask_path": "/etc/passwd"}, "refused", ""),
        ("region_reduce", {**REGION, "region_name": "Atlantis"}, "not_found", "Atlantis"),
        ("region_reduce", {**REGION, "region_name": "Japan"}, "not_found", "outside"),
        ("region_reduce", {"netcdf_path": "nothing.nc", "variable": "t2m"}, "bad_input", "Every value"),
    ],
)  # fmt: skip
async def test_what_is_refused(
    served: Client[Any], rest: Path, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(served, tool, **arguments)
    assert (found, said in text) == (code, True), (found, text)
