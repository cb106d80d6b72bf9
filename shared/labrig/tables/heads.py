"""Where a table begins: lines above it, headings that span others, the heading, its units, the first row.

Laboratories put a title and an order number above the heading, a group over several columns, and the units below it.
What is a heading follows from what stands under it: a column of numbers under a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from labrig.tables.columns import MISSING
from labrig.tables.dates import iso_date, written_dates
from labrig.tables.numbers import readings
from labrig.tables.units import is_unit

LOOKED_AT = 30
"""Rows among which a table's beginning is looked for."""

_VALUE = re.compile(
    r"\s*[<>~=\u2264\u2265]|[+-]?[0-9.,' ]+[a-z*]?(?: [a-z])?$|(?:n\.? ?[ad]\.?|N\.? ?[AD]\.?)$"
    r"|(?:b\.?d\.?l?\.?|B\.?D\.?L?\.?|<?lo[dq]|<?LO[DQ]|tr|[Tt]race|[Mm]issing|[Nn]one|[Ee]rror|x)$"
)
"""A cell that holds a value or says why there is none: neither a heading nor a unit. Na is sodium, Nd neodymium."""


_FORMULA = re.compile(r"(?:[A-Z][a-z]?[0-9]*)+[+-]?[0-9]*")
_WIDTH = re.compile(r"[0-9]+[sdn]")
"""What the second line of the RDB format of the U.S. Geological Survey says of a column: its width and kind."""


@dataclass(frozen=True)
class Head:
    """The beginning of a table.

    Attributes
    ----------
    names, under, units
        Of each column; `under` is the heading that spans it, where there is one.
    rows
        How many rows come before the first one of data.
    above
        The lines above the heading, as text.
    second
        What a further line below the heading says, if it is no line of units.
    """

    names: list[str]
    under: list[str]
    units: list[str]
    rows: int
    above: list[str] = field(default_factory=list)
    second: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """What a reader should know of it."""
        notes = []
        if self.above:
            notes.append(f"{len(self.above)} lines before the heading are no part of the table")
        if any(self.under):
            notes.append("headings that span columns are given under each of these")
        if any(self.units):
            notes.append("the line below the heading is taken for units")
        if self.second:
            shown = ", ".join(cell for cell in self.second[:4] if cell)
            notes.append(f"a second line below the heading is no row of the table: {shown[:80]}")
        return notes


