"""Daily weather for crops: a CSV file becomes arrays that are complete and possible, or the call is refused.

Columns name their units: ``date`` (ISO), ``tmin_c``, ``tmax_c`` (degC), ``precipitation_mm`` (mm/day), and as an engine
needs them ``et0_mm`` (mm/day), ``srad_mj_m2`` (MJ/m2/day), ``tdew_c`` (degC), ``wind_2m_m_s`` or ``wind_10m_m_s``. A
day that is missing shifts all that follow in an engine that counts rows, so days are checked before anything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.impact.weather import quantities
from labrig_earth.impact.weather.series import read_series, require_order
from labrig_earth.impact.weather.wind import wind_at

Column = NDArray[np.float64]

MOST_DAYS = 80_000
MOST_FILLED_DAYS = 5
SHOWN = 5

KNOWN: Mapping[str, quantities.Column] = quantities.columns_of(
    "tmin_c", "tmax_c", "precipitation_mm", "et0_mm", "srad_mj_m2", "tdew_c", "rh_pct"
)
NEEDED = ("tmin_c", "tmax_c", "precipitation_mm")


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
        rows = zip(self.dates(), *(self.columns[name] for name in names), strict=True)
        return csv_text(("date", *names), rows).encode()


def read_weather(content: bytes, where: str, fill_days: int = 0) -> Weather:
    """Read a CSV file of daily weather.

    Parameters
    ----------
    content
        The file, UTF-8.
    where
        Its name, for errors.
    fill_days
        Missing days in a row that may be filled linearly. Precipitation is never filled.

    Raises
    ------
    LabrigError
        For an unknown or missing column, an invalid date, a day that is missing, twice or out of order, a text
        that is no number, a missing or impossible value, and a minimum temperature above the maximum.
    """
    series = read_series(content, where, KNOWN, every="day", most=MOST_DAYS)
    for name in NEEDED:
        if name not in series.columns:
            raise LabrigError(
                f"There is no column {name}",
                where=where,
                expected="date, tmin_c, tmax_c, precipitation_mm, and et0_mm or srad_mj_m2 as the engine needs it",
            )
    days = series.days()
    columns, notes = {}, []
    for name, values in series.columns.items():
        columns[name], note = _complete(values, name, days, where, fill_days)
        notes += [note] if note else []
    require_order(columns, series.times, where)
    columns, winds = wind_at(2, columns, 2, where)
    return Weather(days[0].item(), columns, (*notes, *winds))


def _complete(
    values: Column, name: str, days: NDArray[np.datetime64], where: str, fill_days: int
) -> tuple[Column, str]:
    """Return values without a gap, and what was filled; refuse what may not be filled."""
    missing = np.isnan(values)
    if not missing.any():
        return values, ""
    runs = _runs(missing)
    longest = max(end - start for start, end in runs)
    at_an_end, never = bool(missing[0] or missing[-1]), name == "precipitation_mm"
    if never or longest > fill_days or at_an_end:
        places = ", ".join(str(days[start]) for start, _ in runs[:SHOWN])
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
