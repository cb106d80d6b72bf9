"""Weather by day in the shape of Open-Meteo, whose answer the published tools pass on, and the paths of ``select``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError, nearest
from labrig_atlas.asking import Atlas, Told
from labrig_atlas.facts import DailyWeather

_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(-?\d{1,6})\]")
_DAILY = ("temperature_2m_max", "temperature_2m_min", "precipitation_sum")
"""What the published command-line tool gives of a day."""


async def weather_historical(
    atlas: Atlas,
    latitude: float,
    longitude: float,
    start_date: str,
    end_date: str,
    select: Sequence[str] = (),
) -> tuple[dict[str, Any], Told]:
    """Return the weather of days, or the parts of it that `select` names, by their paths."""
    told = await atlas.ask("weather", latitude, longitude, start_date, end_date)
    return selected(as_open_meteo(told.facts), select), told


async def weather_forecast(
    atlas: Atlas, latitude: float, longitude: float, select: Sequence[str] = ()
) -> tuple[dict[str, Any], Told]:
    """Return the weather to come, or the parts of it that `select` names."""
    told = await atlas.ask("forecast", latitude, longitude)
    return selected(as_open_meteo(told.facts), select), told


def as_open_meteo(found: DailyWeather) -> dict[str, Any]:
    """Return weather as Open-Meteo's JSON: ``daily_units`` and ``daily``, whose columns are as long as its ``time``."""
    shown: dict[str, Any] = {
        "latitude": found.latitude,
        "longitude": found.longitude,
        "timezone": found.timezone,
    }
    if found.current:
        shown["current_units"] = dict(found.current_units)
        shown["current"] = dict(found.current)
    shown["daily_units"] = {"time": "iso8601"} | {
        name: found.units[name] for name in found.daily if name in found.units
    }
    shown["daily"] = {"time": list(found.days)} | {name: list(column) for name, column in found.daily.items()}
    return shown


def selected(whole: dict[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Return the parts that paths such as ``daily.precipitation_sum[0]`` name, by their paths; all without any.

    Raises
    ------
    LabrigError
        ``not_found`` for a path that leads nowhere, with the names that are there.
    """
    return {path: _part(whole, path) for path in paths} if paths else whole


def _part(whole: Any, path: str) -> Any:
    steps = _steps(path)
    here = whole
    for step in steps:
        listed = isinstance(step, int) and isinstance(here, list) and -len(here) <= step < len(here)
        if listed or (isinstance(step, str) and isinstance(here, dict) and step in here):
            here = here[step]
        else:
            names = list(here) if isinstance(here, dict) else []
            close = nearest(str(step), names)
            there = (
                ", ".join(names)
                if names
                else f"0 to {len(here) - 1}"
                if isinstance(here, list)
                else "no further part"
            )
            raise LabrigError(
                f"There is no {path[:120]!r} in the answer",
                where="select",
                expected=there,
                try_="did you mean " + " or ".join(close) + "?" if close else "",
                code="not_found",
            )
    return here


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise LabrigError(
                f"This is no path: {path[:120]!r}", where="select", expected="daily.precipitation_sum[0]"
            )
        steps.append(found[1] if found[1] else int(found[2]))
        at = found.end()
    return steps


async def weather_of_date(
    atlas: Atlas, latitude: float, longitude: float, date: str, end_date: str = ""
) -> tuple[dict[str, Any], Told]:
    """Return temperatures and precipitation of a day, or of days up to another, as the published command does."""
    told = await atlas.ask("weather", latitude, longitude, date, end_date or date)
    whole = as_open_meteo(told.facts)
    for part in ("daily", "daily_units"):
        whole[part] = {name: each for name, each in whole[part].items() if name == "time" or name in _DAILY}
    return whole, told
