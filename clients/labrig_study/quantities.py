"""Numbers with their units, as agents and results write them: read, found in a text, converted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.units import is_unit

_TIMES = r"(?:\s*(?:[x×*]|\\times|\\cdot|·)\s*10\s*(?:\^|\*\*)?\s*[({]?\s*(?P<exponent>[+-]?\d{1,4})\s*[)}]?)"
_NUMBER = re.compile(
    r"(?:about|approximately|approx\.?|ca\.?|[~≈=])?\s*"
    r"(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][+-]?\d{1,4})?|[+-]?\.\d+(?:[eE][+-]?\d{1,4})?)"
    rf"{_TIMES}?\s*(?P<unit>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_UNIT = re.compile(r"[A-Za-zµμΩ°%Å$][A-Za-z0-9µμΩ°%Å$ ·*/^().+-]{0,39}")
_LONGEST = 200
"""Characters of a number with its unit: more is a text in which a number occurs."""


def read_quantity(text: str) -> tuple[float, str] | None:
    """Return the number and the unit that a text is, or None for a text that is something else.

    >>> read_quantity("**1,250 mg/L**"), read_quantity("4.9 × 10⁻³"), read_quantity("7 or 8")
    ((1250.0, 'mg/L'), (0.0049, ''), None)
    """
    plain = text.strip().strip("*`$_ \n").translate(_RAISED)
    found = _NUMBER.fullmatch(plain) if len(plain) <= _LONGEST else None
    if found is None:
        return None
    unit = found["unit"].strip().removesuffix(".").strip()
    if (unit and not _UNIT.fullmatch(unit)) or re.search(r"\b(or|and|to)\b|\d\s+\d", unit):
        return None
    return float(
        found["number"].replace(",", "") + f"e{found['exponent'] or 0}" * ("e" not in found["number"].lower())
    ), unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes
    ----------
    place
        One unit in its last printed place.
    unit
        As printed behind it, empty where nothing there looks like one.
    start, end
        Where the number stands, its unit left out.
    """

    value: float
    place: float
    unit: str
    start: int
    end: int


_FOUND = re.compile(
    r"(?<![A-Za-z0-9.])(?P<sign>(?<![\w)\]])[-+])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)(?:[eE](?P<e>[-+]?\d{1,3}))?"
    rf"(?!\.?\d){_TIMES}?",
    re.ASCII,
)
_AFTER = re.compile(
    r"(?P<gap> ?)(?P<rest>[A-Za-zµμΩ°%‰Å][^\s,;:|)\]}\"'<>=]*(?: [^\s,;:|)\]}\"'<>=]{1,9}){0,2})"
)
_OFTEN = "in no a A at am pm AM PM count counts number ratio fraction ind min. sec "
_WORDS = frozenset(_OFTEN.split())
"""Units that are words more often."""
_NO_UNIT = re.compile(r"\d\d|[-/]$|\(|^[ap]\.m", re.IGNORECASE)
_OWED = re.compile(r"[-]\s?[$€£]$")


def find_quantities(text: str) -> Iterator[Quantity]:
    """Give the numbers of a text, in order; digits of names (H2O, v2, 1.2.3) are none.

    >>> [
    ...     (each.value, each.unit)
    ...     for each in find_quantities("Ca2+ is 12.5 mg/L, -3e2 m s-1, 2 in v1.2.3; 1.2 × 10⁻³ K")
    ... ]
    [(12.5, 'mg/L'), (-300.0, 'm s-1'), (2.0, ''), (0.0012, 'K')]
    """
    plain, past = text.translate(_RAISED), 0
    for found in _FOUND.finditer(plain):
        if found.start() < past:  # the power of a unit
            continue
        unit, after = "", _AFTER.match(plain, found.end())
        if after is not None:
            words = after["rest"].split(" ")
            for many in range(len(words), 0, -1):
                said = " ".join(words[:many]).rstrip(".*_")
                if _WORDS.isdisjoint(words[:many]) and not _NO_UNIT.search(said) and is_unit(said):
                    unit, past = said, after.start("rest") + len(said)
                    break
            if not unit and not after["gap"] and found["exponent"] is None:
                continue
        digits = found["digits"].replace(",", "")
        exponent = sum(int(each) for each in (found["e"], found["exponent"]) if each)
        if abs(exponent) > 300 or len(digits) > 300:
            continue
        sign = "-" if found["sign"] == "-" or _OWED.search(plain, 0, found.start()) else ""
        place = float(f"1e{exponent - len(digits.partition('.')[2])}")
        yield Quantity(
            float(f"{sign}{digits}e{exponent}"),
            place,
            unit,
            found.start(),
            found.start() + len(found[0].rstrip()),
        )


@lru_cache(maxsize=4096)
def scale(unit: str, wanted: str) -> tuple[float, float] | None:
    """Return the factor and the offset from one unit to another; None where there are none, or they are not known."""
    zero, one = convert(0.0, unit, wanted), convert(1.0, unit, wanted)
    return None if zero is None or one is None else (one - zero, zero)


@lru_cache(maxsize=4096)
def is_known(unit: str) -> bool:
    """Tell whether a unit can be converted to others at all."""
    try:
        _registry().Unit(_as_pint(unit))
    except Exception:  # as in `convert`
        return False
    return True


def convert(value: float, unit: str, wanted: str) -> float | None:
    """Return a value in another unit; None where the one is not the other's, or one of them is not known.

    >>> round(convert(4.9, "mg/L", "g/m3"), 6), convert(1.0, "mg/L", "mmol/L")
    (4.9, None)
    """
    if not unit or _fold(unit) == _fold(wanted):
        return value
    if not wanted:
        return None
    registry = _registry()
    try:
        return float(registry.Quantity(value, _as_pint(unit)).to(_as_pint(wanted)).magnitude)
    except Exception:  # pint raises errors of many kinds for what is no unit; each means the same here
        return None


def _fold(unit: str) -> str:
    return unit.replace(" ", "").replace("μ", "µ")


def _as_pint(unit: str) -> str:
    """Return a unit as pint reads it: ``kg m-2``, ``g/m3`` and ``g/m**3`` have their exponents marked."""
    unit = unit.replace("**", "^")
    if re.search(r"\d{3}", unit):
        raise ValueError(unit)
    marked = re.sub(r"([A-Za-zµμΩÅ])\^?(-?\d{1,2})", r"\1**\2", unit.replace("·", "*"))
    return re.sub(r"(?<=[\w)])\s+(?=[A-Za-zµμ(])", "*", marked)


@lru_cache(maxsize=1)
def _registry() -> Any:
    try:
        import pint
    except ImportError as error:
        raise LabrigError(
            "Units need pint", try_="pip install 'labrig[harness]'", code="unavailable"
        ) from error
    registry: Any = pint.UnitRegistry()
    registry.define("kgw = kilogram")  # kilogram of water, as geochemists write it
    registry.define("ha = hectare")  # else a hundred years
    return registry
