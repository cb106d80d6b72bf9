"""Doubts about numbers that PHREEQC printed without one: outside the models behind them, or not determined at all.

`output_notices` looks at the states of a finished run. One notice stands for all states that share it. Only
what is printed can be looked at: with PRINT options off, less is found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from labrig_phreeqc.checks.criteria import PH_RANGE
from labrig_phreeqc.checks.input_notices import COLD_DATABASES, COLD_RANGE
from labrig_phreeqc.database.catalogue import Catalogue, Phase, Reaction, Species
from labrig_phreeqc.database.databases import list_databases
from labrig_phreeqc.database.definitions import ActivityModel, Definitions, activity_model
from labrig_phreeqc.database.formulas import leading_species, normal_charge
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.database.valences import terms, valence_state
from labrig_phreeqc.engine.run import Run, SelectedOutput
from labrig_phreeqc.input.solutions import solutions
from labrig_phreeqc.output.outline import Outline, State
from labrig_phreeqc.output.printed_tables import READERS, Tables

IONIC_STRENGTH: Mapping[ActivityModel, float] = {
    "Davies": 0.5,
    "ion association": 1.0,
    "B-dot": 1.0,
    "SIT": 3.5,
    "Pitzer": 20.0,
}
"""Ionic strength (mol/kgw) from which an activity model is beyond its data.

Davies alone: to about 0.5, the usual figure. Ion association: the WATEQ Debye-Hueckel terms of major ions are fitted to
mean salt coefficients of chlorides (Truesdell and Jones, 1974); the manual calls this adequate at low ionic strength
and doubts it in the range of seawater (0.7) and above (TM 6-A43, program limitations). Seawater itself is the manual's
example 1, so the line is drawn at 1. B-dot: not above about 1 (Wolery, 1992, EQ3NR manual). SIT: the NEA reviews use it
to about 3.5 (TDB-2 guidelines). Pitzer: fitted to saturation with salts (Harvie, Moeller and Weare, 1984), which brines
of MgCl2 and CaCl2 reach at 15 to 20.
"""

BRINE_DATABASES = ("pitzer.dat", "frezchem.dat", "sit.dat")
"""Databases to look for the elements in; frezchem.dat below 0 degC (it is fitted from -60 to 25), the others above."""

_OF_WATER = {"H", "O"}
"""Elements of which water is one member of the couple."""

UNDETERMINED_PE = "pe is not determined"

ELECTRONS = 2e-9
"""mol/kgw of electrons. A redox couple determines pe if it can both give and take more than this.

pe in a reaction follows from the balance of H and O, 111 and 55.5 mol in a kg of water, which PHREEQC solves to a
relative 1e-8 (KNOBS, -convergence_tolerance) and in practice much better: 1e-15 to 1e-9 mol of electrons are left to
chance. Tried with phreeqcrm 0.0.20: NaCl in pure water leaves 4e-12 of O(0), pe 11.6, and -0.9 with the tolerance at
1e-12; 1.0e-8 of O(0) comes out as 1.1e-8. The limit is the electrons of 1 nmol of H2: the pe of what is above it does
not move by units when 1 nmol of H2 or O2 is added (1e-7 of S(6) and S(-2), 1e-6 of Fe(2) and Fe(3)), that of what is
below does. A tighter tolerance makes the number reproducible, not meaningful; a looser one raises the limit.
"""

USUAL_TOLERANCE = 1e-8
"""PHREEQC's convergence tolerance where KNOBS does not set it."""

_TOLERANCE = re.compile(r"^[ \t]*-?conv\w*[ \t]+([\d.eE+-]+)", re.IGNORECASE | re.MULTILINE)

VANT_HOFF_SPAN = 50.0
"""K from 25 degC up to which a constant enthalpy is taken for good.

What it leaves out is the heat capacity of reaction, commonly 100 to 300 J/(mol K): at 75 degC that moves log K by
0.06 to 0.2, at 125 degC by 0.2 to 0.6.
"""

