"""CSV tables of a run of CLIMADA: their columns, and numbers of them within a range."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError

Floats = NDArray[np.float64]
CRS = ("EPSG:4326", "OGC:CRS84")
"""Systems whose coordinates are degrees of latitude and longitude."""


@dataclass(frozen=True)
class Table:
    """A CSV table.

    Attributes
    ----------
    columns
        Texts by the name of the column; all of one length.
    """

    columns: Mapping[str, Sequence[str]]
    where: str

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def texts(self, name: str) -> Sequence[str]:
        """Return a column; `LabrigError` where it is not there, or a cell of it is empty."""
        if name not in self.columns:
            raise LabrigError(f"There is no column {name}", where=self.where, expected=f"the column {name}")
        found = self.columns[name]
        if "" in found:
            raise LabrigError(f"{name} is empty", where=f"{self.where}, row {found.index('') + 1}")
        return found

    def numbers(self, name: str, least: float, most: float, unit: str) -> Floats:
        """Return a column of numbers within a range; `LabrigError` names the first row without one."""
        texts = self.texts(name)
        try:
            values = np.array(texts, dtype=float)
        except ValueError:
            values = np.array([_number(each) for each in texts])
        return within(values, name, least, most, unit, self.where, texts)

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


def read_table(content: bytes, where: str, most_rows: int) -> Table:
    """Read a CSV table with a header; names of columns are taken in small letters.

    Raises
    ------
    LabrigError
        For what is no CSV in UTF-8, has no rows or too many, or rows of another length.
    """
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabrigError(f"This is no CSV table: {error}"[:200], where=where) from None
    rows = [row for row in rows if row]
    if not 2 <= len(rows) <= most_rows + 1:
        raise LabrigError(
            f"The table has {max(len(rows) - 1, 0):,} rows",
            where=where,
            expected=f"a header and 1 to {most_rows:,} rows",
            code="limit" if len(rows) > most_rows else "bad_input",
        )
    head = [each.strip().lower() for each in rows[0]]
    if len(set(head)) != len(head):
        raise LabrigError("A column is there twice", where=where, expected="each column once")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(head):
            raise LabrigError(
                f"The row has {len(row)} cells", where=f"{where}, row {number}", expected=f"{len(head)}"
            )
    return Table(
        {
            name: [each.strip() for each in column]
            for name, column in zip(head, zip(*rows[1:], strict=True), strict=True)
        },
        where,
    )


def within(
    values: Floats, name: str, least: float, most: float, unit: str, where: str, texts: Sequence[object] = ()
) -> Floats:
    """Return numbers that are all in a range; `LabrigError` names the first that is not."""
    wrong = np.flatnonzero(~((values >= least) & (values <= most)))  # what is no number is in no range
    if len(wrong):
        first = int(wrong[0])
        shown = texts[first] if len(texts) else values[first]
        raise LabrigError(
            f"{name} is {shown!s:.40}" + (f", and {len(wrong) - 1:,} others" if len(wrong) > 1 else ""),
            where=f"{where}, row {first + 1}",
            expected=f"{least:g} to {most:g} {unit}",
        )
    return values


def require_degrees(crs: str, where: str) -> None:
    """Refuse a reference system other than WGS 84 in degrees: two files of two systems never meet."""
    if crs.strip().upper() not in CRS:
        raise LabrigError(
            f"The coordinates are in {crs[:60]!r}",
            where=where,
            expected="EPSG:4326: latitude and longitude, degrees",
            try_="make_input of kind assets or hazard turns layers and grids into degrees",
        )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
