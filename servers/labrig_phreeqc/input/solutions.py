"""The waters an input defines: its SOLUTION and SOLUTION_SPREAD data blocks, read as PHREEQC reads them.

What a line does not state is None here; which default then counts is the business of
`labrig_phreeqc.checks.input_notices`. Numbers keep the text they were read from, since PHREEQC takes what it can from a
word and drops the rest: ``1,5`` is 1.

Sources: Parkhurst and Appelo (2013), USGS TM 6-A43, SOLUTION and SOLUTION_SPREAD; the readers of release 3.8
(``read_solution``, ``cxxISolutionComp::read``, ``check_units``, ``read_solution_spread``); and trials with the
engine where the two differ.

Of isotopes (``-isotope``, lines that start with a number) the name is read. Not read: the electrical potential, and
solutions that are not analyses (SOLUTION_RAW, SOLUTION_MODIFY, MIX, COPY).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from labrig_phreeqc.input.statements import Statement, option, statements


@dataclass(frozen=True)
class Number:
    """A number as PHREEQC reads it.

    Attributes
    ----------
    value
        What ``sscanf`` makes of the text; may be nan or infinite.
    text
        The word in the input.
    unread
        The end of the word, which PHREEQC drops without a sign.
    line
        Line of the input, from 1.
    """

    value: float
    text: str
    unread: str
    line: int


@dataclass(frozen=True)
class Constraint:
    """What sets a value that the line only estimates.

    Attributes
    ----------
    phase
        Name of a phase to be in equilibrium with; empty for charge balance.
    si
        Its saturation index, or log partial pressure in atm; None where the line states none (PHREEQC: 0).
    """

    phase: str
    si: float | None = None

    @property
    def is_charge(self) -> bool:
        """Whether the value is adjusted until the solution is neutral."""
        return not self.phase


@dataclass(frozen=True)
class Total:
    """A concentration: an element, one of its valence states, several of them, or Alkalinity.

    Attributes
    ----------
    name
        As PHREEQC writes it: ``Ca``, ``Fe(2)`` (``Fe(+2)`` in the input), ``N(5) N(3)``, ``Alkalinity``.
    number
        The concentration in `unit`.
    unit
        Its own unit in `standard_unit`'s form, None where the solution's counts.
    as_, gfw
        What a mass is counted as: the formula after ``as``, or the g/mol after ``gfw``.
    redox
        The couple that distributes it over its valence states, ``pe``, or empty where the solution's counts.
    constraint
        What adjusts the concentration, or None.
    """

    name: str
    number: Number
    unit: str | None = None
    as_: str = ""
    gfw: float | None = None
    redox: str = ""
    constraint: Constraint | None = None

    @property
    def line(self) -> int:
        """Line of the input, from 1."""
        return self.number.line

    @property
    def element(self) -> str:
        """The element without its valence."""
        return self.name.partition("(")[0]


@dataclass(frozen=True)
class Solution:
    """An aqueous solution as the input states it; None and empty is what it does not state.

    Attributes
    ----------
    first, last
        The numbers it is defined for. A row of SOLUTION_SPREAD without a number gets the one that PHREEQC gives it as
        far as SOLUTION and SAVE tell (COPY and TRANSPORT also take numbers).
    description, line
        Words after the number; line of the keyword or the row.
    simulation
        In which it is computed, from 1.
    start, end
        Place of the block or row in the text, as a slice.
    temperature, pressure, density, water
        degC, atm, kg/L, kg.
    pH, pe
        Dimensionless; the estimate where a constraint sets it.
    pH_constraint, pe_constraint
        What sets pH or pe.
    calculate_density
        Whether PHREEQC iterates the density.
    units
        Unit of concentrations without their own, in `standard_unit`'s form.
    unknown_units
        What stands after ``units`` and is none of PHREEQC's, so that the line has no effect.
    after_units
        What stands after a unit and is dropped, such as ``as CaCO3``, with its line.
    redox
        The couple for elements without their own, or ``pe``.
    totals
        The concentrations that count, in the order of the input.
    replaced
        Concentrations that a later line with the same name replaces.
    repeated
        The same for temperature, pressure, density, water, pH and pe: name and the number that does not count.
    unread
        Columns of a SOLUTION_SPREAD that PHREEQC passes over since they start with a small letter.
    isotopes
        Isotopes of inverse models (``-isotope 13C -12``), not in a row of SOLUTION_SPREAD, each with its line.
    lines
        The same as lines of a SOLUTION block, each with its line in the input; the keyword is left out.
    spread
        Whether it is a row of SOLUTION_SPREAD.
    """

    first: int
    last: int
    description: str
    line: int
    simulation: int
    start: int
    end: int
    temperature: Number | None = None
    pressure: Number | None = None
    density: Number | None = None
    water: Number | None = None
    pH: Number | None = None
    pe: Number | None = None
    pH_constraint: Constraint | None = None
    pe_constraint: Constraint | None = None
    calculate_density: bool = False
    units: str | None = None
    unknown_units: tuple[tuple[str, int], ...] = ()
    after_units: tuple[tuple[str, int], ...] = ()
    redox: str = ""
    totals: tuple[Total, ...] = ()
    replaced: tuple[Total, ...] = ()
    repeated: tuple[tuple[str, Number], ...] = ()
    unread: tuple[str, ...] = ()
    isotopes: tuple[tuple[str, int], ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    spread: bool = False

    @property
    def name(self) -> str:
        """``SOLUTION 3``, or ``SOLUTION 3-5``."""
        return f"SOLUTION {self.first}" + (f"-{self.last}" if self.last > self.first else "")

    @property
    def numbers(self) -> Iterator[Number]:
        """Every number it states."""
        for number in (self.temperature, self.pressure, self.density, self.water, self.pH, self.pe):
            if number is not None:
                yield number
        for total in self.totals:
            yield total.number


def solutions(text: str) -> tuple[Solution, ...]:
    """Return the solutions of an input, in order.

    What PHREEQC refuses (an unknown option, a concentration that is not a number) is left out: it says so itself.
    """
    reader = _Reader(text)
    for statement in statements(text):
        reader.take(statement)
    reader.end_simulation()
    return tuple(sorted(reader.found, key=lambda each: each.start))


def overwritten(found: Sequence[Solution]) -> dict[Solution, Solution]:
    """Return the solutions that are never computed, each with the one that takes its place.

    Of two with the same number in one simulation the later counts. A range is computed once and copied to its
    other numbers, in ascending order, over whatever was defined there: ``SOLUTION 1-5`` takes ``SOLUTION 3``.
    """
    lost: dict[Solution, Solution] = {}
    by_simulation: dict[int, dict[int, Solution]] = {}
    for solution in found:
        same = by_simulation.setdefault(solution.simulation, {})
        if solution.first in same:
            lost[same[solution.first]] = solution
        same[solution.first] = solution
    for same in by_simulation.values():
        wide: Solution | None = None
        for number in sorted(same):
            if wide is not None and number <= wide.last:
                lost[same[number]] = wide
            elif same[number].last > number:
                wide = same[number]
    return lost


def missing_in_mixes(text: str) -> tuple[tuple[int, int, int], ...]:
    """Return the solutions that a MIX names and nothing makes: line, number of the mix, number of the solution.

    PHREEQC leaves them out without a word. Where other data blocks may make solutions (RUN_CELLS, TRANSPORT, raw
    data ...) nothing is claimed; a solution made anywhere in the input counts as made.
    """
    ranges: list[tuple[int, int]] = []
    named: list[tuple[int, int, int]] = []
    mix: int | None = None
    for statement in statements(text):
        if statement.is_keyword:
            mix = None
            words = statement.rest.lower().split()
            if statement.block in _MAKES_SOLUTIONS or "INCLUDE" in statement.block:
                return ()
            if statement.block == "MIX":
                mix = _numbers_and_description(statement.rest)[0]
            elif statement.block == "SAVE" and words[:1] and words[0].startswith("so"):
                ranges.append(_numbers_and_description(" ".join(words[1:]))[:2])
            elif statement.block == "COPY" and words[:1] and words[0].startswith(("so", "c")):
                ranges += [_numbers_and_description(word)[:2] for word in words[2:]]
        elif mix is not None:
            number = re.match(r"\d{1,9}(?=[ \t]|$)", statement.text, re.ASCII)
            if number is not None:
                named.append((statement.line, mix, int(number[0])))
    if named:
        ranges += [(each.first, each.last) for each in solutions(text)]
    return tuple(each for each in named if not any(first <= each[2] <= last for first, last in ranges))


_MAKES_SOLUTIONS = frozenset(
    [
        "RUN_CELLS",
        "TRANSPORT",
        "ADVECTION",
        "SOLUTION_RAW",
        "SOLUTION_MODIFY",
        "SOLUTION_MIX",
        "INCLUDE$",
        "INITIAL_SOLUTIONS",
    ]
)


def with_charge(solution: Solution) -> tuple[tuple[int, str], ...]:
    """Return its lines with the pH adjusted to charge balance, from the pH it states or 7."""
    lines = [
        (line, text)
        for line, text in solution.lines
        if option(_statement(line, text), _OPTIONS["SOLUTION"]) != "ph"
    ]
    line, start = (solution.pH.line, solution.pH.text) if solution.pH is not None else (solution.line, "7")
    return (*lines, (line, f"pH {start} charge"))


# ------------------------------------------------------------------------------------------------ words and numbers

_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_SCANNED = re.compile(
    r"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?|inf(?:inity)?|nan(?:\([a-z0-9_]*\))?"
    r"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)",
    re.IGNORECASE | re.ASCII,
)


def read_number(word: str, line: int) -> Number | None:
    """Return what C's ``sscanf("%lf")`` reads from the start of a word, or None."""
    match = _SCANNED.match(word)
    if match is None:
        return None
    try:
        value = float.fromhex(match[0]) if "x" in match[0].lower() else float(match[0].partition("(")[0])
    except OverflowError:
        value = float("-inf" if match[0].startswith("-") else "inf")
    return Number(value, word, word[match.end() :], line)


