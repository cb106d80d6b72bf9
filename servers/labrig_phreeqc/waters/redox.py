"""Which constituents pe divides among redox states, and what an equilibrium with a phase leaves out of a water.

A reaction in PHREEQC brings every redox couple to equilibrium: nitrate and ammonium that were measured side by side
would become nitrogen, dissolved iron would be oxidised by nitrate, and the acid set free would change what
precipitates. So `REDOX_ACTIVE` elements and sulfide are left out of the water that is brought to equilibrium with
a phase, and chloride stands for nitrate. An element with one redox state in the database (iron in pitzer.dat) stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.constituents import CHARGES, solution_elements

_REDOX_ACTIVE = "N Fe Mn As Se Cr U V Cu Mo Sb Hg Co Ag Tc Np Pu Eu Ce O"
REDOX_ACTIVE = frozenset(_REDOX_ACTIVE.split())
"""Elements that take no part when a water is brought to equilibrium with a phase."""

_DIVIDED = REDOX_ACTIVE | {"C", "S"}
"""Elements whose division by pe matters: that of chloride in llnl.dat (Cl(-1) to Cl(7)) does not."""


def divided_by_pe(names: Iterable[str], catalogue: Catalogue) -> set[str]:
    """Return which constituents PHREEQC divides among redox states by pe: iron without its state, not chloride."""
    return set(names) & _DIVIDED & _with_states(catalogue)


def redox_active(catalogue: Catalogue) -> frozenset[str]:
    """Return the elements of `REDOX_ACTIVE`, and sulfur, that have several redox states in a database."""
    return (REDOX_ACTIVE | {"S"}) & _with_states(catalogue)


def _with_states(catalogue: Catalogue) -> frozenset[str]:
    """Return the elements with several redox states."""
    states = Counter(
        name.partition("(")[0] for each in solution_elements(catalogue) if "(" in (name := each.name)
    )
    return frozenset(element for element, count in states.items() if count > 1)


def inert_share(
    analysis: Analysis, equivalents: float, active: Collection[str]
) -> tuple[float, tuple[str, ...]]:
    """Return what the equilibrium with a phase leaves out of a water: its share of the equivalents, and the names.

    Parameters
    ----------
    equivalents
        Half the sum of cations and anions, meq per basis.
    active
        See `redox_active`.

    Notes
    -----
    Nitrate does not count, because chloride stands for it; sulfide counts by what it has of the alkalinity.
    """
    left = {
        name: constituent.amount * max(abs(CHARGES.get(name, 0)), name == "S(-2)")
        for name, constituent in analysis.constituents.items()
        if _takes_no_part(name, active) and name != "N(5)"
    }
    charge = sum(left.values())
    names = tuple(sorted((name for name, each in left.items() if each), key=lambda name: -left[name]))
    return (charge / equivalents if equivalents > 0 else 0.0), names


def _takes_no_part(name: str, active: Collection[str]) -> bool:
    element = name.partition("(")[0]
    return element in active and (element != "S" or name == "S(-2)")


def inert(analysis: Analysis, active: Collection[str]) -> Analysis:
    """Return a water without its redox-active constituents, chloride in place of nitrate; itself if it has none."""
    kept = {name: each for name, each in analysis.constituents.items() if not _takes_no_part(name, active)}
    if len(kept) == len(analysis.constituents):
        return analysis
    nitrate, chloride = analysis.constituents.get("N(5)"), kept.get("Cl")
    if nitrate is not None and "N(5)" not in kept:
        amount = nitrate.amount + (chloride.amount if chloride else 0.0)
        kept["Cl"] = replace(chloride or nitrate, element="Cl", amount=amount)
    return replace(analysis, constituents=kept)
