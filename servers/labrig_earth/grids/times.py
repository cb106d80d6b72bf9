"""Time axes: calendar, step, gaps, ranges of ISO text, and days of a place that is not at UTC."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError

STEP = "labrig_step"
"""Attribute of an axis: the step of its file, which a part of the times does not show (each July)."""
SEASONS = {"DJF": (12, 1, 2), "MAM": (3, 4, 5), "JJA": (6, 7, 8), "SON": (9, 10, 11)}
_ISO = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2})(?::(\d{2})(?::(\d{2}))?)?Z?)?)?)?$")


@dataclass(frozen=True)
class TimeAxis:
    """What a time axis is like.

    Attributes
    ----------
    first, last
        As ISO text, UTC unless the data say otherwise.
    step
        ``1 h``, ``6 h``, ``1 day``, ``1 month``, ``1 year``; empty for none.
    step_hours
        Where the step has a fixed length; None for months and years.
    missing
        Steps between first and last that are not there.
    gaps
        Up to ten of them: after which time, and how many steps.
    """

    name: str
    count: int
    first: str
    last: str
    calendar: str
    step: str = ""
    step_hours: float | None = None
    missing: int = 0
    gaps: tuple[tuple[str, int], ...] = ()
    unordered: bool = False
    doubled: int = 0


def time_axis(data: Any, name: str) -> TimeAxis:
    """Return what a time axis is like; a step that most intervals have is the step, longer ones are gaps.

    Raises
    ------
    LabrigError
        ``bad_input`` for an axis that does not hold times.
    """
    axis = require_times(data, name)
    if not axis.size:
        raise LabrigError("The time axis is empty", where=name)
    axis = axis if axis.ndim else axis.expand_dims(name)
    hours = hours_of(axis)
    calendar = str(axis.dt.calendar)
    order = np.argsort(hours, kind="stable")
    ordered = hours[order]
    steps = np.diff(ordered)
    doubled = int((steps == 0).sum())
    first, last = iso(axis.values[order[0]]), iso(axis.values[order[-1]])
    common: dict[str, Any] = {
        "unordered": bool((np.diff(hours) < 0).any()),
        "doubled": doubled,
        "count": int(axis.size),
        "calendar": calendar,
    }
    if (steps > 0).sum() == 0:
        return TimeAxis(name, first=first, last=last, **common)
    months = np.asarray(axis.dt.year.values * 12 + axis.dt.month.values)[order]
    text, expected_hours, counts = _step(steps[steps > 0], np.diff(months)[steps > 0])
    starts = [iso(axis.values[order[place]]) for place in np.flatnonzero(steps > 0)]
    gaps = [(start, int(count)) for start, count in zip(starts, counts, strict=True) if count > 0]
    return TimeAxis(
        name,
        first=first,
        last=last,
        step=text,
        step_hours=expected_hours,
        missing=sum(count for _, count in gaps),
        gaps=tuple(gaps[:10]),
        **common,
    )


def _step(hours: Any, months: Any) -> tuple[str, float | None, Any]:
    """Return the usual step in words, its hours, and for each interval how many steps are missing in it."""
    usual_months = int(np.median(months))
    monthly = usual_months >= 1 and np.median(hours) >= 28 * 24 - 1e-6
    if monthly:
        missing = np.round(months / usual_months).astype(int) - 1
        years, rest = divmod(usual_months, 12)
        count, unit = (years, "year") if not rest else (usual_months, "month")
        return f"{count} {unit}{'s' if count > 1 else ''}", None, missing
    values, counts = np.unique(np.round(hours, 6), return_counts=True)
    usual = float(values[counts.argmax()])
    missing = np.maximum(np.round(hours / usual).astype(int) - 1, 0)
    if usual % 24 == 0:
        text = f"{usual / 24:g} day{'s' if usual > 24 else ''}"
    else:
        text = f"{usual:g} h"
    return text, usual, missing


def note_step(data: Any, name: str) -> Any:
    """Note at an axis of times the step that it has, before a part of it is taken."""
    if name in data.dims and data.sizes[name] > 1 and STEP not in data[name].attrs:
        data[name].attrs[STEP] = time_axis(data, name).step
    return data


def numbers_of_periods(axis: Any) -> tuple[str, Any]:
    """Return ``month`` or ``year`` and the number of each step's on any calendar; an empty text for other steps."""
    step = str(axis.attrs.get(STEP, "")) or time_axis(axis, str(axis.name)).step
    years = axis.dt.year.values
    if step.endswith(("year", "years")):
        return "year", years
    return ("month", years * 12 + axis.dt.month.values) if "month" in step else ("", years)


