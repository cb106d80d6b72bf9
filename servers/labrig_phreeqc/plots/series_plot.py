"""From a table of values to a picture: what goes along the horizontal axis, and which rows make one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.output.series import Cell, Column, Series

AXES = ("time", "step", "shift", "cell", "dist_x", "state")
"""Columns that may go along the axis when nothing is asked for, the first that tells rows apart."""

_INDEX = ("state", "simulation", "sim", "line", "soln", "step", "shift", "cell", "time", "dist_x")
_UNITS = {"step": "", "shift": "", "cell": "", "state": ""}
MAX_LINES = 8
"""Lines of one picture that can be told apart at a glance."""


def plot_data(table: Series, x: str = "") -> dict[str, Any]:
    """Return the data of a picture of kind ``series``.

    Parameters
    ----------
    table
        From `series` or `table_file.read_table`.
    x
        A column of the table; by default the first of `AXES` that has more than one value. Where both time and cell
        vary, values go along time with a line for each cell, or along the cell with a line for each time, whichever
        gives fewer lines; of many, some that are evenly spaced.

    Returns
    -------
    dict
        ``x``, ``lines`` as `labrig_phreeqc.plots.series.figure` takes them, and ``notes`` on rows that have no x.

    Raises
    ------
    LabrigError
        For an x that is not a column, and a table without rows that have an x.
    """
    columns = {column.name: column for column in table.columns}
    if x and x not in columns:
        raise unknown_name("column", x, columns, where="x")
    along = x or _axis(table)
    quantities = [name for name in columns if name not in _INDEX and name != along]
    if not quantities:
        raise LabrigError("Nothing is left to draw", where=f"x={x!r}", expected="a quantity beside the axis")
    places = table.column(along)
    kept = [number for number, place in enumerate(places) if place is not None]
    if not kept:
        raise LabrigError(f"No row has a value of {along}", where="x", expected=", ".join(columns))
    notes = []
    if len(kept) < len(places):
        notes.append(f"{len(places) - len(kept)} of {len(places)} rows have no {along} and are left out")
    by = _grouped_by(table, along, kept) if not x or x in AXES else ""
    groups = table.column(by) if by else [None] * len(places)
    if by:
        drawn, said = _drawn_groups(groups, kept, by, max(3, MAX_LINES // len(quantities)))
        kept = [number for number in kept if groups[number] in drawn]
        notes += said
    lines: list[dict[str, Any]] = []
    for name in quantities:
        values = table.column(name)
        for group in dict.fromkeys(groups[number] for number in kept):
            cells: list[Cell] = [values[n] if groups[n] == group else None for n in kept]
            label = f"{name}, {by} {group}" if by else name
            lines.append({"name": label, "unit": columns[name].unit, "values": cells})
    drawn_lines = [line for line in lines if any(value is not None for value in line["values"])]
    if drawn_lines and len(drawn_lines) < len(lines):
        notes.append(f"{len(lines) - len(drawn_lines)} lines have no value and are left out")
        lines = drawn_lines
    axis = {"name": along, "unit": _unit(columns[along]), "values": [places[number] for number in kept]}
    return {"x": axis, "lines": _without_gaps(lines, axis) if by else lines, "notes": notes}


def _axis(table: Series) -> str:
    names = [column.name for column in table.columns]
    varied = [name for name in AXES if name in names and _distinct(table.column(name)) > 1]
    if not varied:
        return next((name for name in ("state", "step", "line") if name in names), names[0])
    if "cell" in varied and _distinct(table.column(varied[0])) < _distinct(table.column("cell")):
        return "cell"
    return varied[0]


def _grouped_by(table: Series, along: str, kept: Sequence[int]) -> str:
    """Return the column that tells lines apart, where several rows have the same place on the axis.

    Empty where none does: the picture then begins its line anew where the axis turns back.
    """
    places = table.column(along)
    if len({places[number] for number in kept}) == len(kept):
        return ""
    for name in ("cell", "time", "shift", "step", "soln", "simulation", "sim"):
        if name == along or name not in [column.name for column in table.columns]:
            continue
        cells = table.column(name)
        pairs = [(places[number], cells[number]) for number in kept if cells[number] is not None]
        if len(set(pairs)) == len(pairs) > len(kept) / 2:
            return name
    return ""


def _drawn_groups(
    groups: Sequence[Cell], kept: Sequence[int], by: str, most: int
) -> tuple[set[Cell], list[str]]:
    """Return at most so many groups, evenly spaced with the first and the last, and what is left out."""
    order = list(dict.fromkeys(groups[number] for number in kept if groups[number] is not None))
    without = sum(groups[number] is None for number in kept)
    notes = [f"{without} rows without {by} are left out"] if without else []
    if len(order) <= most:
        return set(order), notes
    chosen = {order[round(n * (len(order) - 1) / (most - 1))] for n in range(most)}
    return chosen, [
        *notes,
        f"{len(chosen)} of {len(order)} values of {by} are drawn; `of` and `x` choose others",
    ]


def _without_gaps(lines: list[dict[str, Any]], axis: dict[str, Any]) -> list[dict[str, Any]]:
    """Put the lines of groups over common places: each place once, in ascending order."""
    places = list(dict.fromkeys(axis["values"]))
    if all(isinstance(place, int | float) for place in places):
        places.sort()
    whole = []
    for line in lines:
        by_place = {p: v for p, v in zip(axis["values"], line["values"], strict=True) if v is not None}
        whole.append({**line, "values": [by_place.get(place) for place in places]})
    axis["values"] = places
    return whole


def _unit(column: Column) -> str:
    return _UNITS.get(column.name, column.unit)


def _distinct(cells: Sequence[Cell]) -> int:
    return len({cell for cell in cells if cell is not None})