def find_head(rows: Sequence[Sequence[Any]], spans: Collection[tuple[int, int, int]] = ()) -> Head:
    """Return where a table begins.

    Parameters
    ----------
    rows
        Its first rows, empty ones included; one at least has a cell.
    spans
        Cells that reach over several columns: row, first and last column, counted from 0.
    """
    filled = [[place for place, cell in enumerate(row) if _text(cell)] for row in rows]
    width = _width(filled)
    enough = max(1, -(-4 * width // 5))
    first = next(number for number, places in enumerate(filled) if len(places) >= enough)
    first = _below_notes(rows, filled, _below_pairs(rows, filled, first, enough), enough)
    if not _is_heading(rows[first]) and first and _may_head(rows[first - 1], filled[first - 1], width):
        first -= 1
    leaf, group = first, None
    if first and _spans_others(rows, filled, first, spans):
        group = first - 1
    following = first + 1
    second = _second(rows, following)
    names = [_text(cell) for cell in rows[leaf]]
    under = [""] * len(names)
    if second == "heading" and group is None and _is_group(names, filled[leaf], filled[following]):
        group, leaf, second, following = leaf, leaf + 1, "", leaf + 2
        names = [_text(cell) for cell in rows[leaf]]
        second = _second(rows, following)
    if group is not None:
        names, under = _grouped([_text(cell) for cell in rows[group]], names, group, spans)
    units, extra = [""] * len(names), list[str]()
    if second:
        cells = [_text(cell) for cell in rows[following]]
        following += 1
        if second == "units":
            units = [cell.strip("()[]") if is_unit(cell) else "" for cell in cells]
        else:
            extra = cells
    top = leaf if group is None else group
    above = [_line(row) for row in rows[:top] if any(map(_text, row))]
    return Head(names, under, units, following, above, extra)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def is_value(cell: Any) -> bool:
    """Tell whether a cell holds a value rather than a word: a number, a date, a limit of detection."""
    if not isinstance(cell, str):
        return cell is not None and not isinstance(cell, bool)
    text = cell.strip()
    return (
        bool(readings(text) or iso_date(text) or _VALUE.match(text) or written_dates(text)) if text else False
    )


def _width(filled: list[list[int]]) -> int:
    """Return how many cells most rows of the later half have, where no title stands; of two numbers the smaller."""
    later = Counter(len(places) for places in filled[len(filled) // 2 :] if places)
    counts = later or Counter(len(places) for places in filled if places)
    return min(counts, key=lambda count: (-counts[count], count))


def _is_heading(row: Sequence[Any]) -> bool:
    return not any(map(is_value, row))


def _may_head(row: Sequence[Any], places: list[int], width: int) -> bool:
    return _is_heading(row) and len(places) >= max(1, width / 2)


def _below_pairs(rows: Sequence[Sequence[Any]], filled: list[list[int]], first: int, enough: int) -> int:
    """Return the row of the heading where pairs of a name and a value as wide as the table come before it.

    It is a line of words, two lines at least below the first, from which a column of words goes on as one of values.
    """
    for number in range(len(rows) - 3, first + 1, -1):
        if len(filled[number]) < enough or not _is_heading(rows[number]):
            continue
        before = [row for row, places in zip(rows[first:number], filled[first:number], strict=True) if places]
        after = [row for row, places in zip(rows[number + 1 :], filled[number + 1 :], strict=True) if places]
        for place in filled[number]:
            words = all(len(row) > place and _text(row[place]) and not is_value(row[place]) for row in before)
            if words and len(after) > 1 and all(len(row) > place and is_value(row[place]) for row in after):
                pairs = len(before) > 1 and any(is_value(cell) for row in before for cell in row)
                return number if pairs else first
    return first


def _below_notes(rows: Sequence[Sequence[Any]], filled: list[list[int]], first: int, enough: int) -> int:
    """Return the row of the heading where lines of words as wide as the table come before it.

    Three of them at least, without a value, and then values in nearly every row: above a sparse column there are fewer.
    """
    places = [number for number in range(first, len(rows)) if filled[number]]
    valued = [number for number in places if not _is_heading(rows[number])]
    if (
        not valued
        or valued[0] - first < 4
        or 5 * len(valued) < 4 * sum(number >= valued[0] for number in places)
    ):
        return first
    heads = [number for number in places if number < valued[0] and len(filled[number]) >= enough]
    leaf = heads[-1]
    return heads[-2] if len(heads) > 1 and _second(rows, leaf) == "units" else leaf


def _spans_others(
    rows: Sequence[Sequence[Any]], filled: list[list[int]], leaf: int, spans: Collection[tuple[int, int, int]]
) -> bool:
    """Tell whether the row above the heading spans columns of it, and is no title."""
    group, places, names = leaf - 1, filled[leaf - 1], filled[leaf]
    if not places or not _is_heading(rows[group]):
        return False
    widths = [last - first + 1 for row, first, last in spans if row == group]
    if any(1 < width < len(rows[leaf]) for width in widths):
        return True
    if widths:  # one cell over the whole table: a title
        return False
    if len({_text(rows[group][place]) for place in places}) < len(places):  # its name stands over each column
        return True
    completes = any(place not in names for place in places)
    edges = [*places, max(*places, *names) + 1]
    wide = sum(
        any(start < name < end for name in names) for start, end in zip(places, edges[1:], strict=True)
    )
    if not wide or (len(places) == 1 and places[0] == 0):  # a title stands alone, above the first column
        return False
    return completes or wide > 1


def _is_group(names: list[str], places: list[int], below: list[int]) -> bool:
    """Tell whether a heading is one of groups, by the line below: names that come again, or none where this has one."""
    return len({names[place] for place in places}) < len(places) or not {*below} <= {*places}


def _grouped(
    groups: list[str], names: list[str], row: int, spans: Collection[tuple[int, int, int]]
) -> tuple[list[str], list[str]]:
    """Return the names of columns and what spans each; a name that is missing is that of the row above."""
    ends = {first: last for number, first, last in spans if number == row}
    current, end = "", -1
    found, under = [], []
    for place in range(max(len(groups), len(names))):
        group = groups[place] if place < len(groups) else ""
        name = names[place] if place < len(names) else ""
        if group:
            current, end = group, ends.get(place, place if ends else 10**6)
        found.append(name or group)
        under.append(current if name and place <= end and current != name else "")
    return found, under


def _second(rows: Sequence[Sequence[Any]], number: int) -> str:
    """Tell what a row below the heading is: ``units``, a second ``heading``, or data, which is said by nothing.

    It is no data if it holds no value, and a word over each column of numbers. Of a single such column only a unit
    counts.
    """
    if number >= len(rows):
        return ""
    if all(map(_WIDTH.fullmatch, map(_text, rows[number]))):
        return "heading"
    if not _is_heading(rows[number]):
        return ""
    row, after = rows[number], [each for each in rows[number + 1 :] if any(map(_text, each))]
    numeric = [place for place in range(len(row)) if _is_numeric(after, place)]
    cells = [_text(row[place]) for place in numeric]
    said = [cell for cell in cells if cell]
    if not said or any(cell in MISSING - {"-", ""} for cell in said):
        return ""
    known = sum(map(is_unit, said))
    elements = known < len(said) and all(map(_FORMULA.fullmatch, said))  # K and Mg are no units beside Ca
    dashes = sum(cell == "-" for cell in said)
    if known and not elements and 2 * known >= len(said) - dashes:
        return "units"
    return "heading" if len(said) > 1 and len(said) == len(cells) and not {*said} <= {"-"} else ""


def _is_numeric(rows: Sequence[Sequence[Any]], place: int) -> bool:
    cells = [row[place] for row in rows if len(row) > place and _text(row[place]) not in MISSING]
    return bool(cells) and all(map(is_value, cells))


def _line(row: Sequence[Any]) -> str:
    """Return a line above the heading as text: a pair as ``name: value``."""
    cells = [_text(cell) for cell in row if _text(cell)]
    return (": " if len(cells) == 2 else ", ").join(cell.rstrip(":") for cell in cells)[:80]
