"""Series from a PHREEQC output: any printed quantity by step, time or cell, as a typed table.

`series` reads the tables that the main output prints for each state and gives one row per state and one column
per quantity; `available` lists what a state prints; `to_csv` writes the table as a file.

The quantities
--------------
Names of elements, species, phases and gases are those of PHREEQC, case included.

====================== =========== ======================================================================
``pH``, ``pe``, ...    see below   a line of "Description of solution" or of "Gas phase" (`VALUES`)
``Ca``, ``total Ca``   mol/kgw     element in solution: "Solution composition", else the totals printed in
                                   "Distribution of species", else the sum of the valence states
``total C(4)``         mol/kgw     the same for one valence state
``m(HCO3-)``           mol/kgw     molality of an aqueous or a surface species
``m(CaX2)``            mol         moles of an exchange species (PHREEQC prints no molality for these)
``a(HCO3-)``           1           activity
``lm()``, ``la()``     log10       log molality, log activity; ``lg()`` is another name of ``la()``, and not
                                   the log gamma of PHREEQC's BASIC function LG
``SI(Calcite)``        log10       saturation index log(IAP/K), log fugacity (atm) of a gas; also ``si Calcite``
``moles(Calcite)``     mol         final moles in "Phase assemblage" or "Gas phase"; ``delta(Calcite)`` the change
``p(CO2(g))``          atm         partial pressure in "Gas phase"; ``gas(CO2(g))`` its final moles
``ss(Calcite)``        mol         component of a solid solution; ``x(Calcite)`` its mole fraction
``kin(Calcite)``       mol         total moles of a kinetic reactant; ``dk(Calcite)`` the change
``pe(O(-2)/O(0))``     1           pe of a redox couple; ``Eh(...)`` the same in V
``R(13C) HCO3-``       1           ratio in "Isotope Ratios", named as printed there
``transfer(Calcite)``  mol         of an inverse model, positive where it dissolves; ``transfer``: all phases
``fraction(1)``        1           of an inverse model: how much of solution 1; ``fraction``: all solutions
``redox(Fe(3))``       mol         of an inverse model: moles of electrons transferred as printed
====================== =========== ======================================================================

`transfer` and `fraction` come with their least and greatest value (``transfer_min``, ``transfer_max``), one row for
each model; PHREEQC cuts names of phases there at 15 characters. ``moles Calcite`` is the same as ``moles(Calcite)``.

A value has the digits that are printed (four for a molality, two decimals for a saturation index), and
PHREEQC prints concentrations below about 1e-40 as 0; for more, use SELECTED_OUTPUT in the input. A value
that is not printed is never replaced: the cell is None and a note says why. (Selected output has -999.999 or
0 there.)

Source: the print functions of PHREEQC 3 (print.cpp), of which the formats below are the inverse.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.output.outline import Outline, State, find_state, states
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.printed_tables import READERS, VALUES, Tables, Value
from labrig_phreeqc.output.toc import heading

Cell = float | int | str | None

_GAS_VALUES = ("gas pressure", "gas volume")
_BY_NAME = {word.casefold(): name for name, (label, _) in VALUES.items() for word in (label, name)} | {
    "mu": "ionic strength",
    "temp": "temperature",
    "tc": "temperature",
    "ec": "conductance",
    "alk": "alkalinity",
}

_KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "m": ("mol/kgw", ("Distribution of species", "Surface composition", "Exchange composition")),
    "a": ("1", ("Distribution of species",)),
    "lm": ("log10(mol/kgw)", ("Distribution of species", "Surface composition")),
    "la": ("log10(activity)", ("Distribution of species",)),
    "SI": ("log10(IAP/K)", ("Saturation indices", "Phase assemblage")),
    "moles": ("mol", ("Phase assemblage", "Gas phase")),
    "delta": ("mol", ("Phase assemblage", "Gas phase")),
    "p": ("atm", ("Gas phase",)),
    "gas": ("mol", ("Gas phase",)),
    "ss": ("mol", ("Solid solutions",)),
    "x": ("1", ("Solid solutions",)),
    "kin": ("mol", ("Kinetics",)),
    "dk": ("mol", ("Kinetics",)),
    "pe": ("", ("Redox couples",)),
    "Eh": ("V", ("Redox couples",)),
    "R": ("1", ("Isotope Ratios",)),
    **{f"transfer{each}": ("mol", ("Phase mole transfers",)) for each in ("", "_min", "_max")},
    **{f"fraction{each}": ("1", ("Solution fractions",)) for each in ("", "_min", "_max")},
    "redox": ("mol", ("Redox mole transfers",)),
}
_OF_MODELS = ("transfer", "fraction", "redox")
_WITH_RANGE = ("transfer", "fraction")
_OTHER_NAMES = {"lg": "la", "si": "SI"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its unit (empty for a number without one or for text) and the type of its cells."""

    name: str
    unit: str
    type: str


