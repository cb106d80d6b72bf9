"""Arguments of a call with their types checked: options of a tool are any JSON, and each refusal names the argument."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.work.calls import Call


def text_of(call: Call, name: str, default: str = "") -> str:
    """Return a text."""
    value = call.argument(name, default)
    if not isinstance(value, str):
        raise _wrong(name, value, "a text")
    return value


def number_of(
    call: Call, name: str, default: float | None = None, *, low: float = -math.inf, high: float = math.inf
) -> float | None:
    """Return a finite number from `low` to `high`, or the default where none is given."""
    value = call.argument(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(name, value, "a number")
    if not low <= value <= high:
        bounds = f"from {low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"
        raise LabrigError(f"{name} is {value:g}", where=name, expected=f"a number {bounds}")
    return float(value)


def share_of(call: Call, name: str, usual: float) -> float:
    """Return a number from 0 to 1."""
    found = number_of(call, name, usual, low=0, high=1)
    assert found is not None
    return found


def count_of(call: Call, name: str, default: int, *, high: int) -> int:
    """Return a whole number from 1 to `high`."""
    value = call.argument(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= high:
        raise _wrong(name, value, f"a whole number from 1 to {high}")
    return value


def flag_of(call: Call, name: str, default: bool = False) -> bool:
    """Return true or false."""
    value = call.argument(name, default)
    if not isinstance(value, bool):
        raise _wrong(name, value, "true or false")
    return value


def mapping_of(call: Call, name: str) -> dict[str, Any]:
    """Return an object; empty where none is given."""
    value = call.argument(name, {})
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _wrong(name, value, "an object")
    return dict(value)


def list_of(call: Call, name: str, kind: type | tuple[type, ...], what: str) -> list[Any]:
    """Return a list of values of one kind; empty where none is given."""
    value = call.argument(name, [])
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong(name, value, f"a list of {what}")
    for each in value:
        if not isinstance(each, kind) or (isinstance(each, bool) and kind is not bool):
            raise _wrong(name, each, f"a list of {what}")
    return list(value)


def speeds_of(call: Call, name: str) -> dict[str, float] | None:
    """Return numbers by name, or None where none are given."""
    if call.argument(name) is None:
        return None
    found = mapping_of(call, name)
    for key, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(f"{name}, {key}", value, "a number")
    return {key: float(value) for key, value in found.items()}


def given(call: Call, name: str) -> Any:
    """Return an argument that must be given."""
    value = call.argument(name)
    if value is None:
        raise LabrigError(f"{name} is missing", where=name, expected=f"{name}=...")
    return value


def _wrong(name: str, value: Any, expected: str) -> LabrigError:
    shown = repr(value)
    return LabrigError(
        f"{name} is {shown if len(shown) < 80 else shown[:77] + '...'}", where=name, expected=expected
    )
