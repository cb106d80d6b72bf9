"""The order of glyphs of turned print, which PDFium mixes up, is made that of reading again.

PDFium sorts what is drawn at one height of the page from left to right. Of upright print that is the order of a line.
Of print that runs downwards, lines that begin at one height come last one first; of print on its head the parts of a
line come from right to left; and of any sideways print a letter comes before the short script in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from labrig_papers.pdf.glyphs import SLANTED, Glyphs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEADING = 0.8
"""Least distance of two baselines, in the size of the font."""
ONE_LINE = 0.5
"""Most distance between baselines of parts of one line, in the size of the larger print."""
LEVEL, BACK, APART = 0.02, -0.3, 0.15
"""Where a part ends, in the size of the font: another baseline, a step back, and white in which a script may stand."""


def put_in_order(glyphs: Glyphs) -> None:
    """Put the glyphs of each direction in the order of reading; they stand in their frames."""

    turns: list[int] = glyphs.turns.tolist()

    def right_and_up(before: int, each: int) -> tuple[float, float]:
        size = max(glyphs.sizes[before], glyphs.sizes[each])
        right, up = glyphs.boxes[each, 0] - glyphs.boxes[before, 0], glyphs.y[each] - glyphs.y[before]
        return right / size, up / size

    def is_above(before: int, each: int) -> bool:
        if turns[each] != 270:
            return False
        right, up = right_and_up(before, each)
        return abs(right) < 1 and up > LEADING

    def is_beside(before: int, each: int) -> bool:
        return turns[each] not in (0, SLANTED) and abs(right_and_up(before, each)[1]) < ONE_LINE

    _ordered(glyphs, _ends(glyphs), is_above, lambda each: -each)
    gaps = glyphs.boxes[1:, 0] - glyphs.boxes[:-1, 2]
    white = (gaps > APART * glyphs.sizes[1:]) & (glyphs.turns[1:] > 0)
    _ordered(glyphs, _ends(glyphs) | white, is_beside, lambda each: float(glyphs.boxes[each, 0]))


def _ends(glyphs: Glyphs) -> NDArray[np.bool_]:
    """Return behind which glyphs a part ends."""
    import numpy as np

    sizes, gaps = glyphs.sizes[1:], glyphs.boxes[1:, 0] - glyphs.boxes[:-1, 2]
    other = glyphs.turns[1:] != glyphs.turns[:-1]
    return np.asarray(other | (np.abs(np.diff(glyphs.y)) > LEVEL * sizes) | (gaps < BACK * sizes))


def _ordered(
    glyphs: Glyphs,
    ends: NDArray[np.bool_],
    goes_with: Callable[[int, int], bool],
    place: Callable[[int], float],
) -> None:
    """Sort parts that follow one another and go together, by the place of their first glyph."""
    import numpy as np

    edges = [0, *(np.flatnonzero(ends) + 1).tolist(), len(glyphs)]
    groups: list[list[tuple[int, int]]] = []
    for first, last in pairwise(edges):
        before = groups[-1][-1][0] if groups else first
        if groups and glyphs.turns[before] == glyphs.turns[first] and goes_with(before, first):
            groups[-1].append((first, last))
        else:
            groups.append([(first, last)])
    order: Sequence[int] = [
        each
        for group in groups
        for first, last in sorted(group, key=lambda part: place(part[0]))
        for each in range(first, last)
    ]
    glyphs.texts = [glyphs.texts[each] for each in order]
    glyphs.spaces = [glyphs.spaces[each] for each in order]
    for name in ("boxes", "x", "y", "sizes", "bold", "turns"):
        setattr(glyphs, name, getattr(glyphs, name)[order])
