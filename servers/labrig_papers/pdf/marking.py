"""Visual lines become text in which superscripts and subscripts are marked, as no reader of PDF marks them.

A glyph is a script if the nearest larger glyph of its line is at least `LARGER` times as large and its baseline stands
higher or lower by the shares `RAISED` and `LOWERED` of that glyph's size. Without it ``10^{6}`` is read as 106.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from labrig_papers.pdf.glyphs import Glyph
from labrig_papers.pdf.lines import size_of
from labrig_papers.pdf.page import MARKUP, Box, Line, around

LARGER, RAISED, LOWERED = 1.14, 0.14, -0.06
NEAR = 8
"""Glyphs to either side among which the larger one is looked for."""
WORD_GAP, CELL_GAP = 0.17, 1.15
"""Gaps between boxes, in the size of the font: from the first on a guessed space is one; the second parts cells."""
BLOCK_GAP = 1.75
"""Distance of two baselines, in the size of the font, from which a new block begins."""


@dataclass
class Marked:
    """Text under construction; see `labrig_papers.pdf.page.Page`."""

    text: list[str] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def put(self, text: str, box: int = MARKUP) -> None:
        """Add characters that have one box, or none."""
        self.text.extend(text)
        self.at.extend([box] * len(text))


def marked(lines: Sequence[Sequence[Glyph]]) -> Marked:
    """Return the text of visual lines."""
    page = Marked()
    before: Sequence[Glyph] | None = None
    for line in lines:
        if before is not None:
            _break(page, before, line)
        start = len(page.text)
        _line(page, line)
        box = around([each.box for each in line])
        bold = 2 * sum(each.bold for each in line) > len(line)
        page.lines.append(Line(start, len(page.text), size_of(line), bold, box))
        before = line
    return page


def _line(page: Marked, line: Sequence[Glyph]) -> None:
    level = ""
    letter = line[0]  # the last glyph that is no script
    for index, glyph in enumerate(line):
        own = _level(line, index)
        white = _white(line, index, letter) if index else ""
        if own != level or white:
            if level:
                page.put("}")
            page.put(white)
            if own:
                page.put(f"{own}{{")
        level = own
        page.put(glyph.text, len(page.boxes))
        page.boxes.append(glyph.box)
        if not own:
            letter = glyph
    if level:
        page.put("}")


def _level(line: Sequence[Glyph], index: int) -> str:
    """Return ``^`` for a superscript, ``_`` for a subscript, empty for neither."""
    glyph = line[index]
    if not glyph.upright:
        return ""
    for distance in range(1, NEAR + 1):
        for other in (index - distance, index + distance):
            if 0 <= other < len(line):
                letter = line[other]
                if letter.size > LARGER * glyph.size and abs(letter.x - glyph.x) < 6 * letter.size:
                    rise = (glyph.y - letter.y) / letter.size
                    return "^" if rise > RAISED else "_" if rise < LOWERED else ""
    return ""


def _white(line: Sequence[Glyph], index: int, letter: Glyph) -> str:
    """Return what stands before a glyph of a line: nothing, a space, or a tab between cells.

    Of a superscript over a subscript the one that reaches farther counts.
    """
    glyph = line[index]
    size = max(letter.size, glyph.size)
    gap = glyph.box[0] - max(each.box[2] for each in line[max(0, index - NEAR) : index])
    if gap > CELL_GAP * size:
        return "\t"
    if glyph.space == " " and gap > -0.2 * size:
        return " "
    # Boxes are tight, so a bracket or a point leaves air on its side: only a space that PDFium saw, too, is one.
    wide = WORD_GAP if glyph.text not in ",.;:)" else 2 * WORD_GAP
    return " " if (glyph.space and gap > wide * size) or gap > 0.45 * size else ""


def _break(page: Marked, before: Sequence[Glyph], line: Sequence[Glyph]) -> None:
    """Put the end of a line: nothing where a hyphenated word goes on, one line feed, or two.

    A sentence that no point ends goes on in the next column.
    """
    size = max(size_of(before), size_of(line))
    down = median_y(before) - median_y(line)
    goes_on = 0 < down < BLOCK_GAP * size
    first, last = line[0].text, before[-1].text
    next_column = down < 0 and line[0].x > before[0].x
    if last == "-" and (goes_on or next_column) and first[:1].islower() and _is_word(before):
        page.text.pop()
        page.at.pop()
        return
    alike = abs(size_of(before) - size_of(line)) < 0.12 * size
    row = "\t" in page.text[page.lines[-1].start :]
    over = next_column and alike and last not in ".!?:" and not row and len(before) > 20
    page.put("\n" if (goes_on and alike) or over else "\n\n")


def _is_word(line: Sequence[Glyph]) -> bool:
    """Tell whether a letter stands before the hyphen at the end of a line."""
    return len(line) > 1 and line[-2].text[-1:].isalpha()


def median_y(line: Sequence[Glyph]) -> float:
    """Return the baseline of a line: that of its larger glyphs."""
    large = max(each.size for each in line)
    heights = sorted(each.y for each in line if each.size > 0.88 * large)
    return heights[len(heights) // 2]
