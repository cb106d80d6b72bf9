"""Wind says its height: what each reader takes a column for, what it converts, and what it says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.crops.evapotranspiration import with_et0
from labrig_earth.impact.crops.weather import read_weather
from labrig_earth.impact.health.stress import read_stress
from labrig_earth.impact.scenario import tables
from labrig_earth.impact.scenario.closure import Closure
from labrig_earth.impact.scenario.perturbation import RELATIVE_HUMIDITY, Perturbation
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.weather.hours import Place, read_hours
from labrig_earth.impact.weather.months import days_of_months, read_months
from labrig_earth.impact.weather.wind import to_2_m
from support import scenarios
from support.crops import made_weather
from support.health import met_csv, months_csv

MUNICH = Place(48.1, 11.6, 1.0, 520.0)
IN_2_M = "wind_m_s is taken for wind at 2 m (wind_2m_m_s); wind_10m_m_s is that at 10 m"
IN_10_M = "wind_m_s is taken for wind at 10 m (wind_10m_m_s); wind_2m_m_s is that at 2 m"
CONVERTED = "wind_2m_m_s: wind_10m_m_s times 0.748 (FAO-56, equation 47)"


@pytest.mark.parametrize("height_m, published", [(2, 1.0), (1, 1.178), (5, 0.838), (10, 0.748)])
def test_the_factor_is_that_of_the_handbook(height_m: float, published: float) -> None:
    """FAO-56, annex 2, table 2.9."""
    assert to_2_m(height_m) == pytest.approx(published, abs=0.003)


def test_wind_at_10_m_evaporates_as_the_handbook_says() -> None:
    """FAO-56, example 18: Brussels, 6 July: 10 km/h at 10 m, 1.409 kPa, 3.9 mm/day; taken as wind at 2 m it is more."""
    ratio = np.log(1.409 / 0.6108)
    line = f"\n2001-07-06,12.3,21.5,0,22.07,{237.3 * ratio / (17.27 - ratio)},{10 / 3.6}"
    found, wrong = (
        with_et0(
            read_weather(f"date,tmin_c,tmax_c,precipitation_mm,srad_mj_m2,tdew_c,{name}{line}".encode(), "w"),
            *("penman_monteith", 50.8, 100.0),
        )
        for name in ("wind_10m_m_s", "wind_m_s")
    )
    assert found.columns["et0_mm"][0] == pytest.approx(3.88, abs=0.03)
    assert found.columns["wind_2m_m_s"][0] == pytest.approx(2.078, abs=0.001)
    assert found.notes[0] == CONVERTED and wrong.notes[0] == IN_2_M
    assert wrong.columns["et0_mm"][0] > found.columns["et0_mm"][0] + 0.08


def test_hours_of_heat_take_wind_at_either_height() -> None:
    at_10 = read_stress(met_csv(days=1), "met.csv")
    bare = read_stress(met_csv(days=1).replace(b"wind_10m_m_s", b"wind_m_s"), "met.csv")
    at_2 = read_stress(met_csv(days=1).replace(b"wind_10m_m_s", b"wind_2m_m_s"), "met.csv")
    assert (bare.wind_10m_m_s == at_10.wind_10m_m_s).all() and bare.notes == (IN_10_M, *at_10.notes)
    assert at_2.wind_10m_m_s == pytest.approx(at_10.wind_10m_m_s / 0.748, rel=1e-3)
    assert at_2.notes[0] == "wind_10m_m_s: wind_2m_m_s times 1.337 (FAO-56, equation 47)"


def test_weather_of_an_epw_file_takes_a_bare_name_for_10_m() -> None:
    bare = read_hours(made_weather().replace(b"wind_2m_m_s", b"wind_m_s"), "weather.csv", MUNICH)
    assert bare.wind_10m_m_s == pytest.approx(2.0) and bare.notes[0] == IN_10_M
    hours = scenarios.hours_csv()
    low = read_hours(hours.replace(b"wind_10m_m_s", b"wind_2m_m_s"), "hours.csv", EPW_PLACE)
    high = read_hours(hours, "hours.csv", EPW_PLACE)
    assert low.wind_10m_m_s == pytest.approx(high.wind_10m_m_s / 0.748, rel=1e-3)


EPW_PLACE = Place(scenarios.LATITUDE, scenarios.LONGITUDE, -6, scenarios.ELEVATION)


@pytest.mark.parametrize("given, made", [("wind_2m_m_s",) * 2, ("wind_m_s", "wind_10m_m_s")])
def test_days_keep_the_height_of_their_months(given: str, made: str) -> None:
    months = read_months(months_csv(2019).replace(b"wind_10m_m_s", given.encode()), "months.csv")
    days = days_of_months(months, 0.35, 7)
    assert days.csv().splitlines()[0].endswith(made) and (IN_10_M in days.notes) == (given == "wind_m_s")


def test_wind_of_a_scenario_is_at_2_m_where_water_evaporates() -> None:
    """Days for an EPW file with wind at 10 m warm as the same days with wind at 2 m do, and the account says why."""
    two = scenarios.daily_csv()
    weather = read_weather(two, "weather.csv")
    winds = weather.columns["wind_2m_m_s"] / to_2_m(10)
    names = ("tmin_c", "tmax_c", "precipitation_mm", "srad_mj_m2", "tdew_c", "et0_mm", "wind_10m_m_s")
    ten = replace(weather, columns={**weather.columns, "wind_10m_m_s": winds}).csv(names)
    changed, accounts = [], []
    for content in (two, ten, ten.replace(b"wind_10m_m_s", b"wind_m_s")):
        told = Closure("weather_timeseries_path", "weather.csv")
        asked = Perturbation(2.0, RELATIVE_HUMIDITY)
        made = tables.timeseries(Named("weather.csv", content), asked, SITE, 1, told)
        lines = [line.split(",") for line in made.content.decode().splitlines()]
        place = lines[0].index("et0_mm")
        changed.append(np.array([float(line[place]) for line in lines[1:]]))
        accounts.append(told.assumed)
    assert changed[1] == pytest.approx(changed[0], abs=2e-4) == changed[2]
    assert CONVERTED not in accounts[0] and CONVERTED in accounts[1] and IN_10_M in accounts[2]


SITE = tables.Site(scenarios.LATITUDE, scenarios.ELEVATION)


def test_wind_that_is_there_twice_is_refused() -> None:
    head = b"date,tmin_c,tmax_c,precipitation_mm,wind_m_s,wind_10m_m_s\n2001-01-01,1,2,0,3,4\n"
    with pytest.raises(LabrigError, match="Wind is there twice"):
        read_weather(head, "w.csv")
