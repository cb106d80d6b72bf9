"""The values that stand first in an answer: pH, charge error and the highest saturation indices of each state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig.answer import Quantity
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.output.outline import Outline, State
from labrig_phreeqc.output.printed_tables import READERS

SATURATION, COUPLES = "Saturation indices", "Redox couples"
MOST_COUPLES = 2


def key_values(run: Run, output: Outline, most: int = 3) -> tuple[Quantity, ...]:
    """Return pH, pe, ionic strength, temperature and charge error of each state, if there are few states.

    The pe of a couple, which the valences of an element have, stands before the pe of the solution, which may be a
    default.
    """
    lines = run.output.split("\n")
    states = [state for state in output.states if state.pH is not None]
    found = []
    for state in states if len(states) <= most else []:
        where = place(state, output)
        if run.status == "not_converged" and state is states[-1]:
            where += ", NOT CONVERGED: not a result"
        for name, value, unit in (
            ("pH", state.pH, "1"),
            *((f"pe({name})", pe, "1") for name, pe in _couples(state, lines)),
            ("pe", state.pe, "1"),
            ("ionic strength", state.ionic_strength, "mol/kgw"),
            ("temperature", state.temperature, "degC"),
            ("charge error", state.charge_error, "%"),
        ):
            if value is not None:
                found.append(Quantity(name, value + 0.0, unit, where))  # never -0.0
    return tuple(found)


def _couples(state: State, lines: Sequence[str]) -> list[tuple[str, float]]:
    printed = [each for each in state.sections if each.name == COUPLES]
    tables = [READERS[COUPLES](lines[each.first : each.last])["pe"] for each in printed[:1]]
    return [(name, pe) for table in tables for name, pe in table.items() if isinstance(pe, float)][
        :MOST_COUPLES
    ]


def place(state: State, output: Outline) -> str:
    """Name a state so that it cannot be mistaken: simulation, label, what was used, lines."""
    several = len({each.simulation for each in output.states}) > 1
    used = f" <{', '.join(state.reactants)}>" if state.reactants else ""
    return f"{f'sim {state.simulation} ' if several else ''}{state.label}{used}, L{state.first}-{state.last}"


def saturation(run: Run, output: Outline, most: int = 3, phases: int = 12) -> list[dict[str, Any]]:
    """Return the highest saturation indices of minerals in each state, if there are few states.

    Gases are left out: their index is a log fugacity. Two decimals, as printed.
    """
    found = []
    lines = run.output.split("\n")
    printed = [state for state in output.states if any(each.name == SATURATION for each in state.sections)]
    for state in printed if len(printed) <= most else []:
        section = next(each for each in state.sections if each.name == SATURATION)
        table = READERS[SATURATION](lines[section.first : section.last])["SI"]
        minerals = {
            name: si for name, si in table.items() if isinstance(si, float) and not name.endswith("(g)")
        }
        best = sorted(minerals, key=lambda name: -minerals[name])[:phases]
        if best:
            found.append({"state": place(state, output), "SI": {name: minerals[name] for name in best}})
    return found
