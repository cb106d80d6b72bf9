"""Daily weather for crops: a CSV file becomes arrays that are complete and possible, or the call is refused.

Columns name their units: ``date`` (ISO), ``tmin_c``, ``tmax_c`` (degC), ``precipitation_mm`` (mm/day), and as an engine
needs them ``et0_mm`` (mm/day), ``srad_mj_m2`` (MJ/m2/day), ``tdew_c`` (degC), ``wind_2m_m_s`` or ``wind_10m_m_s``. A
day that is missing shifts all that follow in an engine that counts rows, so days are checked before anything else.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, nearest, over_limit
from labrig_earth.impact.weather.wind import wind_at, wind_columns

Column = NDArray[np.float64]

MOST_DAYS = 80_000
MOST_FILLED_DAYS = 5
SHOWN = 5

RANGES: Mapping[str, tuple[float, float, str]] = {
    "tmin_c": (-70.0, 45.0, "degC"),
    "tmax_c": (-60.0, 60.0, "degC"),
    "precipitation_mm": (0.0, 1_900.0, "mm/day"),
    "et0_mm": (0.0, 25.0, "mm/day"),
    "srad_mj_m2": (0.0, 45.0, "MJ/m2/day"),
    "tdew_c": (-80.0, 40.0, "degC"),
    **{name: (each.least, each.most, each.unit) for name, each in wind_columns(60).items()},
}
"""What has been measured on Earth, rounded outwards: a value beyond it has another unit, or is a code for missing."""

ALIASES: Mapping[str, str] = {
    "tmin": "tmin_c",
    "tmax": "tmax_c",
    "t2m_min_c": "tmin_c",
    "t2m_max_c": "tmax_c",
    "precip_mm": "precipitation_mm",
    "prcp_mm": "precipitation_mm",
    "rain_mm": "precipitation_mm",
    "pr_mm": "precipitation_mm",
    "et0": "et0_mm",
    "eto_mm": "et0_mm",
    "srad": "srad_mj_m2",
}


@dataclass(frozen=True)
class Weather:
    """Days without a gap.

    Attributes
    ----------
    start
        The first day.
    columns
        By name, one value a day.
    notes
        What was assumed or filled, for the result.
    """

    start: date
    columns: Mapping[str, Column]
    notes: tuple[str, ...] = ()

    @property
    def days(self) -> int:
        """How many days there are."""
        return len(next(iter(self.columns.values())))

    @property
    def end(self) -> date:
        """The last day."""
        return self.start + timedelta(days=self.days - 1)

    def dates(self) -> list[date]:
        """Return all days."""
        return [self.start + timedelta(days=number) for number in range(self.days)]

    def between(self, start: date, end: date) -> Weather:
        """Return the days from one to another, both included; ``bad_input`` where the weather lacks some."""
        if start < self.start or end > self.end:
            raise LabrigError(
                f"The weather has {self.start} to {self.end}, and {start} to {end} is to be simulated",
                where="weather",
                expected="weather for every day from start to end",
            )
        first = (start - self.start).days
        cut = slice(first, first + (end - start).days + 1)
        return replace(self, start=start, columns={name: each[cut] for name, each in self.columns.items()})

    def with_column(self, name: str, values: Column, note: str) -> Weather:
        """Return the weather with one more column, and a note of how it was made."""
        return replace(self, columns={**self.columns, name: values}, notes=(*self.notes, note))

    def csv(self, names: Sequence[str]) -> bytes:
        """Return columns as a CSV file, each value as the shortest text that reads back the same."""
        lines = [",".join(("date", *names))]
        for number, day in enumerate(self.dates()):
            lines.append(
                ",".join((day.isoformat(), *(repr(float(self.columns[name][number])) for name in names)))
            )
        return ("\n".join(lines) + "\n").encode()


@dataclass(frozen=True)
class Filling:
    """How missing temperatures and evapotranspiration may be filled: linearly, over so many days in a row."""

    most_days: int = 0
    filled: Sequence[str] = field(
        default=("tmin_c", "tmax_c", "et0_mm", "srad_mj_m2", "tdew_c", *wind_columns(60))
    )


def read_weather(content: bytes, where: str, *, filling: Filling = Filling()) -> Weather:
    """Read a CSV file of daily weather.

    Parameters
    ----------
    content
        The file, UTF-8.
    where
        Its name, for errors.
    filling
        What may be filled; by default nothing. Precipitation is never filled.

    Raises
    ------
    LabrigError
        For an unknown or missing column, an invalid date, a day that is missing, twice or out of order, a text
        that is no number, a missing or impossible value, and a minimum temperature above the maximum.
    """
    names, rows = _rows(content, where)
    days = [_date(row[names.index("date")], f"{where}, line {line}") for line, row in rows]
    _require_every_day(days, where)
    columns, notes = {}, []
    for place, name in enumerate(names):
        if name in RANGES:
            read = np.array([_number(row[place], name, f"{where}, line {line}") for line, row in rows])
            columns[name], note = _complete(read, name, days, where, filling)
            notes += [note] if note else []
    for name in ("tmin_c", "tmax_c", "precipitation_mm"):
        if name not in columns:
            raise LabrigError(
                f"There is no column {name}",
                where=where,
                expected="date, tmin_c, tmax_c, precipitation_mm, and et0_mm or srad_mj_m2 as the engine needs it",
            )
    _require_possible(columns, days, where)
    columns, winds = wind_at(2, columns, 2, where)
    return Weather(days[0], columns, (*notes, *winds))


def _rows(content: bytes, where: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LabrigError("This is no text in UTF-8", where=where, expected="a CSV file") from None
    reader = csv.reader(io.StringIO(text))
    try:
        head = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise LabrigError(f"This is no CSV file: {error}", where=where) from None
    said = [cell.strip() for cell in head]
    names = [ALIASES.get(name.lower(), name.lower()) for name in said]
    for shown, name in zip(said, names, strict=True):
        if name != "date" and name not in RANGES:
            close = nearest(name, RANGES)
            raise LabrigError(
                f"The column {shown!r} is not known",
                where=where,
                expected="date, " + ", ".join(RANGES),
                try_=f"did you mean {close[0]}?" if close else "leave it out",
            )
        if names.count(name) > 1:
            raise LabrigError(f"The column {name} is there twice", where=where)
    if "date" not in names:
        raise LabrigError("There is no column date", where=where, expected="days as 2020-05-01")
    if not rows:
        raise LabrigError("There are no days", where=where)
    if len(rows) > MOST_DAYS:
        raise over_limit(f"There are {len(rows):,} days", MOST_DAYS, where=where)
    for line, row in rows:
        if len(row) != len(names):
            raise LabrigError(
                f"The line has {len(row)} cells, and there are {len(names)} columns",
                where=f"{where}, line {line}",
            )
    return names, rows


def _date(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise LabrigError(
            f"{text.strip()!r} is no date", where=where, expected="a day such as 2020-05-01"
        ) from None


def _require_every_day(days: Sequence[date], where: str) -> None:
    for before, after in itertools.pairwise(days):
        step = (after - before).days
        if step > 1:
            raise LabrigError(
                f"{step - 1} days are missing after {before}",
                where=where,
                expected="every day, in order",
                try_="add a line for each, with empty cells where nothing was measured",
            )
        if step < 1:
            raise LabrigError(
                f"{after} comes after {before}", where=where, expected="every day once, in order"
            )


def _number(text: str, name: str, where: str) -> float:
    if not text.strip() or text.strip().lower() in ("nan", "na"):
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise LabrigError(f"{text.strip()!r} is no number", where=f"{where}, {name}") from None
    return value


def _complete(
    values: Column, name: str, days: Sequence[date], where: str, filling: Filling
) -> tuple[Column, str]:
    """Return values without a gap, and what was filled; refuse what may not be filled."""
    missing = np.isnan(values)
    if not missing.any():
        return values, ""
    runs = _runs(missing)
    longest = max(end - start for start, end in runs)
    at_an_end = bool(missing[0] or missing[-1])
    if name not in filling.filled or longest > filling.most_days or at_an_end:
        places = ", ".join(str(days[start]) for start, _ in runs[:SHOWN])
        never = name == "precipitation_mm"
        raise LabrigError(
            f"{name} is missing on {int(missing.sum())} days, up to {longest} in a row: {places}",
            where=where,
            expected="a value for every day" + ("; precipitation is never filled" if never else ""),
            try_=""
            if never or at_an_end or longest > MOST_FILLED_DAYS
            else f'in the management file: "fill_days": {longest}, for linear filling',
        )
    known = np.flatnonzero(~missing)
    filled = np.interp(np.arange(len(values)), known, values[known])
    return filled, f"{name}: {int(missing.sum())} missing days filled linearly, up to {longest} in a row"


def _runs(missing: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where runs of True begin and end (not included)."""
    edges = np.diff(np.concatenate(([0], missing.astype(int), [0])))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))


def _require_possible(columns: Mapping[str, Column], days: Sequence[date], where: str) -> None:
    for name, values in columns.items():
        least, most, unit = RANGES[name]
        wrong = np.flatnonzero(~((values >= least) & (values <= most)))
        if len(wrong):
            first = int(wrong[0])
            raise LabrigError(
                f"{name} is {values[first]:g} on {days[first]}, and impossible on {len(wrong)} days",
                where=where,
                expected=f"{least:g} to {most:g} {unit}; an empty cell where nothing was measured",
            )
    crossed = np.flatnonzero(columns["tmin_c"] > columns["tmax_c"])
    if len(crossed):
        first = int(crossed[0])
        raise LabrigError(
            f"tmin_c is {columns['tmin_c'][first]:g} and tmax_c {columns['tmax_c'][first]:g} on {days[first]}"
            + (f", and so on {len(crossed)} days" if len(crossed) > 1 else ""),
            where=where,
            expected="tmin_c at most tmax_c",
        )
