"""The sheets of an xlsx workbook, read with openpyxl, else with python-calamine, whichever is installed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.tables.columns import named
from labrig.tables.description import Description
from labrig.tables.window import missing_package
from labrig.tools.reading import Files

MOST_BYTES = 32 << 20
MOST_UNPACKED = 256 << 20
"""An xlsx file is a zip archive, and a small one may unpack to anything."""

MOST_ROWS = 200_000
_LOOKED_AT = 20
"""Rows among which the heading is looked for."""


def describe(files: Files, path: str, *, sheet: str = "") -> Description:
    """Describe one sheet, the first by default: its first row that is not empty is the heading.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not a workbook, ``limit`` for a large one, ``not_found`` for a sheet that it has not,
        ``unavailable`` where neither package is installed.
    """
    size = files.size(path)
    if size > MOST_BYTES:
        raise _too_large(f"has {size:,} bytes", path, MOST_BYTES)
    data = files.read(path, 0, MOST_BYTES)
    _check_archive(data, path)
    try:
        names, chosen, rows = _opened(data, sheet)
        return _described(names, chosen, rows)
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # each library has its own, and they raise others besides
        raise LabrigError(f"The workbook cannot be read: {error}", where=path) from error


def _check_archive(data: bytes, path: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise LabrigError(f"This is not an xlsx workbook: {error}", where=path) from error
    if unpacked > MOST_UNPACKED:
        raise _too_large(f"unpacks to {unpacked:,} bytes", path, MOST_UNPACKED)


def _too_large(what: str, path: str, most: int) -> LabrigError:
    return LabrigError(f"The workbook {what}", where=path, expected=f"at most {most:,}", code="limit")


def _opened(data: bytes, sheet: str) -> tuple[list[str], str, Iterator[Any]]:
    """Return the names of the sheets, the one that was chosen, and its rows."""
    try:
        import openpyxl
    except ImportError:
        return _opened_by_calamine(data, sheet)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    names = [each.title for each in book.worksheets]
    chosen = _chosen(names, sheet)
    page = book[chosen]
    page.reset_dimensions()  # the file states them, sometimes wrongly
    return names, chosen, page.iter_rows(values_only=True)


def _opened_by_calamine(data: bytes, sheet: str) -> tuple[list[str], str, Iterator[Any]]:
    try:
        import python_calamine
    except ImportError:
        raise missing_package("openpyxl", "An xlsx workbook") from None
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    chosen = _chosen(book.sheet_names, sheet)
    rows = (
        [None if cell == "" else cell for cell in row] for row in book.get_sheet_by_name(chosen).iter_rows()
    )
    return book.sheet_names, chosen, rows


def _chosen(names: list[str], sheet: str) -> str:
    if not names:
        raise LabrigError("The workbook has no sheet with cells")
    if sheet and sheet not in names:
        raise unknown_name("sheet", sheet, names, where="sheet")
    return sheet or names[0]


def _titles(rows: list[Any]) -> int:
    """Return how many rows of one cell come before the first one of more; 0 where there is none of more."""
    widths = [sum(cell is not None for cell in row) for row in rows]
    return next((place for place, width in enumerate(widths) if width > 1), 0)


def _is_text(rows: list[Any]) -> bool:
    return all(isinstance(cell, str) for row in rows for cell in row if cell is not None)


def _described(names: list[str], chosen: str, rows: Iterator[Any]) -> Description:
    about: dict[str, Any] = {"sheet": chosen} | ({"sheets": names} if len(names) > 1 else {})
    filled = (row for row in rows if any(cell is not None for cell in row))
    first = list(islice(filled, _LOOKED_AT))
    if not first:
        return Description("xlsx", 0, [], ["the sheet is empty"], about=about)
    titles = _titles(first)
    columns, notes = named(first[titles])
    if titles:
        notes.append(f"{titles} rows before the heading hold one cell, and are no part of the table")
    below = first[titles + 1 : titles + 2]
    count = ragged = 0
    complete = True
    for row in chain(first[titles + 1 :], filled):
        if count == MOST_ROWS:
            complete = False
            break
        for column, cell in zip(columns, (*row, *[None] * (len(columns) - len(row))), strict=False):
            # a workbook knows no integers: 3 and 3.0 are the same cell
            column.add([int(cell) if isinstance(cell, float) and cell.is_integer() else cell])
        ragged += any(cell is not None for cell in row[len(columns) :])
        count += 1
    if ragged:
        notes.append(f"{ragged} rows have cells beyond the heading")
    if any(set(each.kinds) >= {"text"} and each.low is not None for each in columns) and _is_text(below):
        notes.append("the row below the heading holds text alone: units, or a second heading")
    used = [each for each in columns if not each.name.startswith("(column ") or each.missing < each.cells]
    table = [each.to_dict() for each in used]
    if not complete:
        about["rows_looked_at"] = count
    return Description("xlsx", count if complete else None, table, notes, complete, about)
