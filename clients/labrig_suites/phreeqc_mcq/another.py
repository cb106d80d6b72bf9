"""A second solution: what the reference reads in the printed output, this one has PHREEQC write to a table.

The model stands in a file of its own, which the input includes below a SELECTED_OUTPUT with the columns that the
quantity needs; the table that the run leaves is read, and the option nearest to its value is taken. The columns follow
from where the main output prints the quantity (`scenario.Printed`). They are PHREEQC's own (-totals, -molalities,
-saturation_indices): the Basic expressions that made the truths are not used, nor is result.out read. Species that are
to be counted have no such column; a USER_PUNCH lists their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.phreeqc_mcq import solution as reference
from labrig_suites.phreeqc_mcq.scenario import Printed, Scene

MODEL, INPUT, NUMBER = "model.pqi", "table.pqi", 7
LAST_LINE = 10**9
WENT_WELL = re.compile(r"status: ok(?:_with_warnings)?\n")
OPTION = re.compile(r"^([A-D])\. (?:pH |SI )?(\S+)", re.MULTILINE)
CLEARLY = 2.0
"""How much farther the second nearest option must be: two of pH are 0.02 apart, and rounding moves each by 0.005."""

VALENCE_STATE = re.compile(r"[A-Z][a-z]*\([-+]?\d+\)")
SITES = re.compile(r"([A-Z][a-z]*)(\d*\.?\d*)")
COMPONENTS = re.compile(r"^\s*-comp\w*\s+(\S+)", re.MULTILINE | re.IGNORECASE)

Row = Sequence[str]


@dataclass(frozen=True)
class Columns:
    """What a table is to hold, and the quantity in the unit of the main output from a row of it."""

    block: str
    value: Callable[[Sequence[float]], float]


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of an item, for an arm with a server."""
    meant = reference.scene(sample)
    if meant.quantity.form == "words":
        return _by_tables(meant, sample.brief.prompt)
    return by_table(meant.build, meant.database, meant.quantity.printed, meant.state, sample.brief.prompt)


def by_table(build: str, database: str, where: Printed, state: int, prompt: str) -> Solution:
    """Return the solution that has a quantity written to a table.

    Parameters
    ----------
    build
        The input that does what the question says.
    where
        Where the main output prints the quantity.
    state
        Which row of the table is meant, counted from the last.
    """
    counted = where.counted
    columns = _names(where.row) if counted else _columns(where, build)
    calls = (
        Call("write_file", {"path": MODEL, "content": build}),
        Call("write_file", {"path": INPUT, "content": f"{columns.block}INCLUDE$ {MODEL}\n"}),
        Call("execute_phreeqc", {"input_path": INPUT, "database": database}),
        Call("read_file", _read_table(NUMBER)),
    )

    def answer(results: Sequence[str]) -> str:
        table_of(results[2])
        row = row_of(results[3], state)
        value = len({*row}) if counted else columns.value(_numbers(row)) * where.scale
        return nearest(value, prompt)

    return Solution(calls, answer)


def _by_tables(meant: Scene, prompt: str) -> Solution:
    """Return the solution that has each part of an answer in words written to a table of its own."""
    asked = meant.quantity
    columns = [_columns(part.printed, meant.build, NUMBER + n) for n, part in enumerate(asked.parts)]
    blocks = "".join(each.block for each in columns)
    calls = (
        Call("write_file", {"path": MODEL, "content": meant.build}),
        Call("write_file", {"path": INPUT, "content": f"{blocks}INCLUDE$ {MODEL}\n"}),
        Call("execute_phreeqc", {"input_path": INPUT, "database": meant.database}),
        *(Call("read_file", _read_table(NUMBER + n)) for n in range(len(columns))),
    )

    def answer(results: Sequence[str]) -> str:
        found = [
            each.value(_numbers(row_of(text, state)))
            for state in meant.read_states
            for each, text in zip(columns, results[3:], strict=True)
        ]
        value = asked.judge(
            [
                each * part.printed.scale
                for each, part in zip(found, asked.parts * len(meant.read_states), strict=True)
            ]
        )
        if value is None:
            raise Unsolvable(f"the tables give no clear answer: {found}")
        return reference.worded(asked.show(value), prompt)

    return Solution(calls, answer)


def _read_table(number: int) -> Callable[[Sequence[str]], dict[str, Any]]:
    return lambda results: {"path": table_of(results[2], number), "start_line": 1, "end_line": LAST_LINE}


def table_of(text: str, number: int = NUMBER) -> str:
    """Return the name of the table of a number that a run left."""
    found = re.search(rf"^selected output {number}: (\S+)$", text, re.MULTILINE)
    if not WENT_WELL.match(text) or found is None:
        raise Unsolvable(f"no run ended well and left a table: {text[:200]!r}")
    return found[1]


def row_of(text: str, state: int) -> Row:
    """Return the cells of a row of a table, counted from the last; empty ones are left out."""
    rows = [line.split("\t") for line in text.splitlines()[1:] if line.strip()]
    if not -len(rows) <= state < 0:
        raise Unsolvable(f"the table has {len(rows)} rows, and none is number {state}")
    return [cell.strip() for cell in rows[state] if cell.strip()]


def _numbers(row: Row) -> list[float]:
    try:
        return [float(cell) for cell in row]
    except ValueError as error:
        raise Unsolvable(f"a cell of the table is no number: {error}") from error


