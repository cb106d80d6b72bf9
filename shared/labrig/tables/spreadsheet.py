"""The sheets of a workbook: xlsx by openpyxl, else by python-calamine; an old xls by python-calamine."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.tables.columns import Column, named, short
from labrig.tables.description import Description
from labrig.tables.heads import LOOKED_AT, find_head
from labrig.tables.window import missing_package
from labrig.tools.reading import Files

MOST_BYTES = 32 << 20
MOST_UNPACKED = 256 << 20
"""An xlsx file is a zip archive, and a small one may unpack to anything."""

OLD_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How an xls begins, as all compound files do (MS-CFB, 2.2)."""

MOST_ROWS = 200_000
MOST_SHEETS = 20
"""Sheets whose cells are read where none is named."""
_SPANS_BYTES = 1 << 20
"""Of the end of a sheet, where Office Open XML (ECMA-376, 18.3.1.55) lists the cells that reach over others."""
_SPAN = re.compile(rb'mergeCell\s+ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
Row = tuple[Any, ...]


@dataclass(frozen=True)
class _Sheet:
    """A sheet that is open.

    Attributes
    ----------
    rows
        Its rows from the first one, empty ones included; a formula is given by the value that the file holds for it.
    names, hidden
        All sheets, and those that a spreadsheet program does not show.
    spans
        Cells that reach over several columns: row, first and last column, from 0.
    again
        Returns its rows once more, each with its values and with formulas in their place.
    """

    name: str
    rows: Iterator[Row]
    names: list[str]
    hidden: list[str] = field(default_factory=list)
    spans: frozenset[tuple[int, int, int]] = frozenset()
    again: Callable[[], Iterator[tuple[Row, Row]]] | None = None
    kind: str = "xlsx"


def describe(files: Files, path: str, *, sheet: str = "") -> Description:
    """Describe one sheet; by default the first that is not hidden. Its beginning is found by `labrig.tables.heads`.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not a workbook, ``limit`` for a large one, ``not_found`` for a sheet that it has not,
        ``unavailable`` where neither package is installed.
    """
    data = _read_archive(files, path)
    try:
        return _described(_opened(data, sheet))
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # each library has its own, and they raise others besides
        raise LabrigError(f"The workbook cannot be read: {error}", where=path) from error


def read_sheets(
    files: Files, path: str, *, sheet: str = "", rows: int, columns: int
) -> dict[str, list[list[str]]]:
    """Return the cells of the first rows of a sheet, or of every visible one, as text; numbers keep 15 digits.

    Raises
    ------
    LabrigError
        As `describe`.
    """
    data = _read_archive(files, path)
    try:
        first = _opened(data, sheet)
        names = (
            [first.name]
            if sheet
            else [each for each in first.names if each not in first.hidden][:MOST_SHEETS]
        )
        return {
            name: [
                [_text_of(cell) for cell in row[:columns]] for row in islice(_opened(data, name).rows, rows)
            ]
            for name in names
        }
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # each library has its own, and they raise others besides
        raise LabrigError(f"The workbook cannot be read: {error}", where=path) from error


def _read_archive(files: Files, path: str) -> bytes:
    size = files.size(path)
    if size > MOST_BYTES:
        raise _too_large(f"has {size:,} bytes", path, MOST_BYTES)
    data = files.read(path, 0, MOST_BYTES)
    if not data.startswith(OLD_MARK):  # which packs nothing
        _check_archive(data, path)
    return data


def _text_of(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat(" ")
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    return str(cell)


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


def _opened(data: bytes, sheet: str) -> _Sheet:
    if data.startswith(OLD_MARK):
        return _opened_by_calamine(data, sheet)
    try:
        import openpyxl
    except ImportError:
        return _opened_by_calamine(data, sheet)

    def rows_of(values: bool) -> Iterator[Row]:
        page = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)[chosen]
        page.reset_dimensions()  # the file states them, sometimes wrongly
        rows: Iterator[Row] = page.iter_rows(values_only=True)
        return rows

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    names = [each.title for each in book.worksheets]
    hidden = [each.title for each in book.worksheets if each.sheet_state != "visible"]
    chosen = _chosen(names, hidden, sheet)
    spans = _spans(data, str(getattr(book[chosen], "_worksheet_path", "")))
    return _Sheet(
        chosen, rows_of(True), names, hidden, spans, lambda: zip(rows_of(True), rows_of(False), strict=False)
    )


def _spans(data: bytes, part: str) -> frozenset[tuple[int, int, int]]:
    """Return the cells that reach over several columns; openpyxl tells them of a workbook that is read whole alone."""
    if not part:
        return frozenset()
    end = b""
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(part.lstrip("/")) as file:
        while piece := file.read(_SPANS_BYTES):
            end = (end + piece)[-_SPANS_BYTES:]
    found = ((_place(first), int(top), _place(last)) for first, top, last, _ in _SPAN.findall(end))
    return frozenset((row - 1, first, last) for first, row, last in found if last > first)


def _place(letters: bytes) -> int:
    """Return the place of a column from its letters: A is 0, AA is 26."""
    place = 0
    for letter in letters:
        place = 26 * place + letter - 64
    return place - 1


def _opened_by_calamine(data: bytes, sheet: str) -> _Sheet:
    try:
        import python_calamine
    except ImportError:
        old = data.startswith(OLD_MARK)
        raise (
            missing_package("python-calamine", "An xls workbook")
            if old
            else missing_package("openpyxl", "An xlsx workbook")
        ) from None
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    pages = [each for each in book.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]
    names = [each.name for each in pages]
    hidden = [each.name for each in pages if each.visible != python_calamine.SheetVisibleEnum.Visible]
    chosen = _chosen(names, hidden, sheet)
    page = book.get_sheet_by_name(chosen)
    rows = (tuple(map(_cell, row)) for row in page.iter_rows())
    merged = (page.merged_cell_ranges or []) if page.start else []
    spans = frozenset((top, left, right) for (top, left), (_, right) in merged if right > left)
    return _Sheet(chosen, rows, names, hidden, spans, kind="xls" if data.startswith(OLD_MARK) else "xlsx")


def _cell(cell: Any) -> Any:
    """Return a cell as openpyxl gives it: nothing for an empty one; 3 for 3.0, since an xls knows no integers."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if (
        isinstance(cell, str) and cell[1::2].strip("\0") == "" < cell[1::2]
    ):  # two bytes a letter, read as two letters
        return cell[::2]
    return None if cell == "" else cell


def _chosen(names: list[str], hidden: list[str], sheet: str) -> str:
    if not names:
        raise LabrigError("The workbook has no sheet with cells")
    if sheet and sheet not in names:
        raise unknown_name("sheet", sheet, names, where="sheet")
    return sheet or next((name for name in names if name not in hidden), names[0])


def _is_empty(row: Row) -> bool:
    return all(cell is None for cell in row)


def _described(sheet: _Sheet) -> Description:
    about: dict[str, Any] = {"sheet": sheet.name}
    if len(sheet.names) > 1:
        about["sheets"] = sheet.names
    if sheet.hidden:
        about["hidden_sheets"] = sheet.hidden
    blank, first = 0, list(islice(sheet.rows, LOOKED_AT))
    while first and all(map(_is_empty, first)):
        blank, first = blank + len(first), list(islice(sheet.rows, LOOKED_AT))
    if not first:
        return Description(sheet.kind, 0, [], ["the sheet is empty"], about=about)
    head = find_head(first, [(row - blank, left, right) for row, left, right in sheet.spans])
    columns, notes = named(head.names, head.under, head.units)
    if head.above:
        about["above"] = head.above
    rows = (row for row in chain(first[head.rows :], sheet.rows) if not _is_empty(row))
    count = ragged = 0
    for row in islice(rows, MOST_ROWS):
        for column, cell in zip(columns, (*row, *[None] * (len(columns) - len(row))), strict=False):
            # a workbook knows no integers: 3 and 3.0 are the same cell
            column.add([int(cell) if isinstance(cell, float) and cell.is_integer() else cell])
        ragged += any(cell is not None for cell in row[len(columns) :])
        count += 1
    complete = next(rows, None) is None
    if ragged:
        notes.append(f"{ragged} rows have cells beyond the heading")
    notes = head.notes + notes + _valueless(sheet, columns, blank + head.rows) + _numbers_as_text(columns)
    used = [each for each in columns if not each.name.startswith("(column ") or each.missing < each.cells]
    table = [each.to_dict() for each in used]
    if not complete:
        about["rows_looked_at"] = count
    return Description(sheet.kind, count if complete else None, table, notes, complete, about)


def _valueless(sheet: _Sheet, columns: list[Column], above: int) -> list[str]:
    """Count the formulas whose values the file does not hold, as programs write them that do not calculate."""
    if sheet.again is None or not any(column.missing for column in columns):
        return []
    counts: Counter[int] = Counter()
    for values, formulas in islice(sheet.again(), above, above + MOST_ROWS):
        for place, (value, formula) in enumerate(zip(values, formulas, strict=False)):
            if value is None and isinstance(formula, str) and formula.startswith("="):
                counts[place] += 1
    for place, column in enumerate(columns):
        column.formulas = counts[place]
    if not counts:
        return []
    names = ", ".join(short(column.name) for column in columns if column.formulas)
    return [
        f"{sum(counts.values())} formulas whose values the file does not hold, in {names}: open it in a spreadsheet "
        "program and save it"
    ]


def _numbers_as_text(columns: list[Column]) -> list[str]:
    """Say which columns hold numbers that the workbook has as text, so that no program calculates with them."""
    found = [
        column for column in columns if column.numbers_as_text and column.kind() in ("integer", "number")
    ]
    if not found:
        return []
    names = ", ".join(f"{short(column.name)} ({column.numbers_as_text})" for column in found[:8])
    return [f"numbers that are stored as text: {names}"]
