"""What the cells of a column are: type, range, what is missing; fed piece by piece, so that a table need not fit.

A cell is text, as in CSV, or a value, as in JSON. Text is a number where a scientist would read one (`numbers`), and a
date where it is written as one (`dates`); no digits of other scripts, no ``1_000`` that Python would take.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from labrig.tables.dates import DAY, MONTH, Dates, iso_date, written_dates
from labrig.tables.numbers import Numbers, Tally, is_padded, readings
from labrig.tables.units import plain_unit

MISSING = frozenset(
    {"", "NA", "<NA>", "#NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"}
    | {"-", "--", "?"}
)
"""Texts that stand for no value: what pandas takes for one, and three more. Case counts: Na is sodium."""

MOST_DISTINCT = 12
"""Distinct texts that are listed; above it, only that there are more."""

_SHOWN_CHARACTERS = 60
_NAME_CHARACTERS = 200
_UNIT_CHARACTERS = 60
"""Of a heading's end, where its unit is looked for; in a long one the search would take for ever."""

_TRUTHS = frozenset({"true", "false"})
_UNIT = re.compile(r"[\(\[]\s*([^()\[\]]{1,40}?)\s*[\)\]]\s*$")
_NO_UNIT = re.compile(
    r"[0-9.,:;\s/-]*|n/?a|optional|required|mean|median|max|min|std|sd|y|x|z", re.IGNORECASE
)
_NUMERIC = frozenset({"integer", "number"})


