"""Compositions from fully resolved formulas, and how far two are apart."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.text import signs

MOST_CHARS = 200
TOLERANCE = 0.005
"""Largest difference of an amount, in atoms per formula unit of the truth: half of the last place of x = 0.15."""
SYMBOLS = frozenset(
    re.findall(
        r"\w+",
        "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb "
        "Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu "
        "Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm",
    )
)
_TOKEN = re.compile(r"([A-Z][a-z]?)|([(\[])|([)\]])|(\d+(?:\.\d+)?|\.\d+)")


@lru_cache(maxsize=4096)
def composition(text: str) -> Mapping[str, float] | None:
    """Return the amounts of a formula, None where it is not fully resolved: a variable, a name, a sign.

    >>> composition("(La_{0.925}Sr_{0.075})_{2}CuO_{4}")
    {'La': 1.85, 'Sr': 0.15, 'Cu': 1.0, 'O': 4.0}
    """
    plain = re.sub(r"[\s_{}^]", "", signs(text))
    if not plain or len(plain) > MOST_CHARS:
        return None
    stack: list[dict[str, float]] = [{}]
    last: dict[str, float] = {}
    at = 0
    while at < len(plain):
        token = _TOKEN.match(plain, at)
        if token is None:
            return None
        symbol, opened, closed, number = token.groups()
        at = token.end()
        if number:
            if not last:
                return None
            _merge(stack[-1], last, float(number))
            last = {}
            continue
        _merge(stack[-1], last, 1.0)
        last = {}
        if symbol:
            if symbol not in SYMBOLS:
                symbol, at = symbol[0], at - len(symbol) + 1
                if symbol not in SYMBOLS:
                    return None
            last = {symbol: 1.0}
        elif opened:
            stack.append({})
        elif closed:
            if len(stack) == 1:
                return None
            last = stack.pop()
    _merge(stack[-1], last, 1.0)
    amounts = {symbol: round(amount, 9) for symbol, amount in stack[0].items() if amount > 0}
    return amounts if amounts and len(stack) == 1 else None


def _merge(into: dict[str, float], amounts: Mapping[str, float], times: float) -> None:
    for symbol, amount in amounts.items():
        into[symbol] = into.get(symbol, 0.0) + times * amount


def same_material(said: str, true: str) -> bool:
    """Tell whether two formulas are of one composition, in any order and for any number of formula units.

    A truth that is no formula (a published label) asks for the same text.
    """
    wanted = composition(true)
    if wanted is None:
        return bool(true.strip()) and _plain(said) == _plain(true)
    given = composition(said)
    if given is None or set(given) != set(wanted):
        return False
    scale = statistics.median_low(given[each] / wanted[each] for each in wanted)
    return all(abs(given[each] / scale - wanted[each]) <= TOLERANCE + 1e-9 for each in wanted)


def _plain(text: str) -> str:
    return re.sub(r"[\s_{}^]", "", signs(text)).casefold()
