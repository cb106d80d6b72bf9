"""What every statistic asks of its input: numbers, all of them there, as many as they should be."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | Floats | NDArray[np.bool_]
Truths: TypeAlias = Sequence[bool] | NDArray[np.bool_]
Labels: TypeAlias = Sequence[Hashable]


def numbers(
    values: Numbers, name: str = "values", low: float | None = None, high: float | None = None
) -> Floats:
    """Return `values` as an array of one axis; a ValueError names the first that is missing or out of range."""
    try:
        raw = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be one row of numbers, not rows of different lengths") from None
    if raw.dtype.kind not in "biuf" and raw.size:
        odd = next((each for each in raw.flat if not isinstance(each, int | float)), raw.flat[0])
        raise ValueError(f"{name} must be numbers, not {odd!r}")
    array = raw.astype(np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one row of numbers, not an array of shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one number is needed")
    _refuse_first(~np.isfinite(array), array, name, "is not a finite number")
    if low is not None:
        _refuse_first(array < low, array, name, f"is below {low:g}")
    if high is not None:
        _refuse_first(array > high, array, name, f"is above {high:g}")
    return array


def truths(values: Truths, name: str) -> NDArray[np.bool_]:
    """Return `values` as booleans; 0 and 1 pass, any other number does not."""
    array = numbers(values, name)
    _refuse_first((array != 0) & (array != 1), array, name, "is neither true nor false")
    return array.astype(np.bool_)


def sums_within(groups: NDArray[np.intp], values: Floats) -> Floats:
    """Return the sum of `values` in each group, groups numbered from 0."""
    return np.bincount(groups, values).astype(np.float64)


def same_length(**rows: Sequence[object] | NDArray[np.generic]) -> None:
    """Raise a ValueError unless all rows have one length."""
    lengths = {name: len(row) for name, row in rows.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"one value per sample is needed on each side: {said}")


def numbered(labels: Labels, n: int, name: str = "clusters") -> NDArray[np.intp]:
    """Return labels as 0, 1, 2 ... in the order of their first occurrence."""
    if len(labels) != n:
        raise ValueError(f"{name} needs one label per sample: {len(labels)} labels, {n} samples")
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(label, len(places)) for label in labels], dtype=np.intp)


def share(value: float, name: str) -> float:
    """Return a number that lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {value}")
    return value


def whole(count: float, name: str) -> int:
    """Return a count, which must be a whole number of at least 0."""
    if not isinstance(count, int | float | np.integer) or not count >= 0 or count % 1:
        raise ValueError(f"{name} must be a whole number of at least 0, not {count}")
    return int(count)


def one_of(choice: str, choices: tuple[str, ...], name: str) -> None:
    """Raise a ValueError unless `choice` is among `choices`."""
    if choice not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {choice!r}")


def at_least(value: int, least: int, name: str) -> int:
    """Return a whole number that is large enough."""
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return value


def _refuse_first(bad: NDArray[np.bool_], array: Floats, name: str, why: str) -> None:
    if bad.any():
        place = int(np.argmax(bad))
        raise ValueError(f"{name}[{place}] = {array[place]:g} {why}")
