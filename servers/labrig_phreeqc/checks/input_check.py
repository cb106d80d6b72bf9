"""The waters of an input, each speciated by itself: facts about them before anything reacts.

Every SOLUTION is run with the definitions that the input makes for it (SOLUTION_SPECIES, PHASES, ...) and without its
reactions. The text for the engine keeps each statement in its own line, so that PHREEQC's messages name the lines of
the input. Solutions share a run; where a run fails, each of them is run alone.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.checks.input_notices import InputNotices, input_notices
from labrig_phreeqc.checks.output_notices import output_notices
from labrig_phreeqc.checks.run_notices import adjusted as adjustments
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits, Run, provenance
from labrig_phreeqc.input.solution import Solution
from labrig_phreeqc.input.solutions import overwritten, solutions, with_charge
from labrig_phreeqc.input.statements import KEYWORDS, Statement, statements
from labrig_phreeqc.output.outline_reading import outline_output

MAX_SOLUTIONS = 50
"""Solutions that are run; the others are only counted."""

MAX_ERRORS = 3
"""Errors kept of one solution."""

_DEFINITIONS = """
    SOLUTION_MASTER_SPECIES SOLUTION_SPECIES PHASES NAMED_EXPRESSIONS EXCHANGE_MASTER_SPECIES EXCHANGE_SPECIES
    SURFACE_MASTER_SPECIES SURFACE_SPECIES PITZER SIT LLNL_AQUEOUS_MODEL_PARAMETERS MEAN_GAMMAS
    GAS_BINARY_PARAMETERS ISOTOPES ISOTOPE_RATIOS ISOTOPE_ALPHAS CALCULATE_VALUES KNOBS