_UNIT_SPELLINGS = (
    ("milli", "m"),
    ("micro", "u"),
    ("grams", "g"),
    ("gram", "g"),
    ("moles", "Mol"),
    ("mole", "Mol"),
    ("mol", "Mol"),
    ("liter", "l"),
    ("kgh", "kgw"),
    ("ppt", "g/kgs"),
    ("ppm", "mg/kgs"),
    ("ppb", "ug/kgs"),
    ("equivalents", "eq"),
    ("equivalent", "eq"),
    ("equiv", "eq"),
)
_UNIT = re.compile(r"[mu]?(?:Mol|eq)/(?:l|kgs|kgw)|[mu]?g/(?:l|kgs|kgw)")


def standard_unit(word: str) -> str | None:
    """Return a unit as PHREEQC understands it (``mmol/kgw``, ``mg/L``, ``mg/kgs`` for ppm), or None."""
    unit = _BLANKS.sub("", word).lower()
    for spelling, short in _UNIT_SPELLINGS:
        unit = unit.replace(spelling, short, 1)
    for per in ("/l", "/kgs", "/kgw"):
        if per in unit:
            unit = unit[: unit.index(per) + len(per)]
            break
    if _UNIT.fullmatch(unit) is None:
        return None
    return unit.replace("Mol", "mol").replace("/l", "/L")


