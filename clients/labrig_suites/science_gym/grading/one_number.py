"""The one number of a text, as a person reads it: sign, exponent, thousands separators, units after it."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction

LONGEST = 10_000
"""Characters of a text in which a number is looked for."""
_DIGITS = 300
"""Digits, and the largest power of ten, of a number that is read."""

_MINUS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\ufe63\uff0d", "-"))
_THIN = re.compile("(?<=[0-9])[\u00a0\u2007\u2009\u202f](?=[0-9]{3})")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_TEN = r"10\s?(?:\^|\*\*)\s?[({]*([-+]?[0-9]{1,4})[)}]*"
_TIMES_TEN = re.compile(rf"(?<=[0-9.])\s*(?:[x×*·⋅]|\\times|\\cdot)\s*{_TEN}", re.IGNORECASE)
_ONLY_TEN = re.compile(rf"(?<![\w.]){_TEN}")
_UNIT = re.compile(  # the numbers of units: 10^3/mL, 1/h, 1/1000 behind a number; mL/min/1.73m2
    r"(?<=[0-9])(?:\s+(?:in\s+)?|\s*[(\[])(?:10\^[-+]?[0-9]{1,2}(?![0-9.])|1/(?=[A-Za-z])|1/10+\b)"
    r"|(?<=[A-Za-z]/)[0-9]+(?:\.[0-9]+)?(?=\s?[A-Za-z])"
)
_FIGURES = re.compile(r"\b[1-9]\s*(?:s\.?\s?f\b|sig(?:nificant|\.)?\s(?:fig|digit))", re.IGNORECASE)
_BOUND = re.compile(r"(?:^|[\s(:])[<>≤≥]=?\s*[-+]?[0-9.]|±|\+/-")
_NUMBER = re.compile(
    r"""
    (?<![\w.^]) (?<![A-Za-z^]-)  # not the power of a unit (m2, m^2, m-2), not the end of 1.2.3
    (?P<sign> [-+] (?=[0-9.]))?
    (?P<digits> (?> [0-9]{1,3} (?: [,_' ] [0-9]{3} )+ (?![0-9]) (?: \.[0-9]+ )? | [0-9]+ (?: \.[0-9]* )? | \.[0-9]+ ))
    (?P<exponent> [eE] [-+]? [0-9]+ )? (?! \.?[0-9] )
    """,
    re.VERBOSE | re.ASCII,
)


def one_number(text: str) -> Fraction | None:
    """Return the number of a text; None where there is none, or two that differ, or only a bound (< 5).

    What follows a number is taken for its unit, the percent sign too. A fraction is two numbers. How many significant
    figures it has, in words behind it, is not a number.

    >>> [
    ...     str(one_number(each))
    ...     for each in ("-3.2 mg/L", "\u22123.2", "1,234 rows", "1.2e-1", "2 x 10^3", "0.32 (32e-2)")
    ... ]
    ['-16/5', '-16/5', '1234', '3/25', '2000', '8/25']
    >>> [
    ...     one_number(each)
    ...     for each in ("3/4", "12 of 40", "3.2 or 3.4", "3 ± 1", "< 5", "1.2.3", "twelve", "NaN")
    ... ]
    [None, None, None, None, None, None, None, None]
    """
    values = numbers(text)
    return values[0] if len(values) == 1 else None


def numbers(text: str) -> list[Fraction]:
    """Return the different numbers of a text, in order; none where one is only a bound, or too long to be a value."""
    if len(text) > LONGEST:
        return []
    clear = _FIGURES.sub(" ", _spelled(text))
    if _BOUND.search(clear):
        return []
    values = [_value(found) for found in _NUMBER.finditer(clear)]
    return [] if None in values else list(dict.fromkeys(each for each in values if each is not None))


def _spelled(text: str) -> str:
    """Return a text with one minus sign, powers as ``^`` and of ten as exponents, without numbers in units."""
    text = re.sub("\u2212\\s*|\\bminus\\s+(?=[0-9.])", "-", text).translate(_MINUS)
    text = _POWER.sub(lambda found: "^" + found[0].translate(_RAISED), _THIN.sub("_", text))
    text = unicodedata.normalize("NFKC", text)
    return _ONLY_TEN.sub(r"1e\1", _UNIT.sub(" ", _TIMES_TEN.sub(r"e\1", text)))


def _value(found: re.Match[str]) -> Fraction | None:
    """Return the value of a match; None where it is too long or too large to be a value of anything."""
    digits, exponent = re.sub("[,_' ]", "", found["digits"]), found["exponent"] or ""
    if len(digits) > _DIGITS or len(exponent) > 6:
        return None
    number = Decimal(f"{found['sign'] or ''}{digits}{exponent}")
    return Fraction(number) if abs(number.adjusted()) <= _DIGITS else None
