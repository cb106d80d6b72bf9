"""The cells of a table in a text: which character parts them, which line is the heading, what the lines below are."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_phreeqc.waters.headings import recognised
from labrig_phreeqc.waters.layouts import (
    has_codes,
    name_columns,
    parts_of,
    pivoted,
    transposed,
    without_comments,
)
from labrig_phreeqc.waters.units import parse_unit

MAX_ROWS = 5_000
MAX_COLUMNS = 500
MAX_CHARS = 10_000_000

_DELIMITERS = (",", ";", "\t", "|")
_HEADING_LINES = 30


@dataclass(frozen=True)
class Sheet:
    """The cells of a table: heading, units of a second heading line if there is one, rows with their lines."""

    delimiter: str
    headers: list[str]
    units: list[str]
    rows: list[tuple[int, list[str]]]
    notes: list[str]


def sheet(text: str) -> Sheet:
    """Cut a table into cells and find its heading.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not a table of samples, ``limit`` for one that is too large.
    """
    text = text.lstrip("\ufeff")
    if len(text) > MAX_CHARS:
        raise LabrigError(
            f"The table has {len(text):,} characters", expected=f"at most {MAX_CHARS:,}", code="limit"
        )
    if not text.strip():
        raise LabrigError("The table is empty", expected=_EXPECTED)
    head = "\n".join(itertools.islice(_uncommented(text), 2 * _HEADING_LINES))
    first = text.split("\n", 1)[0].strip().casefold()
    if re.fullmatch(r"\"?sep=.\"?", first):  # Excel's own way to say it
        text = "\n" + text.partition("\n")[2]
        head = head.partition("\n")[2]
        delimiter = first.strip('"')[-1]
    else:
        delimiter = max(_DELIMITERS, key=lambda each: _likeness(_peek(head, each)))
    lines, notes = _one_line_a_sample(_records(text, delimiter))
    place = max(range(min(len(lines), _HEADING_LINES)), key=lambda n: (_hits(lines[n][1]), -n))
    headers = [each.strip() for each in lines[place][1]]
    _is_table(headers, [cells for _, cells in lines])
    headers[0] = headers[0].lstrip("# ")
    while headers and not headers[-1]:
        headers.pop()
    if len(headers) > MAX_COLUMNS:
        raise LabrigError(
            f"The table has {len(headers)} columns", expected=f"at most {MAX_COLUMNS}", code="limit"
        )
    if place:
        notes.append(f"the heading is line {lines[place][0]}; what stands above it is not used")
    units: list[str] = []
    below = lines[place + 1 :]
    if below and _are_units(below[0][1]):
        units, below = below[0][1], below[1:]
    comments = [line for line, cells in below if _comment(cells)]
    rows = [(line, cells) for line, cells in below if not _comment(cells) and any(map(str.strip, cells))]
    if comments:
        some = ", ".join(map(str, comments[:5])) + (", ..." if len(comments) > 5 else "")
        notes.append(f"lines that begin with # are comments: line {some}")
    if not rows:
        raise LabrigError("The table has a heading and no rows", expected=_EXPECTED)
    if len(rows) > MAX_ROWS:
        raise LabrigError(
            f"The table has {len(rows):,} rows",
            expected=f"at most {MAX_ROWS:,}",
            try_="the table in parts",
            code="limit",
        )
    return Sheet(delimiter, headers, units, rows, notes)


_EXPECTED = "a heading line such as Sample,pH,Temp (degC),Ca (mg/L),HCO3 (mg/L), then one line a sample"


def _uncommented(text: str) -> Iterator[str]:
    """Return the lines of a text from the first that is no comment."""
    return itertools.dropwhile(lambda line: line.startswith("#"), text.splitlines())


def _likeness(lines: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return how much lines are like a table of waters: names in a line or down a column, then their width."""
    across = max(map(_hits, lines), default=0)
    down = max((_hits([cells[n] for cells in lines if len(cells) > n]) for n in (0, 1)), default=0)
    parts = max((len(parts_of(cells)) for cells in lines), default=0)
    return max(across, down, parts), max(map(len, lines), default=0)


def likeness(lines: Sequence[Sequence[str]]) -> int:
    """Return the same of a sheet's first lines, as a number; below 2 it is none."""
    return _likeness([[cell[:200] for cell in cells] for cells in lines[: 2 * _HEADING_LINES]])[0]


def _peek(head: str, delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        return []


def _hits(cells: Sequence[str]) -> int:
    return sum(len(cell) < 200 and recognised(cell.lstrip("# ")) for cell in cells[:MAX_COLUMNS])


def _records(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[tuple[int, list[str]]] = []
    line = 0
    try:
        for cells in reader:
            if any(cell.count("\n") > 5 for cell in cells):
                raise LabrigError(
                    "A quotation mark opens and does not close", where=f"line {line + 1}", expected=_EXPECTED
                )
            if cells:
                found.append((line + 1, cells))
            line = reader.line_num
    except csv.Error as error:
        raise LabrigError(f"The table cannot be read: {error}", where=f"line {reader.line_num}") from None
    if not found:
        raise LabrigError("The table is empty", expected=_EXPECTED)
    return found


def _one_line_a_sample(lines: list[tuple[int, list[str]]]) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """Return lines with one sample each, whichever way the table lies, and what is said of it."""
    lines = without_comments(lines)
    first = lines[:_HEADING_LINES]
    across = max(_hits(cells) for _, cells in first)
    for number, (_, cells) in enumerate(first):
        if across < 3 and parts_of(cells):
            return pivoted(lines, number, recognised)
        if has_codes(cells):
            return name_columns(lines, number)
    for place in (0, 1):
        names = [cells[place] for _, cells in lines[:100] if len(cells) > place]
        if _hits(names) > max(across, 2):
            return transposed(lines, place, recognised)
    return lines, []


def _is_table(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Refuse what is another kind of table."""
    if _hits(headers) < 2:
        seen = ", ".join(cell.strip()[:30] for cell in lines[0][:8])
        raise LabrigError(
            "No heading line names a pH and constituents",
            where=f"first line: {seen}"[:300],
            expected=_EXPECTED,
        )


def _are_units(cells: Sequence[str]) -> bool:
    texts = [cell.strip() for cell in cells]
    units = sum(parse_unit(text) is not None for text in texts if len(text) < 40)
    return units >= 1 and not any(re.search(r"^[<+-]?\s*\d", text) for text in texts)


def _comment(cells: Sequence[str]) -> bool:
    return bool(cells) and re.match(r"\s*#(?!\s*\d)", cells[0]) is not None