@dataclass(frozen=True, slots=True)
class Note:
    """What must be known about some cells of a column: why they are None, or how they were obtained.

    `rows` counts from 0.
    """

    column: str
    text: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Quantities by state.

    Attributes
    ----------
    columns
        ``state``, ``simulation`` and ``line`` (where it is printed, 1-based); those of ``step``, ``shift``,
        ``cell`` and ``time`` (s) that are known for any row; then the quantities as they were asked for.
    rows
        In printed order. None where there is no value.
    notes
        Why, and other things to know.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Note, ...]

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column."""
        names = [column.name for column in self.columns]
        if name not in names:
            raise unknown_name("column", name, names)
        return [row[names.index(name)] for row in self.rows]


class Quantity(NamedTuple):
    """A quantity by kind (``value``, ``total`` or the word before the bracket) and name."""

    kind: str
    name: str

    def __str__(self) -> str:
        if self.kind == "value" or self.kind == "R":
            return self.name
        return f"total {self.name}" if self.kind == "total" else f"{self.kind}({self.name})"


def left_out(name: str, error: LabrigError) -> Note:
    """Return the note of a column that was asked for and does not exist, beside others that do."""
    return Note(name, "; ".join(filter(None, (f"left out: {error.what}", error.try_))), ())


def parse_quantity(text: str) -> Quantity:
    """Read a quantity in the notation above; whether an output has it is not asked."""
    words = " ".join(text.split())
    if words.casefold() in _BY_NAME:
        return Quantity("value", _BY_NAME[words.casefold()])
    if words.startswith("R("):
        return Quantity("R", words)
    if match := re.fullmatch(r"([A-Za-z_]+) ?\((.+)\)|(\w+) (.+)", words):
        kind, name = match[1] or match[3], match[2] or match[4]
        kind = _OTHER_NAMES.get(kind, kind)
        if kind in _KINDS:
            return Quantity(kind, name.strip())
    if words in _OF_MODELS:
        return Quantity(words, "")
    return Quantity("total", words.removeprefix("total "))


def series(
    output_text: str,
    quantities: Sequence[str],
    *,
    states: tuple[int, int] | str | None = None,
    tree: Outline | None = None,
) -> Series:
    """Return quantities by state.

    Parameters
    ----------
    output_text
        The main output of PHREEQC.
    quantities
        In the notation of this module: ``["pH", "Ca", "SI(Calcite)"]``.
    states
        Which states: all, those printed in a line range (1-based, inclusive), or those that `find_state` finds
        for words such as ``"cell 3"``, ``"batch"`` or ``"sim 2"``.
    tree
        The outline of the output, if it is at hand.

    Returns
    -------
    Series
        States that print none of the tables read here have no row; inverse models have one where a quantity of theirs
        is asked for, and other states where another is. A quantity that no state of the output has is left out, and a
        note without rows says so.

    Raises
    ------
    LabrigError
        Where no state has any of the quantities; for a filter without states, an output without tables.

    Notes
    -----
    Where tables of several calculations follow each other without any line between that tells them apart (as
    with PRINT -headings false), each is a row; their labels are numbered: ``print 1 #2``.
    """
    if not quantities:
        raise LabrigError("No quantity was asked for", where="quantities", try_="pH, Ca, SI(Calcite)")
    tree = tree or outline_output(output_text)
    lines = output_text.split("\n")
    wanted = [parse_quantity(text) for text in quantities]
    chosen = _select(tree, states)
    printed = [row for state in chosen for row in printouts(lines, state)]
    if not printed:
        raise LabrigError(
            f"None of the {len(chosen)} states prints a table that can be read",
            where="states" if states is not None else "output",
            expected="a state with Description of solution, Saturation indices, ...",
            try_="PRINT -reset true, or SELECTED_OUTPUT, in the input",
            code="not_found",
        )
    asked = _with_ranges(quantities, wanted, printed)
    of_models = {_of_models(quantity) for _, quantity in asked}
    printed = [row for row in printed if row.is_model in of_models] or printed
    notes: list[Note] = []
    errors: list[LabrigError] = []
    found: list[tuple[str, Quantity, list[_Cell]]] = []
    for text, quantity in asked:
        cells = [row.find(quantity) for row in printed]
        if not any(cell.known for cell in cells) and (
            error := _unknown(text, quantity, lines, tree, printed)
        ):
            errors.append(error)
            notes.append(left_out(text, error))
        else:
            found.append((text, quantity, cells))
    if not found:
        raise errors[0]

    index = _index(printed)
    columns = [column for column, _ in index]
    cells_by_column: list[list[Cell]] = [cells for _, cells in index]
    for text, quantity, cells in found:
        unit = next((cell.unit for cell in cells if cell.known), _unit(quantity))
        columns.append(Column(text, unit, "number"))
        cells_by_column.append([None if isinstance(cell.value, str) else cell.value for cell in cells])
        texts: dict[str, list[int]] = {}
        for number, cell in enumerate(cells):
            if said := cell.value if isinstance(cell.value, str) else cell.remark:
                texts.setdefault(said, []).append(number)
        notes += [Note(text, said, tuple(numbers)) for said, numbers in texts.items()]
    return Series(tuple(columns), tuple(zip(*cells_by_column, strict=True)), tuple(notes))


def available(output_text: str, tree: Outline, state: State) -> dict[str, list[str]]:
    """Return the names that a state prints, by kind of quantity.

    Returns
    -------
    dict
        ``{"value": ["pH", ...], "total": ["Ca", "C(4)", ...], "m": ["H+", ...], "SI": ["Calcite", ...]}``:
        names of ``value``, ``total`` and ``R`` are used as they are, the others as ``kind(name)``.
    """
    if state not in tree.states:
        raise LabrigError(f"{state.label!r} is not a state of this output", where="state", code="not_found")
    return _names(printouts(output_text.split("\n"), state))


def summary(table: Series) -> dict[str, dict[str, Cell]]:
    """Return first, last, least and greatest value of each numeric column, missing values left out."""
    found: dict[str, dict[str, Cell]] = {}
    for number, column in enumerate(table.columns):
        values = [row[number] for row in table.rows]
        numbers = [each for each in values if isinstance(each, int | float)]
        if numbers:
            found[column.name] = {
                "first": values[0],
                "last": values[-1],
                "least": min(numbers),
                "greatest": max(numbers),
            }
    return found


def to_csv(table: Series) -> str:
    """Return the table as CSV: one heading line with units in square brackets, empty cells for None."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(f"{c.name} [{c.unit}]" if c.unit else c.name for c in table.columns)
    writer.writerows(table.rows)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------ states and their rows


