"""Tables of contents for PHREEQC output.

PHREEQC prints everything it computes into one text: a few kilobytes for a speciation, megabytes for a column.
An agent should not read that text, it should find its way in it. Three maps of the same territory live here:

``toc``
    the flat list of "Evaluating Tool-Augmented Agents ... PHREEQC-MCQ-200" (section 3.2 and appendix C.2):
    every dash-delimited heading with its line number.
``toc_capped``
    what the authors' released code does instead: it also lists boxed headings, and shows at most 50 entries.
``outline``
    ours: simulation > stage > state > section with line ranges, and for each state the few numbers a
    geochemist looks at first (pH, pe, ionic strength, temperature, charge error, time). ``render`` prints it
    compactly, folding long runs of states; ``states`` and ``find_state`` unfold any part of it again.

Words
-----
A *stage* is what PHREEQC announces in a box ("Beginning of batch-reaction calculations."). A *state* is one
computed equilibrium: an initial solution, a reaction step, one cell after one shift, one inverse model. A
*section* is one printed table of a state ("Saturation indices").

Line numbers
------------
All are 1-based and inclusive. ``outline`` splits on line feed only, as a file-reading tool does. ``toc`` and
``toc_capped`` use ``str.splitlines`` as published; the two disagree only for outputs that contain other line
separators (form feed, U+0085, U+2028 ...), which PHREEQC prints only if they were in the input. A carriage
return before the line feed is tolerated everywhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeVar

__all__ = [
    "MAX_FULL_CHARS",
    "MAX_TOC_CHARS",
    "SHORT_NAMES",
    "Entry",
    "Outline",
    "Section",
    "Simulation",
    "Stage",
    "State",
    "find_state",
    "outline",
    "render",
    "states",
    "toc",
    "toc_capped",
    "toc_json",
]

# ----------------------------------------------------------------------------------- the published flat lists

MAX_FULL_CHARS = 10_000_000
"""Size threshold of the paper's Agent-TOC protocol, characters (section 3.2).

The paper sets it and also says that the builder "runs unconditionally on every result.out ... regardless of
file size" (C.2). So it decides nothing about the list itself, and nothing here depends on it; it is kept for
records that cite it.
"""

MAX_TOC_CHARS = 50_000_000
"""Above this size the authors' released code makes no list (there: 50 MB)."""

_RULE = re.compile(r"-{3,}\s*")
_T = TypeVar("_T")


class Entry(NamedTuple):
    """One line of a flat table of contents: 1-based line number and section name."""

    line: int
    section: str


def _heading(line: str) -> str | None:
    r"""Name in a dash-delimited heading, or None.

    Equivalent to the paper's ``^-{3,}\s*([A-Za-z].+?)\s*-{3,}\s*$`` on one line, but linear: the regex takes
    quadratic time on a long row of dashes, which an input can smuggle into the output.
    """
    if not line.startswith("---"):
        return None
    name = line.lstrip("-").lstrip()
    if not (name[:1].isascii() and name[:1].isalpha()):
        return None
    body = name.rstrip()
    core = body.rstrip("-")
    if len(body) - len(core) >= 3 and len(core := core.rstrip()) >= 2:
        return core
    # A one-letter name: the regex gives it whatever character follows.
    return name[:2] if _RULE.fullmatch(name[2:].lstrip()) else None


def toc(text: str) -> list[Entry]:
    """List every dash-delimited section heading, as published.

    Parameters
    ----------
    text : str
        PHREEQC output.

    Returns
    -------
    list of Entry
        Line numbers count ``text.splitlines()`` from 1. The list is empty if the output has no such heading
        (PRINT -reset false, or results only in selected output).

    Notes
    -----
    Source: PHREEQC-MCQ-200, appendix C.2. Faults are reproduced: boxed headings are missed, and messages
    between dashes ("Fixed-pressure gas phase 1 dissolved completely") are listed.
    """
    return [
        Entry(number, name)
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith("---") and (name := _heading(line)) is not None
    ]


def toc_capped(text: str, cap: int = 50) -> list[Entry]:
    """List headings as the authors' released code does, at most ``cap`` of them.

    Lines are stripped before they are matched, and the first non-blank line after a line of dashes is an
    entry too, without its final period. If there are more than ``cap`` entries, the middle is replaced by one
    entry ``... N sections omitted ...`` on line -1. Outputs longer than `MAX_TOC_CHARS` get no list.

    Parameters
    ----------
    text : str
        PHREEQC output.
    cap : int
        Entries shown, half of them from the head and half from the tail.
    """
    if len(text) > MAX_TOC_CHARS:
        return []
    entries: list[Entry] = []
    after_rule = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line:
            continue
        if (name := _heading(line)) is not None:
            entries.append(Entry(number, name))
            after_rule = False
        elif line.startswith("---") and not line.strip("-"):
            after_rule = True
        elif after_rule:
            entries.append(Entry(number, line.rstrip(".")))
            after_rule = False
    if len(entries) <= cap:
        return entries
    head, tail = cap // 2, cap - cap // 2
    marker = Entry(-1, f"... {len(entries) - cap} sections omitted ...")
    return [*entries[:head], marker, *entries[len(entries) - tail :]]


