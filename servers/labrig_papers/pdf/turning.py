"""Print that stands sideways or on its head, read in a frame in which it is upright.

A wide table stands sideways on a page of its own, and a page may be shown turned (its ``/Rotate``). What finds lines,
scripts and columns knows print that runs from left to right, so it is given the frame, and boxes are turned back.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labrig_papers.pdf.glyphs import SLANTED, Glyphs
from labrig_papers.pdf.ordering import put_in_order
from labrig_papers.pdf.page import Box, Boxes, Line, Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def turned(box: Any, turn: int, width: float, height: float) -> tuple[Any, Any, Any, Any]:
    """Return a box in the frame in which print that runs at an angle is upright.

    Parameters
    ----------
    box
        Left, bottom, right, top in points, numbers or arrays of them, on a page of `width` and `height`.
    turn
        The angle against the clock: 0, 90 (upwards), 180 or 270. With 360 less it, and the size of the frame, a box is
        turned back.
    """
    left, bottom, right, top = box
    if turn == 90:
        return bottom, width - right, top, width - left
    if turn == 180:
        return width - right, height - top, width - left, height - bottom
    if turn == 270:
        return height - top, left, height - bottom, right
    return left, bottom, right, top


def size_of_frame(turn: int, width: float, height: float) -> tuple[float, float]:
    """Return width and height of the frame of an angle."""
    return (height, width) if turn in (90, 270) else (width, height)


def as_shown(glyphs: Glyphs, rotation: int, width: float, height: float) -> None:
    """Place the glyphs of a page that is shown turned (``/Rotate``, with the clock) where they are seen.

    Width and height are those of the page as shown.
    """
    import numpy as np

    if rotation:
        everywhere = np.ones(len(glyphs), bool)
        _turn(glyphs, everywhere, rotation, *size_of_frame(rotation, width, height))
        straight = glyphs.turns != SLANTED
        glyphs.turns[straight] = (glyphs.turns[straight] - rotation) % 360


def into_frames(glyphs: Glyphs, width: float, height: float) -> None:
    """Place the glyphs of each direction in its own frame, in the order of reading."""
    turns = turns_of(glyphs)
    for turn in turns:
        _turn(glyphs, glyphs.turns == turn, turn, width, height)
    if turns:
        put_in_order(glyphs)


def out_of_frames(glyphs: Glyphs, width: float, height: float) -> None:
    """Place glyphs of `into_frames` where they were; their origins stay."""
    for turn in turns_of(glyphs):
        some = glyphs.turns == turn
        back = turned(glyphs.boxes[some].T, 360 - turn, *size_of_frame(turn, width, height))
        glyphs.boxes[some] = _rows(back)


def turned_back(lines: Sequence[Line], width: float, height: float) -> list[Line]:
    """Return lines of frames with their boxes on the page."""
    return [replace(line, box=back_on(line.box, line.turn, width, height)) for line in lines]


def back_on(box: Box, turn: int, width: float, height: float) -> Box:
    """Return where on a page of this size the box of a frame is."""
    if not turn:
        return box
    return _rounded(turned(box, 360 - turn, *size_of_frame(turn, width, height)))


def turns_of(glyphs: Glyphs) -> list[int]:
    """Return the directions other than upright of the glyphs of a page."""
    return sorted({int(each) for each in set(glyphs.turns.tolist())} - {0, SLANTED})


def frames(page: Page) -> list[Page]:
    """Return a page as one for each direction of its lines, which has these lines alone, upright.

    Text and its numbers of boxes are those of all of the page.
    """
    turns = sorted({line.turn for line in page.lines})
    if turns in ([], [0]):
        return [page]
    return [_frame(page, turn) for turn in turns]


def _frame(page: Page, turn: int) -> Page:
    import numpy as np

    width, height = size_of_frame(turn, page.width, page.height)

    own = [line for line in page.lines if line.turn == turn]
    lines = tuple(
        replace(line, box=_rounded(turned(line.box, turn, page.width, page.height))) for line in own
    )
    boxes: Sequence[Box] = page.boxes
    if turn:
        flat = np.array(page.boxes.flat if isinstance(page.boxes, Boxes) else list(page.boxes), float)
        rows = _rows(turned(flat.reshape(-1, 4).T, turn, page.width, page.height))
        boxes = Boxes(array("d", rows.round(1).tobytes()))
    return replace(page, width=width, height=height, lines=lines, boxes=boxes)


def _turn(glyphs: Glyphs, some: NDArray[np.bool_], turn: int, width: float, height: float) -> None:
    x, y = glyphs.x[some], glyphs.y[some]
    glyphs.x[some], glyphs.y[some], _, _ = turned((x, y, x, y), turn, width, height)
    glyphs.boxes[some] = _rows(turned(glyphs.boxes[some].T, turn, width, height))


def _rounded(box: tuple[float, float, float, float]) -> Box:
    left, bottom, right, top = box
    return round(left, 1), round(bottom, 1), round(right, 1), round(top, 1)


def _rows(columns: tuple[Any, Any, Any, Any]) -> NDArray[np.float64]:
    import numpy as np

    return np.stack(columns, axis=-1)
