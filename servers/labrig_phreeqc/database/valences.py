"""Which valence state of an element a pe favours, estimated from the reactions of a database without the engine."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from labrig.errors import LabrigError
from labrig_phreeqc.database.catalogue import Reaction, Species
from labrig_phreeqc.database.formulas import formula_weight, leading_species, normal_charge, without_charge
from labrig_phreeqc.database.log_k import log_k_at

Formation = tuple[float, float, float, float]
"""log K, and the moles of master species, H+ and e- that one mole of a species is made of."""


class Network:
    """The species of an element with H and O alone, each reduced to the element's master species, H+ and e-.

    An estimate: activities are taken as molalities, the activity of water as 1, and other ligands are left out. That is
    enough where a valence state dominates by orders of magnitude, as N2 does over nitrate at pe 4.

    Parameters
    ----------
    element
        Such as ``N``.
    master
        Its master species, such as ``NO3-``.
    species
        Of the database.
    celsius
        Temperature in degC.
    """

    def __init__(self, element: str, master: str, species: Iterable[Species], celsius: float) -> None:
        self.element = element
        self.celsius = celsius
        allowed = frozenset({element, "H", "O"})
        self.species = {each.name: each for each in species if each.elements <= allowed}
        self._formations: dict[str, Formation | None] = {
            master: (0.0, 1.0, 0.0, 0.0),
            "H+": (0.0, 0.0, 1.0, 0.0),
            "H3O+": (0.0, 0.0, 1.0, 0.0),
            "e-": (0.0, 0.0, 0.0, 1.0),
            "H2O": (0.0, 0.0, 0.0, 0.0),
        }

    def formation(self, name: str) -> Formation | None:
        """Return how a species forms, or None if the reactions do not lead back to the master species."""
        if name not in self._formations:
            self._formations[name] = None  # while under way, so that a circle ends
            if name in self.species:
                self._formations[name] = self._from(self.species[name])
        return self._formations[name]

    def _from(self, entry: Species) -> Formation | None:
        left, _, right = entry.equation.partition("=")
        reactants = [*terms(left), *((name, -size) for name, size in terms(right))]
        made = [-size for name, size in reactants if name == entry.name]
        if len(made) != 1 or made[0] <= 0:
            return None  # an identity: another master species
        sums = [log_k_or_zero(entry, self.celsius), 0.0, 0.0, 0.0]
        for name, size in reactants:
            if name == entry.name:
                continue
            part = self.formation(name)
            if part is None:
                return None
            sums = [total + size * each for total, each in zip(sums, part, strict=True)]
        log_k, masters, protons, electrons = (total / made[0] for total in sums)
        return log_k, masters, protons, electrons

    @cached_property
    def states(self) -> list[tuple[str, Formation]]:
        """The species of the element: valence state, and how it forms."""
        formations = {name: self.formation(name) for name in self.species}
        return [
            (state, formed)
            for name, formed in formations.items()
            if formed is not None and formed[1] > 0 and (state := valence_state(name, self.element))
        ]

    def log_activity(self, name: str, pH: float, pe: float) -> float | None:
        """Return log10 of the activity of a species made of H2O, H+ and e- alone, such as O2."""
        formed = self.formation(name)
        if formed is None or formed[1]:
            return None
        return formed[0] - formed[2] * pH - formed[3] * pe

    def shares(self, molality: float, pH: float, pe: float) -> dict[str, float]:
        """Return the share of each valence state in a total; empty where the database does not tell.

        Parameters
        ----------
        molality
            Of the element in mol/kgw, above 0.
        pH, pe
            Of the solution.
        """
        found = [
            (state, atoms, log_k - protons * pH - electrons * pe)
            for state, (log_k, atoms, protons, electrons) in self.states
        ]
        if not found:
            return {}
        wanted = math.log10(molality)

        def amounts(log_master: float) -> list[float]:
            return [math.log10(atoms) + log_k + atoms * log_master for _, atoms, log_k in found]

        high = min(
            (wanted - at_one) / atoms for at_one, (_, atoms, _) in zip(amounts(0.0), found, strict=True)
        )
        fewest = min(1.0, *(atoms for _, atoms, _ in found))
        low = (
            high - math.log10(len(found)) / fewest
        )  # there no species, here not all together, exceed the total
        for _ in range(30):
            middle = (low + high) / 2
            if math.fsum(10 ** (each - wanted) for each in amounts(middle)) < 1:
                low = middle
            else:
                high = middle
        shares: dict[str, float] = {}
        for (state, _, _), log_amount in zip(found, amounts(low), strict=True):
            shares[state] = shares.get(state, 0.0) + 10 ** (log_amount - wanted)
        return shares


def valence_state(species: str, element: str) -> str:
    """Return the mean valence of an element in a species with H and O: ``S(6)`` for ``SO4-2``; empty for others."""
    formula = without_charge(species)
    charge = species[len(formula) :]
    counts = []
    for symbol in (element, "H", "O"):
        count = formula_weight(formula, {element: 0.0, "H": 0.0, "O": 0.0} | {symbol: 1.0})
        if count is None:
            return ""
        counts.append(count)
    atoms, hydrogen, oxygen = counts
    z = float(f"{charge}1" if charge in ("+", "-") else charge or 0)
    return f"{element}({(z - hydrogen + 2 * oxygen) / atoms:g})" if atoms else ""


def meant_state(formula: str, element: str, species: Mapping[str, Species]) -> str:
    """Return the valence state of a formula without charge, as a database has it: ``N(5)`` for ``NO3``, or empty."""
    for name, definition in species.items():
        if element in definition.elements and without_charge(name) == formula:
            return valence_state(name, element)
    return ""


def terms(side: str) -> list[tuple[str, float]]:
    """Return the species of one side of an equation with their coefficients; ``Fe+2 - e-`` has one that is negative."""
    found: list[tuple[str, float]] = []
    sign = 1.0
    for part in re.split(r"(?:^|\s)([+-])(?=\s)", side.strip()):
        word = part.strip()
        if word in ("+", "-"):
            sign = 1.0 if word == "+" else -1.0
        elif word:
            size = re.match(r"\d+\.?\d*|\.\d+", word)
            found.append((normal_charge(leading_species(word)), sign * float(size[0] if size else 1)))
            sign = 1.0
    return found


def log_k_or_zero(entry: Reaction, celsius: float) -> float:
    """Return log K at a temperature (degC); where the database states none, PHREEQC computes with 0."""
    try:
        return log_k_at(entry, celsius)
    except LabrigError:
        return 0.0