def nearest(value: float, prompt: str) -> str:
    """Return the letter of the option that a value is nearest to, and clearly so."""
    try:
        options: dict[str, float] = {letter: float(shown) for letter, shown in OPTION.findall(prompt)}
    except ValueError as error:
        raise Unsolvable(f"an option is no number: {error}") from error
    if len(options) < 2:
        raise Unsolvable(f"the question has {len(options)} options")
    first, second = sorted(options, key=lambda letter: abs(options[letter] - value))[:2]
    if not abs(options[second] - value) > CLEARLY * abs(options[first] - value):  # not so for nan
        raise Unsolvable(f"{value:g} is none of the options clearly: {options}")
    return first


def _columns(where: Printed, build: str, number: int = NUMBER) -> Columns:
    """Return the columns for a quantity that the main output prints as a number, in a table of this number."""
    if number != NUMBER:
        found = _columns(where, build)
        return replace(found, block=found.block.replace(f"OUTPUT {NUMBER}", f"OUTPUT {number}", 1))
    row = where.row.removesuffix(" =").removesuffix(":")
    if "INVERSE_MODELING" in build:
        return _of_inverse(row, build)
    match where.section, where.column:
        case "Description of solution", 0 if row in DESCRIBED:
            option, value = DESCRIBED[row]
            return _table([option], value)
        case "Solution composition", 0:
            return _table([f"-totals {row}"], _first)
        case "Solution composition", 1:
            return _table(["-water true", f"-totals {row}"], _product)
        case "Distribution of species", 0:
            return _table([f"-{'totals' if VALENCE_STATE.fullmatch(row) else 'molalities'} {row}"], _first)
        case "Surface composition", 0:
            return _table(["-water true", f"-molalities {row}"], _product)
        case "Surface composition", 2:
            return _table([f"-molalities {row}"], _first)
        case "Saturation indices", 0:
            return _table([f"-saturation_indices {row}"], _first)
        case "Exchange composition", (0 | 1 | 2) as column:
            return _of_exchanger(row, column)
        case "Phase assemblage", 4:
            return _table([f"-equilibrium_phases {row}"], _first)
        case "Gas phase", 0 if row in OF_GAS:
            return _table(
                ["-gases CO2(g)"], lambda cells: cells[OF_GAS[row]]
            )  # with none named, none is written
        case "Gas phase", 1:  # ideal shares of the pressure: pressure, moles, volume, moles of the component
            return _table([f"-gases {row}"], lambda cells: cells[0] * _ratio(cells[3], cells[1]))
        case "Gas phase", 4:
            return _table([f"-gases {row}"], lambda cells: cells[3])
        case "Solid solutions", 0:
            return _table([f"-solid_solutions {row}"], _first)
        case "Solid solutions", 2:
            others = [each for each in COMPONENTS.findall(build) if each != row]
            named = " ".join((row, *others))
            return _table([f"-solid_solutions {named}"], lambda cells: _ratio(cells[0], sum(cells)))
        case "Isotope Ratios", 1:
            return _table([f"-isotopes {row.replace(' ', '_')}"], _first)
    raise Unsolvable(f"no column of a table for column {where.column} of {where.row!r} in {where.section!r}")


def _table(options: Sequence[str], value: Callable[[Sequence[float]], float]) -> Columns:
    lines = "".join(f"    {each}\n" for each in ("-reset false", *options))

    def of_row(cells: Sequence[float]) -> float:
        try:
            return value(cells)
        except IndexError as error:
            raise Unsolvable(f"the table has only {len(cells)} columns") from error

    return Columns(f"SELECTED_OUTPUT {NUMBER}\n{lines}", of_row)


def _first(cells: Sequence[float]) -> float:
    return cells[0]


def _product(cells: Sequence[float]) -> float:
    return cells[0] * cells[1]


def _ratio(part: float, whole: float) -> float:
    if not whole:
        raise Unsolvable("there is nothing that this could be a part of")
    return part / whole


DESCRIBED: dict[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "pH": ("-pH true", _first),
    "Ionic strength (mol/kgw)": ("-ionic_strength true", _first),
    "Total alkalinity (eq/kg)": ("-alkalinity true", _first),
    "Activity of water": ("-activities H2O", lambda cells: 10 ** cells[0]),
}
OF_GAS = {"Total pressure": 0, "Gas volume": 2}


def _of_exchanger(species: str, column: int) -> Columns:
    """Return the moles of a species on an exchanger (0), its equivalents (1), or its part of all sites (2)."""
    *_, (exchanger, count) = SITES.findall(species)
    sites = float(count or 1)
    if column == 2:
        return _table(
            [f"-totals {exchanger}", f"-molalities {species}"],
            lambda cells: _ratio(sites * cells[1], cells[0]),
        )
    factor = sites if column else 1.0
    return _table(["-water true", f"-molalities {species}"], lambda cells: factor * _product(cells))


def _of_inverse(phase: str, build: str) -> Columns:
    """Return the transfer of a phase: the columns are three of residuals, and three for each water and each phase."""
    waters = re.search(r"^\s*-solutions((?: +\d+)+)$", build, re.MULTILINE)
    phases = re.search(r"^\s*-phases\n((?: {8}\S+\n)+)", build, re.MULTILINE)
    if waters is None or phases is None or phase not in phases[1].split():
        raise Unsolvable(f"the inverse model has no phase {phase!r}")
    place = 3 + 3 * (len(waters[1].split()) + phases[1].split().index(phase))
    return _table(["-inverse_modeling true"], lambda cells: cells[place])


def _names(element: str) -> Columns:
    """Return the names of the aqueous species of an element."""
    block = (
        f"SELECTED_OUTPUT {NUMBER}\n    -reset false\nUSER_PUNCH {NUMBER}\n    -start\n"
        f'10 total = SYS("{element}", n, name$, type$, moles)\n20 FOR i = 1 TO n\n'
        '30 IF type$(i) = "aq" THEN PUNCH name$(i)\n40 NEXT i\n    -end\n'
    )
    return Columns(block, _first)
