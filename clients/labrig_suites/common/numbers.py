"""Numbers as options and outputs show them."""

from __future__ import annotations


def significant(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits, plain where that is readable."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        exponent = int(f"{value:.{digits - 1}e}".partition("e")[2]) if value else 0
        return f"{value:.{max(0, digits - 1 - exponent)}f}"
    return f"{value:.{digits - 1}e}"


def two_decimals(value: float) -> str:
    """Return a pH or a saturation index with two decimals, never as ``-0.00``."""
    return f"{round(value, 2) + 0.0:.2f}"


def last_place(number: str) -> float:
    """Return the value of one unit in the last printed place of a number.

    >>> last_place("7.28"), last_place("1.898e-02"), last_place("42")
    (0.01, 1e-05, 1.0)
    """
    mantissa, _, exponent = number.lower().partition("e")
    return float(f"1e{int(exponent or 0) - len(mantissa.partition('.')[2])}")