CONSTANT_SPAN = 25.0
"""K from 25 degC up to which a log K without any temperature dependence is taken for good.

An enthalpy of 40 kJ/mol moves log K by 0.5 over this span.
"""

RANGE_SLACK = 50.0
"""K beyond a stated range that are let pass for what PHREEQC only lists, as with a constant enthalpy.

The fit of anhydrite in phreeqc.dat begins at 50 degC; every cool water with sulfate would have to be doubted. A phase
that the input brings to equilibrium has no slack.
"""

NEAR_SATURATION = 5.0
"""A listed phase further than this below saturation stays undersaturated whatever is wrong with its log K.

The greatest shift seen is 2.8: albite at 200 degC, phreeqc.dat against llnl.dat.
"""

MAJOR_SHARE = 0.05
"""Share of an element's total from which a species is a major one."""

WARM_SLACK = 0.5
"""K above the range of a database for cold brines that are let pass."""

NOT_COMPUTED = -999.0
"""What SELECTED_OUTPUT has, or less, where there is no value."""

NAMES = 4
"""Names of phases and species in one message."""

_TAIL = 2000
"""Characters at the end of an output in which PHREEQC says why it stopped."""


@dataclass(frozen=True)
class Notice:
    """What speaks against the numbers of some states, in printed order.

    Attributes
    ----------
    kind
        ``not_determined`` for a value that nothing in the model fixes, else ``doubtful``.
    """

    message: str
    states: tuple[State, ...]
    kind: Literal["doubtful", "not_determined"] = "doubtful"

    def __str__(self) -> str:
        first, last = self.states[0], self.states[-1]
        place = f"{_label(first)}, L{first.first}-{first.last}"
        if len(self.states) > 1:
            place = f"{len(self.states)} states from {place} to {_label(last)}, L{last.first}-{last.last}"
        return f"{self.message}: {place}"


def output_notices(run: Run, outline: Outline, text: str = "") -> list[Notice]:
    """Return what speaks against the numbers of a run.

    Parameters
    ----------
    run, outline
        A finished run and the outline of its output. A last state that did not converge is left out.
    text
        Its input, for the phases and species that it defines itself; without it they are not looked at.
    """
    states = [state for state in outline.states if state.sections]
    if not run.solved and "converge" in run.output[-_TAIL:]:
        states = states[:-1]  # where the iteration stopped: no result to doubt
    if not states:
        return []
    check = _Check(run, states, text)
    return [
        *check.numbers(),
        *check.ionic_strength(),
        *check.undetermined_pe(),
        *check.couples(),
        *check.too_warm(),
        *check.temperature(),
    ]


def unprinted(run: Run, outline: Outline, text: str = "") -> list[str]:
    """Return what speaks against the rows of SELECTED_OUTPUT in a run that printed no state (PRINT -reset false).

    Ionic strength, temperature and pH are looked at where they are columns; the charge error is not (see
    `state_notices`). Rows are counted from 1.
    """
    if not run.solved or outline.states:
        return []
    model, name = activity_model(run.database.path, text), run.database.name
    limit = IONIC_STRENGTH[model]
    low, high = PH_RANGE
    warm = COLD_RANGE[1] + WARM_SLACK
    said = []
    for table in run.selected:
        rows = list(column_rows(table, "mu", lambda mu: mu >= limit))
        if rows:
            strengths = _span([value for _, value in rows])
            said.append(
                f"ionic strength {strengths} mol/kgw is beyond the {model} model of {name} (to about {limit:g}): "
                f"{named_rows(table, rows)}"
            )
        if rows := list(column_rows(table, "pH", lambda pH: not low <= pH <= high)):
            values = _span([value for _, value in rows])
            said.append(f"pH {values} is outside {low:g} to {high:g}: {named_rows(table, rows)}")
        rows = list(column_rows(table, "temp(C)", lambda celsius: celsius > warm))
        if rows and name in COLD_DATABASES:
            values = _span([value for _, value in rows])
            said.append(f"{values} degC is above what {name} is for: {named_rows(table, rows)}")
    return said


