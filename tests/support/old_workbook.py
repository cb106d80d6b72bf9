"""An old workbook (xls), written by its records: MS-XLS in a compound file of MS-CFB."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR = 512
Cell = str | float


def old_workbook(sheets: dict[str, Sequence[Sequence[Cell]]], hidden: Sequence[str] = ()) -> bytes:
    """Return an xls with these sheets: text, numbers, and empty text where nothing stands."""
    bodies = [_sheet(rows) for rows in sheets.values()]
    beginning = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    names = [struct.pack("<BB", len(name), 0) + name.encode("latin-1") for name in sheets]
    place = len(beginning) + sum(10 + len(name) for name in names) + 4
    for name, title, body in zip(names, sheets, bodies, strict=True):
        beginning += _record(0x85, struct.pack("<IBB", place, title in hidden, 0) + name)
        place += len(body)
    return _compound(beginning + _record(0x0A, b"") + b"".join(bodies))


def _sheet(rows: Sequence[Sequence[Cell]]) -> bytes:
    found = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    found += _record(0x200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows), default=0), 0))
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if isinstance(cell, str) and cell:
                text = struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le")
                found += _record(0x204, struct.pack("<HHH", row, column, 0) + text)
            elif not isinstance(cell, str):
                found += _record(0x203, struct.pack("<HHHd", row, column, 0, cell))
    return found + _record(0x0A, b"")


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def _compound(stream: bytes) -> bytes:
    """Return a compound file with one stream: a sector of the table of sectors, one of the directory, the stream."""
    stream = stream.ljust(4096, b"\0")  # a smaller one would lie elsewhere
    stream += bytes(-len(stream) % _SECTOR)
    count = len(stream) // _SECTOR
    table = [_FAT, _END, *range(3, count + 2), _END]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, _END, 0, _END, 0)
    head += struct.pack("<109I", 0, *[_FREE] * 108)
    folder = _entry("Root Entry", 5, 1, _END, 0) + _entry("Workbook", 2, _FREE, 2, len(stream)) + bytes(256)
    return head + struct.pack("<128I", *table, *[_FREE] * (128 - len(table))) + folder + stream


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    return (
        text.ljust(64, b"\0")
        + struct.pack("<HBBIII", len(text), kind, 1, _FREE, _FREE, child)
        + bytes(36)
        + struct.pack("<IQ", start, size)
    )
