"""The four finish-line reductions: two to four whole numbers become one digit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labrig_suites.amazing_race.making.detours import digital_root


@dataclass(frozen=True)
class Reduction:
    """A reduction.

    Attributes
    ----------
    fewest, most
        Operands that it takes.
    expression
        Gives its expression of operands as text.
    combine, reduce
        The whole number that operands give, and the digit of it.
    combined, reduced
        Both in words.
    weight
        How often it is drawn: a product ends in 0 or an even digit more often than not, so few operands suit it.
    """

    name: str
    fewest: int
    most: int
    expression: Callable[[Sequence[int]], str]
    combine: Callable[[Sequence[int]], int]
    reduce: Callable[[int], int]
    combined: str
    reduced: str
    weight: int


def _plus(operands: Sequence[int]) -> str:
    return " + ".join(map(str, operands))


LAST_DIGIT = "its last digit"
REDUCTIONS = (
    Reduction(
        name="digital_root",
        fewest=2,
        most=4,
        expression=lambda operands: f"digital_root({_plus(operands)})",
        combine=sum,
        reduce=digital_root,
        combined="the sum of the results of clues {}",
        reduced="its digital root",
        weight=4,
    ),
    Reduction(
        name="mod10",
        fewest=2,
        most=4,
        expression=lambda operands: f"({_plus(operands)}) % 10",
        combine=sum,
        reduce=lambda number: number % 10,
        combined="the sum of the results of clues {}",
        reduced=LAST_DIGIT,
        weight=4,
    ),
    Reduction(
        name="abs_diff_mod10",
        fewest=2,
        most=2,
        expression=lambda operands: f"abs({operands[0]} - {operands[1]}) % 10",
        combine=lambda operands: abs(operands[0] - operands[1]),
        reduce=lambda number: number % 10,
        combined="the difference between the results of clues {}, without its sign",
        reduced=LAST_DIGIT,
        weight=3,
    ),
    Reduction(
        name="product_mod10",
        fewest=2,
        most=2,
        expression=lambda operands: f"({' * '.join(map(str, operands))}) % 10",
        combine=math.prod,
        reduce=lambda number: number % 10,
        combined="the product of the results of clues {}",
        reduced=LAST_DIGIT,
        weight=1,
    ),
)
