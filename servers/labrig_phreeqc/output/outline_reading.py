"""From a PHREEQC output to its outline, in one pass over the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from labrig_phreeqc.output.outline import Outline, Section, Simulation, Stage, State
from labrig_phreeqc.output.toc import heading

_SHORT_REACTANTS = {
    "pure phase assemblage": "phases",
    "solid solution assemblage": "ss",
    "gas phase": "gas",
}


def outline_output(text: str) -> Outline:
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
    name = heading(line)
    if name is None or line != line.rstrip() or name.endswith("dissolved completely"):
        return None
    return name if len(line) == _HEADING_WIDTH else None


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
        if (stage := self.stage) and self.simulation:
            closed = Stage(stage.name, stage.first, at - 1, tuple(stage.states), stage.shifts)
            self.simulation.stages.append(closed)
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
        stage = self.stage or self.open_stage("no headings printed", at)
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
            stage = self.stage
            if stage is None or not self.stage_is("advection"):
                stage = self.open_stage("advection", at)
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
        if (match := _USING.fullmatch(line)) is None:
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
        match = re.fullmatch(r"Kinetics (\d+)\.\s*.*", line)
        in_cell = self.state is not None and not self.state.headings
        if match and self.stage_is("transport") and not in_cell:
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
        if (match := _TIME.fullmatch(line)) is None or self.state is None:
            return
        try:
            value = float(match["total"] or match["time"])
        except ValueError:
            return
        if match["total"] or not match["step"] or "time" not in self.state.values:
            self.state.values["time"] = value

    def on_message(self, line: str, at: int) -> None:
        messages = (self.simulation or self.open_simulation(0, at)).messages
        messages["WARNING" if line.startswith("WARNING") else "ERROR"].append(at)

    def on_title(self, line: str, at: int) -> None:
        """Take the echoed title; the printed one replaces it, but is missing with PRINT -reset false."""
        if self.simulation and self.simulation.title is None:
            self.simulation.title = " ".join(line.split()[1:]) or None
