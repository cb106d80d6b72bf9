"""EPW files: written from hours, and read back strictly (Auxiliary Programs of EnergyPlus, "EnergyPlus Weather File").

Eight lines of header and 8,760 rows of 35 fields. What is not known has the format's own code for missing, never a
likely number. Design days are those of one year, in a file of their own (`design_days`): the header has none, since the
statistics that it names are of many years.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.weather.hours import YEAR_HOURS, Hours

Floats = NDArray[np.float64]

FIELDS = 35
HEADER = (
    *("LOCATION", "DESIGN CONDITIONS", "TYPICAL/EXTREME PERIODS", "GROUND TEMPERATURES"),
    *("HOLIDAYS/DAYLIGHT SAVINGS", "COMMENTS 1", "COMMENTS 2", "DATA PERIODS"),
)
DRY_BULB, DEW_POINT, HUMIDITY, PRESSURE = 6, 7, 8, 9
INFRARED, GHI, DNI, DHI = 12, 13, 14, 15
WIND_SPEED = 21
RANGES = {
    DRY_BULB: (-70.0, 70.0, 99.9, "dry bulb, degC"),
    DEW_POINT: (-90.0, 70.0, 99.9, "dew point, degC"),
    HUMIDITY: (0.0, 110.0, 999.0, "relative humidity, %"),
    PRESSURE: (31_000.0, 120_000.0, 999_999.0, "pressure, Pa"),
    GHI: (0.0, 2_000.0, 9_999.0, "global radiation, Wh/m2"),
    DNI: (0.0, 2_000.0, 9_999.0, "direct normal radiation, Wh/m2"),
    DHI: (0.0, 2_000.0, 9_999.0, "diffuse radiation, Wh/m2"),
    WIND_SPEED: (0.0, 40.0, 999.0, "wind speed, m/s"),
}
"""By place: least, most, the code for missing, what it is (the ranges of the manual)."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNKNOWN = "99,99,9999,99999,9,999999999,999,.999,999,99,999,999,99"
"""Sky cover, visibility, ceiling, weather, water, aerosol, snow, albedo and rain, each by its code for missing."""

FLAGS = "?0?0?0?0E0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0?0"


def write_epw(hours: Hours, city: str, country: str, comment: str) -> str:
    """Return an EPW file.

    Parameters
    ----------
    city, country
        Names for the header; commas and line ends become spaces.
    comment
        Where the weather is from.
    """
    place = hours.place
    first = date(hours.year, 1, 1)
    seasons = ",".join(
        f"{name},Extreme,{start.month}/{start.day},{end.month}/{end.day}"
        for name, (start, end) in zip(
            (
                "Summer - Week Nearest Max Temperature For Period",
                "Winter - Week Nearest Min Temperature For Period",
            ),
            extreme_weeks(hours),
            strict=True,
        )
    )
    head = (
        f"LOCATION,{_plain(city)},-,{_plain(country)},Labrig,999999,{place.latitude:.4f},{place.longitude:.4f},"
        f"{place.timezone_h:.2f},{place.elevation_m:.1f}",
        "DESIGN CONDITIONS,0",
        f"TYPICAL/EXTREME PERIODS,2,{seasons}",
        "GROUND TEMPERATURES,0",
        "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
        f"COMMENTS 1,{_plain(comment)}",
        f"COMMENTS 2,{_plain(' | '.join(hours.notes), 500)}",
        f"DATA PERIODS,1,1,Data,{WEEKDAYS[first.weekday()]},1/1,12/31",
    )
    return "\n".join([*head, *_rows(hours)]) + "\n"


def _rows(hours: Hours) -> list[str]:
    found = []
    day = date(hours.year, 1, 1)
    for row in range(YEAR_HOURS):
        hour = row % 24
        if row and hour == 0:
            day += timedelta(days=1)
            if (day.month, day.day) == (2, 29):
                day += timedelta(days=1)
        direction = "999" if hours.wind_dir_deg is None else f"{hours.wind_dir_deg[row]:.0f}"
        infrared = "9999" if hours.infrared is None else f"{hours.infrared[row]:.1f}"
        found.append(
            f"{day.year},{day.month},{day.day},{hour + 1},60,{FLAGS},{hours.air_c[row]:.2f},{hours.dew_c[row]:.2f},"
            f"{hours.humidity_pct[row]:.1f},{hours.pressure_pa[row]:.0f},{hours.outside_horizontal[row]:.1f},"
            f"{hours.outside_normal[row]:.1f},{infrared},{hours.ghi[row]:.1f},{hours.dni[row]:.1f},"
            f"{hours.dhi[row]:.1f},999999,999999,999999,9999,{direction},{hours.wind_10m_m_s[row]:.2f},{UNKNOWN}"
        )
    return found


def extreme_weeks(hours: Hours) -> tuple[tuple[date, date], tuple[date, date]]:
    """Return the warmest and the coldest seven days, first and last of each."""
    daily = hours.air_c.reshape(-1, 24).mean(axis=1)
    weeks = np.convolve(daily, np.ones(7) / 7, mode="valid")
    found = []
    for place in (int(weeks.argmax()), int(weeks.argmin())):
        found.append((_day(place), _day(place + 6)))
    return found[0], found[1]


def _day(place: int) -> date:
    return date(2001, 1, 1) + timedelta(days=place)


