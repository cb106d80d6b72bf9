"""Names and formulas as PHREEQC writes them: weight, elements, charge, the first species of an equation."""

from __future__ import annotations

import re
from collections.abc import Mapping

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_CHARGE = re.compile(r"(?:\+\d+\.?\d*|-\d+\.?\d*|\++|-+)$")
_SPECIES = re.compile(r"[+-]?[\d.]*((?:\[[^\]]*\]|[^+\-=\[])+?(?:\+[\d.]*|-[\d.]*|\++|-+)?)(?=[+\-=]|$)")
_ELEMENT = re.compile(r"\[[^\]]+\]|[A-Z][a-z_]*")
_PART = re.compile(r"(\[[^\]]+\]|[A-Z][a-z_]*|\))(\d+\.?\d*|\.\d+)?|(\()")


def formula_weight(formula: str, weights: Mapping[str, float]) -> float | None:
    """Return the weight of a formula in g/mol, such as ``Ca0.5(CO3)0.5`` or ``CaSO4:2H2O``; a number is itself.

    Parameters
    ----------
    formula
        Elements, brackets, and parts joined by ``:``, each with a leading number.
    weights
        Weight of each element in g/mol.

    Returns
    -------
    float or None
        None where an element has no weight or the formula cannot be read.
    """
    try:
        return float(formula)
    except ValueError:
        pass
    total = 0.0
    for part in formula.split(":"):
        leading = NUMBER.match(part)
        weight = _weight(part[leading.end() :] if leading else part, weights)
        if weight is None:
            return None
        total += weight * (float(leading[1]) if leading else 1)
    return total if formula else None


def _weight(formula: str, weights: Mapping[str, float]) -> float | None:
    stack = [0.0]
    position = 0
    while position < len(formula):
        match = _PART.match(formula, position)
        if match is None:
            return None
        position = match.end()
        if match[3]:
            stack.append(0.0)
            continue
        if match[1] == ")":
            if len(stack) < 2:
                return None
            weight: float | None = stack.pop()
        else:
            weight = weights.get(match[1])
        if weight is None:
            return None
        stack[-1] += weight * float(match[2] or 1)
    return stack[0] if len(stack) == 1 else None


def leading_species(side: str) -> str:
    """Return the first species of one side of an equation, its coefficient left out."""
    squeezed = "".join(side.split())
    match = _SPECIES.match(squeezed)
    return match[1] if match else squeezed


def normal_charge(name: str) -> str:
    """Write a charge as PHREEQC does: ``SO4--`` as ``SO4-2``, ``Na+1`` as ``Na+``."""
    match = _CHARGE.search(name)
    if match is None:
        return name
    sign, size = match[0][0], match[0].lstrip("+-")
    value = float(size) if size else float(len(match[0]))
    return name[: match.start()] + (f"{sign}{value:g}" if value > 1 or value % 1 else sign if value else "")


def without_charge(name: str) -> str:
    """Return a species name without its charge: ``SO4`` of ``SO4-2``."""
    return _CHARGE.sub("", name)


def elements_of(formula: str) -> frozenset[str]:
    """Return the elements of a formula."""
    return frozenset(_ELEMENT.findall(formula))