def _of_models(quantity: Quantity) -> bool:
    return quantity.kind.partition("_")[0] in _OF_MODELS


def _with_ranges(
    texts: Sequence[str], wanted: Sequence[Quantity], rows: Sequence[Printout]
) -> list[tuple[str, Quantity]]:
    """Put least and greatest beside what inverse models have ranges of, and every name in place of a bare kind."""
    asked: dict[str, Quantity] = {}
    for text, quantity in zip(texts, wanted, strict=True):
        names = [quantity.name]
        if _of_models(quantity) and not quantity.name:
            names = _names(row for row in rows if row.is_model).get(quantity.kind, []) or [""]
        for name in names:
            each = Quantity(quantity.kind, name)
            asked[str(each) if name and _of_models(quantity) else text] = each
            for end in ("_min", "_max") if name and quantity.kind in _WITH_RANGE else ():
                asked[f"{quantity.kind}{end}({name})"] = Quantity(quantity.kind + end, name)
    return list(asked.items())


class _Cell(NamedTuple):
    """What a row has for a quantity. A name that is listed is known, though it may have no number."""

    value: Value
    unit: str = ""
    known: bool = False
    remark: str = ""


def _select(tree: Outline, which: tuple[int, int] | str | None) -> list[State]:
    if which is None:
        chosen = list(tree.states)
    elif isinstance(which, str):
        chosen = find_state(tree, which)
    else:
        chosen = states(tree, *which)
    if not chosen:
        labels = [state.label for state in tree.states]
        some = ", ".join(labels[:8]) + (f", ... ({len(labels)} states)" if len(labels) > 8 else "")
        raise LabrigError(
            "There is no such state in this output" if labels else "This output has no states",
            where="" if which is None else f"states={which!r}",
            expected=f"a line range, or words of a label: {some}" if labels else "",
            code="not_found",
        )
    return chosen


