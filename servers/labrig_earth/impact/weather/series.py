"""A time series in a CSV file: columns whose names say their units, every step there, every value possible; or refused.

The first column of time is ``time`` (ISO 8601: 2019-07-24T14:00, with Z or an offset for a clock that is known) or
``date`` (a day). A step that is missing would shift or lose hours in silence, so steps are checked first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig_earth.impact.tables import Table, read_table, require_once
from labrig_earth.impact.weather.quantities import Column, known_name

Floats = NDArray[np.float64]
Times = NDArray[np.datetime64]

MOST_ROWS = 400_000
TIME_NAMES = ("time", "timestamp", "datetime", "date", "month")
HOUR_S = 3600
DAY_S = 86_400


@dataclass(frozen=True)
class Series:
    """Rows along time.

    Attributes
    ----------
    times
        ``datetime64[s]``, increasing by `step_s`; in UTC where `utc`, else by a clock that the file does not name.
    columns
        By name, one value a row; NaN where the file has none.
    step_s
        Seconds between two rows; 0 where there is one row.
    """

    times: Times
    columns: Mapping[str, Floats]
    step_s: int
    utc: bool
    where: str

    def column(self, name: str, why: str = "") -> Floats:
        """Return a column without a gap; ``bad_input`` where it is absent, or a value is missing."""
        if name not in self.columns:
            raise LabrigError(f"There is no column {name}", where=self.where, expected=why)
        values = self.columns[name]
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise LabrigError(
                f"{name} is missing in {len(missing)} of {len(values)} rows, first at {self.times[missing[0]]}",
                where=self.where,
                expected="a value in every row",
                try_="fill them by a method that you can name, or cut the series",
            )
        return values

    def days(self) -> NDArray[np.datetime64]:
        """Return the day of each row, by the clock of the file."""
        return self.times.astype("datetime64[D]")


def read_series(
    content: bytes,
    where: str,
    known: Mapping[str, Column],
    *,
    others: bool = False,
    every: str = "",
    most: int = MOST_ROWS,
) -> Series:
    """Read a CSV file with one row a step.

    Parameters
    ----------
    content
        The file, UTF-8, with a line of names.
    where
        Its name, for errors.
    known
        Columns of numbers, with their ranges.
    others
        Whether there may be other columns, which are not read.
    every
        ``day``, ``month`` or ``year`` where a row stands for one; else the steps have the same length, whatever it is.
    most
        Rows that there may be.

    Raises
    ------
    LabrigError
        For a column that is unknown or there twice, an invalid time, times that do not follow each other in equal
        steps (a missing hour), a text that is no number, a value that is impossible.
    """
    table = read_table(content, where, most)
    named = {known_name(name, known): texts for name, texts in table.columns.items()}
    require_once([known_name(name, known) for name in table.columns], where)
    table = replace(table, columns=named)
    clock = _clock(named, where)
    if not others:
        table.require_known((clock, *known))
    times, utc = _times(table, clock)
    step = require_periods(times, every, where) if every else require_steps(times, where)
    columns = {name: table.values(name) for name in named if name in known}
    for name, values in columns.items():
        _require_possible(values, name, known[name], times, where)
    return Series(times, columns, step, utc, where)


def require_periods(times: Times, every: str, where: str) -> int:
    """Return the seconds of a day, or 0 for months and years, whose lengths differ; ``bad_input`` where one is missing.

    Rows are dated by the first day of their month or year.
    """
    unit = {"day": "D", "month": "M", "year": "Y"}[every]
    places = times.astype(f"datetime64[{unit}]")
    if (places.astype("datetime64[s]") != times).any():
        first = times[places.astype("datetime64[s]") != times][0]
        raise LabrigError(
            f"{first} is no beginning of a {every}",
            where=where,
            expected=f"one row a {every}, dated by its beginning",
        )
    steps = np.diff(places).astype(np.int64)
    wrong = np.flatnonzero(steps != 1)
    if len(wrong):
        first, gap = int(wrong[0]), int(steps[wrong[0]])
        raise LabrigError(
            f"{gap - 1} {every}s are missing after {places[first]}"
            if gap > 1
            else f"{places[first + 1]} comes after {places[first]}",
            where=where,
            expected=f"every {every} once, in order",
        )
    return DAY_S if every == "day" else 0


def require_steps(times: Times, where: str) -> int:
    """Return the step of times, seconds; ``bad_input`` where one is missing, there twice or out of order."""
    if len(times) < 2:
        return 0
    steps = np.diff(times).astype("timedelta64[s]").astype(np.int64)
    step = int(np.median(steps))
    wrong = np.flatnonzero(steps != step)
    if step <= 0 or len(wrong):
        first = int(wrong[0]) if len(wrong) else 0
        gap = int(steps[first])
        missing = int((steps[steps > step] // step - 1).sum()) if step > 0 else 0
        what = (
            f"{missing} rows are missing, first after {times[first]}"
            if gap > step > 0
            else f"{times[first + 1]} comes after {times[first]}"
        )
        raise LabrigError(
            what,
            where=where,
            expected=f"a row every {_shown(step)}" if step > 0 else "times that increase",
            try_="add the missing rows, with values; a step that is left out would be left out of every count",
        )
    return step


def _shown(seconds: int) -> str:
    if seconds % DAY_S == 0:
        return f"{seconds // DAY_S} days"
    return f"{seconds / HOUR_S:g} h"


def _clock(names: Collection[str], where: str) -> str:
    for name in TIME_NAMES:
        if name in names:
            return name
    raise LabrigError(
        "There is no column of time", where=where, expected="time (2019-07-24T14:00Z) or date (2019-07-24)"
    )


def _times(table: Table, clock: str) -> tuple[Times, bool]:
    found, aware, where = [], 0, table.where
    for text, line in zip(table.columns[clock], table.lines, strict=True):
        whole = text + {4: "-01-01", 7: "-01"}.get(len(text), "")  # a year, a month
        try:
            when = datetime.fromisoformat(whole)
        except ValueError:
            raise LabrigError(
                f"{text!r} is no time",
                where=f"{where}, line {line}",
                expected="2019-07-24T14:00Z, or 2019-07-24",
            ) from None
        if when.tzinfo is not None:
            aware += 1
            when = when.astimezone(UTC).replace(tzinfo=None)
        found.append(np.datetime64(when, "s"))
    if aware not in (0, len(found)):
        raise LabrigError(
            f"{aware} of {len(found)} times have an offset from UTC",
            where=where,
            expected="all of them, or none",
        )
    return np.array(found, dtype="datetime64[s]"), bool(aware)


def _require_possible(values: Floats, name: str, column: Column, times: Times, where: str) -> None:
    wrong = np.flatnonzero((values < column.least) | (values > column.most))
    if len(wrong):
        first = int(wrong[0])
        raise LabrigError(
            f"{name} is {values[first]:g} at {times[first]}, and impossible in {len(wrong)} rows",
            where=where,
            expected=f"{column.least:g} to {column.most:g} {column.unit}",
        )


def require_order(columns: Mapping[str, Floats], times: Times, where: str) -> None:
    """Refuse minima of temperature above their maxima."""
    low, high = columns["tmin_c"], columns["tmax_c"]
    crossed = np.flatnonzero(low > high)
    if len(crossed):
        first = int(crossed[0])
        raise LabrigError(
            f"tmin_c is {low[first]:g} and tmax_c {high[first]:g} on {times[first].astype('datetime64[D]')}"
            + (f", and it is above in {len(crossed)} rows" if len(crossed) > 1 else ""),
            where=where,
            expected="tmin_c at most tmax_c",
        )