def toc_json(entries: Iterable[Entry]) -> str:
    """Render a flat list in its published JSON form, ``[{"line": 102, "section": "Gas phase"}, ...]``."""
    return json.dumps([{"line": entry.line, "section": entry.section} for entry in entries])


# ----------------------------------------------------------------------------------------- the outline itself

SHORT_NAMES = {
    "Solution composition": "comp",
    "Description of solution": "desc",
    "Distribution of species": "species",
    "Distribution of alkalinity": "alk",
    "Saturation indices": "SI",
    "Phase assemblage": "phases",
    "Gas phase": "gas",
    "Exchange composition": "exch",
    "Surface composition": "surf",
    "Solid solutions": "ss",
    "User print": "uprint",
    "Redox couples": "redox",
    "Isotopes": "iso",
    "Isotope Ratios": "isoR",
    "Isotope Alphas": "isoA",
    "Solution fractions": "fractions",
    "Phase mole transfers": "transfers",
    "Redox mole transfers": "redox transfers",
    "Isotopic composition of phases": "iso phases",
}
"""Section names as PHREEQC prints them, and as `render` abbreviates them. Other names appear in full."""

_SHORT_REACTANTS = {
    "pure phase assemblage": "phases",
    "solid solution assemblage": "ss",
    "gas phase": "gas",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A printed table, or a run of ``count`` tables of the same name.

    ``stride`` is the number of lines from one table of the run to the next, if it is always the same.
    """

    name: str
    first: int
    last: int
    count: int = 1
    stride: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """One computed equilibrium and where it is printed.

    Attributes
    ----------
    label : str
        ``initial solution 1 Seawater``, ``step 4``, ``transport step 10 cell 3``, ``advection shift 3 cell
        2``, ``initial cell 3``, ``cell 5 step 1`` (RUN_CELLS), ``model 2`` (inverse), ``print 7`` (no heading
        was printed).
    simulation, stage : int, str
        Where it belongs.
    first, last : int
        Line range, inclusive.
    reactants : tuple of str
        From the lines "Using solution 1." and so on: ``("solution 1", "phases 1")``.
    sections : tuple of Section
        In printed order.
    pH, pe : float or None
        As printed in "Description of solution"; None where it is not printed.
    ionic_strength : float or None
        mol/kgw.
    temperature : float or None
        degrees Celsius.
    charge_error : float or None
        100*(Cat-|An|)/(Cat+|An|), percent.
    time : float or None
        Seconds since the start of the kinetic calculation: the incremented time, the transport time, or the
        time step
        if that is all that is printed.
    """

    label: str
    simulation: int
    stage: str
    first: int
    last: int
    reactants: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    pH: float | None = None
    pe: float | None = None
    ionic_strength: float | None = None
    temperature: float | None = None
    charge_error: float | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of calculation within a simulation.

    ``shifts`` is (first, last, how many) of the advection or transport steps announced in it, printed or not.
    """

    name: str
    first: int
    last: int
    states: tuple[State, ...] = ()
    shifts: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """From "Reading input data for simulation N." to the next. Number 0 if the output has no such line.

    ``warning_lines`` and ``error_lines`` hold the first five lines that start with WARNING or ERROR.
    """

    number: int
    first: int
    last: int
    title: str | None = None
    stages: tuple[Stage, ...] = ()
    warnings: int = 0
    errors: int = 0
    warning_lines: tuple[int, ...] = ()
    error_lines: tuple[int, ...] = ()

    @property
    def states(self) -> tuple[State, ...]:
        """All states of the simulation, in printed order."""
        return tuple(state for stage in self.stages for state in stage.states)


@dataclass(frozen=True, slots=True)
class Outline:
    """The map of one output: its size, the lines before the first simulation, and the simulations.

    ``preamble`` is a line range, the whole text if nothing in it was recognised, None if the first line
    starts a simulation.
    """

    chars: int
    lines: int
    preamble: tuple[int, int] | None
    simulations: tuple[Simulation, ...]

    @property
    def states(self) -> tuple[State, ...]:
        """All states, in printed order."""
        return tuple(state for simulation in self.simulations for state in simulation.states)


def outline(text: str) -> Outline:
    """Build the hierarchical outline of a PHREEQC output.

    Parameters
    ----------
    text : str
        PHREEQC output, or any text: what is not recognised is covered by the range around it.

    Returns
    -------
    Outline
        Line numbers count ``text.split("\\n")`` from 1.

    Notes
    -----
    The headings are those of the print functions of PHREEQC 3 (print.cpp, transport.cpp, advection.cpp,
    inverse.cpp). A heading counts only if it is printed as PHREEQC prints it, flush and without trailing
    blank, so that USER_PRINT output (PRINT appends a blank) and echoed input (starts with a tab) cannot pass
    for one.

    The text is searched once for candidate lines; nothing is done for the tables between them, except that
    the few lines of each "Description of solution" are searched for key values.
    """
    return _Scan(text).run()


# One alternative per kind of line that means something, named after the method of _Scan that reads it. The
# look-ahead saves trying them all on every line; it lists their first characters.
_CANDIDATE = re.compile(
    r"\n(?=[-BCEGIKPRSTUW=\t])(?:(?P<dashes>---)"
    r"|(?P<using>Using )"
    r"|(?P<step>Reaction step )"
    r"|(?P<definition>Initial |Exchange \d|Surface \d|Gas_Phase \d)"
    r"|(?P<cell>Cell \d)"
    r"|(?P<transport>Transport step |Calculating transport)"
    r"|(?P<advection>Beginning of advection time step )"
    r"|(?P<inverse>Solution (?:\d|fractions:)|Phase mole|Redox mole|Isotopic comp|={20}|Summary of inverse)"
    r"|(?P<kinetics>Kinetics \d)"
    r"|(?P<time>\tTime)"
    r"|(?P<message>WARNING|ERROR)"
    r"|(?P<title>\t[Tt][Ii][Tt][Ll][Ee]\s))"
)
_DEFINITION = re.compile(
    r"(?:Initial )?(solution|exchange|surface|gas_phase) (\S+?)\.(?:\s+(.*))?", re.IGNORECASE
)
_USING = re.compile(r"Using ([a-z ]+?) (-?\d+)\.(?:\t.*)?")
_TRANSPORT = re.compile(r"Transport step +(\d{1,18})\.")
_ADVECTION = re.compile(r"Beginning of advection time step (\d{1,18})\b")
_TIME = re.compile(
    r"\tTime(?P<step> step)?: +(?P<time>\S+) seconds(?: +\(Incremented time: (?P<total>\S+) seconds\))?"
)
_SIMULATION = re.compile(r"Reading input data for simulation (\d{1,18})\.")
_PARAGRAPH = re.compile(r"(?:\n\r?(?=\r?\n))*\n [^\n]*(?:\n[^\r\n][^\n]*)*")
_STAGE = re.compile(r"Beginning of (.+?)(?: calculations)?\.")
_KEY_VALUE = re.compile(
    r"\n +(pH|pe|Ionic strength|Temperature|Percent error)"
    r"(?: \(mol/kgw\)| \([^)\n]{1,3}\)|, 100[^=\n]*?)? += +(\S+)"
)
_FIELDS = {
    "pH": "pH",
    "pe": "pe",
    "Ionic strength": "ionic_strength",
    "Temperature": "temperature",
    "Percent error": "charge_error",
}
_HEADING_WIDTH = 79  # PHREEQC centres section names between dashes to this many columns
_NO_HEADINGS = "no headings printed"


@dataclass(slots=True)
class _OpenState:
    label: str
    first: int
    reactants: list[str] = field(default_factory=list)
    headings: list[tuple[str, int]] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)

    def close(self, last: int, simulation: int, stage: str) -> State:
        return State(
            label=self.label,
            simulation=simulation,
            stage=stage,
            first=self.first,
            last=last,
            reactants=tuple(self.reactants),
            sections=_run_lengths(self.headings, last),
            **self.values,
        )


