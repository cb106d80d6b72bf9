"""OrderScore: how alike two sequences of tool families are, as sets, as multisets and in their order (Eq. 6).

The paper says "overlap" and does not say of what. Here it is the F1 (``both``); the two other ways are options:

========= ==================================================
over      the common part is divided by
========= ==================================================
both      the mean of the two sizes
larger    the larger of the two
reference the size of the reference alone
========= ==================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from labrig_study.statistics.checking import one_of

Over = Literal["both", "larger", "reference"]


@dataclass(frozen=True)
class Order:
    """The three parts of the score, each in [0, 1], and their mean."""

    unique: float
    any_order: float
    same_order: float

    @property
    def score(self) -> float:
        """OrderScore."""
        return (self.unique + self.any_order + self.same_order) / 3


def order_score(predicted: Sequence[str], reference: Sequence[str], over: Over = "both") -> Order:
    """Return the parts of OrderScore for two sequences of families; all 1 where both are empty.

    Raises
    ------
    ValueError
        If `over` is none of the table at the head of this module.

    >>> order_score(["era5", "gis", "era5"], ["gis", "era5", "plot"])
    Order(unique=0.8, any_order=0.6666666666666666, same_order=0.6666666666666666)
    """
    one_of(over, get_args(Over), "over")
    mine, theirs = Counter(predicted), Counter(reference)
    return Order(
        _share(len(mine.keys() & theirs.keys()), len(mine), len(theirs), over),
        _share((mine & theirs).total(), len(predicted), len(reference), over),
        _share(longest_common(predicted, reference), len(predicted), len(reference), over),
    )


def longest_common(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for mine in first:
        corner = 0
        for column, theirs in enumerate(second, 1):
            above = row[column]
            row[column] = corner + 1 if mine == theirs else max(above, row[column - 1])
            corner = above
    return row[-1]


def _share(common: int, mine: int, theirs: int, over: Over) -> float:
    size = {"both": (mine + theirs) / 2, "larger": max(mine, theirs), "reference": theirs}[over]
    return common / size if size else float(not mine and not theirs)
