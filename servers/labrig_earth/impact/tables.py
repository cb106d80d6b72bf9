"""CSV tables: one reader for what a caller gives and for what a run left; a number is in its range, or refused."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, nearest, over_limit

Floats = NDArray[np.float64]
Row = tuple[int, list[str]]
"""A line of the file, from 1, and its cells."""

MOST_ROWS = 2_000_000
MOST_NAME = 80
"""Characters of a name: an array of texts gives each of them the room of the longest."""
MISSING = ("", "nan", "na", "null")
"""How a cell says that nothing is known, in any case of letters."""


@dataclass(frozen=True)
class Table:
    """A CSV table.

    Attributes
    ----------
    columns
        Texts by the name of the column, in small letters; all of one length.
    lines
        Of the file, one a row.
    """

    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    where: str

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    def column(self, name: str) -> Sequence[str]:
        """Return a column; `LabrigError` where it is not there."""
        if name not in self.columns:
            raise LabrigError(f"There is no column {name}", where=self.where, expected=f"the column {name}")
        return self.columns[name]

    def texts(self, name: str) -> Sequence[str]:
        """Return a column of which no cell is empty."""
        found = self.column(name)
        if "" in found:
            raise LabrigError(f"{name} is empty", where=f"{self.where}, line {self.lines[found.index('')]}")
        return found

    def names(self, name: str) -> Sequence[str]:
        """Return a column of names, of which none is empty or long."""
        found = self.texts(name)
        long = next((place for place, text in enumerate(found) if len(text) > MOST_NAME), None)
        if long is not None:
            raise LabrigError(
                f"{name} has {len(found[long]):,} characters",
                where=f"{self.where}, line {self.lines[long]}",
                expected=f"at most {MOST_NAME}",
            )
        return found

    def values(self, name: str) -> Floats:
        """Return a column of numbers, NaN in a cell of `MISSING`; `LabrigError` for another text."""
        texts = self.column(name)
        found = np.full(len(texts), np.nan)
        for place, text in enumerate(texts):
            if text.lower() in MISSING:
                continue
            try:
                found[place] = float(text)
            except ValueError:
                raise LabrigError(
                    f"{text[:40]!r} is no number", where=f"{self.where}, line {self.lines[place]}, {name}"
                ) from None
        return found

    def numbers(
        self, name: str, least: float = -np.inf, most: float = np.inf, unit: str = "a number"
    ) -> Floats:
        """Return a column of numbers within a range; `LabrigError` names the first row without one."""
        texts = self.texts(name)
        return within(self.values(name), name, least, most, unit, self.where, texts, self.lines)

    def one(self, name: str, default: str = "") -> str:
        """Return the one text of a column, or the default where it is not there."""
        if name not in self.columns:
            return default
        found = sorted(set(self.texts(name)))
        if len(found) > 1:
            raise LabrigError(
                f"{name} is {found[0]!r} and {found[1]!r}"[:200],
                where=self.where,
                expected="one for all rows",
            )
        return found[0]

    def require_known(self, known: Collection[str]) -> None:
        """Refuse a column that nobody reads: it would have no effect."""
        for name in self.columns:
            if name not in known:
                close = nearest(name, known)
                raise LabrigError(
                    f"The column {name[:60]!r} is not known",
                    where=self.where,
                    expected=", ".join(known),
                    try_=f"did you mean {close[0]}?" if close else "leave it out",
                )


def read_rows(content: bytes, where: str, most: int = MOST_ROWS) -> tuple[list[str], list[Row]]:
    """Read the cells of a CSV file as they are written: those of its first line, and all others by their line.

    Raises
    ------
    LabrigError
        For what is no CSV in UTF-8, has no rows or too many, or rows of another length.
    """
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig")))
        head = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabrigError(f"This is no CSV table in UTF-8: {error}"[:200], where=where) from None
    if not rows:
        raise LabrigError("There are no rows", where=where, expected="CSV: a line of names, and rows")
    if len(rows) > most:
        raise over_limit(f"There are {len(rows):,} rows", most, where=where)
    for line, row in rows:
        if len(row) != len(head):
            raise LabrigError(
                f"The line has {len(row)} cells, and there are {len(head)} columns",
                where=f"{where}, line {line}",
            )
    return head, rows


def read_table(content: bytes, where: str, most: int = MOST_ROWS) -> Table:
    """Read a CSV table; `LabrigError` for what `read_rows` refuses, and a column that is there twice."""
    head, rows = read_rows(content, where, most)
    names = [each.strip().lower() for each in head]
    require_once(names, where)
    cells = zip(*(row for _, row in rows), strict=True)
    columns = {name: [each.strip() for each in column] for name, column in zip(names, cells, strict=True)}
    return Table(columns, [line for line, _ in rows], where)


def require_once(names: Sequence[str], where: str) -> None:
    """Refuse a column that is there twice."""
    name = find_repeated(names)
    if name is not None:
        raise LabrigError(f"The column {name[:60]} is there twice", where=where, expected="each column once")


def find_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that was there before, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def within(
    values: Floats,
    name: str,
    least: float,
    most: float,
    unit: str,
    where: str,
    texts: Sequence[object] = (),
    lines: Sequence[int] = (),
) -> Floats:
    """Return numbers that are all finite and in a range; `LabrigError` names the first that is not."""
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= least) & (values <= most)))
    if len(wrong):
        first = int(wrong[0])
        shown = texts[first] if len(texts) else values[first]
        raise LabrigError(
            f"{name} is {shown!s:.40}" + (f", and {len(wrong) - 1:,} others" if len(wrong) > 1 else ""),
            where=f"{where}, line {lines[first]}" if len(lines) else f"{where}, row {first + 1}",
            expected=f"{least:g} to {most:g} {unit}" if np.isfinite(least) else unit,
        )
    return values
