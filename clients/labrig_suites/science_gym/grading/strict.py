"""Strict: the answer as a person reads it, and nothing for an answer that says two things."""

from __future__ import annotations

import re
from fractions import Fraction

from labrig_suites.science_gym.grading.abstaining import abstains
from labrig_suites.science_gym.grading.choices import chosen, plain
from labrig_suites.science_gym.grading.company import alone
from labrig_suites.science_gym.grading.literal import Reading
from labrig_suites.science_gym.grading.one_number import numbers
from labrig_suites.science_gym.question import NOT_POSSIBLE, Expected

LONGEST = 20_000
"""Characters of an answer that is read; no abstract is as long."""
MOST_SHOWN = 5
NOISE = Fraction(1, 10**12)
"""Where zero is true: what floating-point sums leave of it."""
_LABEL = re.compile(r"(?:the )?(?:project )?(?:title|abstract|answer)(?: is)?\W+")


def read(expected: Expected, parts: list[str] | None, question: str = "") -> Reading:
    """Grade the parts of an answer to a question, given as its words."""
    if not parts or sum(map(len, parts)) > LONGEST:
        return Reading(False, False, "")
    if abstains(parts, expected.choices):
        return Reading(expected.kind == "impossible", True, NOT_POSSIBLE)
    if expected.kind == "choice":
        found = chosen(parts, expected.choices)
        return Reading(found == {expected.value}, False, found.pop() if len(found) == 1 else "")
    if expected.kind == "text":
        text = plain(", ".join(parts))
        return Reading(plain(expected.value) in (text, plain(_LABEL.sub("", text, count=1))), False, text)
    answer = ", ".join(parts)
    said = (
        alone(answer, question) if expected.kind == "number" else numbers(answer)
    )  # two that are both right are the rounded and the exact one
    right = bool(said) and all(_is_right(expected, each) for each in said)
    return Reading(right, False, ", ".join(map(_shown, said[:MOST_SHOWN])))


def band(truth: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest number that are right to a number of significant digits.

    They lie half a unit of the last of these digits from the truth: so the truth rounded is right, and no other number
    of as many digits. A zero has no significant digit: it must be zero but for floating-point noise.

    >>> low, high = band(Fraction("-1.73"), 2)
    >>> float(low), float(high)
    (-1.78, -1.68)
    """
    error = Fraction(10) ** (power_of_ten(truth) - digits + 1) / 2 if truth else NOISE
    return truth - error, truth + error


def power_of_ten(number: Fraction) -> int:
    """Return the power of ten of the first significant digit of a number that is not zero.

    >>> [power_of_ten(Fraction(each)) for each in ("9.99", "-10", "0.1", "0.00999")]
    [0, 1, -1, -3]
    """
    size = abs(number)
    power = len(str(size.numerator)) - len(str(size.denominator))
    return power if size >= Fraction(10) ** power else power - 1


def _is_right(expected: Expected, number: Fraction) -> bool:
    if expected.kind == "integer":
        return number == Fraction(expected.value)
    if expected.kind != "number":
        return False
    low, high = band(Fraction(expected.value), expected.digits)
    return low <= number <= high


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.15g}"
