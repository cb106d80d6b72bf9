"""A time series in a CSV file: columns whose names say their units, every step there, every value possible; or refused.

The first column of time is ``time`` (ISO 8601: 2019-07-24T14:00, with Z or an offset for a clock that is known) or
``date`` (a day). A step that is missing would shift or lose hours in silence, so steps are checked first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, nearest, over_limit

Floats = NDArray[np.float64]
Times = NDArray[np.datetime64]

MOST_ROWS = 400_000
TIME_NAMES = ("time", "timestamp", "datetime", "date", "month")
MISSING = ("", "nan", "na", "null")
HOUR_S = 3600
DAY_S = 86_400


@dataclass(frozen=True)
class Column:
    """What a column may hold.

    Attributes
    ----------
    least, most
        What has been measured on Earth, rounded outwards; a value beyond it has another unit, or is a code for missing.
    unit
        For errors.
    """

    least: float
    most: float
    unit: str


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
    aliases: Mapping[str, str] | None = None,
    extra: Sequence[str] = (),
    every: str = "",
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
    aliases
        Other names of known columns, lower case.
    extra
        Columns that may be there and are not read.
    every
        ``day``, ``month`` or ``year`` where a row stands for one; else the steps have the same length, whatever it is.

    Raises
    ------
    LabrigError
        For a column that is unknown or there twice, an invalid time, times that do not follow each other in equal
        steps (a missing hour), a text that is no number, a value that is impossible.
    """
    said, rows = _rows(content, where)
    names = [(aliases or {}).get(name.lower(), name.lower()) for name in said]
    clock = _time_column(names, where)
    _require_known(said, names, clock, known, extra, where)
    times, utc = _times([row[clock] for _, row in rows], [line for line, _ in rows], where)
    step = require_periods(times, every, where) if every else require_steps(times, where)
    columns = {
        name: _numbers([row[place] for _, row in rows], name, [line for line, _ in rows], where)
        for place, name in enumerate(names)
        if name in known
    }
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


def _rows(content: bytes, where: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig")))
        said = [cell.strip() for cell in next(reader, [])]
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabrigError(
            f"This is no CSV file in UTF-8: {error}", where=where, expected="a CSV file"
        ) from None
    if not rows:
        raise LabrigError("There are no rows", where=where, expected="a line of names, and a row a step")
    if len(rows) > MOST_ROWS:
        raise over_limit(f"There are {len(rows):,} rows", MOST_ROWS, where=where)
    for line, row in rows:
        if len(row) != len(said):
            raise LabrigError(
                f"The line has {len(row)} cells, and there are {len(said)} columns",
                where=f"{where}, line {line}",
            )
    return said, rows


def _time_column(names: Sequence[str], where: str) -> int:
    for name in TIME_NAMES:
        if name in names:
            return names.index(name)
    raise LabrigError(
        "There is no column of time", where=where, expected="time (2019-07-24T14:00Z) or date (2019-07-24)"
    )


def _require_known(
    said: Sequence[str],
    names: Sequence[str],
    clock: int,
    known: Mapping[str, Column],
    extra: Sequence[str],
    where: str,
) -> None:
    for place, name in enumerate(names):
        if names.count(name) > 1:
            raise LabrigError(f"The column {name} is there twice", where=where)
        if place != clock and name not in known and name not in extra:
            close = nearest(name, known)
            raise LabrigError(
                f"The column {said[place]!r} is not known",
                where=where,
                expected=", ".join((names[clock], *known)),
                try_=f"did you mean {close[0]}?" if close else "leave it out",
            )


def _times(texts: Sequence[str], lines: Sequence[int], where: str) -> tuple[Times, bool]:
    found, aware = [], 0
    for text, line in zip(texts, lines, strict=True):
        said = text.strip()
        whole = said + {4: "-01-01", 7: "-01"}.get(len(said), "")  # a year, a month
        try:
            when = datetime.fromisoformat(whole)
        except ValueError:
            raise LabrigError(
                f"{text.strip()!r} is no time",
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


def _numbers(texts: Sequence[str], name: str, lines: Sequence[int], where: str) -> Floats:
    values = np.full(len(texts), np.nan)
    for place, text in enumerate(texts):
        if text.strip().lower() in MISSING:
            continue
        try:
            values[place] = float(text)
        except ValueError:
            raise LabrigError(
                f"{text.strip()!r} is no number", where=f"{where}, line {lines[place]}, {name}"
            ) from None
    return values


def _require_possible(values: Floats, name: str, column: Column, times: Times, where: str) -> None:
    wrong = np.flatnonzero((values < column.least) | (values > column.most))
    if len(wrong):
        first = int(wrong[0])
        raise LabrigError(
            f"{name} is {values[first]:g} at {times[first]}, and impossible in {len(wrong)} rows",
            where=where,
            expected=f"{column.least:g} to {column.most:g} {column.unit}",
        )