def _couple(word: str) -> str:
    """Return a redox couple in PHREEQC's form: ``O(0)/O(-2)`` and ``O(-2)/O(+0)`` are both ``O(-2)/O(0)``."""
    if word.lower() == "pe":
        return "pe"
    halves = word.replace("(+", "(").split("/")
    return "/".join(sorted(halves, key=lambda half: half.partition("(")[2]))


@dataclass(frozen=True)
class _Line:
    """A line of concentration, or of pH or pe; `number` is None where there is none to read."""

    name: str
    number: Number | None
    unit: str | None
    as_: str
    gfw: float | None
    redox: str
    constraint: Constraint | None


def _read_line(text: str, line: int) -> _Line | None:
    """Read ``name ... value [unit] [as formula | gfw number] [couple | pe] [phase [si] | charge]``."""
    text = text.replace("Kg", "kg", 1).replace("KG", "kg", 1)
    while "kg " in text:
        text = text.replace("kg ", "kg")
    words = [word for word in _BLANKS.split(text) if word]
    names: list[str] = []
    while words and (_is_upper(words[0]) or words[0][0] == "[" or words[0].lower() in ("ph", "pe")):
        names.append(words.pop(0).replace("(+", "(", 1))
    if not names:
        return None
    number = read_number(words.pop(0), line) if words else None
    unit = standard_unit(words[0]) if words else None
    if unit is not None:
        words.pop(0)
    as_, gfw, redox = "", None, ""
    if words and words[0].lower() == "as":
        as_, words = " ".join(words[1:2]), words[2:]
    elif words and words[0].lower() in ("gfw", "gfm"):
        weight = read_number(words[1], line) if len(words) > 1 else None
        gfw, words = weight.value if weight is not None else None, words[2:]
    if words and (words[0].lower() == "pe" or "/" in words[0]):
        redox = _couple(words.pop(0))
    constraint = None
    if words:
        si = read_number(words[1], line) if len(words) > 1 else None
        constraint = Constraint(words[0], si.value if si is not None else None)
        if "charge" in words[0].lower():
            constraint = Constraint("")
    return _Line(" ".join(names), number, unit, as_, gfw, redox, constraint)


