"""Visual lines become text in which superscripts and subscripts are marked, as no reader of PDF marks them.

A run is a script if the nearest larger run of its line is at least `LARGER` times as large and its baseline stands
higher or lower by the shares `RAISED` and `LOWERED` of that size. Without it ``10^{6}`` is read as 106.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from labrig_papers.pdf import lines as visual
from labrig_papers.pdf.glyphs import SLANTED, Glyphs
from labrig_papers.pdf.lines import Run, size_of
from labrig_papers.pdf.page import MARKUP, Box, Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGER, RAISED, LOWERED = 1.14, 0.14, -0.06
NEAR = 8
"""Glyphs to either side among which the larger one is looked for."""
LONGEST = 24
"""Glyphs of a script; what is longer is small print beside large."""
WORD_GAP, CELL_GAP = 0.17, 1.15
"""Gaps between boxes, in the size of the font: from the first on a guessed space is one; the second parts cells."""
SURE_GAP = 0.45
"""Gap that is a space whatever PDFium says."""
BLOCK_GAP = 1.75
"""Distance of two baselines, in the size of the font, from which a new block begins."""


@dataclass
class Marked:
    """Text under construction; see `labrig_papers.pdf.page.Page`. Boxes are numbered as the glyphs are.

    `text` is in pieces, of which a character each has its number in `at`; `cells` tells that the last line has a tab.
    """

    text: list[str] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    cells: bool = False

    def put(self, text: str, box: int = MARKUP) -> None:
        """Add characters that have one box, or none."""
        if text:
            self.text.append(text)
            self.at.extend([box] * len(text))

    def without_last(self) -> None:
        """Take the last character away."""
        self.text[-1] = self.text[-1][:-1]
        self.at.pop()


class _Flow:
    """The glyphs of a page as one text with the white space that stands within runs of body print.

    Most runs are taken from it at once, and not glyph by glyph.

    Attributes
    ----------
    whites
        The glyphs before which white may stand within a run, in order.
    spread
        How far the letters of a line are spaced apart, in points, by its number, where they are.
    """

    def __init__(self, glyphs: Glyphs, lines: Sequence[visual.Line] = ()) -> None:
        import numpy as np

        count = len(glyphs)
        gaps = np.zeros(count)
        gaps[1:] = glyphs.boxes[1:, 0] - glyphs.boxes[:-1, 2]
        self.spread = _spread(lines, glyphs, gaps)
        for number, apart in self.spread.items():
            for run in lines[number]:
                gaps[run.first + 1 : run.last] -= apart
        found = (gaps > SURE_GAP * glyphs.sizes) | np.fromiter(map(bool, glyphs.spaces), bool, count)
        found[:1] = False
        self.whites: list[int] = np.flatnonzero(found).tolist()
        texts = glyphs.texts
        white = [
            (place, each)
            for place, gap, size in zip(
                self.whites, gaps[found].tolist(), glyphs.sizes[found].tolist(), strict=True
            )
            if (each := _white(gap, size, glyphs.spaces[place], texts[place]))
        ]
        pieces: list[str] = []
        before = 0
        for place, each in white:
            pieces += texts[before:place]
            pieces.append(each)
            before = place
        pieces += texts[before:]
        self._text = "".join(pieces)
        where = np.array([place for place, _ in white], int)
        widths = np.fromiter(map(len, texts), int, count)
        starts = np.cumsum(widths) - widths
        starts += np.searchsorted(where, np.arange(count), side="right")
        self._starts: list[int] = starts.tolist()
        self._ends: list[int] = (starts + widths).tolist()
        numbers = np.full(len(self._text), MARKUP)
        of = np.repeat(np.arange(count), widths)
        numbers[starts[of] + np.arange(len(of)) - (np.cumsum(widths) - widths)[of]] = of
        self._numbers: list[int] = numbers.tolist()

    def body(self, first: int, last: int) -> tuple[str, list[int]]:
        """Return the text of glyphs with the white between them, and the number of each character."""
        start, end = self._starts[first], self._ends[last - 1]
        return self._text[start:end], self._numbers[start:end]


SPACED, MOST_SPACED = 0.15, 0.9
"""Gap between letters of a word from which they are spaced apart, and the most, in the size of the font."""
LEAST_SPACED = 8
"""Pairs of letters by which a line is known to be so."""


def _spread(lines: Sequence[visual.Line], glyphs: Glyphs, gaps: NDArray[np.float64]) -> dict[int, float]:
    """Return the gap between the letters of lines whose letters are spaced apart, by the number of the line.

    Nearly all of their gaps are as wide, whether white space stands in the file there or not.
    """
    import numpy as np

    wide = gaps > SPACED * glyphs.sizes
    if np.count_nonzero(wide) < LEAST_SPACED:
        return {}
    letters = np.fromiter(map(str.isalpha, glyphs.texts), bool, len(glyphs))
    pairs = (
        letters & np.concatenate(([False], letters[:-1])) & np.array([each != " " for each in glyphs.spaces])
    )
    found: dict[int, float] = {}
    for number, line in enumerate(lines):
        inside = np.concatenate([np.arange(run.first + 1, run.last) for run in line])
        inside = inside[pairs[inside]]
        if len(inside) < LEAST_SPACED or np.mean(wide[inside]) < 0.8:
            continue
        apart, size = float(np.median(gaps[inside])), float(np.median(glyphs.sizes[inside]))
        if apart < MOST_SPACED * size and np.mean(np.abs(gaps[inside] - apart) < 0.15 * size) > 0.7:
            found[number] = apart
    return found


def marked(lines: Sequence[visual.Line], glyphs: Glyphs) -> Marked:
    """Return the text of visual lines."""
    page = Marked()
    if not lines:
        return page
    flow = _Flow(glyphs, lines)
    boxes = _boxes(lines, glyphs)
    before: visual.Line | None = None
    for number, (line, box) in enumerate(zip(lines, boxes, strict=True)):
        size = size_of(line)
        if before is not None:
            _break(page, before, line, size, glyphs)
        start = len(page.at)
        page.cells = False
        _line(page, line, glyphs, flow, flow.spread.get(number, 0.0))
        bold = 2 * sum(len(run) for run in line if run.bold) > sum(map(len, line))
        page.lines.append(Line(start, len(page.at), size, bold, box, max(line[0].turn, 0)))
        before = line
    return page


def _boxes(lines: Sequence[visual.Line], glyphs: Glyphs) -> list[Box]:
    """Return the box of each line."""
    import numpy as np

    starts = [line[0].first for line in lines]
    if all(one < other for one, other in pairwise(starts)):
        low = np.minimum.reduceat(glyphs.boxes[:, :2], starts)
        high = np.maximum.reduceat(glyphs.boxes[:, 2:], starts)
    else:  # columns were split, and lines no longer stand in the order of the file
        ranges = [slice(line[0].first, line[-1].last) for line in lines]
        low = np.array([glyphs.boxes[each, :2].min(axis=0) for each in ranges])
        high = np.array([glyphs.boxes[each, 2:].max(axis=0) for each in ranges])
    corners = zip(low.round(1).tolist(), high.round(1).tolist(), strict=True)
    return [(left, bottom, right, top) for (left, bottom), (right, top) in corners]


def _line(page: Marked, line: visual.Line, glyphs: Glyphs, flow: _Flow, spread: float) -> None:
    texts = glyphs.texts
    level = ""
    letter = line[0].size  # of the last glyph that is no script
    for number, run in enumerate(line):
        own = _level(line, number) if len(line) > 1 else ""
        white = ""
        if number and run.turn == SLANTED:
            white = " " if run.space else ""
        elif number:
            gap = run.left - _reach(line, number, glyphs) - spread
            white = _white(gap, max(letter, run.size), run.space, texts[run.first])
        if own != level or white:
            if level:
                page.put("}")
            page.put(white)
            page.cells = page.cells or white == "\t"
            if own:
                page.put(f"{own}{{")
        level = own
        if not own:
            letter = run.size
        if own:
            _script(page, run, own, max(letter, run.size), glyphs, flow.whites)
            continue
        text, numbers = flow.body(run.first, run.last)
        page.text.append(text)
        page.at += numbers
        page.cells = page.cells or "\t" in text
    if level:
        page.put("}")


def _script(page: Marked, run: Run, level: str, size: float, glyphs: Glyphs, whites: Sequence[int]) -> None:
    """Add a script, whose marks end before white space and begin behind it."""
    for number in range(run.first, run.last):
        low = bisect_left(whites, number)
        if number > run.first and low < len(whites) and whites[low] == number:
            gap = float(glyphs.boxes[number, 0] - glyphs.boxes[number - 1, 2])
            white = _white(gap, size, glyphs.spaces[number], glyphs.texts[number])
            if white:
                page.put(f"}}{white}{level}{{")
                page.cells = page.cells or white == "\t"
        page.put(glyphs.texts[number], number)


def _level(line: visual.Line, number: int) -> str:
    """Return ``^`` for a superscript, ``_`` for a subscript, empty for neither."""
    run = line[number]
    if run.turn == SLANTED or len(run) > LONGEST:
        return ""
    best: tuple[int, Run] | None = None
    for step, x in ((-1, run.x), (1, run.right)):
        away, other = 1, number + step
        while 0 <= other < len(line) and away <= NEAR:
            letter = line[other]
            edge = letter.right if step < 0 else letter.left
            if letter.size > LARGER * run.size and abs(edge - x) < 6 * letter.size:
                if best is None or away < best[0]:
                    best = (away, letter)
                break
            away, other = away + len(letter), other + step
    if best is None:
        return ""
    rise = (run.y - best[1].y) / best[1].size
    return "^" if rise > RAISED else "_" if rise < LOWERED else ""


def _reach(line: visual.Line, number: int, glyphs: Glyphs) -> float:
    """Return how far to the right what stands before a run goes: of a superscript over a subscript the farther one."""
    right, seen = line[number - 1].right, 0
    for other in reversed(line[:number]):
        if seen >= NEAR:
            break
        right = max(right, other.right)
        seen += len(other)
    return right


def _white(gap: float, size: float, space: str, text: str) -> str:
    """Return what stands before a glyph: nothing, a space, or a tab between cells."""
    if gap > CELL_GAP * size:
        return "\t"
    if space == " " and gap > -0.2 * size:
        return " "
    # Boxes are tight, so a bracket or a point leaves air on its side: only a space that PDFium saw, too, is one.
    wide = WORD_GAP if text not in ",.;:)" else 2 * WORD_GAP
    return " " if (space and gap > wide * size) or gap > SURE_GAP * size else ""


def _break(page: Marked, before: visual.Line, line: visual.Line, other: float, glyphs: Glyphs) -> None:
    """Put the end of a line: nothing where a hyphenated word goes on, one line feed, or two.

    `other` is the size of the line that follows. A sentence that no point ends goes on in the next column.
    """
    if before[0].turn != line[0].turn:
        page.put("\n\n")
        return
    one = page.lines[-1].size
    size = max(one, other)
    down = median_y(before) - median_y(line)
    goes_on = 0 < down < BLOCK_GAP * size
    first, last = glyphs.texts[line[0].first], glyphs.texts[before[-1].last - 1]
    next_column = down < 0 and line[0].x > before[0].x
    if last == "-" and (goes_on or next_column) and first[:1].islower() and _is_word(before, glyphs):
        page.without_last()
        return
    alike = abs(one - other) < 0.12 * size
    over = next_column and alike and last not in ".!?:" and not page.cells and sum(map(len, before)) > 20
    page.put("\n" if (goes_on and alike) or over else "\n\n")


def _is_word(line: visual.Line, glyphs: Glyphs) -> bool:
    """Tell whether a letter stands before the hyphen at the end of a line."""
    last = line[-1]
    if len(last) > 1:
        return glyphs.texts[last.last - 2][-1:].isalpha()
    return len(line) > 1 and glyphs.texts[line[-2].last - 1][-1:].isalpha()


def median_y(line: visual.Line) -> float:
    """Return the baseline of a line: that of its larger glyphs."""
    if len(line) == 1:
        return line[0].y
    large = max(run.size for run in line)
    heights = sorted((run.y, len(run)) for run in line if run.size > 0.88 * large)
    half, seen = sum(count for _, count in heights) // 2, 0
    for y, count in heights:
        seen += count
        if seen > half:
            return y
    return heights[-1][0]
