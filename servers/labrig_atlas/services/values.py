"""Reading the JSON of a service: each value is taken with its type; what is missing or odd is named with its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from labrig.errors import LabrigError

_ABSENT: Any = object()


class Value:
    """A part of an answer that knows where it stands.

    Parameters
    ----------
    raw
        What `json.loads` made.
    where
        The address it came from, without keys.
    path
        Where it stands in the answer: ``results[0].geometry``.

    Raises
    ------
    LabrigError
        From every method: ``unreachable`` where the service did not send what its documentation says.
    """

    __slots__ = ("path", "raw", "where")

    def __init__(self, raw: Any, where: str, path: str = "") -> None:
        self.raw, self.where, self.path = raw, where, path

    def odd(self, expected: str) -> LabrigError:
        """Return the error for a value that is not what was expected."""
        place = self.path or "its answer"
        sent = "nothing" if self.raw is _ABSENT else _shown(self.raw)
        return LabrigError(
            f"{urlsplit(self.where).netloc} sent {sent} as {place}",
            where=self.where,
            expected=expected,
            try_="the same call later; if it stays, the service has changed its answers",
            code="unreachable",
        )

    def __getitem__(self, key: str | int) -> Value:
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}".lstrip(".")
        if isinstance(key, int):
            there = isinstance(self.raw, list) and -len(self.raw) <= key < len(self.raw)
        else:
            there = isinstance(self.raw, dict) and key in self.raw
        return Value(self.raw[key] if there else _ABSENT, self.where, path)

    def __contains__(self, key: str) -> bool:
        """Tell whether a member is there and is not null."""
        return isinstance(self.raw, dict) and self.raw.get(key) is not None

    @property
    def count(self) -> int:
        """How many elements the list has."""
        return len(self.elements())

    def __iter__(self) -> Iterator[Value]:
        return (self[number] for number in range(self.count))

    @property
    def given(self) -> bool:
        """Whether there is a value, and not null."""
        return self.raw is not _ABSENT and self.raw is not None

    def each(self, key: str) -> list[Value]:
        """Return the elements of the list below a member, none where nothing is given."""
        return list(self[key]) if key in self else []

    def elements(self) -> list[Any]:
        """Return a list as it is."""
        if not isinstance(self.raw, list):
            raise self.odd("a list")
        return self.raw

    def members(self) -> dict[str, Any]:
        """Return an object as it is."""
        if not isinstance(self.raw, dict):
            raise self.odd("an object")
        return self.raw

    def text(self, default: str | None = None) -> str:
        """Return a text; `default` where nothing is given."""
        if default is not None and not self.given:
            return default
        if not isinstance(self.raw, str):
            raise self.odd("a text")
        return self.raw

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts, empty where nothing is given."""
        return tuple(each.text() for each in self) if self.given else ()

    def number(self) -> float:
        """Return a finite number; services write some of them as texts."""
        try:
            if isinstance(self.raw, bool) or not isinstance(self.raw, int | float | str):
                raise ValueError
            found = float(self.raw)
        except (ValueError, OverflowError):
            raise self.odd("a number") from None
        if not math.isfinite(found):
            raise self.odd("a number")
        return found

    def number_or_none(self) -> float | None:
        """Return a number, None where nothing is given."""
        return self.number() if self.given else None

    def whole(self) -> int:
        """Return a whole number."""
        found = self.number()
        if found != int(found):
            raise self.odd("a whole number")
        return int(found)

    def whole_or_none(self) -> int | None:
        """Return a whole number, None where nothing is given."""
        return self.whole() if self.given else None

    def latitude(self) -> float:
        """Return degrees from -90 to 90."""
        if abs(found := self.number()) > 90:
            raise self.odd("a latitude in degrees")
        return found

    def longitude(self) -> float:
        """Return degrees from -180 to 180."""
        if abs(found := self.number()) > 180:
            raise self.odd("a longitude in degrees")
        return found


def _shown(raw: Any) -> str:
    if isinstance(raw, dict | list):
        return f"{'an object' if isinstance(raw, dict) else 'a list'} of {len(raw)}"
    return repr(raw)[:80]