def _is_upper(word: str) -> bool:
    return word[:1].isascii() and word[:1].isupper()


def _starts_number(word: str) -> bool:
    return word[:1].isascii() and (word[:1].isdigit() or word[:1] in (".", "-"))


def _numbers_and_description(rest: str) -> tuple[int, int, str]:
    """Read ``3-5 name`` as PHREEQC does after a keyword; without a number it is 1."""
    word, description = (*_BLANKS.split(rest, maxsplit=1), "")[:2]
    if not _starts_number(word):
        return 1, 1, rest
    match = re.match(r"(-?\d{1,18})(?:-(\d{1,18}))?", word, re.ASCII)
    if match is None:
        return 1, 1, description
    first = int(match[1])
    return first, max(first, int(match[2] or first)), description


# ------------------------------------------------------------------------------------------------------- the blocks

_ISOTOPE = re.compile(r"\d+[A-Z][a-z]?(?:\([-+\d.]+\))?")

# Option names in PHREEQC's order, which decides what an abbreviation means.
_OPTION_NAMES = {
    "SOLUTION": "temp temperature dens density units redox ph pe unit isotope water press pressure potential",
    "SOLUTION_SPREAD": "temp temperature dens density units redox ph pe unit isotope water "
    "isotope_uncertainty uncertainty uncertainties pressure press",
    "row": "temp temperature dens density units redox ph pe unit isotope water description desc descriptor "
    "pressure press potential",
}
_OPTIONS = {block: names.split() for block, names in _OPTION_NAMES.items()}
_FULL_NAMES = {
    "temp": "temperature",
    "dens": "density",
    "unit": "units",
    "press": "pressure",
    "desc": "description",
    "descriptor": "description",
}


@dataclass
class _Draft:
    """A solution while its lines are read."""

    values: dict[str, Number] = field(default_factory=dict)
    constraints: dict[str, Constraint] = field(default_factory=dict)
    calculate_density: bool = False
    units: str | None = None
    unknown_units: list[tuple[str, int]] = field(default_factory=list)
    after_units: list[tuple[str, int]] = field(default_factory=list)
    redox: str = ""
    description: str = ""
    totals: dict[str, Total] = field(default_factory=dict)
    replaced: list[Total] = field(default_factory=list)
    own: set[str] = field(default_factory=set)  # options it states itself
    repeated: list[tuple[str, Number]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    isotopes: list[tuple[str, int]] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)

    def copy(self) -> _Draft:
        """Return a draft that starts from the same defaults."""
        return replace(
            self,
            values=dict(self.values),
            constraints=dict(self.constraints),
            unknown_units=list(self.unknown_units),
            after_units=list(self.after_units),
            totals={},
            replaced=[],
            own=set(),
            repeated=[],
            unread=[],
            isotopes=[],
            lines=list(self.lines),
        )

    def set(self, name: str, rest: str, line: int) -> None:
        """Take an option."""
        name = _FULL_NAMES.get(name, name)
        word = next(iter(_BLANKS.split(rest)), "")
        match name:
            case "temperature" | "water" | "pressure" | "density":
                number = read_number(word, line)
                if number is not None:
                    self.take(name, number)
                if name == "density" and rest[len(word) :].strip()[:1].lower() == "c":
                    self.calculate_density = True
            case "units" if word:
                unit = standard_unit(word)
                self.units = unit or self.units
                if unit is None:
                    self.unknown_units.append((rest, line))
                elif after := rest[len(word) :].strip():
                    self.after_units.append((after, line))
            case "redox" if word:
                self.redox = _couple(word)
            case "ph" | "pe":
                read = _read_line(f"{name} {rest}", line)
                if read is not None and read.number is not None:
                    key = "pH" if name == "ph" else name
                    self.take(key, read.number)
                    if read.constraint is not None:
                        self.constraints[key] = read.constraint
            case "description":
                self.description = rest

    def take(self, name: str, number: Number) -> None:
        """Take the number of an option; the later of two counts."""
        if name in self.own:
            self.repeated.append((name, self.values[name]))
        self.own.add(name)
        self.values[name] = number

    def add(self, text: str, line: int) -> None:
        """Take a line of concentration."""
        read = _read_line(text, line)
        if read is None or read.number is None:
            return
        earlier = self.totals.pop(read.name, None)
        if earlier is not None:
            self.replaced.append(earlier)
        self.totals[read.name] = Total(
            read.name, read.number, read.unit, read.as_, read.gfw, read.redox, read.constraint
        )

    def solution(
        self, first: int, last: int, line: int, simulation: int, span: tuple[int, int], spread: bool
    ) -> Solution:
        """Return what was read."""
        return Solution(
            first=first,
            last=last,
            description=self.description,
            line=line,
            simulation=simulation,
            start=span[0],
            end=span[1],
            temperature=self.values.get("temperature"),
            pressure=self.values.get("pressure"),
            density=self.values.get("density"),
            water=self.values.get("water"),
            pH=self.values.get("pH"),
            pe=self.values.get("pe"),
            pH_constraint=self.constraints.get("pH"),
            pe_constraint=self.constraints.get("pe"),
            calculate_density=self.calculate_density,
            units=self.units,
            unknown_units=tuple(self.unknown_units),
            after_units=tuple(self.after_units),
            redox=self.redox,
            totals=tuple(self.totals.values()),
            replaced=tuple(self.replaced),
            repeated=tuple(self.repeated),
            unread=tuple(self.unread),
            isotopes=tuple(self.isotopes),
            lines=tuple(self.lines),
            spread=spread,
        )


