"""A file becomes a PDF document, or an error that says what it is instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError

MOST_BYTES = 512 << 20
HEADER_WITHIN = 1024
"""Readers look so far for ``%PDF-`` (ISO 32000-1, annex H, note 13)."""


@contextmanager
def opened(path: str, named: str, password: str = "") -> Iterator[Any]:
    """Open a PDF with PDFium and close it again.

    Parameters
    ----------
    path
        Of the file here; `named` is what errors call it.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no PDF, is empty, damaged beyond recovery or without pages; ``refused`` for an
        encrypted one whose password is missing or wrong; ``too_large``.
    """
    import pypdfium2

    _sniff(path, named)
    try:
        document = pypdfium2.PdfDocument(path, password=password or None)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise LabrigError(
                "This PDF is encrypted, and the password is wrong" if password else "This PDF is encrypted",
                where=named,
                try_="give its password" if not password else "",
                code="refused",
            ) from None
        raise LabrigError(
            f"This PDF is damaged beyond recovery ({error})", where=named, try_="get the file again"
        ) from None
    try:
        if len(document) == 0:
            raise LabrigError("This PDF has no pages", where=named)
        yield document
    finally:
        document.close()


def _sniff(path: str, named: str) -> None:
    with Path(path).open("rb") as file:
        head = file.read(HEADER_WITHIN)
        size = file.seek(0, 2)
    if not size:
        raise LabrigError("This file is empty", where=named, expected="a PDF")
    if size > MOST_BYTES:
        raise LabrigError(
            f"This file has {size:,} bytes", where=named, expected=f"at most {MOST_BYTES:,}", code="too_large"
        )
    if b"%PDF-" in head:
        return
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")) or b"<html" in start:
        raise LabrigError(
            "This is a web page, not a PDF",
            where=named,
            try_="download the PDF itself; a publisher may ask for a login",
        )
    raise LabrigError("This is no PDF", where=named, expected="a file that begins with %PDF-")
