"""What the cells of a column are: type, range, what is missing; fed piece by piece, so that a table need not fit.

A cell is text, as in CSV, or a value, as in JSON. Text is a number where a scientist would read one: digits, a point,
an exponent; no thousands separators, no digits of other scripts, no ``1_000`` that Python would take.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

MISSING = frozenset(
    {"", "NA", "<NA>", "#NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"}
    | {"-", "--", "?"}
)
"""Texts that stand for no value: what pandas takes for one, and three more. Case counts: Na is sodium."""

SENTINELS = (-9999.0, -999.0, -99999.0, -999.9, -999.99, 9.969209968386869e36, 1e20, 999.9, 9999.0, 99999.0)
"""Numbers that often stand for no value; they are named and stay in the range. 9.97e36 and 1e20 are NetCDF's habits."""

MOST_DISTINCT = 12
"""Distinct texts that are listed; above it, only that there are more."""

_SHOWN_CHARACTERS = 60
_NAME_CHARACTERS = 200
_UNIT_CHARACTERS = 60
"""Of a heading's end, where its unit is looked for; in a long one the search would take for ever."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,300}")
_NUMBER = re.compile(  # each digit can be matched in one way only, else digits before a letter take for ever
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?inf(?:inity)?", re.IGNORECASE
)
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,4})?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_TRUTHS = frozenset({"true", "false"})
_UNIT = re.compile(r"[\(\[]\s*([^()\[\]]{1,40}?)\s*[\)\]]\s*$")
_NO_UNIT = re.compile(
    r"[0-9.,:;\s/-]*|n/?a|optional|required|mean|median|max|min|std|sd|y|x|z", re.IGNORECASE
)


@dataclass
class Column:
    """A column that is being looked at.

    Attributes
    ----------
    kinds
        How many cells are of each kind: integer, number, truth, date, text, other.
    texts
        Distinct texts with their counts, while there are few.
    """

    name: str
    unit: str = ""
    type: str = ""
    cells: int = 0
    missing: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    low: float | int | None = None
    high: float | int | None = None
    first: str = ""
    last: str = ""
    texts: dict[str, int] | None = field(default_factory=dict)
    sentinels: dict[float, int] = field(default_factory=dict)
    padded: int = 0
    commas: int = 0
    thousands: int = 0
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
        elif _INTEGER.fullmatch(text):
            if _PADDED.fullmatch(text):
                self.padded += times
            self._number("integer", int(text), text, times)
        elif _NUMBER.fullmatch(text):
            self._number("number", float(text), text, times)
        elif _COMMA.fullmatch(text):
            self.commas += times
            self.thousands += times * bool(_THOUSANDS.fullmatch(text))
            self._number("number", float(text.replace(",", ".")), text, times)
        elif text.casefold() in _TRUTHS:
            self._text("boolean", text, times)
        elif _DATE.fullmatch(text) and _is_date(text):
            self._text("date" if len(text) == 10 else "datetime", text, times)
        else:
            self._text("text", text, times)

    def _add_value(self, cell: Any) -> None:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            self.missing += 1
        elif isinstance(cell, bool):
            self._text("boolean", str(cell).lower(), 1)
        elif isinstance(cell, int):
            self._number("integer", cell, "", 1)
        elif isinstance(cell, (float, Decimal)):
            self._number("number", float(cell), "", 1)
        elif isinstance(cell, datetime):
            self._text("datetime", cell.isoformat(sep=" "), 1)
        elif isinstance(cell, date):
            self._text("date", cell.isoformat(), 1)
        elif isinstance(cell, time):
            self._text("time", cell.isoformat(), 1)
        else:
            kind = {"dict": "object", "list": "list", "bytes": "bytes"}.get(type(cell).__name__, "other")
            self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def _number(self, kind: str, value: float | int, text: str, times: int) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + times
        if self.low is None or value < self.low:
            self.low = value
        if self.high is None or value > self.high:
            self.high = value
        if value in _SENTINELS:
            self.sentinels[float(value)] = self.sentinels.get(float(value), 0) + times
        if text:  # a column of codes may turn out to be text
            self._distinct(text, times)

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
        return self.type or self._seen()

    def _seen(self) -> str:
        """Return the type that the cells have."""
        seen = set(self.kinds)
        if not seen:
            return "empty"
        if self.padded and seen == {"integer"}:
            return "text"  # 007 is a code; as a number it would lose its zeros
        if seen <= {"integer", "number"}:
            return "number" if "number" in seen else "integer"
        if seen <= {"date", "datetime"}:
            return "datetime" if "datetime" in seen else "date"
        return next(iter(seen)) if len(seen) == 1 else "mixed"

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data; what does not apply is left out."""
        kind = self._seen()
        found: dict[str, Any] = {"name": short(self.name, _NAME_CHARACTERS), "type": self.kind()}
        if self.unit:
            found["unit"] = self.unit
        found["values"] = self.cells - self.missing
        if self.missing:
            found["missing"] = self.missing
            if written := sorted(self.markers - {""}):
                found["missing_as"] = written
        if self.low is not None and kind != "text":
            found["min"], found["max"] = _carried(self.low), _carried(self.high)
        elif self.first and kind in ("date", "datetime", "time"):
            found["min"], found["max"] = self.first, self.last
        if kind in ("text", "boolean", "mixed") and self.kinds:
            if self.texts is None:
                found["distinct"] = f"more than {MOST_DISTINCT}"
                if self.first:
                    found["such_as"] = [short(self.first), short(self.last)]
            else:
                found["distinct"] = {short(text): count for text, count in sorted(self.texts.items())}
        if kind == "mixed":
            found["kinds"] = dict(sorted(self.kinds.items()))
        if notes := self._notes(kind):
            found["notes"] = notes
        return found

    def _notes(self, kind: str) -> list[str]:
        notes = [
            f"{value:g} occurs {count} times and may stand for a missing value"
            for value, count in sorted(self.sentinels.items())
            if value in (self.low, self.high) and kind in ("integer", "number")
        ]
        if self.padded:
            notes.append("digits with leading zeros: read it as text to keep them")
        if self.commas:
            notes.append(
                "commas taken for decimal ones, though all could separate thousands"
                if self.thousands == self.commas
                else "decimal commas"
            )
        return notes


