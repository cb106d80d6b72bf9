"""How a quantity is written in an option, and how far apart options are.

A quantity is named as in ``stems.toml``: ``pH`` and ``SI`` stand before the number, which has two decimals; any other
name is a unit and stands after a number of four significant digits.
"""

from __future__ import annotations

from labrig_suites.common.numbers import significant, two_decimals

NAMES = ("pH", "SI")
APART, PART_APART = 0.05, 0.03
"""The smallest distance of two options: of pH and SI, and of values with a unit as a part of the larger one."""


def shown(quantity: str, value: float) -> str:
    """Return the text of an option."""
    if quantity in NAMES:
        return f"{quantity} {two_decimals(value)}"
    return f"{significant(value)} {quantity}"


def differ(quantity: str, first: float, second: float) -> bool:
    """Return whether two values are far enough apart to be options of one question."""
    least = APART if quantity in NAMES else PART_APART * max(abs(first), abs(second))
    return abs(first - second) >= least
