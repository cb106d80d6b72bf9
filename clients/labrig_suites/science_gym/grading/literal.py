"""Compat: appendix A.8 of the paper, read literally.

Where its text leaves a choice the plainest reading is taken under which the truth itself, written plainly, is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from labrig_suites.science_gym.question import NOT_POSSIBLE, Expected

_LONGEST = 4000
"""Digits that are cast: Python refuses integers of more than 4300."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a grader made of an answer."""

    right: bool
    abstains: bool
    reads: str


def read(expected: Expected, text: str) -> Reading:
    """Grade the text of an answer."""
    lower = text.lower()
    abstains = NOT_POSSIBLE in lower
    if expected.kind == "integer":
        integer = whole_number(text)
        return Reading(integer == int(expected.value), abstains, "" if integer is None else str(integer))
    if expected.kind == "number":
        number = decimal_number(text)
        right = number is not None and same_digits(number, float(expected.value), expected.digits - 1)
        return Reading(right, abstains, "" if number is None else repr(number))
    if expected.kind == "choice":
        return Reading(_chosen(expected, lower), abstains, text)
    # "not possible", title, abstract: A.8 has no rule of its own; that of choices is taken, which is to contain it.
    return Reading(expected.value.lower() in lower, abstains, text)


def whole_number(text: str) -> int | None:
    """Return what Python's `int` makes of a text, else of its first run of digits.

    >>> (
    ...     whole_number("12.7"),
    ...     whole_number("-3"),
    ...     whole_number("-3 rows"),
    ...     whole_number("1_000"),
    ...     whole_number("none"),
    ... )
    (12, -3, 3, 1000, None)
    """
    for candidate in (text, _first("[0-9]+", text)):
        try:
            return int(candidate) if len(candidate) <= _LONGEST else None
        except ValueError:
            continue
    return None


def decimal_number(text: str) -> float | None:
    """Return what Python's `float` makes of a text, else of its first run of digits and points.

    >>> (
    ...     decimal_number("-3.2"),
    ...     decimal_number("-3.2 mg"),
    ...     decimal_number("p < .05, r = 0.83"),
    ...     decimal_number("1.2.3"),
    ... )
    (-3.2, 3.2, 0.05, None)
    """
    for candidate in (text, _first("[0-9.]+", text)):
        try:
            return float(candidate) if len(candidate) <= _LONGEST else None
        except ValueError:
            continue
    return None


def same_digits(first: float, second: float, digits: int) -> bool:
    """Return whether two numbers are equal once both are rounded to a number of significant digits.

    >>> same_digits(1.235, 1.234, 2), same_digits(9.96, 10.0, 2), same_digits(1.251, 1.249, 2)
    (True, True, False)
    >>> same_digits(float("nan"), 1.2, 2), same_digits(float("inf"), 1.2, 2)
    (False, False)
    """
    form = f".{digits - 1}e"
    return float(format(first, form)) == float(format(second, form))


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[0] if found else ""


def _chosen(expected: Expected, lower: str) -> bool:
    """Return whether a text contains the right choice and no other.

    "not possible" is one of the others: the paper counts yes, no and not possible as three classes (section 5). A
    choice that is part of the right one is none of them ("json" in "jsonl"), else no answer could be right.
    """
    right = expected.value.lower()
    others = {each.lower() for each in (*expected.choices, NOT_POSSIBLE)}
    return right in lower and not any(each in lower for each in others if each not in right)
