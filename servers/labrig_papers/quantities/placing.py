"""Where on a page its tables and captions stand, for the values in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from labrig.errors import LabrigError
from labrig_papers.attribution.rows import cited_by_caption, is_group, source_of, source_of_caption
from labrig_papers.pdf.continuing import going_on
from labrig_papers.pdf.page import Page, plain
from labrig_papers.pdf.structure import captions
from labrig_papers.pdf.tables import UNITS, Table, upright_tables
from labrig_papers.pdf.turning import frames
from labrig_papers.properties.listing import key
from labrig_papers.properties.matching import quantity_of
from labrig_papers.quantities.cells import read_cell, unit_of_head, without_brackets
from labrig_papers.quantities.conditions import CONDITIONS
from labrig_papers.quantities.tabled import Areas, TableCell
from labrig_papers.values.units import BARE, read_unit

SURE = 0.7
"""Confidence of a table from which its cells are values; what is less sure is read as text."""
_STATE = re.compile(r"\S\((?:g|s|l|aq|c|am)\)\s*$")
"""Behind a formula stands its state, and no unit: CO2(g)."""
_VALUES = re.compile(r"values?|results?|measured|this work|estimates?|magnitudes?", re.IGNORECASE)
"""Heads of columns that say nothing of the material."""
_GIVEN_IN = re.compile(
    r"(?P<what>[A-Z]?[A-Za-z][^.;:()]{1,60}?)\s(?:is|are)\s(?:given|listed|quoted|reported|expressed|stated|shown)?\s?in\s"
    r"(?:units\sof\s)?(?P<unit>[^.;:]{1,60}(?:\.[^\s.]{1,3}\.)?)"
)
MOST_UNIT_WORDS = 6
_SYMBOL_IS = re.compile(
    r"(?:[:;.]\s|\band\s)(?P<symbol>[^\s;:]{1,24}),\s(?P<about>[A-Za-z][^;:,]{2,60}?)(?:,\s(?:given\s)?in\s(?P<unit>[^;:,]{1,40}?))?"
    r"(?=;|\.(?:\s|$)|,\sand\s|$)"
)
NOTES_WITHIN = 80.0
"""Points below a table in which its notes stand."""
_MARK = re.compile(r"\^\{\s?([a-z*†‡§])\s?\}")
_NOTE = re.compile(r"\^\{\s?([a-z*†‡§])\s?\}\s*(\S.*)", re.DOTALL)
_CONTINUED = re.compile(r"\bcont(?:inued|d|\.)", re.IGNORECASE)
_UNIT_BEHIND = re.compile(r"\s*[(\[][^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*[)\]]\s*$|\s*,[^,]*$")
_SERIES = re.compile(r"[xyzδ]", re.IGNORECASE)
"""Heads of a first column that say which of a series of compositions a row is of."""
_AXES = {
    "temperature": re.compile(r"\s*(?:T|Temp(?:erature|\.)?)\s*(?:[(\[,/]|$)", re.IGNORECASE),
    "field": re.compile(
        r"\s*(?:[HB]|μ_?\{?0\}?H|(?:Applied |Magnetic )*Field)\s*(?:[(\[,/]|$)", re.IGNORECASE
    ),
    "pressure": re.compile(r"\s*(?:P|Pressure)\s*(?:[(\[,/]|$)", re.IGNORECASE),
}
_EMPTY = re.compile(r"|[-–—−]+|1|none|n/?a|dimensionless|unitless", re.IGNORECASE)


def areas_of_all(pages: Sequence[Page]) -> list[Areas]:
    """Return what `areas_of` does for pages in order: a table that goes on has the legend of its first caption."""
    captioned: dict[str, str] = {}
    found: list[Areas] = []
    for number, page in enumerate(pages):
        here = areas_of(page, captioned)
        joint = going_on(pages[number - 1], page) if number else None
        if joint is not None:
            found[-1] = replace(found[-1], breaks_off=joint[0])
            here = replace(here, goes_on=joint[1])
        found.append(here)
        for each in captions(page):
            captioned.setdefault(each.name, each.text)
    return found


def areas_of(page: Page, before: Mapping[str, str] | None = None) -> Areas:
    """Return the captions of a page, and its tables cell by cell.

    `before` has the captions of earlier pages by the names of their tables.
    """
    ranges: list[tuple[int, int]] = []
    cells: list[TableCell] = []
    framed = [(each, table) for each in frames(page) for table in upright_tables(each)]
    for frame, table in framed:
        if table.confidence < SURE:
            continue
        left, bottom, right, top = table.box
        for line in frame.lines:  # heads too: what stands in them are units, and no values
            middle = (line.box[1] + line.box[3]) / 2
            if bottom < middle < top and line.box[0] > left - 3 and line.box[2] < right + 3:
                ranges.append((line.start, line.end))
        units = _unit_column(table)
        notes = _notes(frame, table)
        goes_on = _CONTINUED.search(table.caption[: len(table.name) + 24]) is not None
        caption = (before or {}).get(table.name, table.caption) if goes_on else table.caption
        stated, legend = _stated_units(caption), _legend(caption)
        symbol = table.header[0].strip()
        by_caption, of_all = cited_by_caption(caption), source_of_caption(caption)
        group, source = "", ""
        for row, (quote, _) in zip(table.rows, table.evidence, strict=True):
            filled = [cell for cell in row if cell.text]
            if not filled:
                continue
            if is_group([cell.text for cell in row]):
                group, source = filled[0].text, source_of([cell.text for cell in row])
                continue
            start = min(cell.start for cell in filled)
            for number, (cell, head) in enumerate(zip(row, table.header, strict=True)):
                if not cell.text or number == units or (number and cell == row[number - 1]):
                    continue  # what stands across two columns is one value
                column, label = head, row[0].text
                unit = "" if units is None else without_brackets(row[units].text)
                unit = "" if _EMPTY.fullmatch(unit) else unit
                of_row = f"{label} ({unit})" if unit else label
                if number and not unit_of_head(head)[0] and (units is not None or _names_unit(label)):
                    # a table whose rows are properties and whose columns are samples
                    column, label = of_row, "" if _VALUES.fullmatch(head.strip()) else head
                else:
                    own = unit_of_head(head)[0]
                    symbol_of = head if key(head) in legend else _UNIT_BEHIND.sub("", head)
                    about, unit = legend.get(key(symbol_of), ("", ""))
                    unit = "" if own else unit or stated.get(quantity_of(head), "")
                    column = f"{symbol_of}, {about} ({own or unit})" if about else head
                    column = f"{head} ({unit})" if unit and not about else column.removesuffix(" ()")
                series = _series(symbol, row[0].text) if number else {}
                series |= _named_series(label) if column != head else {}
                cells.append(
                    TableCell(
                        cell.text,
                        cell.start,
                        cell.end,
                        column,
                        quote,
                        start,
                        label,
                        caption,
                        unit,
                        series,
                        " ".join(notes[mark] for mark in _MARK.findall(cell.text) if mark in notes),
                        group,
                        source
                        or next(
                            (by_caption[each] for each in by_caption if each in f"{label} {group}"), of_all
                        ),
                        by_caption,
                    )
                )
    spans = tuple((each.start, each.end) for each in captions(page))
    return Areas(tuple(ranges), spans, tuple(cells))


def _notes(page: Page, table: Table) -> dict[str, str]:
    """Return the notes below a table by their marks: ``^{a} Taken from Ref. [20].``."""
    left, bottom, right, _ = table.box
    found: dict[str, str] = {}
    for line in page.lines:
        below = bottom - NOTES_WITHIN < line.box[1] and line.box[3] < bottom + line.size / 2
        note = _NOTE.match(page.text[line.start : line.end])
        if note and below and line.box[0] < right and line.box[2] > left:
            found.setdefault(note[1], note[2].strip())
    return found


def _series(head: str, first: str) -> dict[str, str]:
    """Return what the first cell of a row says of the others: its x, or the temperature, field or pressure."""
    if _SERIES.fullmatch(head):
        return {head: first}
    value = read_cell(first, head)
    for name, pattern in _AXES.items():
        if value is not None and value.unit.dimension == CONDITIONS[name] and pattern.match(head):
            return {name: f"{first} {value.unit.text}" if first.strip()[-1:].isdigit() else first}
    return {}


def _named_series(head: str) -> dict[str, str]:
    """Return the x of a column whose head is ``x = 0.05``."""
    match = re.fullmatch(r"([xyzδ])\s?=\s?(\d*\.?\d+)", head.strip(), re.IGNORECASE)
    return {match[1]: match[2]} if match else {}


def _legend(caption: str) -> dict[str, tuple[str, str]]:
    """Return what a caption says that its symbols are, and in which unit: "S, thermopower at 300 K, in μV K^{−1};"."""
    found = {}
    for match in _SYMBOL_IS.finditer(caption):
        unit = (match["unit"] or "").strip()
        try:
            known = not unit or read_unit(unit) is not BARE
        except LabrigError:
            known = False
        if known and (unit or quantity_of(match["about"])):
            found[key(match["symbol"])] = (match["about"].strip(), unit)
    return found


def _stated_units(caption: str) -> dict[str, str]:
    """Return the units that a caption gives: "The effective moment is given in μ_{B} per formula unit."."""
    found = {}
    for match in _GIVEN_IN.finditer(caption):
        quantity, words = quantity_of(match["what"]), match["unit"].split()
        for count in range(min(len(words), MOST_UNIT_WORDS), 0, -1):
            try:
                unit = read_unit(" ".join(words[:count]).rstrip(",;"))
            except LabrigError:
                continue
            if quantity and unit is not BARE:
                found[quantity] = unit.text
            break
    return found


def _unit_column(table: Table) -> int | None:
    """Return the number of the column that has the units of its rows, None where there is none."""
    for number, head in enumerate(table.header):
        if number and UNITS.fullmatch(plain(head).strip()):
            return number
    return None


def _names_unit(label: str) -> bool:
    """Tell whether the first cell of a row names a property with its unit."""
    return bool(unit_of_head(label)[0]) and not _STATE.search(label)