def charge_error_with_surface(state: State, lines: Sequence[str]) -> float | None:
    """Return the charge error (%) of a state, that of solution and surface together where there is a surface.

    A surface without diffuse layer is charged and its solution opposite; PHREEQC prints the charge of each surface,
    or of a surface with its diffuse layer, which is part of the solution then.

    Parameters
    ----------
    state, lines
        A state of an output, and all lines of the output.
    """
    error = state.charge_error
    if error is None or not any(each.startswith("surface") for each in state.reactants):
        return error
    own = "\n".join(lines[state.first - 1 : state.last])
    if "Surface + diffuse layer charge, eq" in own:
        return error
    surfaces = [_number(number) for number in re.findall(r"(\S+)\s+Surface charge, eq", own)]
    balance = re.search(r"Electrical balance \(eq\)\s+=\s+(\S+)", own)
    if not surfaces or balance is None or not _number(balance[1]):
        return None  # nothing is claimed without the charge of the surface
    return error * (1 + math.fsum(surfaces) / _number(balance[1]))


def column_rows(
    table: SelectedOutput, column: str, wrong: Callable[[float], bool]
) -> Iterator[tuple[int, float]]:
    """Yield the rows, from 1, in which a column has a finite number that is wrong; none without the column."""
    if column not in table.columns:
        return
    place = table.columns.index(column)
    for number, row in enumerate(table.rows, 1):
        cell = row[place] if place < len(row) else None
        if isinstance(cell, int | float) and math.isfinite(cell) and cell > NOT_COMPUTED and wrong(cell):
            yield number, float(cell)


def named_rows(table: SelectedOutput, rows: Sequence[tuple[int, float]]) -> str:
    """Return ``SELECTED_OUTPUT 1, rows 3, 4, 7 and 2 more``."""
    shown = ", ".join(str(number) for number, _ in rows[:5])
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    return f"SELECTED_OUTPUT {table.user}, row{'s' if len(rows) > 1 else ''} {shown}{more}"


@dataclass(frozen=True)
class _Limit:
    """The temperatures (degC) at which a log K holds, and what is wrong beyond."""

    low: float
    high: float
    slack: float
    reason: str

    def holds(self, celsius: float, slack: float = 0.0) -> bool:
        return self.low - slack <= celsius <= self.high + slack


@dataclass
class _Beyond:
    """Log K beyond their limits for one reason, over all states."""

    states: list[State] = field(default_factory=list)
    names: dict[str, None] = field(default_factory=dict)