_SENTINELS = frozenset(SENTINELS)


def unit_in(heading: str) -> str:
    """Return the unit that a heading states at its end in brackets, as ``temp (degC)`` or ``flow [m3/s]`` do."""
    found = _UNIT.search(heading.rstrip()[-_UNIT_CHARACTERS:])
    return found[1] if found and not _NO_UNIT.fullmatch(found[1]) else ""


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    return bool(_NUMBER.fullmatch(text.strip()))


def named(headings: Iterable[Any]) -> tuple[list[Column], list[str]]:
    """Return columns by their headings, and what is wrong with these."""
    columns: list[Column] = []
    seen: dict[str, int] = {}
    for place, heading in enumerate(headings, start=1):
        name = "" if heading is None else str(heading).strip()
        if name:
            seen[name] = seen.get(name, 0) + 1
        columns.append(Column(name or f"(column {place})", unit_in(name)))
    twice = [name for name, count in seen.items() if count > 1]
    notes = [f"headings that occur more than once: {', '.join(map(short, twice[:8]))}"] if twice else []
    nameless = sum(each.name.startswith("(column ") for each in columns)
    return columns, notes + ([f"{nameless} columns have no heading"] if nameless else [])


def short(text: str, most: int = _SHOWN_CHARACTERS) -> str:
    """Return a text with its end left out where it is long."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _carried(value: float | int | None) -> Any:
    """Return a number as JSON can carry it: infinities, and integers that no reader keeps exact, as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return short(str(value)) if isinstance(value, int) and abs(value) > 2**53 else value
