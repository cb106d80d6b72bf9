"""Values in the cells of tables, whose unit may stand in the head, in a column of units or in the caption."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from labrig.errors import LabrigError
from labrig_papers.attribution.rows import is_own
from labrig_papers.attribution.samples import formulas_near
from labrig_papers.attribution.standing import citations_in
from labrig_papers.quantities.candidates import Candidate
from labrig_papers.quantities.cells import power_outside, read_cell, unknown_unit
from labrig_papers.quantities.naming import name_before, without_unit
from labrig_papers.values.reading import has_unit
from labrig_papers.values.units import read_unit

LONGEST_LABEL = 60
TWO_WAYS = "the head of the column has a power of ten outside of its unit: values to be multiplied by it, or that were"


@dataclass(frozen=True)
class TableCell:
    """A cell of the body of a table: its text, where it stands, the head above it, the row and its first words.

    `unit` is what the column of units of its table, or its caption, has for it; `series` is the ``x`` of its row, where
    the rows are compositions of one series;
    `group` and `source` are what a row above says of its material and of where it is from;
    `by_caption` has the marks of the materials whose values the caption takes from others;
    `note` is what the notes below the table say of a mark in the cell, such as where it was taken from.
    """

    text: str
    start: int
    end: int
    head: str
    row: str
    row_start: int
    label: str
    caption: str = ""
    unit: str = ""
    series: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    group: str = ""
    source: str = ""
    by_caption: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Areas:
    """Where in the text of a page tables and captions stand (half-open ranges), and the cells of the tables.

    `breaks_off` is where its last sentence breaks off, `goes_on` where that of the page before goes on.
    """

    tables: tuple[tuple[int, int], ...] = ()
    captions: tuple[tuple[int, int], ...] = ()
    cells: tuple[TableCell, ...] = ()
    breaks_off: int | None = None
    goes_on: int | None = None

    def in_table(self, place: int) -> bool:
        """Tell whether a place is in the body of a table."""
        return any(start <= place < end for start, end in self.tables)

    def in_caption(self, place: int) -> bool:
        """Tell whether a place is in a caption."""
        return any(start <= place < end for start, end in self.captions)


def tabled(here: Areas, page: int) -> list[Candidate]:
    """Return the values of the tables of a page: those with a unit, and bare ones of quantities that have none."""
    found = []
    for cell in here.cells:
        value = read_cell(cell.text, cell.head)
        name = "" if value is None else name_before(cell.head, value.unit.dimension, value.unit.canonical)
        problem = ""
        if value is None and power_outside(cell.head) and read_cell(cell.text) is not None:
            problem = TWO_WAYS
        elif value is not None and not has_unit(value) and name not in without_unit():
            unit = cell.unit or unknown_unit(cell.head)
            if not unit:
                continue
            problem = _unknown(unit)
        if problem:
            found.append(
                Candidate(
                    page, cell.start, cell.end, cell.text, None, problem, name_before(cell.head, "", ""),
                    cell.row, cell.row_start, (), (), "measured", source="table", column=cell.head,
                    conditions=cell.series,
                )
            )  # fmt: skip
        if value is None or problem:
            continue
        about = f"{cell.label} {cell.row}"
        of_row, of_group = (
            formulas_near(about, 0, len(cell.label)),
            formulas_near(cell.group, 0, len(cell.group)),
        )
        own = of_row or of_group
        formulas = own or formulas_near(cell.caption, 0, 0)
        by = ("row" if of_row else "group row" if of_group else "caption") if formulas else ""
        says = not own and not cell.series and cell.label != cell.text and re.search(r"[A-Za-z]", cell.label)
        series = {"label": cell.label[:LONGEST_LABEL]} if says else cell.series
        source = cell.source or (cell.by_caption.get(formulas[0], "") if by == "caption" else "")
        cited = citations_in(f"{cell.row} {cell.note}") or ((source,) if source else ())
        cited = () if is_own(f"{cell.row} {cell.source}") else cited
        found.append(
            Candidate(
                page, cell.start, cell.end, cell.text, value, "", name, cell.row, cell.row_start,
                formulas, cited, "cited" if cited else "measured", source="table", column=cell.head,
                conditions=series, material_by=by,
            )
        )  # fmt: skip
    return found


def _unknown(unit: str) -> str:
    """Return what is wrong with a value whose unit cannot be read: why, as the reader of units says it."""
    try:
        read_unit(unit)
    except LabrigError as error:
        return error.what
    return f"The unit {unit!r} is not known"
