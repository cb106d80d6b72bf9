"""A water, a reagent and what may precipitate or dissolve gas, as an input with a place for the dose."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from labrig.errors import LabrigError
from labrig_phreeqc.input.statements import statements
from labrig_phreeqc.variation.expressions import require_phases

DOSE = "dose"
_PHASE = re.compile(r"(\S+)(?: +([+-]?\d+(?:\.\d*)?))?(?: +(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?))?")
_REAGENT = re.compile(r"[A-Z][A-Za-z0-9().:]*")
_GAS_MOL = 10
"""Of a gas that a water is open to there is enough; of a mineral nothing, so that it can only precipitate."""


def treated(text: str, reagent: str, equilibrate: Sequence[str], phases: Collection[str]) -> str:
    """Return the input in which the first solution is given ``{dose}`` mmol of a reagent.

    Parameters
    ----------
    equilibrate
        ``Calcite``, ``CO2(g) -3.4`` or ``Calcite 0 0.1``: a phase, its saturation index, and the moles that there are.
    phases
        Those of the database.
    """
    if not _REAGENT.fullmatch(reagent):
        raise LabrigError(
            f"{reagent!r} is no formula", where="reagent", expected="NaOH, Ca(OH)2, HCl, CO2, Na2CO3, ..."
        )
    lines = []
    for each in equilibrate:
        match = _PHASE.fullmatch(each.strip())
        if match is None:
            raise LabrigError(
                f"{each!r} is no phase",
                where="equilibrate",
                expected="'Calcite', 'CO2(g) -3.4', 'Calcite 0 0.1'",
            )
        require_phases([match[1]], phases, text)
        moles = match[3] or (_GAS_MOL if match[1].endswith("(g)") else 0)
        lines.append(f" {match[1]} {match[2] or 0} {moles}")
    steps = [f"USE solution {first_solution(text)}"]
    if lines:
        steps += ["EQUILIBRIUM_PHASES 89999", *lines]
    steps += ["REACTION 89999", f" {reagent} 1", f" {{{DOSE}}} mmol", "END"]
    return text.rstrip() + "\nEND\n" + "\n".join(steps) + "\n"


def first_solution(text: str) -> int:
    """Return the number of the first SOLUTION of an input."""
    for each in statements(text):
        if each.is_keyword and each.block == "SOLUTION":
            number = re.match(r"\d+", each.rest)
            return int(number[0]) if number else 1
    raise LabrigError(
        "The input has no SOLUTION to treat", where="input", expected="SOLUTION 1 with the water's analysis"
    )
