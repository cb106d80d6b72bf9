"""Days of months: a stochastic method with a seed, whose monthly means and sums are those that were given.

- The course of a mean is smooth across months and keeps each month's mean: repeated running means of three days, each
  followed by a correction of the month (Rymes and Myers 2001, Solar Energy 71, 225).
- Day-to-day variation of temperature is an autoregressive process of first order (as in Richardson 1981, Water Resour.
  Res. 17, 182), lag-1 correlation 0.65, of 2.5 K, without its mean over each month. The daily range varies by 20 %.
- Wet days come in spells: they are the days on which a second such process, lag-1 correlation 0.5, is largest. Amounts
  are of a gamma distribution of shape 0.75, at least 0.1 mm, scaled to the month's sum.
- Radiation and evapotranspiration of a wet day are 0.6 of those of a dry one; wind varies by 35 %.

What is conserved: in each month the means of tmin_c, tmax_c, rh_pct, srad_mj_m2, wind, the sums of precipitation_mm
and et0_mm, to rounding of double precision. What is invented is the rest: single days are no forecast and no history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.impact.weather.hours import BARE_M
from labrig_earth.impact.weather.quantities import WINDS, Column, columns_of
from labrig_earth.impact.weather.series import Series, read_series, require_order
from labrig_earth.impact.weather.wind import name_wind

Floats = NDArray[np.float64]
Days = NDArray[np.datetime64]

TEMPERATURE_SD_K = 2.5
TEMPERATURE_MEMORY = 0.65
RANGE_SPREAD = 0.2
WET_MEMORY = 0.5
GAMMA_SHAPE = 0.75
LEAST_WET_MM = 0.1
WET_DIMS = 0.6
WIND_SPREAD = 0.35
SMOOTHINGS = 60
MOST_MONTHS = 2_400

KNOWN: Mapping[str, Column] = {
    **columns_of("tmin_c", "tmax_c", "srad_mj_m2"),
    "precipitation_mm": Column(0, 10_000, "mm in the month"),
    "et0_mm": Column(0, 600, "mm in the month"),
    "rh_pct": Column(0, 100, "%, mean"),
    "wet_days": Column(0, 31, "days in the month"),
}
ORDER = ("tmin_c", "tmax_c", "precipitation_mm", "et0_mm", "srad_mj_m2", "rh_pct", *WINDS.values())


@dataclass(frozen=True)
class Daily:
    """Days made of months.

    Attributes
    ----------
    days
        ``datetime64[D]``, all of the months.
    columns
        By name, one value a day.
    months
        Place of each day's month.
    """

    days: Days
    columns: Mapping[str, Floats]
    months: NDArray[np.int64]
    notes: tuple[str, ...]

    def csv(self) -> str:
        """Return the days as CSV, each number as the shortest text that reads back the same."""
        names = [name for name in ORDER if name in self.columns]
        return csv_text(
            ("date", *names), zip(self.days, *(self.columns[name] for name in names), strict=True)
        )


def read_months(content: bytes, where: str) -> Series:
    """Read a CSV file with a row a month: ``month`` (2019-07), and columns of `KNOWN`.

    Raises
    ------
    LabrigError
        For what `read_series` refuses (a missing month), a missing value, and a mean minimum above the mean maximum.
    """
    series = read_series(content, where, KNOWN, every="month", most=MOST_MONTHS)
    for name in ("tmin_c", "tmax_c", "precipitation_mm"):
        series.column(name, "month, tmin_c, tmax_c (means, degC), precipitation_mm (sum)")
    for name in series.columns:
        series.column(name)
    require_order(series.columns, series.times, where)
    return series


def days_of_months(series: Series, wet_day_fraction: float, seed: int) -> Daily:
    """Return days whose monthly means and sums are those of the series.

    Parameters
    ----------
    wet_day_fraction
        Part of the days of a month that are wet, where the series has no ``wet_days``.
    seed
        Of all that is drawn; the same seed and months give the same days.
    """
    if not 0 < wet_day_fraction <= 1:
        raise LabrigError(
            f"wet_day_fraction is {wet_day_fraction:g}",
            where="wet_day_fraction",
            expected="above 0, at most 1",
        )
    rng = np.random.default_rng(seed)
    first = series.times.astype("datetime64[M]")
    days = np.arange(first[0].astype("datetime64[D]"), (first[-1] + 1).astype("datetime64[D]"))
    months = (days.astype("datetime64[M]") - first[0]).astype(np.int64)
    given, winds = name_wind(series.columns, BARE_M, series.where)
    notes = [*winds, "single days are drawn by a seed: only months are those of the file"]
    if "wet_days" not in given:
        notes.append(f"wet days: {wet_day_fraction:g} of each month with precipitation (wet_day_fraction)")
    wet, rain, fewer = _rain(given, months, wet_day_fraction, rng)
    if fewer:
        notes.append(f"fewer wet days in {fewer} months: a wet day has at least {LEAST_WET_MM} mm")
    columns = {"precipitation_mm": rain, **_temperature(given, months, rng)}
    dims = np.where(wet, WET_DIMS, 1.0)
    if "et0_mm" in given:
        lengths = np.bincount(months)
        columns["et0_mm"] = scaled(
            smooth(given["et0_mm"] / lengths, months, ratio=True) * dims, months, given["et0_mm"] / lengths
        )
    if "srad_mj_m2" in given:
        columns["srad_mj_m2"] = scaled(
            smooth(given["srad_mj_m2"], months, ratio=True) * dims, months, given["srad_mj_m2"]
        )
    for name in WINDS.values():
        if name in given:
            gusts = np.exp(WIND_SPREAD * rng.standard_normal(len(days)))
            columns[name] = scaled(smooth(given[name], months, ratio=True) * gusts, months, given[name])
    if "rh_pct" in given:
        columns["rh_pct"] = bounded(smooth(given["rh_pct"], months), months, given["rh_pct"], 0.0, 100.0)
    return Daily(days, columns, months, tuple(notes))


def _temperature(
    given: Mapping[str, Floats], months: NDArray[np.int64], rng: np.random.Generator
) -> dict[str, Floats]:
    middle = smooth((given["tmin_c"] + given["tmax_c"]) / 2, months)
    span_mean = given["tmax_c"] - given["tmin_c"]
    noise = TEMPERATURE_SD_K * memory(rng.standard_normal(len(months)), TEMPERATURE_MEMORY)
    middle = middle + noise - means(noise, months)[months]
    factor = np.exp(RANGE_SPREAD * rng.standard_normal(len(months)))
    span = scaled(smooth(span_mean, months, ratio=True) * factor, months, span_mean)
    return {"tmin_c": middle - span / 2, "tmax_c": middle + span / 2}


def _rain(
    given: Mapping[str, Floats], months: NDArray[np.int64], fraction: float, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Floats, int]:
    """Return which days are wet, their amounts, and in how many months there are fewer than asked."""
    latent = memory(rng.standard_normal(len(months)), WET_MEMORY)
    drawn = rng.gamma(GAMMA_SHAPE, size=len(months))
    wet, rain, fewer = np.zeros(len(months), bool), np.zeros(len(months)), 0
    for month, total in enumerate(given["precipitation_mm"]):
        here = np.flatnonzero(months == month)
        asked = (
            round(float(given["wet_days"][month]))
            if "wet_days" in given
            else max(1, round(fraction * len(here)))
        )
        if total <= 0:
            continue
        count = max(1, min(asked, len(here), int(total / LEAST_WET_MM + 1e-9)))
        fewer += count < asked
        chosen = here[np.argsort(-latent[here], kind="stable")[:count]]
        wet[chosen] = True
        least = min(LEAST_WET_MM, total / count)
        weights = drawn[chosen] + 1e-12
        rain[chosen] = least + (total - least * count) * weights / weights.sum()
    return wet, rain, fewer


def memory(noise: Floats, correlation: float) -> Floats:
    """Return an autoregressive process of first order, of variance 1 where that of the noise is."""
    found = np.empty_like(noise)
    last = noise[0]
    found[0] = last
    keep = (1 - correlation**2) ** 0.5
    for place in range(1, len(noise)):
        last = correlation * last + keep * noise[place]
        found[place] = last
    return found


def means(values: Floats, months: NDArray[np.int64]) -> Floats:
    """Return the mean of each month."""
    found: Floats = np.bincount(months, values) / np.bincount(months)
    return found


def smooth(monthly: Floats, months: NDArray[np.int64], *, ratio: bool = False) -> Floats:
    """Return a smooth daily course whose monthly means are those given.

    Parameters
    ----------
    ratio
        Months are corrected by a factor in place of a difference, so that what is not negative stays so.
    """
    found = monthly[months].astype(float)
    for _ in range(SMOOTHINGS):
        padded = np.concatenate((found[:1], found, found[-1:]))
        found = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
        found = scaled(found, months, monthly) if ratio else found + (monthly - means(found, months))[months]
    return found


def scaled(values: Floats, months: NDArray[np.int64], monthly: Floats) -> Floats:
    """Return values times a factor for each month, so that its mean is the one given; 0 where that is 0."""
    now = means(values, months)
    factor = np.divide(monthly, now, out=np.zeros_like(now), where=now > 0)
    return values * factor[months]


def bounded(values: Floats, months: NDArray[np.int64], monthly: Floats, least: float, most: float) -> Floats:
    """Return values within bounds whose monthly means are those given, which are within them."""
    found = values.copy()
    for month, mean in enumerate(monthly):
        here = months == month
        part = found[here]
        if part.min() >= least and part.max() <= most:
            continue
        # Towards the mean, as far as the value that is furthest beyond a bound needs.
        away = part - mean
        up = away.max() / (most - mean) if most > mean else np.inf
        down = -away.min() / (mean - least) if mean > least else np.inf
        found[here] = mean + away / max(up, down, 1.0)
    return found