@dataclass(slots=True)
class _OpenStage:
    name: str
    first: int
    states: list[State] = field(default_factory=list)
    shifts: tuple[int, int, int] | None = None
    models: int = 0
    prints: int = 0

    def announce(self, shift: int) -> None:
        start, _, count = self.shifts or (shift, shift, 0)
        self.shifts = (start, shift, count + 1)


@dataclass(slots=True)
class _OpenSimulation:
    number: int
    first: int
    title: str | None = None
    stages: list[Stage] = field(default_factory=list)
    messages: dict[str, list[int]] = field(default_factory=lambda: {"WARNING": [], "ERROR": []})


def _run_lengths(headings: Sequence[tuple[str, int]], last: int) -> tuple[Section, ...]:
    """Merge neighbouring headings of the same name; ``last`` is the last line of the state they are in."""
    sections: list[Section] = []
    start = 0
    for end in range(1, len(headings) + 1):
        name, first = headings[start]
        if end < len(headings) and headings[end][0] == name:
            continue
        until = headings[end][1] - 1 if end < len(headings) else last
        if end - start == 1:
            sections.append(Section(name, first, until))
        else:
            strides = {b - a for (_, a), (_, b) in pairwise(headings[start:end])}
            stride = strides.pop() if len(strides) == 1 else None
            sections.append(Section(name, first, until, end - start, stride))
        start = end
    return tuple(sections)


def _section_name(line: str) -> str | None:
    """Name of the section that a line of dashes opens; None for messages and for what users printed."""
    name = _heading(line)
    if name is None or line != line.rstrip() or name.endswith("dissolved completely"):
        return None
    return name if len(line) == _HEADING_WIDTH or name in SHORT_NAMES else None


