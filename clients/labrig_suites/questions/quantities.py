"""A number with its unit, as an agent writes it: read, and compared with the answer of a question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError

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
    """Return a unit as pint reads it: ``kg m-2`` and ``g/m3`` have their exponents marked."""
    if re.search(r"\d{3}|\*\*", unit):
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
    return registry
