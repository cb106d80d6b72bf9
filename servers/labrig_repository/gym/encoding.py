"""A table as the bytes of a file, in six formats, each character of which is ours to say.

As in the released code of the paper, ``.txt`` and ``.log`` hold the text of a csv file, ``.json`` a list of
records with an indent of two, and ``.jsonl`` a record on each line. Numbers are written as their column prints
them (``1.50``); a category is a text, also where its levels are numbers. (`pandas.read_json` may be off by the
last bit of a number unless it is given ``precise_float=True``; `pandas.read_csv` and `json` are not.)

The workbook is the least that readers accept: five parts, stored and not deflated (what deflate gives depends on
the build of zlib), with a fixed date. Its cells have no references and its texts stand in the cells.
"""

from __future__ import annotations

import itertools
import json
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import cast
from xml.sax.saxutils import escape

from labrig_repository.gym.values import Column, Decimal

EXTENSIONS = ("csv", "json", "jsonl", "xlsx", "txt", "log")
MEDIA_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "txt": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
}


def encoded(columns: Sequence[Column], extension: str) -> bytes:
    """Return a table as a file with this extension (one of `EXTENSIONS`)."""
    return ENCODERS[extension](columns)


def csv_text(columns: Sequence[Column]) -> bytes:
    """Return comma-separated values with a header; lines end in a line feed."""
    head = ",".join(_csv_quoted(each.name) for each in columns)
    row = ",".join(each.form.conversion for each in columns)
    return f"{head}\n{_rows(columns, row + LF, _csv_quoted)}".encode()


def json_records(columns: Sequence[Column]) -> bytes:
    """Return a list of records."""
    row = ",\n".join(f"    {_json_pair(each)}" for each in columns)
    return f"[\n{_rows(columns, f'  {{{LF}{row}{LF}  }},{LF}', _json_escaped)[:-2]}\n]\n".encode()


def json_lines(columns: Sequence[Column]) -> bytes:
    """Return a record on each line."""
    row = ",".join(map(_json_pair, columns))
    return _rows(columns, f"{{{row}}}\n", _json_escaped).encode()


def workbook(columns: Sequence[Column]) -> bytes:
    """Return an xlsx file with one sheet; its first row is the header."""
    head = "".join(TEXT_CELL % escape(each.name) for each in columns)
    row = "".join(
        NUMBER_CELL % column.form.conversion if isinstance(column.form, Decimal) else TEXT_CELL
        for column in columns
    )
    rows = _rows(columns, f"<row>{row}</row>", escape)
    return _stored({**PARTS, "xl/worksheets/sheet1.xml": SHEET % f"<row>{head}</row>{rows}"})


ENCODERS: dict[str, Callable[[Sequence[Column]], bytes]] = {
    "csv": csv_text,
    "json": json_records,
    "jsonl": json_lines,
    "xlsx": workbook,
    "txt": csv_text,
    "log": csv_text,
}


def _rows(columns: Sequence[Column], row: str, quoted: Callable[[str], str]) -> str:
    """Return all rows, written by one template; texts are quoted as the format asks."""
    cells = [_quoted(each, quoted) for each in columns]
    count = len(columns[0])
    return row * count % tuple(itertools.chain.from_iterable(zip(*cells, strict=True)))


def _quoted(column: Column, quoted: Callable[[str], str]) -> Sequence[int | float | str]:
    """Return the cells of a column; texts are quoted one by one only where any of them needs it."""
    cells = column.cells()
    if isinstance(column.form, Decimal):
        return cells
    texts = cast("list[str]", cells)
    joined = "".join(texts)
    return texts if quoted(joined) == joined else [quoted(each) for each in texts]


def _csv_quoted(text: str) -> str:
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _json_escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def _json_pair(column: Column) -> str:
    """Return name and value of a record as a template."""
    conversion = column.form.conversion
    value = conversion if isinstance(column.form, Decimal) else f'"{conversion}"'
    return f"{json.dumps(column.name)}:".replace("%", "%%") + value


LF = "\n"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
NUMBER_CELL = "<c><v>%s</v></c>"
TEXT_CELL = '<c t="inlineStr"><is><t>%s</t></is></c>'
SHEET = f'{XML}<worksheet xmlns="{SPREADSHEET}"><sheetData>%s</sheetData></worksheet>'
PARTS = {
    "[Content_Types].xml": f'{XML}<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{CONTENT}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{XML}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{XML}<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}">'
    '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
VERSION, STORED, MIDNIGHT, FIRST_OF_1980 = 20, 0, 0, 0x21
"""The header fields of a zip archive (APPNOTE 6.3): version 2.0, no compression, 1980-01-01 00:00."""


def _stored(parts: dict[str, str]) -> bytes:
    """Return a zip archive of texts, none compressed."""
    body, directory = bytearray(), bytearray()
    for name, text in parts.items():
        data, label = text.encode(), name.encode()
        shared = struct.pack(
            "<HHHHHIIIHH",
            *(
                VERSION,
                0,
                STORED,
                MIDNIGHT,
                FIRST_OF_1980,
                zlib.crc32(data),
                len(data),
                len(data),
                len(label),
                0,
            ),
        )
        directory += b"PK\1\2" + struct.pack("<H", VERSION) + shared
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + label
        body += b"PK\3\4" + shared + label + data
    count, size, start = len(parts), len(directory), len(body)
    return bytes(body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, size, start, 0))
