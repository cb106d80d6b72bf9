"""Which species and solids hold an element, by pH and pe: each place of the grid is a water that PHREEQC speciates.

Dissolved, the species that holds most of the element predominates. A solid has the places whose water of that total is
oversaturated with it; of several, the one with the greatest saturation index per atom of the element, which is the one
that leaves least dissolved (Garrels and Christ 1965, chapter 7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.database.formulas import elements_of, formula_weight, without_charge
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import PATIENT_S, Engine
from labrig_phreeqc.engine.run import Limits
from labrig_phreeqc.variation.expressions import require_phases
from labrig_phreeqc.variation.points import evenly
from labrig_phreeqc.waters.analysis import Analysis, Constituent
from labrig_phreeqc.waters.speciation import Speciation, speciate

WATER = ("O2(g)", "H2(g)")
"""At an index above 0 of one of these, a gas of more than 1 atm, water splits."""
NEUTRAL = (7.0, 4.0)
"""pH and pe at which any water can be."""
BEYOND = 1.0
"""Index of `WATER` up to which places are calculated: farther out PHREEQC finds no water."""
UNSOLVED = ""
A_TIME = 400
"""Waters after each of which it is told how far it is."""


@dataclass(frozen=True)
class Diagram:
    """What predominates at each place.

    Attributes
    ----------
    pH, pe
        The axes.
    names
        By pe, then by pH: the species or solid, `UNSOLVED` where water splits or PHREEQC finds no solution.
    water
        The greater index of `WATER`, alike; None where the database has neither.
    solids
        Which of the names are solids.
    """

    element: str
    database: Database
    temperature: float
    totals: Mapping[str, float]
    pH: Sequence[float]
    pe: Sequence[float]
    names: Sequence[Sequence[str]]
    water: Sequence[Sequence[float | None]]
    solids: frozenset[str]


async def predominance(
    element: str,
    totals: Mapping[str, float],
    *,
    engine: Engine,
    database: str,
    solids: Sequence[str] = (),
    pH: tuple[float, float] = (0.0, 14.0),
    pe: tuple[float, float] = (-14.0, 22.0),
    temperature: float = 25.0,
    steps: int = 41,
    limits: Limits | None = None,
    progress: Callable[..., None] = lambda *_: None,
) -> Diagram:
    """Return what holds most of an element.

    Parameters
    ----------
    totals
        mmol/kgw of the element and whatever else is dissolved.
    solids
        Phases that may have a field; none without.

    Raises
    ------
    LabrigError
        For an element or a solid that the database lacks, and a solid without the element.
    """
    chosen = find_database(database)
    catalogue = read(chosen.path)
    atoms = _species(element, catalogue)
    if element not in totals:
        raise LabrigError(
            f"The totals have no {element}",
            where=f"totals has {', '.join(totals) or 'nothing'}",
            expected=element,
        )
    known = {each.name: each for each in catalogue.phases}
    require_phases(solids, known)
    per_atom = {name: _atoms(element, known[name].formula) for name in solids if name in known}
    if empty := [name for name, count in per_atom.items() if not count]:
        raise LabrigError(f"{empty[0]} holds no {element}", where="solids", expected=f"solids of {element}")
    gases = [each for each in WATER if each in known]
    amounts = {name: Constituent(name, value, value, "mmol/kgw") for name, value in totals.items()}
    axes = evenly(*pH, steps), evenly(*pe, steps)
    places = [(x, y) for y in axes[1] for x in axes[0]]

    async def speciated(at: Sequence[tuple[float, float]]) -> list[Speciation]:
        return await speciate(
            [Analysis(f"pH {x:g}, pe {y:g}", x, temperature, amounts, pe=y, basis="kgw") for x, y in at],
            [*per_atom, *gases],
            engine=engine,
            database=chosen.name,
            expressions=[f'{count!r}*MOL("{name}")' for name, count in atoms.items()],
            limits=limits,
            queue_s=PATIENT_S,
        )

    (middle,) = await speciated([NEUTRAL])
    water = [_split(middle, at) for at in places]
    stable = [at for at, index in zip(places, water, strict=True) if index is None or index <= BEYOND]
    names: dict[tuple[float, float], str] = {}
    for start in range(0, len(stable), A_TIME):
        part = stable[start : start + A_TIME]
        for at, each in zip(part, await speciated(part), strict=True):
            names[at] = _predominant(each, list(atoms), per_atom)
        progress(len(names) / len(stable), f"{len(names)} of {len(stable)} points")
    return Diagram(
        element,
        chosen,
        temperature,
        totals,
        *axes,
        [[names.get((x, y), UNSOLVED) for x in axes[0]] for y in axes[1]],
        [water[start : start + steps] for start in range(0, len(water), steps)],
        frozenset(per_atom),
    )


def _split(middle: Speciation, at: tuple[float, float]) -> float | None:
    """Return the greater index of O2 and H2 at a place: it goes by pH + pe alone, from what it is at `NEUTRAL`."""
    away = sum(at) - sum(NEUTRAL)
    electrons = {"O2(g)": 4, "H2(g)": -2}
    found = [si + electrons[gas] * away for gas in electrons if (si := middle.SI.get(gas)) is not None]
    return max(found, default=None)


def _predominant(water: Speciation, species: Sequence[str], solids: Mapping[str, float]) -> str:
    if water.failure:
        return UNSOLVED
    over = {name: si / solids[name] for name in solids if (si := water.SI.get(name)) is not None and si > 0}
    if over:
        return max(over, key=lambda name: over[name])
    amounts = dict(zip(species, water.told.values(), strict=True))
    return max(amounts, key=lambda name: amounts[name])


def _species(element: str, catalogue: Catalogue) -> dict[str, float]:
    """Return the aqueous species of an element, and how many atoms of it each has."""
    masters = {each.name for each in catalogue.elements if "(" not in each.name}
    if element not in masters:
        raise unknown_name("element", element, sorted(masters), where="element")
    found = {
        each.name: count
        for each in catalogue.species
        if each.block == "SOLUTION_SPECIES" and (count := _atoms(element, each.name))
    }
    if not found:
        raise LabrigError(f"{element} has no aqueous species", where="element", expected="an element")
    return found


def _atoms(element: str, formula: str) -> float:
    """Return how many atoms of an element a formula has: its weight where nothing else has one."""
    bare = without_charge(formula)
    weights = {each: float(each == element) for each in elements_of(bare)}
    return formula_weight(bare, weights) or 0.0