class _Scan:
    """One pass over the text. Each ``on_*`` method reads one kind of candidate line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.buffer = "\n" + text  # so that every line, the first too, follows a line feed
        self.done: list[Simulation] = []
        self.simulation: _OpenSimulation | None = None
        self.stage: _OpenStage | None = None
        self.state: _OpenState | None = None
        self.names: dict[str, str | None] = {}  # section name by heading line; few lines differ
        self.where = ""  # "transport step 3" or "advection shift 3": the context of the cells that follow
        self.retained = False  # "Column data retained from former run" was just announced
        self.resume = 0  # position in the buffer where the search goes on
        self.described: int | None = None  # where a "Description of solution" starts that is still to be read

    def run(self) -> Outline:
        buffer, text = self.buffer, self.text
        lines = max(1, text.count("\n") + (not text.endswith("\n")))
        handlers: dict[str | None, Callable[[str, int], None]] = {
            kind: getattr(self, "on_" + kind) for kind in _CANDIDATE.groupindex
        }
        number, counted = 0, 0  # line feeds before position ``counted`` of the buffer
        while match := _CANDIDATE.search(buffer, self.resume):
            at = match.start()
            self.read_values(at)
            number += buffer.count("\n", counted, at + 1)
            counted = at + 1
            end = buffer.find("\n", at + 1)
            line = buffer[at + 1 : end if end >= 0 else len(buffer)].removesuffix("\r")
            self.resume = end if end >= 0 else len(buffer)
            handlers[match.lastgroup](line, number)
        self.read_values(len(buffer))
        self.close_simulation(lines + 1)
        start = self.done[0].first if self.done else lines + 1
        return Outline(len(text), lines, (1, start - 1) if start > 1 else None, tuple(self.done))

    # -- opening and closing: closing happens just before the line of what comes next

    def close_state(self, at: int) -> None:
        if self.state and self.stage and self.simulation:
            self.stage.states.append(self.state.close(at - 1, self.simulation.number, self.stage.name))
        self.state = None

    def close_stage(self, at: int) -> None:
        self.close_state(at)
        if self.stage and self.simulation:
            stage = self.stage
            self.simulation.stages.append(
                Stage(stage.name, stage.first, at - 1, tuple(stage.states), stage.shifts)
            )
        self.stage = None
        self.where = ""

    def close_simulation(self, at: int) -> None:
        self.close_stage(at)
        if simulation := self.simulation:
            warnings, errors = simulation.messages["WARNING"], simulation.messages["ERROR"]
            self.done.append(
                Simulation(
                    number=simulation.number,
                    first=simulation.first,
                    last=at - 1,
                    title=simulation.title,
                    stages=tuple(simulation.stages),
                    warnings=len(warnings),
                    errors=len(errors),
                    warning_lines=tuple(warnings[:5]),
                    error_lines=tuple(errors[:5]),
                )
            )
        self.simulation = None

    def open_simulation(self, number: int, at: int) -> _OpenSimulation:
        self.close_simulation(at)
        self.simulation = _OpenSimulation(number, at)
        return self.simulation

    def open_stage(self, name: str, at: int) -> _OpenStage:
        if self.simulation is None:
            self.open_simulation(0, at)
        self.close_stage(at)
        self.stage = _OpenStage(name, at)
        return self.stage

    def open_state(self, label: str, at: int) -> _OpenState:
        stage = self.stage or self.open_stage(_NO_HEADINGS, at)
        self.close_state(at)
        if not label:  # nothing announced it: number it
            stage.prints += 1
            label = f"{self.where} print {stage.prints}".lstrip()
        self.state = _OpenState(label, at)
        return self.state

    def stage_is(self, kind: str) -> bool:
        return self.stage is not None and self.stage.name.startswith(kind)

    # -- lines of dashes: a box around a heading, or a section

    def on_dashes(self, line: str, at: int) -> None:
        if not line.strip("-"):
            following = self.buffer[self.resume + 1 : self.resume + 500].split("\n", 2)
            if len(following) < 2:
                return
            text, rule = following[0].removesuffix("\r"), following[1].removesuffix("\r")
            if rule.startswith("---") and not rule.strip("-") and text.strip("-") and text == text.strip():
                self.resume += len(following[0]) + len(following[1]) + 2
                self.on_box(text, at, exact=len(text) == len(line) == len(rule))
            return
        if line not in self.names:
            self.names[line] = _section_name(line)
        if name := self.names[line]:
            self.add_section(name, at)

    def on_box(self, text: str, at: int, exact: bool) -> None:
        if match := _SIMULATION.fullmatch(text):
            self.open_simulation(int(match[1]), at)
        elif text == "TITLE":
            simulation = self.simulation or self.open_simulation(0, at)
            if match := _PARAGRAPH.match(self.buffer, self.resume):
                simulation.title = " ".join(match[0].split()) or None
                self.resume = match.end()  # a title may contain anything; do not read headings in it
        elif text.startswith(("End of simulation", "End of Run")):
            self.close_stage(at)
        elif text == "Column data retained from former run":
            self.retained = True
        elif text == "Equilibrating initial solutions":
            if self.stage_is("transport") and self.stage and not self.stage.states:
                self.stage.name += ": equilibrating initial solutions"
            else:
                self.open_stage("transport: equilibrating initial solutions", at)
        elif match := _STAGE.fullmatch(text):
            if match[1] == "batch-reaction" and self.stage_is("run as cells"):
                self.close_state(at)  # RUN_CELLS announces one batch reaction per cell
            else:
                self.open_stage(match[1] + (" (column data retained)" if self.retained else ""), at)
                self.retained = False
        elif exact and not text.startswith("Reading data base"):
            self.open_stage(text.rstrip("."), at)

    def add_section(self, name: str, at: int) -> None:
        state = self.state
        if state and state.headings and state.headings[-1][0] != name:
            # No state prints a table twice, so a table that comes back belongs to a new state without
            # heading.
            if any(known == name for known, _ in state.headings):
                state = self.open_state("", at)
        elif not state:
            state = self.open_state("", at)
        assert state is not None
        state.headings.append((name, at))
        if name == "Description of solution":
            self.described = self.resume

    def read_values(self, end: int) -> None:
        """Read the key values of the description that was open until ``end``; the first of a kind counts."""
        start, self.described = self.described, None
        if start is None or self.state is None:
            return
        for match in _KEY_VALUE.finditer(self.buffer, start, end):
            try:
                self.state.values.setdefault(_FIELDS[match[1]], float(match[2]))
            except ValueError:
                continue

    # -- plain lines that announce a state

    def on_definition(self, line: str, at: int) -> None:
        match = _DEFINITION.fullmatch(line)
        if match and (line.startswith("Initial ") or self.stage_is("initial ")):
            self.open_state(" ".join(f"initial {match[1].lower()} {match[2]} {match[3] or ''}".split()), at)

    def on_step(self, line: str, at: int) -> None:
        if match := re.fullmatch(r"Reaction step (\d+)\.", line):
            self.open_state(f"step {match[1]}", at)

    def on_cell(self, line: str, at: int) -> None:
        if match := re.fullmatch(r"Cell (\d+)\.", line):
            self.open_state(f"{self.where} cell {match[1]}".lstrip(), at)

    def on_advection(self, line: str, at: int) -> None:
        if match := _ADVECTION.match(line):
            stage = (
                self.stage if self.stage and self.stage_is("advection") else self.open_stage("advection", at)
            )
            self.close_state(at)
            stage.announce(int(match[1]))
            self.where = f"advection shift {match[1]}"

    def on_transport(self, line: str, at: int) -> None:
        stage = self.stage
        if stage is None or not self.stage_is("transport") or stage.name.endswith("initial solutions"):
            stage = self.open_stage("transport", at)
        if match := _TRANSPORT.match(line):
            self.close_state(at)
            if stage.shifts is None or stage.shifts[1] != int(match[1]):  # a step has several mixing runs
                stage.announce(int(match[1]))
            self.where = f"transport step {match[1]}"

    def on_using(self, line: str, at: int) -> None:
        match = _USING.fullmatch(line)
        if match is None:
            return
        kind, number = match[1], match[2]
        state = self.state
        if state is None or (kind in ("solution", "mix") and (state.headings or state.reactants)):
            state = self.open_state(self.cell_label(number), at)
        elif self.stage_is("run as cells") and not state.reactants:
            state.label = f"cell {number} {state.label}"
        state.reactants.append(f"{_SHORT_REACTANTS.get(kind, kind)} {number}")

    def on_kinetics(self, line: str, at: int) -> None:
        # The only sign of a new cell in transport output printed with PRINT -use false.
        in_cell = self.state is not None and not self.state.headings
        if (
            self.stage_is("transport")
            and not in_cell
            and (match := re.fullmatch(r"Kinetics (\d+)\.\s*.*", line))
        ):
            self.open_state(self.cell_label(match[1]), at)

    def cell_label(self, number: str) -> str:
        """Label of a state announced only by the number of what it uses: in transport, that is the cell."""
        if not self.stage_is("transport"):
            return ""
        return f"{self.where or 'initial'} cell {number}"

    # -- inverse models

    def on_inverse(self, line: str, at: int) -> None:
        stage = self.stage
        if stage is None or not self.stage_is("inverse"):
            return
        if line.startswith("="):
            self.close_state(at + 1)
        elif line.startswith("Summary"):
            self.open_state("summary", at)
        else:
            state = self.state
            if state is None:
                stage.models += 1
                state = self.open_state(f"model {stage.models}", at)
            state.headings.append((line.partition(":")[0], at))

    # -- facts about the open state or simulation

    def on_time(self, line: str, at: int) -> None:
        match = _TIME.fullmatch(line)
        if match is None or self.state is None:
            return
        try:
            value = float(match["total"] or match["time"])
        except ValueError:
            return
        if match["total"] or not match["step"]:
            self.state.values["time"] = value
        else:
            self.state.values.setdefault("time", value)

    def on_message(self, line: str, at: int) -> None:
        simulation = self.simulation or self.open_simulation(0, at)
        simulation.messages["WARNING" if line.startswith("WARNING") else "ERROR"].append(at)

    def on_title(self, line: str, at: int) -> None:
        """Take the echoed title; the printed one replaces it, but is missing with PRINT -reset false."""
        if self.simulation and self.simulation.title is None:
            self.simulation.title = " ".join(line.split()[1:]) or None


# ---------------------------------------------------------------------------------------------------- finding


def states(outline: Outline, from_line: int = 1, to_line: int | None = None) -> list[State]:
    """All states printed, at least partly, in a line range (1-based, inclusive; default: everywhere)."""
    end = outline.lines if to_line is None else to_line
    return [state for state in outline.states if state.first <= end and state.last >= from_line]


def find_state(outline: Outline, query: str | int) -> list[State]:
    """Find states by line or by words, folded or not.

    Parameters
    ----------
    outline : Outline
        What to search.
    query : str or int
        A line number (``700`` or ``"L700"``): the state printed there. Otherwise words, and numbers after
        their word: ``"step 4"``, ``"cell 3 step 10"``, ``"sim 2 Seawater"``, ``"gas 1"``. All must occur in
        the simulation number, stage, label or reactants, in any order and case.

    Returns
    -------
    list of State
        States whose label is exactly the query, if there are any; else every match, in printed order.
    """
    words = " ".join(str(query).lower().split())
    if match := re.fullmatch(r"(?:l|line )?(\d{1,18})", words):
        return states(outline, int(match[1]), int(match[1]))
    if exact := [state for state in outline.states if state.label.lower() == words]:
        return exact
    terms = re.findall(r"[^\W\d]+ \d+|\S+", words)
    patterns = [re.compile(rf"(?<!\w){re.escape(term)}(?!\w)") for term in terms]

    def described(state: State) -> str:
        number = state.simulation
        place = f"sim {number} simulation {number} {state.stage}"
        return " ".join((place, state.label, *state.reactants)).lower()

    if not patterns:
        return []
    return [state for state in outline.states if all(p.search(described(state)) for p in patterns)]


# -------------------------------------------------------------------------------------------------- rendering

_TITLE_CHARS = 60
_LABEL_CHARS = 48
_ROOMY = 1_000_000_000  # "keep this many": no folding


def render(
    outline: Outline,
    fold: int | None = 3,
    budget: int | None = None,
    lines: tuple[int, int] | None = None,
) -> str:
    """Print an outline compactly: one line per state, long runs folded.

    What all states of a stage share (reactants, values, order of sections) is printed once, on the line of
    the stage. A folded line tells how many states it hides, the first and last label, their line range and
    spacing, and the range of their values. `find_state`, `states` and ``lines`` reach every hidden state.

    Parameters
    ----------
    outline : Outline
        What to print.
    fold : int or None
        States shown at each end of a stage that is folded; of simulations, twice as many. None shows
        everything.
    budget : int or None
        Fold harder until the result has at most so many characters. The hardest folding (a line for all
        simulations) is returned even if it is longer.
    lines : (int, int) or None
        Show only what overlaps this line range, unfolded unless there is a budget.

    Returns
    -------
    str
        Lines joined by line feeds. I is the ionic strength in mol/kgw, T in degrees Celsius, t in seconds,
        err the charge error in percent.
    """
    keep = _ROOMY if fold is None or lines is not None else max(0, fold)
    levels = [(keep, max(2 * keep, 2))]
    if budget is not None:
        levels += [(n, max(2 * n, 6)) for n in (5, 3, 2, 1, 0) if n < keep]
        levels += [(0, 2), (0, 1), (0, 0)]
    text = ""
    for keep_states, keep_simulations in levels:
        text = "\n".join(_page(outline, keep_states, keep_simulations, lines))
        if budget is None or len(text) <= budget:
            break
    return text


def _page(
    outline: Outline, keep_states: int, keep_simulations: int, lines: tuple[int, int] | None
) -> Iterator[str]:
    first, last = lines or (1, outline.lines)
    count = len(outline.states)
    size = f"{outline.lines} lines, {outline.chars} chars, {count} state{'s' * (count != 1)}"
    yield size + ("; I mol/kgw, T °C, err charge %; name@line or +lines into state" if count else "")
    if outline.preamble and (lines or not outline.simulations) and outline.preamble[1] >= first:
        yield f"L{outline.preamble[0]}-{outline.preamble[1]} no PHREEQC heading"
    shown = [sim for sim in outline.simulations if sim.first <= last and sim.last >= first]
    head, hidden, tail = _fold(shown, keep_simulations)
    for simulation in head:
        yield from _simulation_lines(simulation, keep_states, first, last)
    if hidden:
        yield _folded_simulations(hidden)
    for simulation in tail:
        yield from _simulation_lines(simulation, keep_states, first, last)


def _fold(items: Sequence[_T], keep: int) -> tuple[Sequence[_T], Sequence[_T], Sequence[_T]]:
    """Split into head, hidden middle and tail. A middle of one or two is not worth a line of its own."""
    if len(items) <= 2 * keep + 2 and not (keep == 0 and len(items) > 1):
        return items, (), ()
    return items[:keep], items[keep : len(items) - keep], items[len(items) - keep :]


def _simulation_lines(simulation: Simulation, keep: int, first: int, last: int) -> Iterator[str]:
    parts = [f"sim {simulation.number} L{simulation.first}-{simulation.last}"]
    if simulation.title:
        parts.append(_clip(simulation.title, _TITLE_CHARS))
    parts += _messages([simulation])
    stages = [stage for stage in simulation.stages if stage.first <= last and stage.last >= first]
    if not simulation.stages:
        parts.append("(no results)")
    yield " ".join(parts)
    for stage in stages:
        yield from _stage_lines(stage, keep, first, last)


def _stage_lines(stage: Stage, keep: int, first: int, last: int) -> Iterator[str]:
    chosen = [state for state in stage.states if state.first <= last and state.last >= first]
    shifts = ""
    if stage.shifts:
        start, end, count = stage.shifts
        shifts = f" {'shift' if count == 1 else 'shifts'} {start}" + (f"-{end}" if count > 1 else "")
    if len(stage.states) == 1 and chosen:
        (state,) = chosen
        columns = _columns(state)
        yield f" {_range(state)} {_stage_label(stage, state)}{shifts}" + _tail(
            columns.values(), _layout(state)
        )
        return
    if len(chosen) <= 1 < len(stage.states) or not chosen:
        total = f" ({len(chosen)} of {len(stage.states)} states)" if stage.states else ""
        yield f" L{stage.first}-{stage.last} {stage.name}{shifts}{total}"
        for state in chosen:
            yield f"  {_range(state)} {_label(state)}" + _tail(_columns(state).values(), _layout(state))
        return

    table = [_columns(state) for state in chosen]
    common = {key: value for key, value in table[0].items() if all(row.get(key) == value for row in table)}
    usual_uses = _majority(row.get("uses") for row in table)
    usual_names = _majority(tuple(_short(section) for section in state.sections) for state in chosen)
    offsets = {tuple(section.first - state.first for section in state.sections) for state in chosen}
    names = {tuple(_short(section) for section in state.sections) for state in chosen}
    if usual_uses:  # stated once, for every state that does not name its own
        common["uses"] = usual_uses
    alike = len(names) == len(offsets) == 1
    layout = ""
    if alike:
        state = chosen[0]
        layout = " ".join(f"{_short(section)}+{section.first - state.first}" for section in state.sections)
    elif usual_names:
        layout = " ".join(usual_names)
    values = [common[key] for key in ("uses", *(name for name, _, _ in _QUANTITIES)) if key in common]
    of = f"{len(chosen)} of " if len(chosen) < len(stage.states) else ""
    head = f" L{stage.first}-{stage.last} {stage.name}{shifts} ({of}{len(stage.states)} states)"
    yield head + _tail(values, f"each {layout}" if layout else "")

    def line(state: State, columns: dict[str, str]) -> str:
        own = [value for key, value in columns.items() if common.get(key) != value]
        if usual_uses and "uses" not in columns:
            own.insert(0, "<>")
        usual = tuple(_short(section) for section in state.sections) == usual_names
        where = "" if alike else _lines_of(state) if usual else _layout(state)
        return f"  {_range(state)} {_label(state)}" + _tail(own, where)

    rows = list(zip(chosen, table, strict=True))
    top, hidden, bottom = _fold(rows, keep)
    for state, columns in top:
        yield line(state, columns)
    if hidden:
        yield "  " + _folded_states([state for state, _ in hidden], common)
    for state, columns in bottom:
        yield line(state, columns)


def _majority(items: Iterable[_T]) -> _T | None:
    """Return the item that more than half of the items equal, if there is one."""
    counts = Counter(items)
    ((item, count),) = counts.most_common(1)
    return item if 2 * count > counts.total() else None


def _folded_states(hidden: Sequence[State], common: dict[str, str]) -> str:
    first, last = hidden[0], hidden[-1]
    text = f"... {len(hidden)} folded: {_label(first)} .. {_label(last)} L{first.first}-{last.last}"
    strides = [b.first - a.first for a, b in pairwise(hidden)]
    if len(set(strides)) == 1:
        text += f", {strides[0]} lines each"
    elif strides:
        text += f", ~{round(sum(strides) / len(strides))} lines each"
    return text + _tail((value for key, value in _spans(hidden).items() if key not in common), "")


def _folded_simulations(hidden: Sequence[Simulation]) -> str:
    first, last = hidden[0], hidden[-1]
    inside = [state for simulation in hidden for state in simulation.states]
    text = f"... {len(hidden)} simulations folded: {first.number}..{last.number} L{first.first}-{last.last}"
    text += f", {len(inside)} states"
    if names := list(dict.fromkeys(stage.name for simulation in hidden for stage in simulation.stages)):
        text += f" ({', '.join(names[:4])}{', ...' if len(names) > 4 else ''})"
    return text + _tail([*_spans(inside).values(), *_messages(hidden)], "")


# -- the words of a line


def _range(item: State) -> str:
    return f"L{item.first}-{item.last}"


def _clip(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


def _label(state: State) -> str:
    """Label without the words that its stage has said already."""
    label = state.label
    for word in ("initial ", "transport ", "advection "):
        if (
            state.stage.startswith(word.strip())
            and label.startswith(word)
            and not label.startswith("initial cell")
        ):
            label = label.removeprefix(word)
    return _clip(label, _LABEL_CHARS)


def _stage_label(stage: Stage, state: State) -> str:
    """Stage and label of a lone state in one phrase: the label of an initial composition says both."""
    if state.label.startswith("initial ") and stage.name.startswith("initial "):
        return _clip(state.label, _LABEL_CHARS)
    return f"{stage.name} {_label(state)}"


def _columns(state: State) -> dict[str, str]:
    """What a state's line tells apart from its place: reactants and values, each as one word group."""
    columns: dict[str, str] = {}
    if state.reactants:
        columns["uses"] = f"<{_reactants(state)}>"
    for name, attribute, form in _QUANTITIES:
        value = getattr(state, attribute)
        if value is not None:
            columns[name] = f"{name} {_number(value, form)}"
    return columns