def seconds_of_steps(axis: Any, *, ends: bool = False) -> Any:
    """Return how long each step is, s: months and years as their calendar has them.

    Parameters
    ----------
    ends
        A time is the end of its step, not its start or middle.

    Raises
    ------
    LabrigError
        ``bad_input`` for an axis whose step is not known, or is of several months.
    """
    step = str(axis.attrs.get(STEP, ""))
    count, _, unit = step.partition(" ")
    if unit.startswith(("month", "year")) and count == "1":
        inside = axis.copy(data=moment_before(axis.values)) if ends else axis
        days = inside.dt.days_in_month if unit == "month" else inside.dt.days_in_year
        return days.astype("f8") * 86400.0
    if unit not in ("h", "day", "days"):
        raise LabrigError(
            f"How long a step is cannot be told: {step or 'there is one time alone'}",
            where=str(axis.name),
            expected="steps of hours, days, one month or one year",
        )
    return axis.copy(data=np.full(axis.shape, float(count) * (3600.0 if unit == "h" else 86400.0)))


def hours_of(axis: Any) -> Any:
    """Return times as hours since the first, float64, whatever the calendar."""
    values = axis.values
    if np.issubdtype(values.dtype, np.datetime64):
        return (values - values[0]) / np.timedelta64(1, "h")
    first = values[0]
    return np.array([(each - first).total_seconds() / 3600 for each in values], dtype="f8")


def require_times(data: Any, name: str) -> Any:
    """Return the time coordinate.

    Raises
    ------
    LabrigError
        ``bad_input`` for data without one, and for one that holds no times.
    """
    if not name or name not in data.coords:
        raise LabrigError(
            "The data have no time axis",
            where=", ".join(map(str, data.dims)),
            expected="a coordinate of times, as CF has it (units such as days since 2000-01-01)",
        )
    axis = data[name]
    if np.issubdtype(axis.dtype, np.datetime64) or is_cftime(axis):
        return axis
    raise LabrigError(
        f"The axis {name} holds no times but {axis.dtype}",
        where=name,
        expected="units such as days since 2000-01-01",
    )


def is_cftime(axis: Any) -> bool:
    """Tell whether an axis has times of a calendar of its own."""
    import cftime

    return bool(axis.size and isinstance(np.asarray(axis.values).ravel()[0], cftime.datetime))


def iso(time: Any) -> str:
    """Return a time as ISO text, without what is zero at its end: ``2020-06-01``, ``2020-06-01T12:00``."""
    if isinstance(time, np.datetime64):
        text = str(np.datetime_as_string(time, unit="s"))
    else:
        text = f"{time.year:04d}-{time.month:02d}-{time.day:02d}T{time.hour:02d}:{time.minute:02d}:{time.second:02d}"
    return text.removesuffix("T00:00:00").removesuffix(":00") if "T" in text else text


def select_range(data: Any, name: str, start: str = "", end: str = "", *, ends: bool = False) -> Any:
    """Return the data from a start to an end, both included; ``2020`` and ``2020-06`` are whole years and months.

    Parameters
    ----------
    start, end
        ISO text; empty for no bound. On a noleap or 360_day calendar a day that it does not have is refused.
    ends
        Values belong to the step that ends at their time: the one at 00:00 to the day before.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no time, for an end before the start, and for a range without data, with the extent.
    """
    axis = require_times(data, name)
    low, high = parsed(start, axis, "start", last=False), parsed(end, axis, "end", last=True)
    if low is not None and high is not None and high < low:
        raise LabrigError(f"The end {end} is before the start {start}", where="start, end")
    values = moment_before(axis.values) if ends else axis.values
    chosen = np.ones(values.shape, bool)
    if low is not None:
        chosen &= values >= low
    if high is not None:
        chosen &= values <= high
    if not chosen.any():
        raise LabrigError(
            f"The data have no time from {start or 'their first'} to {end or 'their last'}",
            where="start, end",
            expected=f"times from {iso(values.min())} to {iso(values.max())}" if values.size else "",
            code="not_found",
        )
    return data.isel({name: np.flatnonzero(chosen)}) if not chosen.all() else data


