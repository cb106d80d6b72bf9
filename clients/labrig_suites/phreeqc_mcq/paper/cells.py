"""What stands in a cell beside `labrig_study.cells`: counts per item, thousands, quantiles, differences as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from labrig_harness.suite import Table
from labrig_study.cells import ratio, rounded
from labrig_study.statistics.bootstrap import Estimate
from labrig_study.statistics.checking import Numbers


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str, missing: str
) -> Table:
    """Return a table; without rows its note is `missing`: why there are none, and what to run."""
    made = tuple(tuple(row) for row in rows)
    return Table(title, tuple(columns), made, note.strip() if made else f"No rows: {missing}")


def per(total: float | None, n: int) -> int | None:
    """Return a total per item, as a whole number."""
    found = ratio(total, n)
    return None if found is None else round(found)


def thousands(total: float | None, n: float = 1) -> float | None:
    """Return total / n in thousands, one decimal; None where n is 0."""
    found = ratio(total, n)
    return None if found is None else rounded(found / 1000)


def millions(total: float | None) -> float | None:
    """Return a total in millions, two decimals."""
    return None if total is None else rounded(total / 1e6, 2)


def signed(values: Sequence[float], digits: int = 1) -> str:
    """Return differences as text, each with its sign.

    >>> signed([2.5, -0.04, 0.5])
    '+2.5, +0.0, +0.5'
    """
    return ", ".join(f"{round(value, digits) + 0.0:+.{digits}f}" for value in values)


def median(values: Numbers) -> float | None:
    """Return the median; None of nothing."""
    return quantile(values, 0.5)


def quantile(values: Numbers, share: float) -> float | None:
    """Return a quantile by linear interpolation between order statistics (NumPy's default); None of nothing."""
    return rounded(float(np.quantile(values, share))) if len(values) else None


def said(estimates: Iterable[Estimate | None]) -> str:
    """Return what estimates say of their own intervals, each thing once."""
    notes = dict.fromkeys(each.note for each in estimates if each is not None and each.note)
    return "".join(f" {note[0].upper()}{note[1:]}." for note in notes)