_QUANTITIES = (
    ("t", "time", ".6g"),
    ("pH", "pH", ".3f"),
    ("pe", "pe", ".3f"),
    ("I", "ionic_strength", ".3g"),
    ("T", "temperature", ".5g"),
    ("err", "charge_error", ".2f"),
)


def _number(value: float, form: str) -> str:
    text = format(value, form)
    if "e" in text:  # 1.5e-05 -> 1.5e-5
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _reactants(state: State) -> str:
    """Reactants, with n for the number of the cell, so that the cells of a column can share one phrase."""
    cell = re.search(r"\bcell (\d+)", state.label)
    number = cell[1] if cell else None
    kinds: dict[str, list[str]] = {}
    for reactant in state.reactants:
        kind, _, value = reactant.rpartition(" ")
        kinds.setdefault("n" if value == number else value, []).append(kind)
    return ", ".join(f"{'+'.join(names)} {value}" for value, names in kinds.items())


def _spans(hidden: Iterable[State]) -> dict[str, str]:
    """Range of each value over some states, ``pH 6.9..7.9``."""
    spans: dict[str, str] = {}
    inside = list(hidden)
    for name, attribute, form in _QUANTITIES:
        values = [value for state in inside if (value := getattr(state, attribute)) is not None]
        if values:
            low, high = _number(min(values), form), _number(max(values), form)
            spans[name] = f"{name} {low}" if low == high else f"{name} {low}..{high}"
    return spans


