"""What stands in a cell of a table: shares in percent, differences in points, means; None of nothing, never a 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

NONE = "–"
"""An interval that cannot be computed."""


def rounded(value: float | None, digits: int = 1) -> float | None:
    """Return a rounded number, and never -0.0."""
    return None if value is None else round(value, digits) + 0.0


def ratio(part: float | None, whole: float | None) -> float | None:
    """Return part / whole; None where a side is not known or the whole is 0."""
    return None if part is None or not whole else part / whole


def percent(part: float | None, whole: float | None = 1, digits: int = 1) -> float | None:
    """Return a part in percent of the whole; None where a side is not known or the whole is 0.

    >>> percent(1, 8), percent(0.25), percent(0, 0), percent(None)
    (12.5, 25.0, None, None)
    """
    return None if part is None else rounded(ratio(100 * part, whole), digits)


def points(first: float | None, second: float | None) -> float | None:
    """Return first - second, two shares, in percentage points: of the shares themselves, not as rounded."""
    return None if first is None or second is None else rounded(100 * (first - second))


def bounds(interval: tuple[float, float] | None) -> str:
    """Return an interval of a share as text, in percent; a dash where there is none."""
    return NONE if interval is None else f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known; None of nothing."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def with_error(values: Sequence[float], digits: int = 2) -> str:
    """Return a mean with its standard error: ``26.1 ± 1.9``; the error of one value is not known, nothing is empty."""
    error = f" ± {stdev(values) / math.sqrt(len(values)):.{digits}f}" if len(values) > 1 else ""
    return f"{fmean(values):.{digits}f}{error}" if values else ""
