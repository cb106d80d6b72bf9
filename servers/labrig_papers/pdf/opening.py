"""A file becomes a PDF document, or an error that says what it is instead."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.pdf.encodings import with_unicode

MOST_BYTES = 512 << 20
PIECE = 16 << 20
HEADER_WITHIN = 1024
"""Readers look so far for ``%PDF-`` (ISO 32000-1, annex H, note 13)."""


@contextmanager
def opened(path: str | int, named: str, password: str = "") -> Iterator[Any]:
    """Open a PDF with PDFium and close it again.

    Parameters
    ----------
    path
        Of the file here, or its descriptor; `named` is what errors call it.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no PDF, is empty, damaged beyond recovery or without pages; ``refused`` for an
        encrypted one whose password is missing or wrong; ``too_large``.
    """
    import pypdfium2

    content = _at(path) if isinstance(path, int) else Path(path).read_bytes()
    _sniff(content, named)
    try:
        document = pypdfium2.PdfDocument(with_unicode(content), password=password or None)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise LabrigError(
                "This PDF is encrypted, and the password is wrong" if password else "This PDF is encrypted",
                where=named,
                try_="save it without a password (qpdf --decrypt) and open that file",
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


def _at(descriptor: int) -> bytes:
    """Return what is open there, from its beginning: children that read at one time share where they are in it."""
    pieces, at = [], 0
    while at <= MOST_BYTES and (piece := os.pread(descriptor, PIECE, at)):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def _sniff(content: bytes, named: str) -> None:
    head = content[:HEADER_WITHIN]
    if not content:
        raise LabrigError("This file is empty", where=named, expected="a PDF")
    if len(content) > MOST_BYTES:
        raise LabrigError(
            "This file is too large", where=named, expected=f"at most {MOST_BYTES:,} bytes", code="too_large"
        )
    if b"%PDF-" in head:
        return
    start = head.lstrip()[:200].lower()
    if re.match(rb"<[!?a-z]", start) or b"<html" in start:
        raise LabrigError(
            "This is a web page, not a PDF",
            where=named,
            try_="download the PDF itself; a publisher may ask for a login",
        )
    raise LabrigError("This is no PDF", where=named, expected="a file that begins with %PDF-")