@dataclass
class Column:
    """A column that is being looked at.

    Attributes
    ----------
    under
        The heading that spans this column and others.
    separator
        What cuts its file into cells, and `decimal`, the decimal mark that other columns prove: see `Numbers.settled`.
    kinds
        How many cells are of each kind but numbers: truth, date, text, other.
    texts
        Distinct texts with their counts, while there are few.
    formulas
        Cells that hold a formula without its value.
    """

    name: str
    unit: str = ""
    type: str = ""
    under: str = ""
    separator: str = ""
    decimal: str = ""
    cells: int = 0
    missing: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=Numbers)
    dates: Dates = field(default_factory=Dates)
    first: str = ""
    last: str = ""
    texts: dict[str, int] | None = field(default_factory=dict)
    padded: int = 0
    numbers_as_text: int = 0
    formulas: int = 0
    markers: set[str] = field(default_factory=set)

    def add(self, cells: Iterable[Any]) -> None:
        """Look at more cells."""
        for cell in cells:
            self.cells += 1
            if isinstance(cell, str):
                self._add_text(cell, 1)
            else:
                self._add_value(cell)

    def add_texts(self, cells: Iterable[str]) -> None:
        """Look at more cells that are all text; each distinct one is looked at once."""
        for cell, times in Counter(cells).items():
            self.cells += times
            self._add_text(cell, times)

    def _add_text(self, cell: str, times: int) -> None:
        text = cell.strip()
        if text in MISSING:
            self.missing += times
            self.markers.add(text)
        elif found := readings(text):
            self.padded += times * is_padded(text)
            self.numbers_as_text += times
            self.numbers.add(text, found, times)
            self._distinct(text, times)  # a column of codes may turn out to be text
        elif text.casefold() in _TRUTHS:
            self._text("boolean", text, times)
        elif iso_date(text):
            self._text("date" if len(text) == 10 else "datetime", text, times)
        elif dated := written_dates(text):
            self.dates.add(text, dated, times)
            self._distinct(text, times)
        else:
            self._text("text", text, times)

    def _add_value(self, cell: Any) -> None:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            self.missing += 1
        elif isinstance(cell, bool):
            self._text("boolean", str(cell).lower(), 1)
        elif isinstance(cell, int):
            self.numbers.sure.add(cell, 1)
        elif isinstance(cell, (float, Decimal)):
            self.numbers.sure.add(float(cell), 1)
        elif isinstance(cell, datetime):
            self._text("datetime", cell.isoformat(sep=" "), 1)
        elif isinstance(cell, date):
            self._text("date", cell.isoformat(), 1)
        elif isinstance(cell, time):
            self._text("time", cell.isoformat(), 1)
        else:
            kind = {"dict": "object", "list": "list", "bytes": "bytes"}.get(type(cell).__name__, "other")
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def _text(self, kind: str, text: str, times: int) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + times
        if not self.first or text < self.first:
            self.first = text
        if text > self.last:
            self.last = text
        self._distinct(text, times)

    def _distinct(self, text: str, times: int) -> None:
        if self.texts is None:
            return
        self.texts[text] = self.texts.get(text, 0) + times
        if len(self.texts) > MOST_DISTINCT:
            self.texts = None

    def kind(self) -> str:
        """Return the type: the file's own where it has one, else what all cells are, else ``mixed``."""
        return self.type or self._seen(self._counted())

    def _counted(self) -> dict[str, int]:
        """Return how many cells are of each kind, numbers and dates in the likeliest reading."""
        numbers, _ = self.numbers.settled(self.separator, self.decimal)
        counts = Counter(self.kinds) + numbers.kinds
        if self.dates.cells:
            counts[("datetime" if self.dates.timed else "date") if self.dates.orders() else "text"] += (
                self.dates.cells
            )
        if self.formulas:
            counts["formula"] += self.formulas
        return dict(counts)

    def _seen(self, counts: dict[str, int]) -> str:
        """Return the type that the cells have."""
        seen = set(counts)
        if not seen:
            return "empty"
        if self.padded and seen == {"integer"}:
            return "text"  # 007 is a code; as a number it would lose its zeros
        if seen <= _NUMERIC:
            return "number" if "number" in seen else "integer"
        if seen <= {"date", "datetime"}:
            return "datetime" if "datetime" in seen else "date"
        return next(iter(seen)) if len(seen) == 1 else "mixed"

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data; what does not apply is left out."""
        counts = self._counted()
        kind = self._seen(counts)
        found: dict[str, Any] = {"name": short(self.name, _NAME_CHARACTERS), "type": self.type or kind}
        if self.under:
            found["under"] = short(self.under, _NAME_CHARACTERS)
        if self.unit:
            found["unit"] = self.unit
        numbers, remarks = self.numbers.settled(self.separator, self.decimal)
        codes = self._codes(numbers) if kind in _NUMERIC else {}
        missing = self.missing + sum(codes.values()) - self.formulas
        found["values"] = self.cells - missing - self.formulas
        if missing:
            found["missing"] = missing
            if written := sorted(self.markers - {""}) + [f"{code:g}" for code in sorted(codes)]:
                found["missing_as"] = written
        if numbers.kinds and kind != "text":
            for code in numbers.codes.keys() - codes.keys():
                numbers.stretch(code)
            if numbers.low is not None:
                found["min"], found["max"] = _carried(numbers.low), _carried(numbers.high)
        elif kind in ("date", "datetime", "time"):
            found |= self._bounds()
        if kind in ("text", "boolean", "mixed") and counts:
            if self.texts is None:
                found["distinct"] = f"more than {MOST_DISTINCT}"
                if self.first:
                    found["such_as"] = [short(self.first), short(self.last)]
            else:
                found["distinct"] = {short(text): count for text, count in sorted(self.texts.items())}
        if kind == "mixed":
            found["kinds"] = dict(sorted(counts.items()))
        if notes := self._notes(kind, numbers, codes, remarks):
            found["notes"] = notes
        return found

    def _codes(self, numbers: Tally) -> dict[float, int]:
        """Return the codes that stand for no value here, with their counts."""
        return {code: count for code, count in numbers.codes.items() if numbers.is_far(code)}

    def _bounds(self) -> dict[str, str]:
        """Return the first and the last date; none where the order of day and month is open."""
        if not self.dates.cells:
            return {"min": self.first, "max": self.last}
        orders = self.dates.orders()
        if len(orders) != 1:
            return {}
        first, last = self.dates.bounds(orders[0])
        if self.first:  # others are written as ISO 8601 writes them
            first, last = min(first, self.first), max(last, self.last)
        written = self.dates.written_as()
        return {"min": first, "max": last} | ({"written_as": written} if written else {})

    def _notes(self, kind: str, numbers: Tally, codes: dict[float, int], remarks: list[str]) -> list[str]:
        notes = [
            f"{code:g} is taken for a missing value, {count} times" for code, count in sorted(codes.items())
        ]
        notes += [
            f"{value:g} occurs {count} times and may stand for a missing value"
            for value, count in sorted(numbers.codes.items())
            if value not in codes and value in (numbers.low, numbers.high) and kind in _NUMERIC
        ]
        if self.padded:
            notes.append("digits with leading zeros: read it as text to keep them")
        if set(self.dates.orders()) == {DAY, MONTH} and kind in ("date", "datetime"):
            read = [" to ".join(self.dates.bounds(order)) for order in (DAY, MONTH)]
            notes.append(f"day and month cannot be told apart: {read[0]} with the day first, else {read[1]}")
        return notes + remarks


def unit_in(heading: str) -> str:
    """Return the unit that a heading states at its end: ``temp (degC)``, ``flow [m3/s]``, ``Cl mg/l``."""
    end = heading.rstrip()[-_UNIT_CHARACTERS:]
    found = _UNIT.search(end)
    if found is None:
        return plain_unit(end)
    return "" if _NO_UNIT.fullmatch(found[1]) else found[1]


def named(
    headings: Iterable[Any], under: Sequence[str] = (), units: Sequence[str] = ()
) -> tuple[list[Column], list[str]]:
    """Return columns by their headings, and what is wrong with these.

    Parameters
    ----------
    under, units
        The heading that spans each column, and its unit where a line of its own states it.
    """
    columns: list[Column] = []
    seen: dict[str, int] = {}
    for place, (heading, group, unit) in enumerate(
        zip_longest(headings, under, units, fillvalue=""), start=1
    ):
        name = "" if heading is None else str(heading).strip()
        if name:
            full = f"{group} / {name}" if group else name
            seen[full] = seen.get(full, 0) + 1
        columns.append(Column(name or f"(column {place})", unit_in(name) or unit, under=group))
    twice = [name for name, count in seen.items() if count > 1]
    notes = [f"headings that occur more than once: {', '.join(map(short, twice[:8]))}"] if twice else []
    nameless = sum(each.name.startswith("(column ") for each in columns)
    return columns, notes + ([f"{nameless} columns have no heading"] if nameless else [])


def short(text: str, most: int = _SHOWN_CHARACTERS) -> str:
    """Return a text with its end left out where it is long."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _carried(value: float | int | None) -> Any:
    """Return a number as JSON can carry it: infinities, and integers that no reader keeps exact, as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return short(str(value)) if isinstance(value, int) and abs(value) > 2**53 else value