def moment_before(values: Any) -> Any:
    """Return times a second earlier: in the step that ends at them."""
    second = (
        np.timedelta64(1, "s")
        if np.issubdtype(values.dtype, np.datetime64)
        else datetime.timedelta(seconds=1)
    )
    return values - second


def parsed(text: str, axis: Any, where: str, *, last: bool) -> Any:
    """Return ISO text as a time of the axis' calendar: the first or last moment that it names; None for no text."""
    if not text:
        return None
    found = _ISO.match(text.strip())
    if not found:
        raise LabrigError(
            f"This is no time: {text[:40]!r}",
            where=where,
            expected="2020, 2020-06, 2020-06-01 or 2020-06-01T12:00",
        )
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups())
    try:
        return _moment(axis, (year or 0, month, day, hour, minute, second), last)
    except (ValueError, OverflowError) as error:
        raise LabrigError(
            f"The calendar {axis.dt.calendar} has no such time: {text}", where=where, try_=str(error)
        ) from None


def _moment(axis: Any, parts: tuple[int | None, ...], last: bool) -> Any:
    import cftime
    import pandas as pd

    year, month, day, hour, minute, second = parts
    calendar = str(axis.dt.calendar)
    is_cftime = not np.issubdtype(axis.dtype, np.datetime64)
    month_of = month or (12 if last else 1)
    if day is None:
        day_of = cftime.datetime(year, month_of, 1, calendar=calendar).daysinmonth if last else 1
    else:
        day_of = day
    clock = (
        hour if hour is not None else (23 if last else 0),
        minute if minute is not None else (59 if last else 0),
        second if second is not None else (59 if last else 0),
    )
    if is_cftime:
        return cftime.datetime(year, month_of, day_of, *clock, calendar=calendar)
    found = pd.Timestamp(year, month_of, day_of, *clock).to_datetime64()
    if last:
        return found + np.timedelta64(999_999_999, "ns")
    return found


def select_months(data: Any, name: str, months: tuple[int, ...], *, ends: bool = False) -> Any:
    """Return the data of some months of the year (1 to 12); `ends` as for `select_range`.

    Raises
    ------
    LabrigError
        ``bad_input`` for a number that is no month; ``not_found`` where nothing is left.
    """
    wrong = [each for each in months if not 1 <= each <= 12]
    if wrong:
        raise LabrigError(f"There is no month {wrong[0]}", where="months", expected="1 to 12")
    axis = require_times(data, name)
    if ends:
        axis = axis.copy(data=moment_before(axis.values))
    return _where(data, name, np.isin(axis.dt.month.values, months), "months")


def select_hours(data: Any, name: str, hours: tuple[int, ...]) -> Any:
    """Return the data of some hours of the day (0 to 23), UTC unless the times were shifted."""
    wrong = [each for each in hours if not 0 <= each <= 23]
    if wrong:
        raise LabrigError(f"There is no hour {wrong[0]}", where="hours", expected="0 to 23")
    return _where(data, name, np.isin(require_times(data, name).dt.hour.values, hours), "hours")


def _where(data: Any, name: str, chosen: Any, what: str) -> Any:
    if not chosen.any():
        raise LabrigError(f"The data have none of these {what}", where=what, code="not_found")
    return data.isel({name: np.flatnonzero(chosen)})


def shifted(data: Any, name: str, hours: float) -> Any:
    """Return the data with their times moved by so many hours: local time of a place that is so far ahead of UTC."""
    import datetime

    if not -14 <= hours <= 14:
        raise LabrigError(f"No place is {hours:g} h from UTC", where="utc_offset_h", expected="-12 to 14 h")
    axis = require_times(data, name)
    if np.issubdtype(axis.dtype, np.datetime64):
        moved = axis.values + np.timedelta64(round(hours * 3600), "s")
    else:
        moved = axis.values + datetime.timedelta(hours=hours)
    return data.assign_coords({name: (axis.dims, moved, axis.attrs)})