@dataclass
class Printout:
    """The tables printed for one calculation: line ranges by section (0-based, end excluded), read on demand."""

    lines: Sequence[str]
    state: State
    label: str
    spans: dict[str, tuple[int, int]]
    read_: dict[str, Tables] = field(default_factory=dict)

    def read(self, section: str) -> Tables | None:
        """Return the tables of a section by kind; None if it is not printed."""
        if section not in self.spans:
            return None
        if section not in self.read_:
            first, last = self.spans[section]
            self.read_[section] = READERS[section](
                [line.removesuffix("\r") for line in self.lines[first:last]]
            )
        return self.read_[section]

    @property
    def is_model(self) -> bool:
        """Whether it is an inverse model."""
        return self.state.stage.startswith("inverse")

    def names(self) -> Iterator[tuple[str, str]]:
        for section in self.spans:
            for kind, table in (self.read(section) or {}).items():
                yield from ((kind, name) for name in table)

    def find(self, quantity: Quantity) -> _Cell:
        kind, name = quantity
        if kind == "total":
            return self._total(name)
        if kind == "value":
            return self._value(name)
        unit, sections = _KINDS[kind]
        for section in sections:
            if (tables := self.read(section)) and name in tables.get(kind, ()):
                in_moles = kind == "m" and section == "Exchange composition"
                return _Cell(tables[kind][name], "mol" if in_moles else unit, True)
        return _Cell(self._missing(sections))

    def _missing(self, sections: Sequence[str]) -> str:
        if any(section in self.spans for section in sections):
            return "not listed in this state"
        if "Gas phase" in sections:
            first, last = self.state.first - 1, self.state.last
            if any(_DISSOLVED.fullmatch(line.rstrip()) for line in self.lines[first:last]):
                return "the gas phase dissolved completely"
        return f"{' or '.join(sections)} not printed in this state"

    def _value(self, name: str) -> _Cell:
        section = "Gas phase" if name in _GAS_VALUES else "Description of solution"
        tables = self.read(section)
        if tables and name in tables["value"]:
            return _Cell(tables["value"][name], VALUES[name][1], True)
        if (
            name == "alkalinity"
            and (given := self.read("Solution composition"))
            and "Alkalinity" in given["total"]
        ):
            return _Cell(given["total"]["Alkalinity"], VALUES[name][1], True)
        if name == "pressure" and tables:
            return _Cell("not printed; PHREEQC prints the pressure only if it is not 1 atm")
        return _Cell(self._missing((section,)))

    def _total(self, name: str) -> _Cell:
        both = ("Solution composition", "Distribution of species")
        printed = [tables["total"] for section in both if (tables := self.read(section))]
        unit = "eq/kgw" if name == "Alkalinity" else "mol/kgw"
        for table in printed:
            if name in table:
                return _Cell(table[name], unit, True)
        if "(" not in name and name not in ("H", "O"):  # of these, most is in water and in no table
            for table in reversed(printed):  # the species list all valence states
                parts = {part: value for part, value in table.items() if part.startswith(name + "(")}
                numbers = [value for value in parts.values() if isinstance(value, float)]
                if parts and len(numbers) == len(parts):
                    remark = "sum of the valence states printed: " + " + ".join(parts)
                    return _Cell(math.fsum(numbers), unit, True, remark)
        return _Cell(self._missing(both))


_DISSOLVED = re.compile(r"-{3,}Fixed-pressure gas phase -?\d+ dissolved completely-{3,}")
_KINETICS = re.compile(r"Kinetics (?:-?\d+)?\.(?:\s.*)?")
_UNHEADED = {"initial exchange": "Exchange composition", "initial surface": "Surface composition"}


