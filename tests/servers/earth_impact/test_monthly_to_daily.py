"""Days of months keep what months say, are weather that could be, and are the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.crops.weather import read_weather
from labrig_earth.impact.weather.months import ORDER, days_of_months, read_months
from support.health import months_csv

SUMS = ("precipitation_mm", "et0_mm")
NAMES = tuple(name for name in ORDER if name != "wind_2m_m_s")


@pytest.mark.parametrize("year", [2019, 2020])
@pytest.mark.parametrize("seed", [0, 7, 23])
def test_means_and_sums_are_kept(year: int, seed: int) -> None:
    """Summed here from the text of the CSV, so that writing and reading it counts."""
    series = read_months(months_csv(year), "months.csv")
    head, *rows = days_of_months(series, 0.35, seed).csv().splitlines()
    assert head == ",".join(("date", *NAMES)) and len(rows) == (366 if year == 2020 else 365)
    cells = [row.split(",") for row in rows]
    for place, name in enumerate(NAMES, 1):
        for month in range(12):
            values = [float(row[place]) for row in cells if int(row[0][5:7]) == month + 1]
            total = math.fsum(values)
            found = total if name in SUMS else total / len(values)
            assert found == pytest.approx(series.columns[name][month], abs=1e-9), (name, month)


def test_the_days_could_be_weather() -> None:
    made = days_of_months(read_months(months_csv(2019), "months.csv"), 0.4, 7)
    read = read_weather(made.csv().encode(), "days.csv")  # that of crops: every day, tmin below tmax
    assert read.days == 365
    rain, wet = made.columns["precipitation_mm"], made.columns["precipitation_mm"] > 0
    assert rain[wet].min() >= 0.1 - 1e-12
    for month in range(12):
        here = made.months == month
        assert wet[here].sum() == round(0.4 * here.sum())
    follows = (wet[1:] & wet[:-1]).sum() / wet[:-1].sum()
    assert follows > wet.mean() + 0.05  # wet days come in spells
    middle = (made.columns["tmin_c"] + made.columns["tmax_c"]) / 2
    off = middle - np.convolve(middle, np.ones(31) / 31, mode="same")
    assert np.corrcoef(off[20:-20][1:], off[20:-20][:-1])[0, 1] > 0.4  # a warm day follows a warm day
    assert made.columns["rh_pct"].min() >= 0 and made.columns["rh_pct"].max() <= 100
    assert made.columns["srad_mj_m2"][wet].mean() < made.columns["srad_mj_m2"][~wet].mean()


def test_a_seed_is_a_series_and_another_is_another() -> None:
    series = read_months(months_csv(2019), "months.csv")
    assert days_of_months(series, 0.35, 7).csv() == days_of_months(series, 0.35, 7).csv()
    assert days_of_months(series, 0.35, 7).csv() != days_of_months(series, 0.35, 8).csv()


def test_dry_months_and_drizzle() -> None:
    text = "month,tmin_c,tmax_c,precip_mm,wet_days\n2019-06,10,20,0,5\n2019-07,12,24,0.25,9\n2019-08,11,22,31,31\n"
    made = days_of_months(read_months(text.encode(), "m.csv"), 0.35, 1)
    rain = made.columns["precipitation_mm"]
    wet = [int((rain[made.months == month] > 0).sum()) for month in range(3)]
    assert wet == [0, 2, 31] and any("fewer wet days in 1 months" in note for note in made.notes)
    assert rain.sum() == pytest.approx(31.25)


@pytest.mark.parametrize(
    "text, said",
    [
        ("month,tmin_c,tmax_c,precip_mm\n2019-01,1,5,30\n2019-03,2,9,30\n", "1 months are missing"),
        ("month,tmin_c,tmax_c,precip_mm\n2019-01,9,5,30\n", "tmin_c is 9 and tmax_c 5"),
        ("month,tmin_c,tmax_c,precip_mm\n2019-01,1,5,\n", "missing in 1 of 1"),
        ("month,tmin_c,tmax_c\n2019-01,1,5\n", "no column precipitation_mm"),
        ("month,tmin_c,tmax_c,precip_mm\n2019-01,274,280,30\n", "impossible"),
        ("month,tmin_c,tmax_c,precip_mm\n2019-01-15,1,5,30\n", "no beginning of a month"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        read_months(text.encode(), "months.csv")