"""
DEFINITIONS = frozenset(_DEFINITIONS.split())
"""Data blocks that an initial solution may depend on."""

_SELECTED = """
SELECTED_OUTPUT 1
-reset false
-high_precision true
-solution true
-pH true
-pe true
-temperature true
-ionic_strength true
-charge_balance true
-percent_error true
-water true
END
"""
_COLUMNS = ("pH", "pe", "temp(C)", "mu", "pct_err", "charge(eq)", "mass_H2O")


@dataclass(frozen=True)
class CheckedSolution:
    """One solution as PHREEQC speciates it; None where it gives no number.

    Attributes
    ----------
    name, description, line
        ``SOLUTION 1``, the words after it, its line in the input.
    status
        ``ok``, ``not_a_number`` where PHREEQC computes with nan, else that of the run, such as ``not_converged``.
    pH, pe
        As computed, so also where the input has them adjusted.
    ionic_strength, temperature
        mol/kgw, degC.
    charge_error
        100 (cations - |anions|) / (cations + |anions|) in %, from equivalents; positive with too many cations.
    charge_balance
        Cations minus anions in eq/kgw.
    neutral_pH, pH_change
        The pH that ``pH ... charge`` would give, and its difference to `pH`.
    no_neutral_pH
        Why there is none; empty if there is.
    errors
        What PHREEQC says where `status` is not ok.
    """

    name: str
    description: str
    line: int
    status: str
    pH: float | None = None
    pe: float | None = None
    ionic_strength: float | None = None
    temperature: float | None = None
    charge_error: float | None = None
    charge_balance: float | None = None
    neutral_pH: float | None = None
    pH_change: float | None = None
    no_neutral_pH: str = ""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class InputCheck:
    """Facts about the solutions of an input.

    Attributes
    ----------
    solutions
        The first `MAX_SOLUTIONS` that are computed, in the order of the input.
    unchecked
        How many more there are.
    input_notices
        Defaults, formulas, and what is doubtful from the input alone; with the formulas what charge balance or a phase
        made of a value (`run_notices.adjusted`).
    ignored
        Lines without effect: misspelt keywords, elements that the database lacks.
    warnings
        Other warnings of PHREEQC's.
    doubtful
        Solutions that PHREEQC refuses or does not solve, charge errors beyond `CHARGE_ERROR_PERCENT`, and what
        is doubtful about the numbers (`output_notices`).
    source
        Library and database; empty if nothing was run.
    """

    solutions: tuple[CheckedSolution, ...]
    unchecked: int
    input_notices: InputNotices
    ignored: tuple[str, ...]
    warnings: tuple[str, ...]
    doubtful: tuple[str, ...]
    source: str


async def check_input(text: str, database: str, engine: Engine, limits: Limits | None = None) -> InputCheck:
    """Speciate each solution of an input, with its pH as stated and with its pH adjusted to neutrality.

    Parameters
    ----------
    text
        PHREEQC input, screened and with includes resolved.
    database
        Name of an installed database.
    engine, limits
        What runs it, and what each run may use.

    Raises
    ------
    LabrigError
        As `Engine.run`, and for an unknown database. An input that PHREEQC refuses is not an exception.
    """
    chosen = find_database(database)
    found = solutions(text)
    lost = overwritten(found)
    computed = [each for each in found if each not in lost]
    checked = computed[:MAX_SOLUTIONS]
    composer = _Composer(text)

    async def solve(some: Sequence[Solution], lines: _Lines) -> _Speciation:
        own = composer.compose(some, lines)
        return _Speciation(some, own, await engine.run(own, database=chosen.name, limits=limits))

    stated = _Results()
    for batch in composer.batches(checked):
        await _speciate(batch, solve, {each: each.lines for each in batch}, stated)
    adjustable = [each for each in checked if each in stated.values and not _fixed_charge(each)]
    adjusted = _Results()
    for batch in composer.batches(adjustable):
        await _speciate(batch, solve, {each: with_charge(each) for each in batch}, adjusted)

    runs = [each.run for each in stated.runs]
    ignored = [*stray_lines(text), *(message for run in runs for message in run.ignored_input)]
    warnings = [message for run in runs if run.solved for message in run.warnings]
    answers = tuple(_checked(each, stated, adjusted) for each in checked)
    doubtful = [*_bad(answers), *(doubtful for each in stated.runs for doubtful in _doubtful(each))]
    made = [
        line
        for speciation in stated.runs
        for line in adjustments(speciation.text, speciation.run, outline_output(speciation.run.output))
    ]
    assumed = input_notices(text, chosen)
    return InputCheck(
        solutions=answers,
        unchecked=len(computed) - len(checked),
        input_notices=replace(assumed, counted_as=(*made, *assumed.counted_as)),
        ignored=tuple(dict.fromkeys(ignored)),
        warnings=tuple(each for each in dict.fromkeys(warnings) if each not in ignored),
        doubtful=tuple(doubtful),
        source=provenance(runs[0]) if runs else "",
    )


_Lines = Mapping[Solution, Sequence[tuple[int, str]]]


@dataclass(frozen=True)
class _Speciation:
    """A run of some solutions, and the text it was given."""

    solutions: Sequence[Solution]
    text: str
    run: Run


_Solve = Callable[[Sequence[Solution], _Lines], Awaitable[_Speciation]]


@dataclass
class _Results:
    """What runs gave: the values of solutions, and the run in which a solution has none."""

    runs: list[_Speciation] = field(default_factory=list)
    values: dict[Solution, dict[str, float]] = field(default_factory=dict)
    failed: dict[Solution, Run] = field(default_factory=dict)


async def _speciate(batch: Sequence[Solution], solve: _Solve, lines: _Lines, results: _Results) -> None:
    """Run some solutions together; each alone where that fails, since PHREEQC stops at the first that does."""
    done = await solve(batch, lines)
    if not done.run.solved and len(batch) > 1:
        for solution in batch:
            await _speciate([solution], solve, lines, results)
        return
    results.runs.append(done)
    rows = _rows(done.run) if done.run.solved else {}
    for solution in batch:
        if solution.first in rows:
            results.values[solution] = rows[solution.first]
        else:
            results.failed[solution] = done.run


def _rows(run: Run) -> dict[int, dict[str, float]]:
    """Return the finite values of each solution by its number."""
    found: dict[int, dict[str, float]] = {}
    for table in run.selected:
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=False))
            numbers = {name: cells.get(name) for name in _COLUMNS}
            found[int(cells["soln"] or 0)] = {
                name: float(cell)
                for name, cell in numbers.items()
                if isinstance(cell, int | float) and math.isfinite(cell)
            }
    return found


def _fixed_charge(solution: Solution) -> str:
    """Return why ``charge`` cannot be set on the pH of a solution; empty if it can."""
    if solution.pH_constraint is not None:
        if solution.pH_constraint.is_charge:
            return "the input has pH adjusted to charge balance"
        return f"the input has pH adjusted to {solution.pH_constraint.phase}"
    for total in solution.totals:
        if total.constraint is not None and total.constraint.is_charge:
            return f"the input has {total.name} adjusted to charge balance"
    if any(total.name == "Alkalinity" and total.number.value > 0 for total in solution.totals):
        return "Alkalinity is given, with which PHREEQC does not adjust the pH to charge balance"
    return ""


def _checked(solution: Solution, stated: _Results, adjusted: _Results) -> CheckedSolution:
    name, description, line = solution.name, solution.description, solution.line
    if solution in stated.failed:
        run = stated.failed[solution]
        errors = tuple(run.errors[:MAX_ERRORS]) or ((run.detail,) if run.detail else ())
        why = "PHREEQC gives no result for the solution as it stands"
        return CheckedSolution(name, description, line, run.status, no_neutral_pH=why, errors=errors)
    values = stated.values[solution]
    water = values.get("mass_H2O")
    charge = values.get("charge(eq)")
    pH, neutral = values.get("pH"), adjusted.values.get(solution, {}).get("pH")
    why = _fixed_charge(solution)
    if solution in adjusted.failed:
        why = f"no pH makes it neutral: PHREEQC ends with {adjusted.failed[solution].status}"
    return CheckedSolution(
        name,
        description,
        line,
        "ok" if len(values) == len(_COLUMNS) else "not_a_number",
        pH=pH,
        pe=values.get("pe"),
        ionic_strength=values.get("mu"),
        temperature=values.get("temp(C)"),
        charge_error=values.get("pct_err"),
        charge_balance=charge / water if charge is not None and water else None,
        neutral_pH=neutral,
        pH_change=neutral - pH if neutral is not None and pH is not None else None,
        no_neutral_pH=why,
    )


def _bad(checked: Sequence[CheckedSolution]) -> list[str]:
    """Return a line for each solution without a result or with a charge error that is too large."""
    said = []
    for solution in checked:
        place = f"{solution.name} (line {solution.line})"
        if solution.status != "ok":
            why = f": {solution.errors[0]}" if solution.errors else ""
            said.append(f"{place}: {solution.status}{why}")
        elif solution.charge_error is not None and abs(solution.charge_error) > CHARGE_ERROR_PERCENT:
            said.append(f"{place}: charge error {solution.charge_error:.1f} %")
    return said


def _doubtful(done: _Speciation) -> list[str]:
    """Return the notices about a run, each with its solutions instead of places in an output nobody keeps."""
    if not done.run.solved:
        return []
    by_number = {str(each.first): each for each in done.solutions}
    said = []
    for notice in output_notices(done.run, outline_output(done.run.output), done.text):
        about = [by_number[state.label.split()[2]] for state in notice.states]
        names = [f"{solution.name} (line {solution.line})" for solution in about[:5]]
        more = f" and {len(about) - 5} more" if len(about) > 5 else ""
        said.append(f"{notice.message}: {', '.join(names)}{more}")
    return said


def stray_lines(text: str) -> list[str]:
    """Return the lines that PHREEQC passes over since no keyword comes before them, and words like keywords in others.

    A misspelt keyword does not end the data block before it: ``EQUILIBRIUM_PHASS 1`` after a SOLUTION is read as an
    element. Such a word is named if it is in capitals and near a keyword.
    """
    said: list[str] = []
    stray = False
    for statement in statements(text):
        if statement.is_keyword:
            stray = False
            continue
        outside = statement.block in ("", "END")
        nearest = _nearest_keyword(statement.first)
        hint = f"; the nearest keyword is {nearest}" if nearest else ""
        if outside and (nearest or not stray):
            said.append(
                f"line {statement.line}: {statement.text[:60]!r} stands under no keyword and is ignored{hint}"
            )
        elif not outside and nearest and statement.first.isupper() and statement.block not in _FREE_TEXT:
            said.append(
                f"line {statement.line}: {statement.text[:60]!r} is read as part of {statement.block}{hint}"
            )
        stray = outside
    return said


_FREE_TEXT = ("TITLE", "RATES", "USER_PRINT", "USER_PUNCH", "USER_GRAPH", "CALCULATE_VALUES")


def _nearest_keyword(word: str) -> str:
    near = difflib.get_close_matches(word.lower(), KEYWORDS, 1, 0.8) if len(word) > 4 else []
    return KEYWORDS[near[0]] if near else ""


class _Composer:
    """Cuts the text for the engine out of an input."""

    def __init__(self, text: str) -> None:
        self.size = text.count("\n") + 1
        self.definitions: list[tuple[int, Statement]] = []  # simulation, statement
        simulation = 1
        for statement in statements(text):
            if statement.block in DEFINITIONS:
                self.definitions.append((simulation, statement))
            elif statement.is_keyword and statement.block == "END":
                simulation += 1

    def known(self, simulation: int) -> int:
        """Return how many statements of definitions there are up to a simulation."""
        return sum(1 for number, _ in self.definitions if number <= simulation)

    def batches(self, some: Iterable[Solution]) -> list[list[Solution]]:
        """Return solutions that can share a run: the same definitions, and no number twice."""
        batches: dict[tuple[int, int], dict[int, Solution]] = {}
        for solution in some:
            known, copy = self.known(solution.simulation), 0
            while solution.first in batches.setdefault((known, copy), {}):
                copy += 1
            batches[known, copy][solution.first] = solution
        return [list(batch.values()) for batch in batches.values()]

    def compose(self, some: Sequence[Solution], written: _Lines) -> str:
        """Return an input of the definitions and some solutions, every statement in its line of the original."""
        lines: list[list[str]] = [[] for _ in range(self.size)]
        simulation = max(each.simulation for each in some)
        for number, statement in self.definitions:
            if number <= simulation:
                lines[statement.line - 1].append(statement.text)
        for solution in some:
            lines[solution.line - 1].append(f"SOLUTION {solution.first} {solution.description}".rstrip())
            for line, text in written[solution]:
                lines[max(line, solution.line) - 1].append(text)
        return "\n".join("; ".join(line) for line in lines) + _SELECTED
