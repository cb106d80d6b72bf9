"""Indices of droughts, fire weather and growing seasons over MCP, against formulas written here and scipy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pytest_asyncio
import xarray as xr
from fastmcp import Client
from scipy.stats import fisk, gamma, norm

from labrig.config import home
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.sideenv import check_installed
from labrig.toolbox import ServeOptions
from labrig_earth.indices.setup import CLIMATE_ENV
from labrig_earth.server import toolbox

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST, LAST = 1981, 2012
BASE = ["1981", "2010"]
DAYS = pd.date_range(f"{FIRST}-01-01", f"{LAST}-12-31")


def write_weather(path: Path) -> None:
    """Write days of 32 years at two latitudes: rain in kg m-2 s-1, some months dry, and what makes fire weather."""
    random = np.random.default_rng(7)
    count = DAYS.size
    wet = random.random((count, 2, 1)) < 0.4
    rain = np.where(wet, random.gamma(0.8, 8.0, (count, 2, 1)), 0.0)
    rain[(DAYS.month == 7) & (DAYS.year % 4 == 0)] = 0.0
    season = -np.cos(2 * np.pi * (DAYS.day_of_year.values - 15) / 365.25)[:, None, None]
    warm = 283.15 + 12 * season + np.array([2.0, -8.0])[:, None] + random.normal(0, 3, (count, 2, 1))
    dims = ("valid_time", "lat", "lon")
    data = xr.Dataset(
        {
            "pr": (dims, rain / 86400.0, {"units": "kg m-2 s-1", "standard_name": "precipitation_flux"}),
            "tas": (dims, warm, {"units": "K", "standard_name": "air_temperature"}),
            "tasmin": (dims, warm - 5, {"units": "K", "standard_name": "air_temperature"}),
            "tasmax": (dims, warm + 5, {"units": "K", "standard_name": "air_temperature"}),
            "d2m": (dims, warm - 8, {"units": "K", "standard_name": "dew_point_temperature"}),
            "sfcWind": (dims, np.full(warm.shape, 4.0), {"units": "m s-1", "standard_name": "wind_speed"}),
            "pev": (dims, np.full(warm.shape, -0.003), {"units": "m", "long_name": "potential evaporation"}),
        },
        {
            "valid_time": ("valid_time", DAYS, {"standard_name": "time"}),
            "lat": ("lat", [48.0, 62.0], {"units": "degrees_north"}),
            "lon": ("lon", [11.0], {"units": "degrees_east"}),
        },
    )
    data.to_netcdf(path / "weather.nc")
    (-data["tas"].isel(valid_time=slice(0, 800)).assign_coords(lat=[-30.0, 30.0])).to_netcdf(path / "both.nc")
    data["tas"].isel(valid_time=slice(0, None, 2)).to_netcdf(path / "gaps.nc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("weather")
    write_weather(made)
    return made


@pytest.fixture
def with_xclim() -> None:
    try:
        check_installed(CLIMATE_ENV)
    except LabrigError:
        pytest.skip("labrig setup climate has not been run")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(folder: Path, work: Path) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(workspace=work, roots=(folder,))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def ask(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    return dict(result.structured_content or {"error": result.content[0].text})


def made_of(work: Path, answer: dict[str, Any]) -> Any:
    """Return the file of an answer, at 48 degrees north where it has latitudes."""
    digest = answer["artifacts"][0]["handle"].removeprefix("sha256:")
    (path,) = [each for each in (work / ".labrig" / "artifacts").glob(f"{digest}*") if not each.suffix]
    found = xr.open_dataset(path).load()
    return found.sel(lat=48.0).squeeze(drop=True) if "lat" in found.dims else found.squeeze(drop=True)


def monthly(folder: Path) -> pd.Series:
    """Return the rain of months as mean rates, mm d-1."""
    rain = xr.open_dataset(folder / "weather.nc")["pr"].sel(lat=48.0).squeeze(drop=True) * 86400.0
    return pd.Series(rain.values, DAYS).resample("MS").mean()


@pytest.mark.accept
async def test_spi_is_the_normal_quantile_of_a_gamma_distribution_fitted_to_each_month(
    client: Client[Any], work: Path, folder: Path, with_xclim: None
) -> None:
    """Thom's estimate of shape and scale, written out; months without rain have the part of them."""
    asked = {"data": f"@{folder.name}/weather.nc", "variable": "pr", "statistic": "spi"}
    rates = monthly(folder)
    for window in (1, 3):
        answer = await ask(client, "aggregate_grid", **asked, options={"window": window, "base": BASE})
        found = made_of(work, answer)["spi"].to_series()
        assert "gamma" in answer["data"]["method"] and "xclim 0." in answer["data"]["method"]
        means = rates.rolling(window).mean()
        for month in (1, 7):
            of_month = means[means.index.month == month].dropna()
            usual = of_month[BASE[0] : BASE[1]]
            wet = usual[usual > 0]
            spread = np.log(wet.mean()) - np.log(wet).mean()
            shape = (1 + np.sqrt(1 + 4 * spread / 3)) / (4 * spread)
            dry = 1 - wet.size / usual.size
            expected = norm.ppf(dry + (1 - dry) * gamma.cdf(of_month, shape, scale=wet.mean() / shape))
            assert np.abs(found[of_month.index].values - expected).max() < 1e-4
    area = await ask(client, "aggregate_grid", **asked, over="both", options={"base": BASE})
    assert area["artifacts"][0]["name"] == "spi.csv"


