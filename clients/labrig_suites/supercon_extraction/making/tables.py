"""Tables as old journals have them: cells of several lines, notes below, on a turned page, or over two pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labrig_suites.supercon_extraction.making.setting import BOTTOM, Setter, marked_cell, runs


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes
    ----------
    rows
        Cells, which may hold marks (``«3:36.9^{a} K»``); the last may have several lines.
    notes
        What the raised letters mean, below the table.
    """

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class _Measures:
    size: float
    columns: tuple[float, ...]
    gap: float

    @property
    def lead(self) -> float:
        return 1.16 * self.size

    @property
    def total(self) -> float:
        return sum(self.columns) + self.gap * (len(self.columns) - 1)


def upright(setter: Setter, grid: Grid) -> None:
    """Set a table into the column."""
    by = _measured(setter, grid)
    setter.room(_height(setter, grid, by))
    _part(setter, grid, by, grid.rows, f"{grid.name}. {grid.caption}", grid.notes)


def turned(setter: Setter, grid: Grid) -> None:
    """Set a table on a page of its own, sideways; it comes when the page that is being set is full."""

    def draw() -> None:
        by = _measured(setter, grid)
        _part(setter, grid, by, grid.rows, f"{grid.name}. {grid.caption}", grid.notes)

    setter.floats.append(draw)


def stands_at_the_foot(setter: Setter, grid: Grid, spare: float) -> bool:
    """Tell whether the first rows of a table would now end within `spare` points of the foot of a page."""
    if setter.column < setter.style.columns - 1:
        return False
    left = setter.y - BOTTOM - _height(setter, _first(grid), _measured(setter, grid))
    return 0 <= left < spare


def parted(setter: Setter, grid: Grid) -> None:
    """Set the first rows here, and the others, under the head again, at the top of the next page."""
    by, first = _measured(setter, grid), _first(grid)
    setter.room(_height(setter, first, by))
    _part(setter, grid, by, first.rows, f"{grid.name}. {grid.caption}", ())
    setter.turn_page()
    _part(setter, grid, by, grid.rows[len(first.rows) :], f"{grid.name}. (Continued.)", grid.notes)


def _first(grid: Grid) -> Grid:
    return replace(grid, rows=grid.rows[: (len(grid.rows) + 1) // 2], notes=())


def _measured(setter: Setter, grid: Grid) -> _Measures:
    """Return sizes in points; print is made smaller where the table is wider than its column."""
    size = 0.9 * setter.style.size

    def widths() -> tuple[float, ...]:
        return tuple(
            max(
                setter.measure(runs(grid.header[column]), size),
                *(
                    setter.measure(runs(marked_cell(line)[0]), size)
                    for row in grid.rows
                    for line in row[column].split("\n")
                ),
            )
            for column in range(len(grid.header))
        )

    while sum(widths()) + size * (len(grid.header) - 1) > setter.width and size > 5:
        size -= 0.25
    wide = widths()
    gap = min(max(size, (setter.width - sum(wide)) / max(1, len(wide) - 1)), 3.5 * size)
    return _Measures(size, wide, gap)


def _height(setter: Setter, grid: Grid, by: _Measures) -> float:
    lines = sum(max(cell.count("\n") + 1 for cell in row) for row in grid.rows)
    return (lines + 3 + len(grid.notes)) * by.lead + 9 * setter.style.leading


def _part(
    setter: Setter,
    grid: Grid,
    by: _Measures,
    rows: Sequence[Sequence[str]],
    caption: str,
    notes: Sequence[str],
) -> None:
    """Set the caption, the head, rows and notes."""
    lead = by.lead
    setter.y -= 0.8 * setter.style.leading
    if not setter.style.caption_below:
        setter.paragraph(caption, 0.9 * setter.style.size, indent=False)
        setter.y -= 0.6 * lead
    setter.rule(by.total)
    setter.y -= lead
    x = setter.left
    for head, wide in zip(grid.header, by.columns, strict=True):
        setter.put(runs(head), x, setter.y, by.size)
        x += wide + by.gap
    setter.lines[-1].append(" ".join(grid.header))
    setter.y -= 0.4 * lead
    setter.rule(by.total)
    for row in rows:
        _row(setter, by, row)
    setter.y -= 0.5 * lead
    setter.rule(by.total)
    for note in notes:
        setter.y -= 1.1 * lead
        setter.put(runs(note), setter.left, setter.y, 0.9 * by.size)
        setter.lines[-1].append(note)
    if setter.style.caption_below:
        setter.y -= 0.3 * lead
        setter.paragraph(caption, 0.9 * setter.style.size, indent=False)
    setter.y -= 1.2 * setter.style.leading


def _row(setter: Setter, by: _Measures, row: Sequence[str]) -> None:
    """Set a row line by line, from the tops of its cells."""
    cells = [cell.split("\n") for cell in row]
    for number in range(max(map(len, cells))):
        setter.y -= by.lead
        x = setter.left
        parts = [marked_cell(lines[number]) if number < len(lines) else ("", None) for lines in cells]
        said = " ".join(text for text, _ in parts if text)
        setter.lines[-1].append(said)
        for (text, mark), wide in zip(parts, by.columns, strict=True):
            end = setter.put(runs(text), x, setter.y, by.size) if text else x
            if mark is not None:
                setter.spot(mark, (x, setter.y - 0.25 * by.size, end, setter.y + 0.8 * by.size), said)
            x += wide + by.gap