def _messages(simulations: Iterable[Simulation]) -> list[str]:
    """``2 warnings@246,247``, ``1 error@423``; dots at the end if there are more than are listed."""
    inside = list(simulations)

    def phrase(word: str, count: int, numbers: list[int]) -> list[str]:
        shown = ",".join(map(str, numbers[:3])) + (",..." if count > 3 else "")
        return [f"{count} {word}{'s' * (count > 1)}@{shown}"] if count else []

    return [
        *phrase("warning", sum(s.warnings for s in inside), [n for s in inside for n in s.warning_lines]),
        *phrase("error", sum(s.errors for s in inside), [n for s in inside for n in s.error_lines]),
    ]


def _short(section: Section) -> str:
    name = SHORT_NAMES.get(section.name, section.name)
    return name if section.count == 1 else f"{name}×{section.count}"


def _layout(state: State) -> str:
    """Sections of a state with their lines: ``comp@102 SI@289``, ``uprint×620@7 every 5``."""
    return " ".join(
        f"{_short(section)}@{section.first}" + (f" every {section.stride}" if section.stride else "")
        for section in state.sections
    )


def _lines_of(state: State) -> str:
    """Lines alone, for a state whose section names are those of its stage: ``@102 289``."""
    places = (f"{s.first}" + (f" every {s.stride}" if s.stride else "") for s in state.sections)
    return "@" + " ".join(places) if state.sections else ""


def _tail(parts: Iterable[str], layout: str) -> str:
    text = "".join(f" {part}" for part in parts)
    return f"{text} | {layout}" if layout else text