class _Reader:
    """One pass over the statements; what is open is what the next statement may belong to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Solution] = []
        self.simulation = 1
        self.highest = 0  # number of a solution so far
        self.unnumbered: list[Solution] = []
        self.close: Callable[[], None] | None = None
        self.read: Callable[[Statement], None] | None = None

    def take(self, statement: Statement) -> None:
        """Take the next statement."""
        if not statement.is_keyword:
            if self.read is not None:
                self.read(statement)
            return
        if self.close is not None:
            self.close()
        self.close = self.read = None
        match statement.block:
            case "SOLUTION":
                self.open_solution(statement)
            case "SOLUTION_SPREAD":
                self.read = _Spread(self).take
            case "SAVE":
                kind, _, numbers = statement.rest.partition(" ")
                if kind.lower().startswith("so") and numbers.strip():  # not surface
                    self.highest = max(self.highest, _numbers_and_description(numbers.strip())[1])
            case "END":
                self.end_simulation()
                self.simulation += 1

    def open_solution(self, keyword: Statement) -> None:
        draft, span = _Draft(), [keyword.start, keyword.end]
        first, last, draft.description = _numbers_and_description(keyword.rest)
        self.highest = max(self.highest, last)

        def read(statement: Statement) -> None:
            span[1] = statement.end
            draft.lines.append((statement.line, statement.text))
            name = option(statement, _OPTIONS["SOLUTION"])
            isotope = _BLANKS.split(statement.rest)[0] if name == "isotope" else statement.first
            if _ISOTOPE.fullmatch(isotope):
                draft.isotopes.append((isotope, statement.line))
            elif name:
                draft.set(name, statement.rest, statement.line)
            elif not re.match(r"-[A-Za-z]|[\d.-]", statement.first, re.ASCII):
                draft.add(statement.text, statement.line)

        def close() -> None:
            self.found.append(
                draft.solution(first, last, keyword.line, self.simulation, (span[0], span[1]), spread=False)
            )

        self.read, self.close = read, close

    def end_simulation(self) -> None:
        """Close what is open, and number the rows that have none after all others, as PHREEQC does."""
        if self.close is not None:
            self.close()
        self.close = self.read = None
        for solution in self.unnumbered:
            self.highest += 1
            self.found.append(replace(solution, first=self.highest, last=self.highest))
        self.unnumbered.clear()


class _Spread:
    """A SOLUTION_SPREAD block: options are defaults for the rows after them, cells are separated by tabs."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.defaults = _Draft()
        self.heading: list[str] | None = None
        self.units: list[str] | None = None
        self.rows = 0

    def take(self, statement: Statement) -> None:
        """Take an option, the heading, the row of units, or a row of numbers."""
        name = option(statement, _OPTIONS["SOLUTION_SPREAD"])
        hyphen = bool(re.match(r"-[A-Za-z]", statement.first, re.ASCII))
        cells = _cells(self.raw(statement))
        if name and not hyphen and self.heading is None and not _is_option(name, statement, cells):
            name = ""  # the heading, if its first column is called pH or temp
        if name or hyphen:
            self.option(name, statement)
        elif self.heading is None:
            self.heading = [cell.replace(" ", "").replace(",", "_") for cell in cells]
        elif self.rows == 0 and self.units is None and not any(_starts_number(cell) for cell in cells):
            self.units = cells
        else:
            self.rows += 1
            self.row(statement, self.heading, cells)

    def raw(self, statement: Statement) -> str:
        """Return the statement with its tabs."""
        line = self.reader.text[statement.start : statement.end]
        return re.sub(r"\\[ \t\v\f\r]*\n", "", line).partition("#")[0].rstrip("\r\n;")

    def option(self, name: str, statement: Statement) -> None:
        if not name or name == "isotope" or "uncertaint" in name:
            return
        rest = statement.rest
        if name in ("ph", "pe"):  # a default has no constraint; PHREEQC warns
            rest = _BLANKS.split(rest)[0]
        self.defaults.set(name, rest, statement.line)
        self.defaults.lines.append((statement.line, f"-{name} {rest}"))

    def row(self, statement: Statement, heading: Sequence[str], cells: Sequence[str]) -> None:
        reader, draft = self.reader, self.defaults.copy()
        first = last = -1
        columns = [name.lower() for name in heading]
        if "number" in columns and columns.index("number") < len(cells):
            number = cells[columns.index("number")]
            if number and not _starts_number(number):
                return  # an error of PHREEQC's
            if number:
                first, last, draft.description = _numbers_and_description(number)
        for text in _row_lines(heading, cells, self.units or ()):
            draft.lines.append((statement.line, text))
            cell = _statement(statement.line, text)
            name, word = option(cell, _OPTIONS["row"]), cell.first
            if name:
                draft.set(name, cell.rest, statement.line)
                if _FULL_NAMES.get(name, name) == "description":
                    draft.lines.pop()
            elif _starts_number(word):
                continue
            elif word[:1].isascii() and word[:1].islower():
                draft.unread.append(word)
                draft.lines.pop()
            else:
                draft.add(text, statement.line)
        span = (statement.start, statement.end)
        solution = draft.solution(first, last, statement.line, reader.simulation, span, spread=True)
        if first < 0:
            reader.unnumbered.append(solution)
        else:
            reader.highest = max(reader.highest, last)
            reader.found.append(solution)


