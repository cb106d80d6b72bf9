"""The text of a table file in whatever encoding a spreadsheet saved it."""

from __future__ import annotations

import codecs

from labrig.errors import LabrigError

_BINARY = {
    b"PK\x03\x04": "an Excel workbook (.xlsx)",
    b"\xd0\xcf\x11\xe0": "an Excel workbook (.xls)",
    b"%PDF": "a PDF",
}


def decoded(data: bytes) -> str:
    """Return a table's text: UTF-8, UTF-16 where the file begins with its mark, else Windows-1252.

    Raises
    ------
    LabrigError
        For a workbook or another binary file, which has to be saved as CSV first.
    """
    for start, name in _BINARY.items():
        if data.startswith(start):
            raise LabrigError(f"This is {name}", where="path", expected="CSV", try_="save the sheet as CSV")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise LabrigError("This is a binary file", where="path", expected="CSV")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
