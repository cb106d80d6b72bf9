"""Arguments of a call by their types: options of a tool are any JSON, and each refusal names the argument."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields


def text_of(call: Call, name: str, default: str = "") -> str:
    """Return a text."""
    return _asked(call).text(name, default, most=None)


def number_of(
    call: Call, name: str, default: float | None = None, *, low: float = -math.inf, high: float = math.inf
) -> float | None:
    """Return a finite number from `low` to `high`, or the default where none is given."""
    asked = _asked(call)
    return asked.number(name, low, high) if asked.has(name) else default


def count_of(call: Call, name: str, default: int, *, high: int) -> int:
    """Return a whole number from 1 to `high`."""
    return _asked(call).whole(name, 1, high, "", default)


def flag_of(call: Call, name: str, default: bool = False) -> bool:
    """Return true or false."""
    return _asked(call).yes(name, default)


def mapping_of(call: Call, name: str) -> dict[str, Any]:
    """Return an object; empty where none is given."""
    return _asked(call).fields(name, {}).raw()


def list_of(call: Call, name: str, kind: type | tuple[type, ...], what: str) -> list[Any]:
    """Return a list of values of one kind; empty where none is given."""
    value = call.argument(name, [])
    several = isinstance(value, Sequence) and not isinstance(value, str)
    for each in value if several else [value]:
        if not several or not isinstance(each, kind) or (isinstance(each, bool) and kind is not bool):
            raise LabrigError(f"{name} is {each!r:.80}", where=name, expected=f"a list of {what}")
    return list(value)


def numbers_of(call: Call, name: str) -> dict[str, float] | None:
    """Return numbers by name, or None where none are given."""
    asked = _asked(call)
    if not asked.has(name):
        return None
    given = asked.fields(name)
    return {key: given.number(key) for key in given.raw()}


def given(call: Call, name: str) -> Any:
    """Return an argument that must be given."""
    return _asked(call).any(name)


def _asked(call: Call) -> Fields:
    return Fields(call.arguments)
