"""Numbers and units as the published scorer reads them: each number of a text, with the letters that follow it.

A prediction is right where any of its numbers is the first of the truth within 0.1 %. Both are converted where its
table has a factor for both units; else the bare numbers are compared, whatever their units.
"""

from __future__ import annotations

import re
from functools import lru_cache

from labrig_suites.supercon_extraction.published.units import factors

TOLERANCE = 0.001
"""Of the truth; a true zero needs zero."""
MOST_CHARS = 4_000
MOST_POWER = 308
"""Of ten; a larger one is no power to the published scorer either."""
_SIGNS = str.maketrans("‐‑‒–—−⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻δΔ", "------0123456789+-dd")
_UNIT = r"\s*(?P<unit>[a-zA-Z0-9/°%.]+)?"
# Digits are never given back: a run of 4,000 of them would be tried in every way it can be cut.
_SCIENTIFIC = re.compile(
    rf"(?P<base>(?:[-+]|(?<!\d))(?:\d++(?:\.\d++)?|\.\d++))\s*(?:[x×]\s*10(?:\s*\^)?|e)\s*(?P<power>[-+]?\d+){_UNIT}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"(?P<number>[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?){_UNIT}")


@lru_cache(maxsize=4096)
def candidates(text: str) -> tuple[tuple[float, str], ...]:
    """Return numbers with their units (empty for none): those with a power of ten first, then the others.

    >>> candidates("4.5 T (45 kOe)")
    ((4.5, 'T'), (45.0, 'kOe'))
    """
    plain = re.sub(r"\(\d+\)", "", text[:MOST_CHARS].translate(_SIGNS).strip())
    found, taken = [], []
    for each in _SCIENTIFIC.finditer(plain):
        if float(each["power"]) <= MOST_POWER:
            found.append((float(f"{each['base']}e{each['power']}"), each["unit"] or ""))
            taken.append(each.span())
    for each in _PLAIN.finditer(plain):
        if all(each.end() <= start or end <= each.start() for start, end in taken):
            found.append((float(each["number"]), each["unit"] or ""))
    return tuple(found)


def same_number(said: str, true: str) -> bool:
    """Tell whether the published scorer takes one text for another."""
    wanted = candidates(true)
    return bool(wanted) and any(_close(*each, *wanted[0]) for each in candidates(said))


def _close(said: float, said_unit: str, true: float, true_unit: str) -> bool:
    one, other = factors().get(said_unit), factors().get(true_unit)
    if said_unit != true_unit and one is not None and other is not None:
        said, true = said * one, true * other
    return said == 0 if true == 0 else abs(said - true) / abs(true) <= TOLERANCE
