"""The text of a table file in whatever encoding a spreadsheet saved it."""

from __future__ import annotations

import codecs

from labrig.errors import LabrigError


def decoded(data: bytes) -> str:
    """Return a table's text: UTF-8, UTF-16 where the file begins with its mark, else Windows-1252.

    Raises
    ------
    LabrigError
        For a binary file.
    """
    if data.startswith(b"%PDF"):
        raise LabrigError("This is a PDF", where="path", expected="CSV or a workbook")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise LabrigError("This is a binary file", where="path", expected="CSV or a workbook")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