def _statement(line: int, text: str) -> Statement:
    """Return a line of a SOLUTION block as a statement."""
    word, rest = (*_BLANKS.split(text, maxsplit=1), "")[:2]
    return Statement(line, word, rest.strip(), "SOLUTION", is_keyword=False, start=0, end=0)


def _row_lines(heading: Sequence[str], cells: Sequence[str], units: Sequence[str]) -> Iterable[str]:
    """Return what PHREEQC makes of a row: a line for each cell, with its heading and its unit."""
    for number, name in enumerate(heading):
        if not name or number >= len(cells) or not cells[number]:
            continue
        if name.lower() in ("number", "uncertainty", "uncertainties", "isotope_uncertainty"):
            continue
        unit = units[number] if number < len(units) else ""
        yield f"{name} {cells[number]} {unit}".strip()


def _cells(row: str) -> list[str]:
    """Split a row at its tabs."""
    cells = [cell.lstrip(" ") for cell in row.split("\t")]
    return cells if cells[-1] else cells[:-1]


def _is_option(name: str, statement: Statement, cells: Sequence[str]) -> bool:
    """Return whether a first line that starts with the name of an option, without hyphen, sets a default.

    PHREEQC decides by how many words follow and whether the second is a number, since it may be the heading.
    """
    words = [word for word in _BLANKS.split(statement.text) if word]
    number = read_number(words[1], 0) if len(words) > 1 and _starts_number(words[1]) else None
    numeric = number is not None and not number.unread
    match _FULL_NAMES.get(name, name):
        case "temperature" | "water":
            return len(words) in (2, 3) and numeric
        case "density":
            return len(words) == 2 or (len(words) == 3 and (numeric or words[1][:1].lower() == "c"))
        case "ph" | "pe":
            return len(words) in (2, 3, 4) and numeric
        case "redox" | "units":
            return len(words) == 2
        case "isotope":
            return len(cells) <= 4
        case "isotope_uncertainty" | "uncertainty" | "uncertainties":
            return len(cells) <= 3
    return True
