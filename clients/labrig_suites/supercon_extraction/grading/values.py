"""One value as it is printed: a number or a range, its qualifier and its unit.

What holds more than one value is no value: "36.9 K and 37.8 K" and a list of 400 numbers say nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.text import bare as plain_text
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.grading.units import BARE, NO_UNIT, Unit, read_unit, to_si

MOST_CHARS = 120
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)"
_POWER = r"(?:\s?[×x*·]\s?10\s?\^?\s?\{?\s?(?P<power>[+-]?\d{1,3})\s?\}?|[eE](?P<e>[+-]?\d{1,3}))"
_SPREAD = rf"(?:\s?\(\d+(?:\.\d+)?\)|\s?(?:±|\+/-)\s?{_DIGITS})?"
_ONE = re.compile(rf"(?P<sign>[+-])?\s?(?P<digits>{_DIGITS}){_SPREAD}\s?{_POWER}?(?![\d.])")
_BARE_POWER = re.compile(r"(?P<sign>[+-])?\s?10\s?\^\s?\{?\s?(?P<bare>[+-]?\d{1,3})\s?\}?")
_QUALIFIER = re.compile(
    r"(?:(?P<about>~|ca\.|about|around|approximately|approx\.?)|(?P<below><=|≤|<|below|less than|up to)"
    r"|(?P<above>>=|≥|>|above|more than)|=)\s*",
    re.IGNORECASE,
)
_COMMON = re.compile(
    rf"\((?P<low>{_DIGITS})\s?(?:-|to)\s?(?P<high>{_DIGITS})\)(?P<power>\s?[×x*·]\s?10\s?\^?\s?\{{?\s?[+-]?\d{{1,3}}\s?\}}?)"
)
"""A range with one exponent for both ends: (1.2-1.5) × 10^{-4}."""
_TO = re.compile(r"\s?(?:-|to|\.\.)\s?")


@dataclass(frozen=True)
class Value:
    """A value as printed.

    Attributes
    ----------
    numbers
        One, or the two ends of a range.
    qualifier
        ``=``, ``~``, ``<`` or ``>``.
    unit
        None where it is unknown.
    written
        The text of the unit.
    """

    numbers: tuple[float, ...]
    qualifier: str
    unit: Unit | None
    written: str


@lru_cache(maxsize=4096)
def read_value(text: str) -> Value | None:
    """Return the value that a text is, None where it is not one value."""
    plain = _COMMON.sub(r"\g<low>\g<power>-\g<high>\g<power>", signs(text).strip())
    if not plain or len(plain) > MOST_CHARS:
        return None
    qualifier, at = "=", 0
    if found := _QUALIFIER.match(plain):
        qualifier = "~" if found["about"] else "<" if found["below"] else ">" if found["above"] else "="
        at = found.end()
    first = _BARE_POWER.match(plain, at) or _ONE.match(plain, at)
    if first is None:
        return None
    numbers, at = [_number(first)], first.end()
    if (dash := _TO.match(plain, at)) and (second := _ONE.match(plain, dash.end())) and not second["sign"]:
        numbers.append(_number(second))
        at = second.end()
    written = plain[at:].strip()
    if not all(map(math.isfinite, numbers)):
        return None
    unit = read_unit(written)
    if unit is None and re.search(r"\d.*[\s,;]\d|,|;|\band\b|\bor\b", written):
        return None
    return Value(tuple(numbers), qualifier, unit, written)


def _number(found: re.Match[str]) -> float:
    if "bare" in found.re.groupindex:
        return float(f"{found['sign'] or ''}1e{found['bare']}")
    mantissa = f"{found['sign'] or ''}{found['digits'].replace(',', '')}"
    return float(f"{mantissa}e{found['power'] or found['e'] or 0}")


def equal(said: Value, true: Value, rel_tol: float) -> bool:
    """Tell whether a value is another one in SI: both ends of a range, and the same direction of a bound.

    Where neither unit can be read, they must be the same text.

    Parameters
    ----------
    rel_tol
        Of the true value: 0.001 in the paper. A true zero needs zero.
    """
    if len(said.numbers) != len(true.numbers) or said.qualifier != true.qualifier:
        return False
    if said.unit is None and true.unit is None and plain_text(said.written) == plain_text(true.written):
        said, true = replace(said, unit=NO_UNIT), replace(true, unit=NO_UNIT)
    if said.unit is None or true.unit is None:
        return False
    for one, other in zip(said.numbers, true.numbers, strict=True):
        wanted = to_si(other, true.unit, true.unit.dimension)
        given = to_si(one, said.unit, true.unit.dimension)
        if given is None or wanted is None or abs(given - wanted) > rel_tol * abs(wanted) * (1 + 1e-9):
            return False
    return True


def with_unit(text: str, unit: str, read: Callable[[str], Unit | None] = read_unit) -> Value | None:
    """Return a value whose unit may stand beside it in a field of its own; None where both stand and differ."""
    value = read_value(text)
    if value is None:
        return None
    if not value.written:
        return Value(value.numbers, value.qualifier, read(unit.strip()), unit.strip())
    value, beside = replace(value, unit=read(value.written)), read(unit.strip())
    if not unit.strip() or beside is None:
        return value
    same = value.unit is not None and value.unit.dimension == beside.dimension
    close = same and value.unit is not None and math.isclose(value.unit.factor, beside.factor, rel_tol=1e-9)
    return value if close else None


def bare(value: Value) -> bool:
    """Tell whether a value has no dimension."""
    return value.unit is not None and value.unit.dimension == BARE
