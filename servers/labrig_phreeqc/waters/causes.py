"""Why two databases give one water two saturation indices: redox partition, complexes, activity model, log K.

A saturation index is ``SI = sum(nu log10 a) - log K`` over the species of one dissolution reaction, here the first
database's, so that log K means the same in all. Each activity is ``a = gamma m``, and the free molality ``m`` is what
complexes leave of a redox state, which is what pe leaves of an element. So, exactly,

``SI = redox + complexes + activity - log K``

with ``redox = sum(nu log10(state / element))``, ``activity = sum(nu log10 gamma)`` (with water, H+ and e- by their
activities), and ``complexes`` the rest: ``sum(nu log10(m / state))``, and what the databases make of a measured
alkalinity.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labrig_phreeqc.database.catalogue import Phase
from labrig_phreeqc.database.formulas import formula_weight, without_charge
from labrig_phreeqc.database.valences import terms

_ELEMENT = re.compile(r"\[[^\]]+\]|[A-Z][a-z_]*")
_NO_SOLUTES = frozenset({"H2O", "H+", "H3O+", "e-"})
_ABSENT = -90.0
"""PHREEQC gives -99.99 for the logarithm of what is not there."""


WORDS = {"redox": "redox partition", "complexes": "complexes", "activity": "activity model", "log_k": "log K"}
_HINTS = {
    WORDS[
        "redox"
    ]: "they divide an element among its redox states otherwise: amounts by redox state would end that",
    WORDS[
        "log_k"
    ]: "{phase} may be another solid in one of them (order, crystallinity), or its constant disputed",
}

DISAGREEMENT = 0.5
"""Difference of saturation indices of one water between databases from which it is pointed out."""


@dataclass(frozen=True)
class Causes:
    """The parts of a saturation index, log10; their sum, with log K taken off, is the index.

    Attributes
    ----------
    redox, complexes, activity, log_k
        See the module.
    """

    redox: float
    complexes: float
    activity: float
    log_k: float

    def terms(self) -> dict[str, float]:
        """Return the parts by their words, as terms whose sum is the index."""
        return {word: -self.log_k if name == "log_k" else getattr(self, name) for name, word in WORDS.items()}


@dataclass(frozen=True)
class Probe:
    """What to ask PHREEQC of each water for the parts of one index.

    Attributes
    ----------
    solutes
        Species of the reaction with their coefficients, and the redox state of each, or "".
    others
        Water, H+ and e- with their coefficients.
    """

    solutes: Mapping[str, tuple[float, str]]
    others: Mapping[str, float]

    def expressions(self) -> list[str]:
        """Return functions of PHREEQC's Basic."""
        asked = [f'LA("{name}")' for name in (*self.solutes, *self.others)]
        for name, (_, state) in self.solutes.items():
            asked.append(f'LM("{name}")')
            if state:
                asked += [f'TOT("{state}")', f'TOT("{state.partition("(")[0]}")']
        return asked

    def parts(self, index: float, told: Mapping[str, float]) -> Causes | None:
        """Return the parts of an index, from the values of `expressions`; None where a species is not there."""
        redox = activity = product = 0.0
        for name, (size, state) in self.solutes.items():
            log_a, log_m = told[f'LA("{name}")'], told[f'LM("{name}")']
            if min(log_a, log_m) < _ABSENT:
                return None
            product += size * log_a
            activity += size * (log_a - log_m)
            if state:
                part, whole = told[f'TOT("{state}")'], told[f'TOT("{state.partition("(")[0]}")']
                redox += size * math.log10(part / whole) if part > 0 and whole > 0 else 0.0
        for name, size in self.others.items():
            product += size * told[f'LA("{name}")']
            activity += size * told[f'LA("{name}")']
        return Causes(redox, product - activity - redox, activity, product - index)


def probe(phase: Phase) -> Probe:
    """Return what to ask for a phase, by the reaction that its database states."""
    left, _, right = phase.equation.partition("=")
    sizes: dict[str, float] = {}
    for name, size in [*terms(right), *((name, -size) for name, size in terms(left)[1:])]:
        sizes[name] = sizes.get(name, 0.0) + size
    solutes = {name: (size, _state(name)) for name, size in sizes.items() if size and name not in _NO_SOLUTES}
    return Probe(solutes, {name: size for name, size in sizes.items() if name in _NO_SOLUTES})


def _state(species: str) -> str:
    """Return the redox state of the one element of a species beside H and O, as PHREEQC names it: ``Fe(2)`` of Fe+2."""
    formula = without_charge(species)
    charge = species[len(formula) :]
    sign = {"+": 1, "-": -1}.get(charge[:1], 0)
    size = sign * float(charge[1:] or 1) if sign else 0.0
    elements = set(_ELEMENT.findall(formula)) - {"H", "O"}
    if len(elements) != 1:
        return ""
    element = elements.pop()
    atoms = {each: _atoms(formula, each) for each in (element, "H", "O")}
    if not atoms[element]:
        return ""
    state = (size + 2 * atoms["O"] - atoms["H"]) / atoms[element]
    return f"{element}({state:g})"


def _atoms(formula: str, element: str) -> float:
    weights = {each: float(each == element) for each in _ELEMENT.findall(formula)}
    return formula_weight(formula, weights) or 0.0


def divide(parts: Sequence[Causes]) -> dict[str, float]:
    """Divide the variance between databases among the causes: covariance of each with the index, over its variance.

    The shares sum to 1. One is negative where its cause draws the databases together while others draw them apart.
    """
    added = {word: np.array([part.terms()[word] for part in parts]) for word in WORDS.values()}
    index = np.sum(list(added.values()), axis=0)
    spread = float(np.var(index)) if len(parts) > 1 else 0.0
    if spread == 0:
        return {}
    return {
        word: float(np.mean((each - each.mean()) * (index - index.mean()))) / spread
        for word, each in added.items()
    }


def disagreement(nominal: Mapping[str, float], parts: Mapping[str, Causes], phase: str) -> list[str]:
    """Say how far apart databases are, and what of it the redox partition, complexes, activity model and log K make."""
    least, most = min(nominal, key=nominal.__getitem__), max(nominal, key=nominal.__getitem__)
    if nominal[most] - nominal[least] < DISAGREEMENT:
        return []
    said = f"{least} and {most} differ by {nominal[most] - nominal[least]:.2f}"
    if least not in parts or most not in parts:
        return [f"{said} in the index of {phase}"]
    added = {word: each - parts[least].terms()[word] for word, each in parts[most].terms().items()}
    added = dict(sorted(added.items(), key=lambda item: -abs(item[1])))
    of = ", ".join(f"{name} {each:+.2f}" for name, each in added.items() if abs(each) >= 0.005)
    hints = [hint for name, hint in _HINTS.items() if added[name] >= DISAGREEMENT / 2]
    return ["; ".join([f"{said}: {of}", *(hint.format(phase=phase) for hint in hints)])]
