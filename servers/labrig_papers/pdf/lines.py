"""Glyphs in visual lines: scripts stay with their letter, and an accent becomes one with it.

Glyphs of one size on one baseline that follow one another are a run, which is what lines are made of.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from labrig_papers.pdf.glyphs import SLANTED, Glyphs

SMALLER = 0.88
"""A script is printed in at most this share of the size of its letter; TeX has 0.7 to 0.8."""
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˚": "\u030a",
    "ˇ": "\u030c", "˘": "\u0306", "˙": "\u0307", "¸": "\u0327", "˝": "\u030b", "˛": "\u0328", "\u0300": "\u0300",
    "\u0301": "\u0301", "\u0302": "\u0302", "\u0303": "\u0303", "\u0308": "\u0308", "\u030a": "\u030a",
}  # fmt: skip
_OVERBAR = "\u0305"
WINDOW = 12
"""Glyphs back in a line among which its letters are looked for."""


@dataclass(slots=True)
class Run:
    """Glyphs of one size on one baseline: a half-open range of the glyphs of a page.

    Attributes
    ----------
    x, y
        Origin of the first glyph, in points.
    left, right
        Of its boxes.
    space
        What stands before it, as in `Glyphs.spaces`.
    turn
        As in `Glyphs.turns`.
    """

    first: int
    last: int
    x: float
    y: float
    size: float
    left: float
    right: float
    space: str
    bold: bool
    turn: int

    def __len__(self) -> int:
        return self.last - self.first


Line = list[Run]


def visual_lines(glyphs: Glyphs) -> list[Line]:
    """Return the glyphs in lines, in the order of the file, which is that of reading in nearly all papers."""
    lines: list[Line] = []
    for run in _runs(glyphs):
        if lines and _goes_on(lines[-1], run):
            lines[-1].append(run)
        else:
            lines.append([run])
    if not _accents(glyphs):
        return lines
    return [joined for line in lines if (joined := _joined(line, glyphs))]


def _runs(glyphs: Glyphs) -> list[Run]:
    """Return the glyphs in runs; an accent, and a glyph of slanted text, is a run of its own."""
    import numpy as np

    count = len(glyphs)
    if not count:
        return []
    left, right = glyphs.boxes[:, 0], glyphs.boxes[:, 2]
    sizes, y = glyphs.sizes, glyphs.y
    breaks = np.ones(count + 1, bool)
    breaks[1:-1] = (
        (np.abs(np.diff(sizes)) > 1e-3)
        | (np.abs(np.diff(y)) > 0.02 * sizes[1:])
        | (left[1:] - right[:-1] < -0.3 * sizes[1:])
        | (glyphs.bold[1:] != glyphs.bold[:-1])
        | (glyphs.turns[1:] == SLANTED)
        | (glyphs.turns[1:] != glyphs.turns[:-1])
    )
    for index in _accents(glyphs):
        breaks[index] = breaks[index + 1] = True
    edges = np.flatnonzero(breaks)
    firsts, lasts = edges[:-1], edges[1:]
    columns = (
        each.tolist()
        for each in (
            firsts, lasts, glyphs.x[firsts], y[firsts], sizes[firsts], left[firsts], right[lasts - 1],
        )
    )  # fmt: skip
    bold, turns = glyphs.bold[firsts].tolist(), glyphs.turns[firsts].tolist()
    spaces = [glyphs.spaces[each] for each in firsts]
    return list(map(Run, *columns, spaces, bold, turns))


def _accents(glyphs: Glyphs) -> list[int]:
    """Return the glyphs that are accents by themselves."""
    if _ACCENTS.keys().isdisjoint(glyphs.texts):
        return []
    return [index for index, text in enumerate(glyphs.texts) if text in _ACCENTS]


def size_of(line: Sequence[Run]) -> float:
    """Return the size of most glyphs of a line (their median), in points."""
    if len(line) == 1:
        return round(line[0].size, 1)
    sizes = sorted((run.size, len(run)) for run in line)
    half, seen = sum(each for _, each in sizes) / 2, 0
    for index, (size, count) in enumerate(sizes):
        seen += count
        if seen > half:
            return round(size, 1)
        if seen == half:
            return round((size + sizes[index + 1][0]) / 2, 1)
    raise ValueError("a line without glyphs")


def _goes_on(line: Line, run: Run) -> bool:
    """Tell whether a run belongs to the line before it."""
    last = line[-1]
    if run.turn != last.turn:
        return False
    if run.turn == SLANTED:
        return abs(run.x - last.x) < 0.4 * run.size
    body, seen = last, len(last)
    for other in reversed(line[:-1]):
        if seen >= WINDOW:
            break
        seen += len(other)
        if other.size >= body.size:
            body = other
    large = max(body.size, run.size)
    gap = run.left - last.right
    if min(body.size, run.size) <= SMALLER * large or last.size <= SMALLER * large:
        letter = body if run.size <= SMALLER * large else last
        near = abs(run.y - letter.y) < 0.8 * large
        level = abs(run.y - body.y) < 0.25 * large
        return near and -6 * large < gap and (gap < 3 * large or level) and run.x > line[0].x - large
    return abs(run.y - body.y) < 0.3 * large and gap > -1.2 * large


def _joined(line: Line, glyphs: Glyphs) -> Line:
    """Return a line in which accents that are printed by themselves are one with their letters.

    pdfTeX prints ``é`` as an acute over an ``e``, ``Å`` as a ring over an ``A`` and the bar of ``Fm-3m`` over its
    digit, before or behind it in the file.
    """
    kept: Line = []
    for index, run in enumerate(line):
        mark = _ACCENTS.get(glyphs.texts[run.first]) if len(run) == 1 else None
        behind = line[index + 1] if index + 1 < len(line) else None
        if mark and behind is not None and _over(run, behind.first, behind, glyphs):
            _join(glyphs, run.first, behind.first, mark)
            behind.space, behind.left = run.space, min(behind.left, run.left)
        elif mark and kept and _over(run, kept[-1].last - 1, kept[-1], glyphs):
            _join(glyphs, run.first, kept[-1].last - 1, mark)
            kept[-1].right = max(kept[-1].right, run.right)
        else:
            kept.append(run)
    return kept


def _over(mark: Run, place: int, run: Run, glyphs: Glyphs) -> bool:
    left, _, right, _ = glyphs.boxes[place].tolist()
    middle = (mark.left + mark.right) / 2
    inside = left - 0.12 * run.size <= middle <= right + 0.12 * run.size
    return inside and glyphs.texts[place][-1].isalnum() and abs(mark.y - run.y) < 0.6 * run.size


def _join(glyphs: Glyphs, mark: int, letter: int, accent: str) -> None:
    """Make the glyph of a letter one with its accent."""
    text = glyphs.texts[letter]
    if text[-1].isdigit():
        glyphs.texts[letter] = text + _OVERBAR
    else:
        glyphs.texts[letter] = unicodedata.normalize("NFC", text.replace("ı", "i") + accent)
    one, other = glyphs.boxes[letter].tolist(), glyphs.boxes[mark].tolist()
    glyphs.boxes[letter] = (
        min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
    )  # fmt: skip
