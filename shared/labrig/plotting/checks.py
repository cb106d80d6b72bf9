"""What a picture is made of, read from JSON values: every refusal names the place, as in ``lines[2].values[5]``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name

Numbers = NDArray[np.float64]

HEADING = ("title", "source", "notes")
"""What every picture may have: title and source (str), and lines to print above the source (list of str)."""

GREATEST = 1e100
"""Numbers beyond it, in size, are not a result of anything and cannot be laid out on an axis."""
LEAST = 1e-100
"""Numbers that are smaller, in size, count as 0; engines print them as 0 too."""
MAX_NUMBERS = 2_000_000


def record(value: Any, where: str, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """Return an object that has the required keys and no other than these and the optional ones."""
    required = tuple(required)
    known = (*required, *optional)
    if not isinstance(value, dict):
        raise LabrigError(
            f"{where or 'data'} is not an object",
            where=where,
            expected="an object with " + ", ".join(required),
        )
    for key in value:
        if key not in known:
            raise unknown_name("field", str(key), known, where=where)
    for key in required:
        if key not in value:
            raise LabrigError(
                f"{key!r} is missing", where=where, expected="an object with " + ", ".join(required)
            )
    return value


def rows(value: Any, where: str, least: int = 1, most: int = MAX_NUMBERS, why: str = "") -> list[Any]:
    """Return a list of at least `least` and at most `most` values; `why` is the way out of too many."""
    if not isinstance(value, list | tuple):
        raise LabrigError(f"{where} is not a list", where=where, expected="a list")
    if not least <= len(value) <= most:
        raise LabrigError(
            f"{where} has {len(value)} entries",
            where=where,
            expected=f"{least} to {most}",
            try_=why if len(value) > most else "",
            code="limit" if len(value) > most else "bad_input",
        )
    return list(value)


def text(value: Any, where: str, *, empty: bool = False) -> str:
    """Return a text; one without anything visible only if it may be empty."""
    if not isinstance(value, str):
        raise LabrigError(f"{where} is not text but {_shown(value)}", where=where, expected="a text")
    if not empty and not value.strip():
        raise LabrigError(f"{where} is an empty text", where=where, expected="a name")
    return value


def number(value: Any, where: str, low: float = -GREATEST, high: float = GREATEST) -> float:
    """Return a finite number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        expected = "a finite number" if high == GREATEST else f"a number from {low:g} to {high:g}"
        if (low, high) == (0, GREATEST):
            expected = "a number, not negative"
        raise LabrigError(f"{where} is {_shown(value)}", where=where, expected=expected)
    return float(value) if abs(value) >= LEAST else 0.0


def numbers(value: Any, where: str, *, null: bool = True, all_null: bool = False) -> Numbers:
    """Return a list of finite numbers as an array, NaN where it has null; not all are unless `all_null`."""
    listed = rows(value, where)
    missing = 0
    for place, entry in enumerate(listed):
        if entry is None and null:
            missing += 1
        else:
            number(entry, f"{where}[{place}]")
    array = np.array(listed, dtype=np.float64)
    array[np.abs(array) < LEAST] = 0
    if missing == len(listed) and not all_null:
        raise nothing(where)
    return array


def nothing(where: str) -> LabrigError:
    """Return the refusal of numbers that are all null."""
    return LabrigError(f"{where} has no value: all are null", where=where, expected="at least one number")


def mapping(value: Any, where: str, least: int, most: int) -> dict[str, Any]:
    """Return an object with texts as keys, at least `least` and at most `most` of them."""
    if not isinstance(value, dict):
        raise LabrigError(f"{where} is {_shown(value)}", where=where, expected="an object")
    rows(list(value), where, least, most)
    return {text(key, f"a key of {where}"): each for key, each in value.items()}


def points(count: int) -> None:
    """Refuse a picture of more points than can be drawn in a bounded time."""
    if count > MAX_NUMBERS:
        raise LabrigError(
            f"The picture would have {count} points",
            expected=f"at most {MAX_NUMBERS}",
            try_="draw less at a time, or every n-th state",
            code="limit",
        )


def flag(value: Any, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise LabrigError(f"{where} is {_shown(value)}", where=where, expected="true or false")
    return value


@dataclass(frozen=True)
class Heading:
    """What stands above and below a picture; empty texts for nothing."""

    title: str
    source: str
    notes: tuple[str, ...]


def heading(data: dict[str, Any]) -> Heading:
    """Read the fields of `HEADING`."""
    notes = rows(data.get("notes", []), "notes", 0, 20)
    return Heading(
        text(data.get("title", ""), "title", empty=True),
        text(data.get("source", ""), "source", empty=True),
        tuple(text(note, f"notes[{place}]") for place, note in enumerate(notes)),
    )


def same_length(count: int, where: str, expected: int, as_in: str) -> None:
    """Refuse two lists that belong together and differ in length."""
    if count != expected:
        raise LabrigError(
            f"{where} has {count} values and {as_in} has {expected}",
            where=where,
            expected=f"{expected} values",
        )


def _shown(value: Any) -> str:
    """Return a value as JSON would name it, short."""
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > 10**20:
        return "a number of more than 20 digits"
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