def sunshine(latitude: float, day: Any) -> tuple[Any, Any]:
    """Return radiation at the top of the air, MJ m-2 d-1, and hours of day light (FAO 56, equations 21 to 34)."""
    place, angle = np.radians(latitude), 2 * np.pi * day / 365.0
    tilt = 0.409 * np.sin(angle - 1.39)
    sunset = np.arccos(-np.tan(place) * np.tan(tilt))
    height = sunset * np.sin(place) * np.sin(tilt) + np.cos(place) * np.cos(tilt) * np.sin(sunset)
    return 24 * 60 / np.pi * 0.082 * (1 + 0.033 * np.cos(angle)) * height, 24 * sunset / np.pi


@pytest.mark.accept
async def test_a_balance_of_water_takes_the_temperatures_that_are_named(
    client: Client[Any], work: Path, folder: Path, with_xclim: None
) -> None:
    asked = {"data": f"@{folder.name}/weather.nc", "what": "water_balance"}
    there = xr.open_dataset(folder / "weather.nc").sel(lat=48.0).squeeze(drop=True)
    rain, warm = (there["pr"] * 86400.0).to_series(), there["tas"].to_series() - 273.15
    hargreaves = await ask(
        client, "derive_variable", **asked, variables={"minimum": "tasmin", "maximum": "tasmax"}
    )
    assert "Hargreaves" in hargreaves["data"]["method"]
    lost = rain - made_of(work, hargreaves)["water_balance"].to_series()
    sun, _ = sunshine(48.0, DAYS.day_of_year.values)
    expected = 0.0023 * 0.408 * sun * np.maximum(warm + 17.8, 0) * np.sqrt(10.0)
    assert np.abs(lost - expected).max() < 0.04 * expected.max(), "two approximations of the sun"
    thornthwaite = await ask(client, "derive_variable", **asked, variables={"temperature": "tas"})
    assert "Thornthwaite" in thornthwaite["data"]["method"]
    lost = (monthly(folder) - made_of(work, thornthwaite)["water_balance"].to_series())["1995"]
    means = warm["1995"].resample("MS").mean().clip(lower=0)
    heat = ((means / 5) ** 1.514).sum()
    power = 6.75e-7 * heat**3 - 7.71e-5 * heat**2 + 0.01791 * heat + 0.49239
    _, light = sunshine(48.0, means.index.day_of_year.values + 14)
    expected = 16 * light / 12 * (10 * means / heat) ** power / means.index.days_in_month.values
    assert np.abs(lost - expected).max() < 0.05 * expected.max()


@pytest.mark.accept
async def test_spei_orders_months_as_their_balance_of_water_and_has_unit_spread(
    client: Client[Any], work: Path, folder: Path, with_xclim: None
) -> None:
    """Of an evaporation that ECMWF counts downwards, whose sign is turned."""
    here = f"@{folder.name}/weather.nc"
    made = await ask(client, "derive_variable", data=here, what="water_balance")
    assert "pr less pev" in made["data"]["method"] and "turned" in " ".join(made["data"]["assumed"])
    rain = xr.open_dataset(folder / "weather.nc")["pr"].sel(lat=48.0).squeeze(drop=True).values * 86400.0
    balance = made_of(work, made)["water_balance"].values
    assert np.allclose(balance, rain - 3.0, atol=1e-4)
    handle = made["artifacts"][0]["handle"]
    answer = await ask(client, "aggregate_grid", data=handle, statistic="spei", options={"base": BASE})
    found = made_of(work, answer)["spei"].to_series()
    means = pd.Series(balance, DAYS).resample("MS").mean()
    for month in (1, 4, 10):
        usual = means[means.index.month == month][BASE[0] : BASE[1]]
        ranks = norm.ppf((usual.rank() - 0.44) / (usual.size + 0.12))
        ours = found[usual.index]
        assert (ours.rank() == usual.rank()).all() and np.abs(ours - ranks).max() < 0.6
        fit = fisk.fit(usual, 3.0, loc=usual.min() - 1, scale=2.0)
        assert np.abs(ours - norm.ppf(fisk.cdf(usual, *fit))).mean() < 0.1


