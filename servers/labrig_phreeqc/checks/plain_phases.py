"""Minerals and gases that carry no heavy isotopes, in a model whose waters have some.

iso.dat defines the plain mineral and each of its isotopologues as a phase of its own. Calcite alone, in
EQUILIBRIUM_PHASES, brings and takes 12C only, and the ratios of the water come out wrong without a word: heavy isotopes
go with the others through a SOLID_SOLUTIONS or GAS_PHASE that names them (TM 6-A43, example 20).
"""

from __future__ import annotations

from collections.abc import Mapping

from labrig_phreeqc.database.catalogue import Phase
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.database.definitions import Definitions
from labrig_phreeqc.database.isotopes import Isotope, isotopes
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.input.solutions import solutions
from labrig_phreeqc.input.statements import statements

BLOCKS = ("EQUILIBRIUM_PHASES", "GAS_PHASE", "SOLID_SOLUTIONS")


def plain_phases(text: str, database: Database) -> list[str]:
    """Return what is to be said of phases of an input that leave out isotopes which its solutions state.

    Parameters
    ----------
    text
        PHREEQC input, includes resolved.
    """
    ratios = isotopes(database.path, text)
    stated = {
        total.name.partition("(")[0]: ratios[total.name]
        for solution in (solutions(text) if ratios else ())
        for total in solution.totals
        if total.name in ratios and not _is_of_water(ratios[total.name])
    }
    if not stated:
        return []
    found = list(Definitions(read(database.path), text).at(1).phases)
    by_name = {each.name.casefold(): each for each in found}
    said = []
    block: list[tuple[int, Phase]] = []
    for statement in statements(text):
        if statement.is_keyword:
            said += _lacking(block, stated, found)
            block = []
        elif statement.block in BLOCKS:
            word = statement.rest.split()[0] if statement.first.startswith("-comp") and statement.rest else ""
            if phase := by_name.get((word or statement.first).casefold()):
                block.append((statement.line, phase))
    return [*said, *_lacking(block, stated, found)]


def _is_of_water(isotope: Isotope) -> bool:
    """Whether water itself carries it: a mineral that has oxygen leaves these to the water for the most part."""
    return isotope.element in ("H", "O")


def _lacking(block: list[tuple[int, Phase]], stated: Mapping[str, Isotope], every: list[Phase]) -> list[str]:
    """Return a line for each phase of a block whose element has a heavy isotope that no phase of it carries."""
    carried = frozenset[str]().union(*(phase.elements for _, phase in block))
    said = []
    for line, phase in block:
        lacking = {
            name: isotope.element
            for name, isotope in stated.items()
            if isotope.element in phase.elements and name not in carried
        }
        heavier = [phase.elements - {element} | {name} for name, element in lacking.items()]
        twins = [each.name for each in every if each.elements in heavier]
        try_ = f"; beside {', '.join(twins)} in a {_mixed(phase)} it would share them" if twins else ""
        if lacking:
            said.append(
                f"line {line}: {phase.name} carries no {', '.join(lacking)}: what dissolves or precipitates of it "
                f"is the common isotope alone{try_}"
            )
    return said


def _mixed(phase: Phase) -> str:
    return "GAS_PHASE" if phase.name.endswith("(g)") else "SOLID_SOLUTIONS"
