"""Thermal stress along a series: hours of weather become UTCI, its categories, and hours of dangerous heat.

Columns: ``tair_c`` (2 m, degC); ``rh_pct`` (%, over water) or ``dew_point_c``; ``wind_10m_m_s`` or ``wind_2m_m_s``;
``tmrt_c``, or what it is computed from: ``solar_down_w_m2``, ``solar_direct_w_m2`` (on the ground's plane),
``solar_up_w_m2``, ``thermal_down_w_m2``, ``thermal_up_w_m2`` (means over the step that ends at the time), ``latitude``
and ``longitude`` (degrees, the same in all rows), with times in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.impact.health.radiant import Radiation, mean_radiant
from labrig_earth.impact.health.utci import CATEGORIES, Found, categories, utci, vapour_pressure
from labrig_earth.impact.weather.quantities import Column, columns_of
from labrig_earth.impact.weather.series import HOUR_S, Series, read_series
from labrig_earth.impact.weather.sun import sunlit
from labrig_earth.impact.weather.wind import wind_at

Floats = NDArray[np.float64]

FLUXES = ("solar_down_w_m2", "solar_direct_w_m2", "solar_up_w_m2", "thermal_down_w_m2", "thermal_up_w_m2")
KNOWN: Mapping[str, Column] = columns_of(
    "tair_c", "rh_pct", "dew_point_c", "tmrt_c", *FLUXES, "latitude", "longitude"
)

SATURATED_PCT = 100.0
SAME_K = 0.011
"""Two temperatures of two decimals that are nowhere further apart are copies of each other."""


@dataclass(frozen=True)
class Stress:
    """Thermal stress of a series.

    Attributes
    ----------
    air_c, humidity_pct, wind_10m_m_s, radiant_c
        What UTCI was computed from.
    hours
        Of one step.
    notes
        What was assumed.
    """

    series: Series
    air_c: Floats
    humidity_pct: Floats
    wind_10m_m_s: Floats
    radiant_c: Floats
    found: Found
    hours: float
    notes: tuple[str, ...]

    @property
    def category(self) -> NDArray[np.int64]:
        """Place of each row in `CATEGORIES`, -1 where there is no UTCI."""
        return categories(self.found.utci_c)


def read_stress(content: bytes, where: str) -> Stress:
    """Read a series of weather and compute UTCI for each row.

    Parameters
    ----------
    content
        CSV; columns as this module says.

    Raises
    ------
    LabrigError
        For what `read_series` refuses, a series in which humidity, wind or radiation is missing, and one of which no
        row is within the range of UTCI.
    """
    series = read_series(content, where, KNOWN)
    if series.step_s == 0 or series.step_s > 3 * HOUR_S:
        raise LabrigError(
            "The series has one row" if series.step_s == 0 else f"A row is {series.step_s / HOUR_S:g} h",
            where=where,
            expected="rows of 3 hours or less: UTCI of a daily mean is no mean of UTCI, and hides the heat of the day",
            try_="weather_to_epw makes hours of days, and says how",
        )
    columns, winds = wind_at(10, series.columns, 10, where)
    series, notes = replace(series, columns=columns), list(winds)
    air = series.column("tair_c", "temperature of the air at 2 m, degC")
    wind = series.column("wind_10m_m_s", "wind at 10 m, m/s: UTCI is fitted to that height")
    humidity = _humidity(series, air, notes)
    radiant = _radiant(series, notes)
    found = utci(air, radiant, wind, vapour_pressure(air, humidity))
    invalid = int((~found.valid).sum())
    for reason, rows in found.outside.items():
        if rows.any():
            notes.append(f"{int(rows.sum())} of {len(air)} rows have no UTCI: {reason}")
    if invalid == len(air):
        raise LabrigError(
            "No row is within the range that UTCI is fitted to",
            where=where,
            expected="; ".join(f"not: {reason}" for reason, rows in found.outside.items() if rows.any()),
        )
    if not series.utc:
        notes.append("the times name no offset from UTC: days are those of their clock")
    return Stress(series, air, humidity, wind, radiant, found, series.step_s / HOUR_S, tuple(notes))


def _humidity(series: Series, air: Floats, notes: list[str]) -> Floats:
    has_humidity, has_dew = "rh_pct" in series.columns, "dew_point_c" in series.columns
    if has_humidity == has_dew:
        raise LabrigError(
            "Humidity is there twice" if has_dew else "There is no humidity",
            where=series.where,
            expected="rh_pct (%) or dew_point_c (degC), one of them",
        )
    if has_dew:
        hundred = np.full_like(air, SATURATED_PCT)
        at_dew = vapour_pressure(series.column("dew_point_c"), hundred)
        humidity = 100 * at_dew / vapour_pressure(air, hundred)
        if (humidity > KNOWN["rh_pct"].most).any():
            row = int(humidity.argmax())
            raise LabrigError(
                f"The dew point is {series.columns['dew_point_c'][row]:g} degC in air of {air[row]:g} degC",
                where=f"{series.where}, {series.times[row]}",
                expected="a dew point that is not above the air's temperature",
            )
    else:
        humidity = series.column("rh_pct")
        if humidity.max() <= 1.0:
            raise LabrigError(
                f"rh_pct is at most {humidity.max():g}",
                where=series.where,
                expected="percent, not a part of 1",
            )
    above = int((humidity > SATURATED_PCT).sum())
    if above:
        notes.append(f"humidity above 100 % taken as 100 % in {above} rows")
    return np.minimum(humidity, SATURATED_PCT)


def _radiant(series: Series, notes: list[str]) -> Floats:
    fluxes = [name for name in FLUXES if name in series.columns]
    if "tmrt_c" in series.columns:
        if fluxes:
            raise LabrigError(
                "tmrt_c and radiation are both given",
                where=series.where,
                expected="one of them: which of them counts would not be seen",
            )
        radiant = series.column("tmrt_c")
        if np.abs(radiant - series.columns["tair_c"]).max() < SAME_K:
            raise LabrigError(
                "tmrt_c is tair_c in every row: that is no mean radiant temperature",
                where=series.where,
                expected="tmrt_c as measured or computed, or radiation: " + ", ".join(FLUXES),
                try_="hours in the sun are 20 to 40 K warmer than the air, clear nights some kelvins colder",
                code="refused",
            )
        return radiant
    absent = [name for name in (*FLUXES, "latitude", "longitude") if name not in series.columns]
    if absent:
        raise LabrigError(
            "There is no mean radiant temperature, and it is never taken to be that of the air",
            where=series.where,
            expected="tmrt_c (degC), or radiation, latitude and longitude; missing: " + ", ".join(absent),
        )
    if not series.utc:
        raise LabrigError(
            "The times name no offset from UTC, so that the sun's height is not known",
            where=series.where,
            expected="times such as 2019-07-24T14:00Z",
        )
    place = []
    for name in ("latitude", "longitude"):
        values = series.column(name)
        if values.min() != values.max():
            raise LabrigError(f"{name} changes", where=series.where, expected="one place in all rows")
        place.append(float(values[0]))
    height, _ = sunlit(series.times, series.step_s, place[0], place[1])
    notes.append(
        "mean radiant temperature from radiation (Di Napoli et al. 2020), means over the step that ends"
    )
    return mean_radiant(Radiation(*(series.column(name) for name in FLUXES)), height, series.where)


def totals(stress: Stress, threshold_c: float) -> dict[str, float]:
    """Return the numbers of a series.

    Parameters
    ----------
    threshold_c
        UTCI from which an hour is one of dangerous heat, degC.

    Returns
    -------
    dict
        ``mean_c``, ``p95_c``, ``max_c`` of valid rows; ``above_h``, ``valid_h``, ``no_utci_h``; ``longest_h``, the
        longest stretch above without a break; ``days_above``; each of `CATEGORIES` in hours.
    """
    values, valid = stress.found.utci_c, stress.found.valid
    above = np.where(valid, values, -np.inf) >= threshold_c
    places = stress.category
    hours = stress.hours
    return {
        "mean_c": float(values[valid].mean()),
        "p95_c": float(np.percentile(values[valid], 95)),
        "max_c": float(values[valid].max()),
        "above_h": float(above.sum() * hours),
        "valid_h": float(valid.sum() * hours),
        "no_utci_h": float((~valid).sum() * hours),
        "longest_h": _longest(above) * hours,
        "days_above": float(len(np.unique(stress.series.days()[above]))),
        **{name: float((places == place).sum() * hours) for place, name in enumerate(CATEGORIES)},
    }


def _longest(above: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], above.astype(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max()) if len(edges) else 0


def daily(stress: Stress, threshold_c: float) -> list[dict[str, Any]]:
    """Return one row a day: ``date``, means and maxima, hours above the threshold, without UTCI, and of each category.

    A day without any valid hour has None for what is not known; a series of exposure with such a day is refused.
    """
    days, places = stress.series.days(), stress.category
    found = []
    for day in np.unique(days):
        here = days == day
        values = stress.found.utci_c[here]
        good = values[~np.isnan(values)]
        air = stress.air_c[here]
        found.append(
            {
                "date": str(day),
                "utci_mean_c": float(good.mean()) if len(good) else None,
                "utci_max_c": float(good.max()) if len(good) else None,
                "tair_mean_c": float(air.mean()),
                "tair_max_c": float(air.max()),
                "hours_above": float((good >= threshold_c).sum() * stress.hours),
                "hours_without_utci": float((len(values) - len(good)) * stress.hours),
                "hours": float(len(values) * stress.hours),
                **{
                    f"{name}_h": float((places[here] == place).sum() * stress.hours)
                    for place, name in enumerate(CATEGORIES)
                },
            }
        )
    return found


def hourly_csv(stress: Stress) -> str:
    """Return the series with UTCI and its category; both are empty where UTCI is not valid."""
    ending = "Z" if stress.series.utc else ""
    numbers = (stress.air_c, stress.humidity_pct, stress.wind_10m_m_s, stress.radiant_c)
    rows = []
    for row, (when, place) in enumerate(zip(stress.series.times, stress.category, strict=True)):
        found = (f"{stress.found.utci_c[row]:.4f}", CATEGORIES[place]) if place >= 0 else ("", "")
        rows.append((f"{when}{ending}", *(f"{each[row]:.4f}" for each in numbers), *found))
    return csv_text(("time", "tair_c", "rh_pct", "wind_10m_m_s", "tmrt_c", "utci_c", "category"), rows)


def daily_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the days as CSV."""
    cells = ((f"{each:.4f}" if isinstance(each, float) else each for each in row.values()) for row in rows)
    return csv_text(rows[0], cells)
