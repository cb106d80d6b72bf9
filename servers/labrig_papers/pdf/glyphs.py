"""The printed characters of a page, with origin, size and box, as PDFium has them."""

from __future__ import annotations

import math
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from labrig_papers.pdf.page import Box

MOST = 200_000
"""Glyphs of one page; no page that a person can read has more."""
BOLD = 600
"""Of the weights of faces, 100 to 900."""
_FOLDED = {"\x02": "-", "\u00ad": "-", "\ufffe": "-", "\u2010": "-", "\u2011": "-"}
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}


@dataclass(slots=True)
class Glyph:
    """One printed character.

    Attributes
    ----------
    text
        Mostly one character; a ligature has several, a letter with an accent is one.
    x, y
        Its origin on the baseline, in points.
    size
        Of the font as printed, in points.
    space
        White space stands before it: ``" "`` real, ``"?"`` guessed by PDFium, empty none.
    """

    text: str
    x: float
    y: float
    size: float
    box: Box
    space: str
    bold: bool
    upright: bool


def glyphs_of(textpage: Any) -> tuple[list[Glyph], int]:
    """Return the glyphs of a page in the order of the file, and how many characters no font could name.

    Parameters
    ----------
    textpage
        A ``PdfTextPage`` of pypdfium2.
    """
    import pypdfium2.raw as raw

    page = textpage.raw
    code, generated = raw.FPDFText_GetUnicode, raw.FPDFText_IsGenerated
    origin, box_of, size_of = raw.FPDFText_GetCharOrigin, raw.FPDFText_GetCharBox, raw.FPDFText_GetFontSize
    matrix_of, weight_of = raw.FPDFText_GetMatrix, raw.FPDFText_GetFontWeight
    x, y, left, right, bottom, top = (c_double() for _ in range(6))
    at_x, at_y, at_left, at_right, at_bottom, at_top = map(byref, (x, y, left, right, bottom, top))
    matrix = raw.FS_MATRIX()
    at_matrix = byref(matrix)
    found: list[Glyph] = []
    space, unknown = "", 0
    for index in range(min(textpage.count_chars(), MOST)):
        number = code(page, index)
        if number in (0, 0xFFFD) or 0xE000 <= number <= 0xF8FF:
            unknown += 1
        if number == 0 or 0xD800 <= number < 0xE000:
            continue
        char = normalize("NFC", chr(number))  # the ohm and ångström signs are letters
        if char.isspace():
            space = " " if not generated(page, index) else space or "?"
            continue
        origin(page, index, at_x, at_y)
        box_of(page, index, at_left, at_right, at_bottom, at_top)
        size, upright = size_of(page, index), True
        if matrix_of(page, index, at_matrix):
            size *= math.hypot(matrix.c, matrix.d)
            upright = abs(matrix.b) <= 0.2 * abs(matrix.a)
        char = _FOLDED.get(char, _LIGATURES.get(char, char))
        box = (left.value, bottom.value, right.value, top.value)
        if not all(map(math.isfinite, box)):
            continue
        bold = weight_of(page, index) >= BOLD
        found.append(Glyph(char, x.value, y.value, abs(size) or 1.0, box, space, bold, upright))
        space = ""
    return found, unknown
