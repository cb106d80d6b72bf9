"""A table as a grid: every place filled, cells that span several places repeated in each."""

from __future__ import annotations

from dataclasses import dataclass

from labrig_atlas.wiki.page import Cell, Table

MOST_COLUMNS = 100
_EMPTY = Cell(())


@dataclass(frozen=True)
class Grid:
    """A table with its spans resolved.

    Attributes
    ----------
    columns
        The head of each column: head rows above each other are joined by " / ". Empty where there is no head row.
    rows
        All of one length.
    left_out
        How many rows of the page are not here.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0


def cells_of(table: Table) -> list[list[Cell]]:
    """Return the cells in their places; a row span ends with the table, columns beyond `MOST_COLUMNS` are dropped."""
    filled: list[dict[int, Cell]] = [{} for _ in table.rows]
    for down, row in enumerate(table.rows):
        across = 0
        for cell in row:
            while across in filled[down]:
                across += 1
            end = min(across + cell.columns, MOST_COLUMNS)
            for line in filled[down : down + cell.rows]:
                for place in range(across, end):
                    line.setdefault(place, cell)
            across = end
            if across >= MOST_COLUMNS:
                break
    width = max((max(line, default=-1) + 1 for line in filled), default=0)
    return [[line.get(place, _EMPTY) for place in range(width)] for line in filled]


def grid(table: Table) -> Grid:
    """Return a table as a grid of texts with its head."""
    cells = cells_of(table)
    heads = 0
    while heads < min(len(cells) - 1, 5) and all(cell.header or not cell.runs for cell in cells[heads]):
        heads += 1
    columns = tuple(
        " / ".join(dict.fromkeys(text for row in cells[:heads] if (text := one_line(row[place]))))
        for place in range(len(cells[0]) if heads else 0)
    )
    rows = tuple(tuple(one_line(cell) for cell in row) for row in cells[heads:])
    return Grid(table.caption, columns, rows, table.cut)


def one_line(cell: Cell) -> str:
    """Return the text of a cell on one line."""
    return " ".join(cell.text.split())