def printouts(lines: Sequence[str], state: State) -> list[Printout]:
    """Return the rows of a state: usually one, none without tables, several if nothing was printed between."""
    spans: list[dict[str, tuple[int, int]]] = [{}]
    head = state.sections[0].first - 1 if state.sections else state.last
    for number in range(state.first - 1, min(head, len(lines))):
        if lines[number].startswith("Kinetics") and _KINETICS.fullmatch(lines[number].rstrip("\r")):
            spans[0]["Kinetics"] = (number + 1, head)
            break
    for stage, name in _UNHEADED.items():
        if state.stage.startswith(stage) and not state.sections:
            spans[0][name] = (state.first - 1, state.last)
    for section in state.sections:
        if section.name not in READERS:
            continue
        starts = [section.first - 1]
        if section.count > 1:
            starts = [n for n in range(section.first - 1, section.last) if heading(lines[n]) == section.name]
        for start, end in zip(starts, [*starts[1:], section.last], strict=True):
            if section.name in spans[-1]:
                spans.append({})
            spans[-1][section.name] = (start, end)
    if len(spans) == 1:
        return [Printout(lines, state, state.label, spans[0])] if spans[0] else []
    return [Printout(lines, state, f"{state.label} #{n}", each) for n, each in enumerate(spans, 1)]


_PLACES = (
    re.compile(r"step (?P<step>\d{1,18})"),
    re.compile(
        r"(?:transport step|advection shift) (?P<shift>\d{1,18})(?: cell (?P<cell>\d{1,18})| print \d+)?"
    ),
    re.compile(r"(?:initial )?cell (?P<cell>\d{1,18})(?: step (?P<step>\d{1,18}))?"),
)


def _index(rows: Sequence[Printout]) -> list[tuple[Column, list[Cell]]]:
    """Columns that say which state a row is."""
    places: list[dict[str, str | None]] = []
    for row in rows:
        match = next((m for pattern in _PLACES if (m := pattern.fullmatch(row.state.label))), None)
        places.append(match.groupdict() if match else {})
    columns: list[tuple[Column, list[Cell]]] = [
        (Column("state", "", "text"), [row.label for row in rows]),
        (Column("simulation", "", "integer"), [row.state.simulation for row in rows]),
        (Column("line", "", "integer"), [_first_line(row) for row in rows]),
    ]
    for name in ("step", "shift", "cell"):
        columns.append(
            (Column(name, "", "integer"), [int(n) if (n := place.get(name)) else None for place in places])
        )
    columns.append((Column("time", "s", "number"), [row.state.time for row in rows]))
    return [(column, cells) for column, cells in columns if any(cell is not None for cell in cells)]


def _first_line(row: Printout) -> int:
    if row.label == row.state.label:
        return row.state.first
    return 1 + min(first for first, _ in row.spans.values())


def _unit(quantity: Quantity) -> str:
    if quantity.kind == "value":
        return VALUES[quantity.name][1]
    return "mol/kgw" if quantity.kind == "total" else _KINDS[quantity.kind][0]


def _names(rows: Iterable[Printout]) -> dict[str, list[str]]:
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        for kind, name in row.names():
            names.setdefault(kind, {})[name] = None
    return {kind: list(found) for kind, found in names.items()}


def _unknown(
    text: str, quantity: Quantity, lines: Sequence[str], tree: Outline, seen: Sequence[Printout]
) -> LabrigError | None:
    """Return what is wrong with a quantity that no state has; the states seen already do not have it."""
    known = {id(row.state) for row in seen}
    others = [row for s in tree.states if id(s) not in known for row in printouts(lines, s)]
    if any(row.find(quantity).known for row in others):
        return None
    if quantity.kind == "value":  # a fixed name, so it is spelt right; this output does not print it
        return None
    names = _names([*seen, *others])
    own = [str(Quantity(quantity.kind, name)) for name in names.get(quantity.kind, [])]
    every = [str(Quantity(kind, name)) for kind, found in names.items() for name in found]
    error = unknown_name("quantity", text, own if quantity.kind != "total" else every, where="quantities")
    if not error.expected:
        counts = [
            f"{len(found)} {'values such as pH' if kind == 'value' else kind if kind == 'total' else kind + '(...)'}"
            for kind, found in names.items()
        ]
        error.expected = "a quantity that this output prints: " + ", ".join(counts)
    return error
