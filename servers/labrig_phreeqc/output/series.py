"""Series from a PHREEQC output: any printed quantity by step, time or cell, as a typed table.

`series` reads the tables that the main output prints for each state and gives one row per state and one column
per quantity (`quantities` says how they are written); `available` lists what a state prints; `to_csv` writes the table
as a file.

A value has the digits that are printed (four for a molality, two decimals for a saturation index), and
PHREEQC prints concentrations below about 1e-40 as 0; for more, use SELECTED_OUTPUT in the input. A value
that is not printed is never replaced: the cell is None and a note says why. (Selected output has -999.999 or
0 there.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError, unknown_name
from labrig.tables.writing import csv_text
from labrig_phreeqc.output.outline import Outline, State, find_state, states
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.printouts import Found, Printout, names_of, printouts
from labrig_phreeqc.output.quantities import WITH_RANGE, Quantity, of_models, parse_quantity, unit_of

Cell = float | int | str | None


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


def left_out(name: str, error: LabrigError) -> Note:
    """Return the note of a column that was asked for and does not exist, beside others that do."""
    return Note(name, "; ".join(filter(None, (f"left out: {error.what}", error.try_))), ())


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
    kinds = {of_models(quantity) for _, quantity in asked}
    printed = [row for row in printed if row.is_model in kinds] or printed
    notes: list[Note] = []
    errors: list[LabrigError] = []
    found: list[tuple[str, Quantity, list[Found]]] = []
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
        unit = next((cell.unit for cell in cells if cell.known), unit_of(quantity))
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
    return names_of(printouts(output_text.split("\n"), state))


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
    return csv_text((f"{c.name} [{c.unit}]" if c.unit else c.name for c in table.columns), table.rows)


# ------------------------------------------------------------------------------------------ states and their rows


def _with_ranges(
    texts: Sequence[str], wanted: Sequence[Quantity], rows: Sequence[Printout]
) -> list[tuple[str, Quantity]]:
    """Put least and greatest beside what inverse models have ranges of, and every name in place of a bare kind."""
    asked: dict[str, Quantity] = {}
    for text, quantity in zip(texts, wanted, strict=True):
        names = [quantity.name]
        if of_models(quantity) and not quantity.name:
            names = names_of(row for row in rows if row.is_model).get(quantity.kind, []) or [""]
        for name in names:
            each = Quantity(quantity.kind, name)
            asked[str(each) if name and of_models(quantity) else text] = each
            for end in ("_min", "_max") if name and quantity.kind in WITH_RANGE else ():
                asked[f"{quantity.kind}{end}({name})"] = Quantity(quantity.kind + end, name)
    return list(asked.items())


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
    names = names_of([*seen, *others])
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