@pytest.mark.accept
async def test_a_growing_season_runs_from_six_warm_days_to_six_cold_ones_after_july(
    client: Client[Any], work: Path, folder: Path, with_xclim: None
) -> None:
    answer = await ask(
        client,
        "aggregate_grid",
        data=f"@{folder.name}/weather.nc",
        variable="tas",
        statistic="growing_season",
    )
    found = made_of(work, answer)["growing_season"].to_series()
    warm = (
        xr.open_dataset(folder / "weather.nc")["tas"].sel(lat=48.0).squeeze(drop=True).to_series() >= 278.15
    )
    for year in (1981, 1999, 2012):
        days = warm[str(year)].values
        begins = next(day for day in range(days.size) if days[day : day + 6].all())
        middle = pd.Timestamp(year, 7, 1).day_of_year - 1
        ends = next((day for day in range(middle, days.size - 5) if not days[day : day + 6].any()), days.size)
        assert found[pd.Timestamp(year, 1, 1)] == ends - begins


PUBLISHED = """temperature humidity wind rain FFMC DMC DC ISI BUI FWI
17.0 42 25 0.0 87.7  8.5 19.0 10.9  8.5 10.1
20.0 21 25 2.4 86.2 10.4 23.6  8.8 10.4  9.3
 8.5 40 17 0.0 87.0 11.8 26.1  6.5 11.7  7.6
 6.5 25  6 0.0 88.8 13.2 28.2  4.9 13.1  6.2
13.0 34 24 0.0 89.1 15.4 31.5 12.6 15.3 14.8"""
"""13 to 17 April, of the test that Van Wagner and Pickett (1985, Forestry Technical Report 33) print."""


@pytest.mark.accept
async def test_fire_weather_is_that_of_the_published_test(
    client: Client[Any], work: Path, with_xclim: None
) -> None:
    lines = [line.split() for line in PUBLISHED.splitlines()]
    days = pd.DataFrame([list(map(float, line)) for line in lines[1:]], columns=lines[0])
    units = {"temperature": "degC", "humidity": "%", "wind": "km h-1", "rain": "mm"}
    xr.Dataset(
        {
            name: (("time", "lat", "lon"), days[name].values[:, None, None], {"units": unit})
            for name, unit in units.items()
        },
        {
            "time": pd.date_range("1985-04-13", periods=len(days)),
            "lat": ("lat", [48.0], {"units": "degrees_north"}),
            "lon": ("lon", [-77.0], {"units": "degrees_east"}),
        },
    ).to_netcdf(work / "published.nc")
    roles = {"temperature": "temperature", "humidity": "humidity", "wind": "wind", "precipitation": "rain"}
    answer = await ask(
        client,
        "derive_variable",
        data="published.nc",
        what="fwi",
        variables=roles,
        options={"format": "netcdf"},
    )
    found = made_of(work, answer)
    for code in ("FFMC", "DMC", "DC", "ISI", "BUI", "FWI"):
        assert np.allclose(found[code].values, days[code].values, atol=0.051), code


async def test_what_an_index_cannot_be_made_of_is_said(client: Client[Any], folder: Path) -> None:
    here = f"@{folder.name}"
    for asked, said in (
        ({"data": f"{here}/gaps.nc", "statistic": "growing_season"}, 'daily="mean"'),
        ({"data": f"{here}/both.nc", "statistic": "growing_season"}, "hemispheres"),
        (
            {
                "data": f"{here}/weather.nc",
                "variable": "pr",
                "statistic": "spi",
                "options": {"base": ["1981", "1985"]},
            },
            "at least 10 years",
        ),
        (
            {"data": f"{here}/weather.nc", "variable": "tas", "statistic": "spi"},
            "cannot become mm",
        ),
    ):
        assert said in (await ask(client, "aggregate_grid", **asked))["error"]


async def test_without_xclim_the_line_that_brings_it_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    assert home() == tmp_path / "home"
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path, roots=(folder,)))) as opened:
        asked = {"data": f"@{folder.name}/weather.nc", "variable": "pr", "statistic": "spi"}
        found = await ask(opened, "aggregate_grid", **asked)
    assert "labrig setup climate" in found["error"]
