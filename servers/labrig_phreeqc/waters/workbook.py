"""The sheet of a workbook that is a table of waters, as the CSV that `table` reads."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from labrig.errors import LabrigError
from labrig_phreeqc.waters.sheet import likeness

WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How an xlsx and an old xls begin."""
MOST_ROWS, MOST_COLUMNS = 100_000, 600
"""Of a sheet that are read: one line a value takes many rows; a table with more columns is refused."""
LEAST = 2


def choose_sheet(sheets: Mapping[str, Sequence[Sequence[str]]]) -> tuple[str, str, list[str]]:
    """Return the sheet that is most like a table of waters, its cells as CSV, and what is said of the others.

    Raises
    ------
    LabrigError
        Where no sheet is one.
    """
    like = {name: likeness(rows) for name, rows in sheets.items()}
    best = max(like, key=lambda name: like[name], default="")
    if not best or like[best] < LEAST:
        raise LabrigError(
            "No sheet of the workbook names a pH and constituents",
            where=f"sheets: {', '.join(sheets)}"[:300],
            expected="a sheet with a heading such as Sample, pH, Temp (degC), Ca (mg/L)",
        )
    text = io.StringIO()
    width = max(map(len, sheets[best]))  # a workbook has no cells behind the last value of a row
    rows = ([*row, *[""] * (width - len(row))] if any(row) else [""] for row in sheets[best])
    csv.writer(text, lineterminator="\n").writerows(rows)
    others = [name for name, score in like.items() if name != best and score >= LEAST]
    said = [f"sheet {best!r} is read; give sheet= for {', '.join(map(repr, others))}"[:300]] if others else []
    return best, text.getvalue(), said