class _Check:
    def __init__(self, run: Run, states: Sequence[State], text: str) -> None:
        self.run = run
        self.states = states
        self.lines = run.output.split("\n")
        self.base = read(run.database.path)
        self.text = text
        self.definitions = Definitions(self.base, text)
        self.model = activity_model(run.database.path, text)
        self.electrons = ELECTRONS * max(1.0, _tolerance(text) / USUAL_TOLERANCE)
        self._limits: dict[int, dict[str, _Limit]] = {}

    def section(self, state: State, name: str) -> list[str]:
        """Return the lines under the heading of a section, empty if it is not printed."""
        for section in state.sections:
            if section.name == name:
                return self.lines[section.first : section.last]
        return []

    def table(self, state: State, name: str) -> Tables:
        lines = self.section(state, name)
        return READERS[name](lines) if lines else {}

    def totals(self, state: State) -> dict[str, float]:
        """Return the totals printed in "Distribution of species", by element or valence state, in mol/kgw."""
        found: dict[str, float] = {}
        for line in self.section(state, "Distribution of species"):
            if line[:1].isalpha() or line[:1] == "[":
                name, *numbers = line.split()
                if len(numbers) == 1:
                    found[name] = _number(numbers[0])
        return found

    # -- values that are no numbers

    def numbers(self) -> Iterator[Notice]:
        names = {"pH": "pH", "pe": "pe", "ionic_strength": "ionic strength", "charge_error": "charge error"}
        broken: dict[str, list[State]] = {}
        for state in self.states:
            values = {name: getattr(state, attribute) for attribute, name in names.items()}
            bad = [name for name, value in values.items() if value is not None and not math.isfinite(value)]
            if bad:
                broken.setdefault(", ".join(bad), []).append(state)
        for bad_names, states in broken.items():
            yield Notice(f"{bad_names} is not a number: no value of these states is a result", tuple(states))

    # -- activity model

    def ionic_strength(self) -> Iterator[Notice]:
        limit = IONIC_STRENGTH[self.model]
        over = [
            s for s in self.states if s.ionic_strength is not None and limit <= s.ionic_strength < math.inf
        ]
        if not over:
            return
        strengths = [state.ionic_strength or 0.0 for state in over]
        message = (
            f"ionic strength {_span(strengths)} mol/kgw is beyond the {self.model} model of "
            f"{self.run.database.name} (to about {limit:g})"
        )
        elements = {
            name.partition("(")[0]
            for state in (*over[:20], over[-1])
            for name, total in self.totals(state).items()
            if total > 0
        } - {"H", "O", "E", "Alkalinity"}
        other = self.other_databases(elements, over, max(strengths))
        yield Notice(f"{message}; {other}" if other and elements else message, tuple(over))

    def other_databases(self, elements: set[str], states: Sequence[State], strength: float) -> str:
        """Say which installed database with a model for brines holds some elements, or what each lacks."""
        cold = any(state.temperature is not None and state.temperature < 0 for state in states)
        holding, lacking = [], []
        for database in list_databases():
            name = database.name
            if name not in BRINE_DATABASES or name == self.run.database.name:
                continue
            limit = IONIC_STRENGTH[activity_model(database.path)]
            if (name == "frezchem.dat") != cold or strength >= limit:
                continue
            lacks = elements - {each.name for each in read(database.path).elements}
            if lacks:
                lacking.append(f"{name} lacks {_some(sorted(lacks))}")
            else:
                holding.append(name)
        if holding:
            return f"{' and '.join(holding)} {'hold' if len(holding) > 1 else 'holds'} all elements in it"
        return ", ".join(lacking)

    # -- redox

    def undetermined_pe(self) -> Iterator[Notice]:
        loose = [
            state
            for state in self.states
            if state.pe is not None and not state.stage.startswith("initial") and not self.poised(state)
        ]
        if loose:
            message = (
                f"{UNDETERMINED_PE}: no redox couple can give and take {self.electrons:g} mol/kgw of electrons, "
                "so pe and what depends on it (O2, H2, traces of other valence states) is noise"
            )
            yield Notice(message, tuple(loose), "not_determined")

    def couples(self) -> Iterator[Notice]:
        """Say which pe the couples of an initial solution have, where the default pe divides what states no valence."""
        waters = {(each.simulation, str(each.first)): each for each in solutions(self.text)}
        for state in self.states:
            if state.stage != "initial solution":
                continue
            solution = waters.get((state.simulation, state.label.split()[2]))
            if solution is None or solution.pe is not None or solution.redox not in ("", "pe"):
                continue
            stated = {each.name for each in solution.totals if not each.redox}
            divided = stated.intersection(
                name.partition("(")[0] for name in self.totals(state) if "(" in name
            )
            rows = (line.split() for line in self.section(state, "Redox couples"))
            couples = {words[0]: words[1] for words in rows if len(words) == 3 and "/" in words[0]}
            if divided and couples:
                found = ", ".join(f"{name} has {pe}" for name, pe in couples.items())
                message = (
                    f"the default pe divides {', '.join(sorted(divided))} among valences, and the couples that are "
                    f"stated have another: {found}; redox {next(iter(couples))} in the solution would use it"
                )
                yield Notice(message, (state,), "not_determined")

    def poised(self, state: State) -> bool:
        """Return whether something determines pe, or there is no redox in the model, or it is not printed."""
        printed: dict[str, dict[str, float]] = {}
        for name, total in self.totals(state).items():
            element = name.partition("(")[0]
            if name != element:
                printed.setdefault(element, {})[name] = total
        if not printed.keys() & _OF_WATER and all(len(valences) == 1 for valences in printed.values()):
            return True  # no redox reactions, as in pitzer.dat
        for element in printed.keys() & _OF_WATER:  # the other member is water
            printed[element] |= {"O": {"O(-2)": math.inf}, "H": {"H(1)": math.inf}}[element]
        return any(map(self.poises, printed.values())) or self.poised_by_phases(state, printed)

    def poises(self, valences: Mapping[str, float]) -> bool:
        """Return whether the valence states of an element, in mol/kgw, can give and take enough electrons."""
        states = sorted(
            (valence, total) for name, total in valences.items() if (valence := _valence(name)) is not None
        )
        return any(
            (high - low) * min(reduced, oxidised) > self.electrons
            for number, (low, reduced) in enumerate(states)
            for high, oxidised in states[number + 1 :]
        )

    def poised_by_phases(self, state: State, present: dict[str, dict[str, float]]) -> bool:
        """Return whether phases that are present bring the other member of a couple."""
        catalogue = self.definitions.at(state.simulation)
        species = {each.name: each for each in catalogue.species}
        phases = {each.name.casefold(): each for each in catalogue.phases}
        moles = self.table(state, "Phase assemblage").get("moles", {})
        moles = moles | self.table(state, "Gas phase").get("gas", {})
        for name in (name for name, amount in moles.items() if not isinstance(amount, str) and amount > 0):
            phase = phases.get(name.casefold())
            if phase is None:
                return True  # unknown, so nothing is claimed
            for formed in _products(phase):
                if formed in ("e-", "O2", "H2"):
                    return True
                elements = species[formed].elements - {"H", "O"} if formed in species else frozenset()
                for element in elements if len(elements) == 1 else ():
                    present.setdefault(element, {})[valence_state(formed, element)] = math.inf
        return any(map(self.poises, present.values()))

    # -- log K and temperature

    def too_warm(self) -> Iterator[Notice]:
        """Reactions above the temperatures of a database for cold brines; `assumptions` looks at the solutions."""
        if self.run.database.name not in COLD_DATABASES:
            return
        warm = [
            state
            for state in self.states
            if not state.stage.startswith("initial")
            and (state.temperature or 0.0) > COLD_RANGE[1] + WARM_SLACK
        ]
        if warm:
            span = _span([state.temperature or 0.0 for state in warm])
            yield Notice(f"{span} degC is above what {self.run.database.name} is for (to 25)", tuple(warm))

    def limits(self, state: State) -> dict[str, _Limit]:
        """Return where the log K of phases and species hold, by name; without those that hold everywhere."""
        catalogue = self.definitions.at(state.simulation)
        if catalogue is self.base:
            path = self.run.database.path
            return _database_limits(path, path.stat().st_mtime_ns)
        if id(catalogue) not in self._limits:
            self._limits[id(catalogue)] = _limits(catalogue)
        return self._limits[id(catalogue)]

    def temperature(self) -> Iterator[Notice]:
        beyond: dict[str, _Beyond] = {}
        for state in self.states:
            celsius = state.temperature
            if celsius is None or not math.isfinite(celsius):
                continue
            wrong = {name: limit for name, limit in self.limits(state).items() if not limit.holds(celsius)}
            for name in self.in_use(state, celsius, wrong) if wrong else ():
                entry = beyond.setdefault(wrong[name].reason, _Beyond())
                entry.names[name] = None
                if not entry.states or entry.states[-1] is not state:
                    entry.states.append(state)
        for reason, entry in beyond.items():
            celsii = [state.temperature or 0.0 for state in entry.states]
            message = f"log K of {_some(list(entry.names))} at {_span(celsii)} degC is {reason}"
            yield Notice(message, tuple(entry.states))

    def in_use(self, state: State, celsius: float, wrong: Mapping[str, _Limit]) -> Iterator[str]:
        """Yield what a state uses of phases and species whose log K does not hold.

        Phases in the assemblage first, then those near saturation, the highest index first, then major species.
        """
        assemblage = self.table(state, "Phase assemblage").get("moles", {})
        yield from (name for name in assemblage if name in wrong)
        listed = {
            name for name, limit in wrong.items() if not limit.holds(celsius, limit.slack)
        } - assemblage.keys()
        if not listed:
            return
        indices = self.table(state, "Saturation indices").get("SI", {})
        near = {
            n: si
            for n, si in indices.items()
            if n in listed and isinstance(si, float) and si > -NEAR_SATURATION
        }
        yield from sorted(near, key=lambda name: -near[name])
        by_element: dict[str, float] = {}
        for name, total in self.totals(state).items():
            element = name.partition("(")[0]
            by_element[element] = by_element.get(element, 0.0) + total
        molalities = self.table(state, "Distribution of species").get("m", {})
        species = {each.name: each for each in self.definitions.at(state.simulation).species}
        for name in (name for name in molalities if name in listed and name in species):
            of = species[name].elements - {"H", "O"}
            share = max((_ratio(molalities[name], by_element.get(each, 0.0)) for each in of), default=0.0)
            if share > MAJOR_SHARE:
                yield name