def design_days(hours: Hours, name: str) -> str:
    """Return two design days as objects of EnergyPlus: winter at 99.6 %, summer at 0.4 % of the hours.

    The percentiles are those of one year, where ASHRAE's are of many; dew point and wind are means of the hours within
    0.5 K of the design temperature, the daily range is that of the days of such hours.
    """
    low, high = (float(np.percentile(hours.air_c, part)) for part in (0.4, 99.6))
    daily = hours.air_c.reshape(-1, 24)
    texts = []
    for title, design, kind, clearness in (
        ("Ann Htg 99.6% Condns DB", low, "WinterDesignDay", 0.0),
        ("Ann Clg .4% Condns DB=>MDP", high, "SummerDesignDay", 1.0),
    ):
        near = np.abs(hours.air_c - design) <= 0.5
        days = np.unique(np.flatnonzero(near) // 24)
        day = _day(int(days[np.abs(daily[days].mean(axis=1) - daily[days].mean()).argmin()]))
        spread = (
            0.0
            if kind == "WinterDesignDay"
            else float((daily[days].max(axis=1) - daily[days].min(axis=1)).mean())
        )
        fields = (
            f"{_plain(name)} {title}",
            *(day.month, day.day, kind),
            *(f"{design:.2f}", f"{spread:.2f}", "DefaultMultipliers", ""),
            *("DewPoint", f"{hours.dew_c[near].mean():.2f}", "", "", "", ""),
            *(f"{hours.pressure_pa.mean():.0f}", f"{hours.wind_10m_m_s[near].mean():.2f}", 0),
            *("No", "No", "No", "ASHRAEClearSky", "", "", "", "", f"{clearness:.2f}"),
        )
        texts.append("SizingPeriod:DesignDay,\n  " + ",\n  ".join(map(str, fields)) + ";\n")
    return "! Of one year: percentiles of its 8,760 hours, not of many years\n\n" + "\n".join(texts)


@dataclass(frozen=True)
class Epw:
    """An EPW file that was read: its place, and its numbers by row and field; NaN where a field is missing."""

    latitude: float
    longitude: float
    timezone_h: float
    elevation_m: float
    numbers: Floats


def read_epw(content: bytes, where: str) -> Epw:
    """Read an EPW file of a year of hours.

    Raises
    ------
    LabrigError
        For a header that is not EPW's, a year that has not 8,760 rows (a leap year's 8,784 among them), a row out of
        its order, with another number of fields or with what is no number, a value out of the manual's range, and a
        dry bulb that is missing.
    """
    lines = content.decode("utf-8", "replace").splitlines()
    for place, name in enumerate(HEADER):
        if len(lines) <= place or not lines[place].upper().startswith(name):
            raise LabrigError(
                f"Line {place + 1} is no {name}",
                where=where,
                expected="the eight lines of an EPW file's header",
            )
    rows = [line.split(",") for line in lines[len(HEADER) :] if line.strip()]
    if len(rows) != YEAR_HOURS:
        leap = " (a leap year)" if len(rows) == YEAR_HOURS + 24 else ""
        raise LabrigError(
            f"There are {len(rows):,} hours{leap}",
            where=where,
            expected=f"{YEAR_HOURS:,}: every hour of a year without 29 February",
            try_="write it anew with weather_to_epw, which leaves out 29 February and says so"
            if leap
            else "",
        )
    numbers = np.full((YEAR_HOURS, FIELDS), np.nan)
    day = date(2001, 1, 1)
    for place, row in enumerate(rows):
        line = f"{where}, line {place + len(HEADER) + 1}"
        if len(row) < FIELDS - 1:
            raise LabrigError(f"The row has {len(row)} fields", where=line, expected=f"{FIELDS}")
        if place and place % 24 == 0:
            day += timedelta(days=1)
        numbers[place] = _numbers(row, line)
        if tuple(numbers[place, 1:4].tolist()) != (day.month, day.day, place % 24 + 1):
            raise LabrigError(
                f"The row is of {'/'.join(row[1:4])}",
                where=line,
                expected=f"month/day/hour {day.month}/{day.day}/{place % 24 + 1}: every hour in order",
            )
    _require_possible(numbers, where)
    head = lines[0].split(",")
    try:
        place_of = [float(each) for each in head[6:10]]
        latitude, longitude, timezone, elevation = place_of
    except ValueError:
        raise LabrigError(
            "LOCATION names no place", where=where, expected="latitude, longitude, time zone, elevation"
        ) from None
    return Epw(latitude, longitude, timezone, elevation, numbers)


def _numbers(row: Sequence[str], where: str) -> list[float]:
    found = [float("nan")] * FIELDS
    for place, cell in enumerate(row[:FIELDS]):
        if place == 5:
            continue
        try:
            found[place] = float(cell or "nan")
        except ValueError:
            raise LabrigError(f"{cell!r} is no number", where=f"{where}, field {place + 1}") from None
    return found


def _require_possible(numbers: Floats, where: str) -> None:
    for place, (least, most, missing, what) in RANGES.items():
        values = numbers[:, place]
        values[values >= missing] = np.nan
        wrong = np.flatnonzero((values < least) | (values > most))
        if len(wrong):
            raise LabrigError(
                f"{what} is {values[wrong[0]]:g} in {len(wrong)} hours",
                where=f"{where}, line {wrong[0] + len(HEADER) + 1}",
                expected=f"{least:g} to {most:g}",
            )
    if np.isnan(numbers[:, DRY_BULB]).any():
        raise LabrigError(
            f"The dry bulb is missing in {int(np.isnan(numbers[:, DRY_BULB]).sum())} hours",
            where=where,
            expected="none",
        )


def _plain(text: str, most: int = 80) -> str:
    return (
        " ".join("".join(c if c.isprintable() and c not in ',;!"' else " " for c in text).split())[:200]
        or "-"
    )
