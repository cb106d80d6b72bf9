"""Cells of tables: nothing is a dash in every suite, never a 0 that somebody could take for a result."""

from __future__ import annotations

import math

import pytest

from labrig_study import cells
from labrig_suites.common import grouped


@pytest.mark.parametrize("nothing", [(0, 0), (None,), (3, None), (None, 5)])
def test_a_percentage_of_nothing_is_none(nothing: tuple[float | None, ...]) -> None:
    assert cells.percent(*nothing) is None


def test_tables_of_all_suites_share_it() -> None:
    assert grouped.most_frequent_letter([]) is None
    assert cells.mean([]) is None and cells.mean([None, 2, 4]) == 3
    assert cells.points(None, 0.5) is None and cells.bounds(None) == cells.NONE


def test_a_cell_is_rounded_once_and_is_never_minus_zero() -> None:
    assert cells.percent(1, 3) == 33.3 and cells.percent(1, 3, 2) == 33.33 and cells.percent(0.5) == 50.0
    assert math.copysign(1, cells.points(0.1, 0.1000001) or 0.0) == 1