@lru_cache(maxsize=32)
def _database_limits(path: Path, _mtime_ns: int) -> dict[str, _Limit]:
    return _limits(read(path))


def _limits(catalogue: Catalogue) -> dict[str, _Limit]:
    entries: tuple[Reaction, ...] = (*catalogue.species, *catalogue.phases)
    return {each.name: limit for each in entries if (limit := _limit(each)) is not None}


def _limit(entry: Reaction) -> _Limit | None:
    if isinstance(entry, Species) and _is_master(entry):
        return None
    if entry.temperature_range is not None:
        return _Limit(*entry.temperature_range, RANGE_SLACK, "outside the range stated for it")
    if any(entry.analytic) or entry.added:
        return None
    if entry.delta_h:
        span, reason = VANT_HOFF_SPAN, "carried from 25 degC with a constant enthalpy (no fit given)"
    else:
        span, reason = CONSTANT_SPAN, "that of 25 degC (no enthalpy, no fit given)"
    return _Limit(25 - span, 25 + span, 0.0, reason)


def _is_master(entry: Species) -> bool:
    left, _, right = entry.equation.partition("=")
    return normal_charge(leading_species(left)) == normal_charge("".join(right.split()))


def _products(phase: Phase) -> list[str]:
    """Return the species that a phase reacts with and to, without the phase's own formula."""
    left, _, right = phase.equation.partition("=")
    return [name for name, _ in (*terms(left)[1:], *terms(right))]


def _valence(name: str) -> float | None:
    """Return the number in ``S(-2)``, None where there is none."""
    try:
        return float(name.partition("(")[2].rstrip(")"))
    except ValueError:
        return None


def _tolerance(text: str) -> float:
    """Return the loosest convergence tolerance that an input sets."""
    given = [_number(match) for match in _TOLERANCE.findall(text)] if "knobs" in text.lower() else []
    return max([USUAL_TOLERANCE, *(each for each in given if math.isfinite(each))])


def _label(state: State) -> str:
    """Return the label of a state without the description of a solution."""
    return " ".join(state.label.split()[:3]) if state.stage == "initial solution" else state.label


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def _ratio(molality: float | str, total: float) -> float:
    return molality / total if isinstance(molality, float) and total > 0 else 0.0


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more
