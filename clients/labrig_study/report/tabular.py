"""A table's values as text, column by column: numbers of a column have the same number of decimals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.suite import Table
from labrig_study.report.prose import readable

DECIMALS = 3
"""Most decimals of a number in a table; a suite that rounds harder is followed."""


@dataclass(frozen=True)
class Column:
    """A column: its heading, its cells, and whether it is set like numbers."""

    name: str
    cells: tuple[str, ...]
    numeric: bool


def columns(table: Table) -> list[Column]:
    """Return the columns of a table; a row that is too short is filled up with nothing."""
    made = []
    for index, name in enumerate(table.columns):
        values = [row[index] if index < len(row) else "" for row in table.rows]
        numeric = bool(values) and all(_is_numeric(value) for value in values)
        made.append(Column(readable(name), cells(values), numeric))
    return made


def cells(values: Sequence[Any]) -> tuple[str, ...]:
    """Return a column's values as text."""
    floats = [value for value in values if isinstance(value, float)]
    decimals = min(DECIMALS, max((_count_decimals(value) for value in floats), default=0))
    return tuple(_show_cell(value, decimals) for value in values)


def _show_cell(value: Any, decimals: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        large_or_tiny = value != 0 and not 10.0**-decimals <= abs(value) < 1e6
        return f"{value:.{DECIMALS}g}" if large_or_tiny else f"{value:.{decimals}f}"
    return readable(str(value))


def _count_decimals(value: float) -> int:
    """Return how many decimals a number was given with."""
    digits, _, exponent = repr(value).partition("e")
    return DECIMALS if exponent else len(digits.partition(".")[2].rstrip("0")) or 1


def _is_numeric(value: Any) -> bool:
    """Say whether a value is set like a number: a number, nothing, or text that begins with one."""
    return value is None or isinstance(value, int | float) or (isinstance(value, str) and value[:1].isdigit())
