"""Air quality of CAMS at a point, by the hour, from Open-Meteo: JSON with a list for each variable."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from pydantic import Field

from labrig.errors import LabrigError
from labrig.http.answers import Part, odd, read
from labrig.http.declared import open_meteo, open_meteo_refusal

if TYPE_CHECKING:
    from labrig.http import Client

OPEN_METEO_AIR = open_meteo("open_meteo_air", "air-quality-api")
"""The data are those of CAMS (CC BY 4.0)."""

INDEX = "european_aqi"
MOST_DAYS, MOST_VARIABLES = 370, 30
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


@dataclass(frozen=True)
class Air:
    """Hours of air quality at a point.

    Attributes
    ----------
    times
        ISO 8601, UTC, each hour.
    values
        By variable, (hours,); None for what is missing.
    units
        By variable, as the service states them.
    latitude, longitude
        Of the cell that was taken, degrees.
    current
        The European index now, with its time; empty where the service gives none.
    """

    times: tuple[str, ...]
    values: Mapping[str, tuple[float | None, ...]]
    units: Mapping[str, str]
    latitude: float
    longitude: float
    current: Mapping[str, Any]


async def fetch_air(
    client: Client, latitude: float, longitude: float, start: str, end: str, variables: Sequence[str]
) -> Air:
    """Return hours of air quality.

    Parameters
    ----------
    start, end
        Days (YYYY-MM-DD), both included.
    variables
        As the service calls them: ``pm10``, ``pm2_5``, ``ozone``.

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid point, days or names, and for what the service refuses, in its words;
        ``unreachable`` for an answer of another shape; what the client says.
    """
    if not -90 <= latitude <= 90 or not -180 <= longitude <= 180:
        raise LabrigError(
            f"There is no place at latitude {latitude:g}, longitude {longitude:g}",
            where="lat, lon",
            expected="-90 to 90 and -180 to 180 degrees",
        )
    first, last = _day(start, "start_date"), _day(end, "end_date")
    if not 0 <= (last - first).days < MOST_DAYS:
        raise LabrigError(
            f"From {start} to {end}",
            where="start_date, end_date",
            expected=f"1 to {MOST_DAYS} days, in order",
        )
    if not 1 <= len(variables) <= MOST_VARIABLES or len(set(variables)) < len(variables):
        raise LabrigError(
            f"{len(variables)} variables are asked for",
            where="variables",
            expected=f"1 to {MOST_VARIABLES}, each once",
        )
    for name in variables:
        if not _NAME.fullmatch(name):
            raise LabrigError(
                "This cannot be a variable", where=f"variables {name[:80]!r}", expected="such as pm2_5"
            )
    params = {
        "latitude": f"{latitude:.4f}",
        "longitude": f"{longitude:.4f}",
        "hourly": ",".join(variables),
        "current": INDEX,
        "start_date": start,
        "end_date": end,
        "timezone": "GMT",
    }
    answer = await client.ask(OPEN_METEO_AIR, "air-quality", params=params, accept=(400,))
    found = read(_Answer, answer)
    if answer.status == 400:
        raise open_meteo_refusal(found.reason, "variables, days")
    return _air(found, variables, answer.url)


class _Answer(Part):
    reason: str = ""
    latitude: float = math.nan
    longitude: float = math.nan
    hourly: dict[str, list[str | float | None]] = Field(default={})
    hourly_units: dict[str, str] = Field(default={})
    current: dict[str, Any] = Field(default={})


def _air(found: _Answer, variables: Sequence[str], url: str) -> Air:
    times = tuple(map(str, found.hourly.get("time", ())))
    if not times or math.isnan(found.latitude + found.longitude):
        raise odd(url, "it has no hours, or does not say for which place")
    values: dict[str, tuple[float | None, ...]] = {}
    for name in variables:
        column = found.hourly.get(name, [])
        if len(column) != len(times):
            raise odd(url, f"{name} has not a value for each hour")
        values[name] = tuple(None if isinstance(each, str) else each for each in column)
    units = {name: found.hourly_units.get(name, "") for name in variables}
    now = {key: found.current[key] for key in ("time", INDEX) if key in found.current}
    return Air(times, values, units, found.latitude, found.longitude, now)


def _day(text: str, where: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or text != found.isoformat():
        raise LabrigError(f"This is no day: {text[:40]!r}", where=where, expected="YYYY-MM-DD")
    return found
