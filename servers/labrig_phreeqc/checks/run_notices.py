"""What a reader of a run should know beside its numbers: what was assumed, what is doubtful, what is not determined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labrig_phreeqc.checks.input_notices import PE, PH, UNITS, InputNotices
from labrig_phreeqc.checks.output_notices import output_notices, unprinted
from labrig_phreeqc.checks.plain_phases import plain_phases
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.input.solution import Constraint
from labrig_phreeqc.input.solution_lines import read_number
from labrig_phreeqc.input.solutions import overwritten, solutions
from labrig_phreeqc.output.outline import Outline, State

MOST = 8
"""Lines of each kind; how many more there are is said."""

MAX_CHARS = 1_000_000
"""Input and output beyond this size together are not looked at (a second or so)."""


@dataclass(frozen=True)
class RunNotices:
    """Lines of text about one run.

    Attributes
    ----------
    defaults
        Values that PHREEQC takes where the input is silent.
    counted_as
        Formulas by which masses were counted, valence states that a bare element was taken as.
    undetermined
        States whose pe nothing determines.
    adjusted
        Values that charge balance or equilibrium with a phase set, with what the input stated.
    doubtful
        What probably is not meant, or lies beyond what the database is for.
    """

    defaults: tuple[str, ...] = ()
    counted_as: tuple[str, ...] = ()
    undetermined: tuple[str, ...] = ()
    adjusted: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()

    def assumed(self) -> dict[str, list[str]]:
        """Return the facts by kind, without empty ones; what is doubtful is left to the warnings."""
        kinds = {
            "defaults": self.defaults,
            "counted_as": self.counted_as,
            "adjusted": self.adjusted,
            "not_determined": self.undetermined,
        }
        return {name: list(lines) for name, lines in kinds.items() if lines}


def run_notices(text: str, assumed: InputNotices | None, run: Run, outline: Outline) -> RunNotices:
    """Return what should be known about a run.

    Parameters
    ----------
    text
        Its input, includes resolved.
    assumed
        What PHREEQC assumes about it (`input_notices`); None where it was too large to look at.
    outline
        Of its output.
    """
    if assumed is None or len(text) + len(run.output) > MAX_CHARS:
        return RunNotices(defaults=("not listed for a run of this size: see check_input",))
    found = output_notices(run, outline, text) if run.output else []
    pe = [str(each) for each in found if each.kind == "not_determined"]
    beyond = [str(each) for each in found if each.kind == "doubtful"]
    return RunNotices(
        _most([str(each) for each in assumed.defaults]),
        _most(assumed.counted_as),
        _most(pe),
        _most(adjusted(text, run, outline)),
        _most(
            [
                *assumed.doubtful,
                *unbalanced(text, run),
                *plain_phases(text, run.database),
                *beyond,
                *unprinted(run, outline, text),
            ]
        ),
    )


def unbalanced(text: str, run: Run) -> list[str]:
    """Return which ions that were to balance a charge PHREEQC found no amount of, where a solution did not converge.

    An ion can add to its own side alone: chloride, taken away to nothing, leaves an excess of anions as it is.
    """
    failed = {match[1] for error in run.errors if (match := _FAILED.search(error))}
    return [
        f"line {total.line}: no amount of {total.name} balances the charge of {solution.name}, which is most likely "
        "why it did not converge; put charge to an ion of the other sign, or to pH"
        for solution in (solutions(text) if failed else ())
        if str(solution.first) in failed
        for total in solution.totals
        if total.constraint is not None and total.constraint.is_charge
    ]


_FAILED = re.compile(r"Model failed to converge for initial solution (-?\d+)")


def adjusted(text: str, run: Run, outline: Outline) -> list[str]:
    """Return what charge balance and phases made of the values of solutions: ``Cl was 1 mmol/kgw, ... made it 100``.

    Parameters
    ----------
    text
        The input of the run; of its solutions those are looked at whose composition is printed.
    run, outline
        What it gave. Changes within rounding are not said; a concentration per litre or per kg of solution and one
        after ``as`` is said without comparison.
    """
    found = solutions(text)
    lost = overwritten(found)
    states = {
        (state.simulation, state.label.split()[2]): state
        for state in outline.states
        if state.stage == "initial solution"
    }
    said = []
    lines = run.output.split("\n")
    for solution in found:
        state = states.get((solution.simulation, str(solution.first)))
        if solution in lost or state is None or (not run.solved and state is outline.states[-1]):
            continue
        place = f"{solution.name} (line {solution.line}): "
        for name, number, default, constraint, came in (
            ("pH", solution.pH, PH, solution.pH_constraint, state.pH),
            ("pe", solution.pe, PE, solution.pe_constraint, state.pe),
        ):
            start = number.value if number is not None else default
            if constraint is not None and came is not None and abs(came - start) > ROUNDING_PH:
                said.append(f"{place}{name} was {start:g}, {_cause(constraint)} made it {came:g}")
        printed = _molalities(state, lines)
        for total in solution.totals:
            came = printed.get(total.name)
            if total.constraint is None or came is None:
                continue
            unit = total.unit or solution.units or UNITS
            stated = total.number.value
            size = _PER_KGW.get(unit)
            if size is None:
                made = f"{came * 1e3:.4g} mmol/kgw"
            elif abs(came - stated * size) <= ROUNDING * abs(stated * size):
                continue
            else:
                made = f"{came / size:.4g}"
            said.append(
                f"{place}{total.name} was {stated:g} {unit}, {_cause(total.constraint)} made it {made}"
            )
    return said


ROUNDING = 2e-3
"""Relative change of a concentration that is not said: four digits are printed."""

ROUNDING_PH = 0.01
"""The same in pH and pe, which inputs state to two decimals."""

_PER_KGW = {"mol/kgw": 1.0, "mmol/kgw": 1e-3, "umol/kgw": 1e-6}


def _cause(constraint: Constraint) -> str:
    return "charge balance" if constraint.is_charge else f"equilibrium with {constraint.phase}"


def _molalities(state: State, lines: Sequence[str]) -> dict[str, float]:
    """Return the molalities under "Solution composition" by element or valence state."""
    found: dict[str, float] = {}
    for section in state.sections:
        if section.name != "Solution composition":
            continue
        for line in lines[section.first : section.last]:
            name, *words = line.split() or [""]
            number = read_number(words[0], 0) if len(words) > 1 else None
            if number is not None and not number.unread:
                found[name] = number.value
    return found


def _most(lines: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - MOST
    return tuple(lines) if more <= 0 else (*lines[:MOST], f"and {more} more")
