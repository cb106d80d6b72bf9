"""Fields of what a caller gives (a JSON file, options, arguments): each has its type and range, or is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

from labrig.errors import LabrigError, unknown_name

MOST_BYTES = 1 << 20
MOST_VALUES, MOST_LISTS = 8_000_000, 1_000_000
"""Of a document, counted before it is parsed: the parser holds up all threads, and an empty list takes 64 bytes."""
LARGEST = 1e300
_ABSENT: Any = object()


def read_object(content: bytes, where: str, most_bytes: int = MOST_BYTES) -> Fields:
    """Read a JSON object from a file of at most so many bytes.

    Raises
    ------
    LabrigError
        For what is no JSON object.
    """
    try:
        if len(content) > most_bytes:
            raise ValueError(f"{len(content):,} bytes; at most {most_bytes:,} are read")
        for what, marks, most in (("values", b",", MOST_VALUES), ("lists and objects", b"[{", MOST_LISTS)):
            found = sum(map(content.count, (bytes([mark]) for mark in marks)))
            if found > most:
                raise ValueError(f"{found:,} {what}; at most {most:,} are read")
        read = json.loads(content.decode("utf-8-sig"))
        if not isinstance(read, dict):
            raise ValueError("no object in braces")
    except (ValueError, RecursionError) as error:
        raise LabrigError(f"This is no JSON object: {error}", where=where, expected="a JSON object") from None
    return Fields(read, where)


class Fields:
    """The fields of an object; those that nobody asked for are refused at the end (`require_all_known`)."""

    def __init__(self, fields: Mapping[str, Any], where: str = "") -> None:
        self._fields = fields
        self.where = where
        self._asked: set[str] = set()

    def has(self, name: str) -> bool:
        """Tell whether a field is there and not null."""
        self._asked.add(name)
        return self._fields.get(name) is not None

    def at(self, name: str) -> str:
        """Return where a field stands."""
        return f"{self.where}, {name}" if self.where else name

    def any(self, name: str, default: Any = _ABSENT) -> Any:
        """Return a field of any type."""
        if self.has(name):
            return self._fields[name]
        if default is _ABSENT:
            raise LabrigError(f"There is no {name}", where=self.at(name), expected=f"the field {name!r}")
        return default

    def number(
        self,
        name: str,
        least: float = -math.inf,
        most: float = math.inf,
        unit: str = "",
        default: Any = _ABSENT,
    ) -> float:
        """Return a finite number within its range."""
        return self._number(name, self.any(name, default), least, most, unit)

    def _number(self, name: str, value: Any, least: float, most: float, unit: str) -> float:
        """Return a value as a number; a whole one may be too large for a float, so its range is looked at first."""
        expected = f"{_range_of(least, most)} {unit}".strip()
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise LabrigError(f"{name} is no number: {value!r}"[:200], where=self.at(name), expected=expected)
        if not least <= value <= most or abs(value) > LARGEST:
            raise LabrigError(f"{name} is {value!s:.20}", where=self.at(name), expected=expected)
        return float(value)

    def numbers(
        self, name: str, least: float, most: float, unit: str, counts: tuple[int, int]
    ) -> list[float]:
        """Return a list of numbers within their range; `counts` are the fewest and most of them."""
        value = self.any(name)
        fewest, longest = counts
        if not isinstance(value, list) or not fewest <= len(value) <= longest:
            many = f"{fewest}" if fewest == longest else f"{fewest} to {longest}"
            raise LabrigError(
                f"{name} is no list of {many} numbers",
                where=self.at(name),
                expected=f"a list of {many} numbers, {least:g} to {most:g} {unit}",
            )
        return [
            self._number(f"{name}, number {place}", each, least, most, unit)
            for place, each in enumerate(value, 1)
        ]

    def whole(self, name: str, least: int, most: int, unit: str, default: Any = _ABSENT) -> int:
        """Return a whole number within its range."""
        value = self.number(name, least, most, unit, default)
        if value != int(value):
            raise LabrigError(f"{name} is {value:g}", where=self.at(name), expected="a whole number")
        return int(value)

    def text(self, name: str, default: Any = _ABSENT, most: int | None = 80) -> str:
        """Return a text of at most so many characters, of one line; of any, where `most` is None."""
        value = self.any(name, default)
        if isinstance(value, str) and (most is None or (len(value) <= most and value.isprintable())):
            return value
        short, expected = ("", "a text") if most is None else ("short ", f"at most {most} characters")
        raise LabrigError(
            f"{name} is no {short}text: {value!r}"[:200], where=self.at(name), expected=expected
        )

    def choice(self, name: str, known: Mapping[str, Any] | tuple[str, ...], default: Any = _ABSENT) -> str:
        """Return one of several texts."""
        value = self.text(name, default)
        if value not in known:
            raise unknown_name(name, value, known, where=self.at(name))
        return value

    def yes(self, name: str, default: bool = False) -> bool:
        """Return true or false."""
        value = self.any(name, default)
        if not isinstance(value, bool):
            raise LabrigError(f"{name} is {value!r}"[:200], where=self.at(name), expected="true or false")
        return value

    def day(self, name: str, default: Any = _ABSENT) -> date:
        """Return a date, given in ISO form."""
        value = self.any(name, default)
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            raise LabrigError(
                f"{name} is {value!r}"[:200], where=self.at(name), expected="a day such as 2020-05-01"
            ) from None

    def fields(self, name: str, default: Any = _ABSENT) -> Fields:
        """Return an object in this one."""
        value = self.any(name, default)
        if not isinstance(value, dict):
            raise LabrigError(f"{name} is no object", where=self.at(name), expected="a JSON object in braces")
        return Fields(value, self.at(name))

    def rows(self, name: str, most: int, default: Any = _ABSENT) -> list[Fields]:
        """Return a list of objects."""
        value = self.any(name, default)
        if (
            not isinstance(value, list)
            or len(value) > most
            or not all(isinstance(each, dict) for each in value)
        ):
            raise LabrigError(
                f"{name} is no list of objects", where=self.at(name), expected=f"at most {most} objects"
            )
        return [Fields(each, f"{self.at(name)} {number}") for number, each in enumerate(value, 1)]

    def raw(self) -> dict[str, Any]:
        """Return all fields as they are."""
        self._asked.update(self._fields)
        return dict(self._fields)

    def require_all_known(self) -> None:
        """Raise LabrigError for a field that nobody asked for, with the nearest name: it would have no effect."""
        for name in self._fields:
            if name not in self._asked:
                raise unknown_name("field", str(name), self._asked, where=self.where)


def _range_of(least: float, most: float) -> str:
    if math.isinf(most):
        return "a number" if math.isinf(least) else f"a number, at least {least:g}"
    return f"{least:g} to {most:g}"
