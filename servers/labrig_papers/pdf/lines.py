"""Glyphs in visual lines: scripts stay with their letter, and an accent becomes one with it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from statistics import median

from labrig_papers.pdf.glyphs import Glyph
from labrig_papers.pdf.page import around

SMALLER = 0.88
"""A script is printed in at most this share of the size of its letter; TeX has 0.7 to 0.8."""
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˚": "\u030a",
    "ˇ": "\u030c", "˘": "\u0306", "˙": "\u0307", "¸": "\u0327", "˝": "\u030b", "˛": "\u0328",
}  # fmt: skip
_OVERBAR = "\u0305"


def visual_lines(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Return the glyphs in lines, in the order of the file, which is that of reading in nearly all papers."""
    lines: list[list[Glyph]] = []
    for glyph in glyphs:
        if lines and _goes_on(lines[-1], glyph):
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    return [_joined(line) for line in lines]


def size_of(line: Sequence[Glyph]) -> float:
    """Return the size of most glyphs of a line, in points."""
    return round(median(each.size for each in line), 1)


def _goes_on(line: Sequence[Glyph], glyph: Glyph) -> bool:
    """Tell whether a glyph belongs to the line before it."""
    last = line[-1]
    if glyph.upright != last.upright:
        return False
    if not glyph.upright:
        return abs(glyph.x - last.x) < 0.4 * glyph.size
    body = max(line[-12:], key=lambda each: each.size)
    large = max(body.size, glyph.size)
    gap = glyph.box[0] - last.box[2]
    if min(body.size, glyph.size) <= SMALLER * large or last.size <= SMALLER * large:
        letter = body if glyph.size <= SMALLER * large else last
        near = abs(glyph.y - body.y) < 0.8 * large if letter is body else abs(glyph.y - last.y) < 0.8 * large
        level = abs(glyph.y - body.y) < 0.25 * large
        return near and -6 * large < gap and (gap < 3 * large or level) and glyph.x > line[0].x - large
    return abs(glyph.y - body.y) < 0.3 * large and gap > -1.2 * large


def _joined(line: list[Glyph]) -> list[Glyph]:
    """Return a line in which accents that are printed by themselves are one with their letters.

    pdfTeX prints ``é`` as an acute over an ``e``, ``Å`` as a ring over an ``A`` and the bar of ``Fm-3m`` over its
    digit, before or behind it in the file.
    """
    kept: list[Glyph] = []
    index = 0
    while index < len(line):
        glyph = line[index]
        mark = _ACCENTS.get(glyph.text)
        behind = line[index + 1] if index + 1 < len(line) else None
        if mark and behind is not None and _over(glyph, behind):
            behind.text, behind.box = _with(behind.text, mark), around([glyph.box, behind.box])
            behind.space = glyph.space
        elif mark and kept and _over(glyph, kept[-1]):
            kept[-1].text = _with(kept[-1].text, mark)
            kept[-1].box = around([glyph.box, kept[-1].box])
        else:
            kept.append(glyph)
        index += 1
    return kept


def _over(mark: Glyph, letter: Glyph) -> bool:
    middle = (mark.box[0] + mark.box[2]) / 2
    inside = letter.box[0] - 0.12 * letter.size <= middle <= letter.box[2] + 0.12 * letter.size
    return inside and letter.text[-1].isalnum() and abs(mark.y - letter.y) < 0.6 * letter.size


def _with(text: str, mark: str) -> str:
    if text[-1].isdigit():
        return text + _OVERBAR
    return unicodedata.normalize("NFC", text.replace("ı", "i") + mark)
