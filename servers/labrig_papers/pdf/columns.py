"""Lines that a file draws across two columns, one line of each in turn, are split where the columns part.

Most makers draw one column after the other, and nothing is done. A table is no pair of columns: its cells are short.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from labrig_papers.pdf.glyphs import Glyphs
from labrig_papers.pdf.lines import Line, Run

LEAST_LINES = 8
"""Lines that part at one place, from which it is the white between two columns."""
LEAST_SHARE = 0.8
"""Of the lines that go over that place."""
LEAST_LETTERS = 20.0
"""Glyphs of a line to either side, on the average: cells have fewer."""
GAP = 1.15


def split_columns(lines: list[Line], glyphs: Glyphs) -> list[Line]:
    """Return lines, those across two columns as two: the left ones of a block before the right ones."""
    import numpy as np

    gaps = glyphs.boxes[1:, 0] - glyphs.boxes[:-1, 2]
    wide = (np.flatnonzero(gaps > GAP * glyphs.sizes[1:]) + 1).tolist()
    if len(wide) < LEAST_LINES:
        return lines
    starts = [line[0].first for line in lines]
    inside: dict[int, list[int]] = {}
    for place in wide:
        number = bisect_right(starts, place) - 1
        if number >= 0 and starts[number] < place < lines[number][-1].last:
            inside.setdefault(number, []).append(place)
    middle = _middle(lines, glyphs, inside)
    return lines if middle is None else _ordered(lines, glyphs, inside, middle)


def _middle(lines: list[Line], glyphs: Glyphs, inside: dict[int, list[int]]) -> float | None:
    """Return where two columns part, None where no place is white in enough lines of prose."""
    white = [
        (float(glyphs.boxes[place - 1, 2]), float(glyphs.boxes[place, 0]), number, place)
        for number, places in inside.items()
        for place in places
    ]
    best: tuple[int, float] | None = None
    for left, right, _, _ in white[:400]:
        x = (left + right) / 2
        count = len({number for low, high, number, _ in white if low <= x <= high})
        if best is None or count > best[0]:
            best = (count, x)
    if best is None or best[0] < LEAST_LINES:
        return None
    count, x = best
    over = sum(line[0].left < x < line[-1].right for line in lines)
    parted = [(number, place) for low, high, number, place in white if low <= x <= high]
    before = sum(place - lines[number][0].first for number, place in parted) / len(parted)
    behind = sum(lines[number][-1].last - place for number, place in parted) / len(parted)
    prose = min(before, behind) >= LEAST_LETTERS
    return x if prose and count >= LEAST_SHARE * over else None


def _ordered(lines: list[Line], glyphs: Glyphs, inside: dict[int, list[int]], x: float) -> list[Line]:
    """Return the lines with those of the left column before those of the right, block by block."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for number, line in enumerate(lines):
        at = next(
            (
                place
                for place in inside.get(number, ())
                if glyphs.boxes[place - 1, 2] <= x <= glyphs.boxes[place, 0]
            ),
            None,
        )
        if at is not None:
            one, other = _parted(line, at, glyphs)
            left.append(one)
            right.append(other)
        elif line[-1].right <= x:
            left.append(line)
        elif line[0].left >= x:
            right.append(line)
        else:  # across both: a title, or a wide table
            ordered += [*left, *right, line]
            left, right = [], []
    return [*ordered, *left, *right]


def _parted(line: Line, at: int, glyphs: Glyphs) -> tuple[Line, Line]:
    """Return what of a line stands before a glyph, and the rest."""
    one: list[Run] = []
    other: list[Run] = []
    for run in line:
        if run.last <= at:
            one.append(run)
        elif run.first >= at:
            other.append(run)
        else:
            edge = float(glyphs.boxes[at, 0])
            one.append(replace(run, last=at, right=float(glyphs.boxes[at - 1, 2])))
            other.append(replace(run, first=at, x=edge, left=edge, space=""))
    return one, other
