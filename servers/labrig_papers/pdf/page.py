"""A page as text, of which every character knows where it stands."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in PDF points (1/72 inch), from the lower left corner of the page."""

Source = Literal["text", "ocr", "none"]
MARKUP = -1
"""In `Page.at`: a character that is not printed there: white space, a brace or sign of the markup."""


class Boxes(Sequence[Box]):
    """Boxes one after another in one array, since a page has thousands.

    Parameters
    ----------
    flat
        Four numbers for each.
    """

    __slots__ = ("flat",)

    def __init__(self, flat: array[float]) -> None:
        if len(flat) % 4:
            raise ValueError("boxes have four numbers each")
        self.flat = flat

    def __len__(self) -> int:
        return len(self.flat) // 4

    @overload
    def __getitem__(self, index: int) -> Box: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Box, ...]: ...

    def __getitem__(self, index: int | slice) -> Box | tuple[Box, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        first = 4 * index if index >= 0 else 4 * index + len(self.flat)
        four = self.flat[first : first + 4] if first >= 0 else None
        if not four:
            raise IndexError(index)
        left, bottom, right, top = four
        return left, bottom, right, top


@dataclass(frozen=True)
class Line:
    """A visual line: where it is in the text, and how it is printed.

    Attributes
    ----------
    start, end
        The half-open range of its characters in `Page.text`.
    size
        Of most of its glyphs, in points.
    bold
        Most of it is printed in a bold face.
    turn
        Direction of its print against the clock: 0, 90, 180 or 270 degrees.
    """

    start: int
    end: int
    size: float
    bold: bool
    box: Box
    turn: int = 0


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    number
        From 1.
    width, height
        In points.
    text
        Marked up: superscripts as ``10^{6}``, subscripts as ``La_{1.85}``; a tab stands where a gap is as wide as
        between cells, a line feed at the end of a line, two at the end of a block. Hyphens at the ends of lines are
        taken out where a word goes on.
    at
        For each character of `text` the number of its box, or `MARKUP`.
    boxes
        Of the glyphs.
    source
        ``text`` from the file, ``ocr`` from its picture, ``none`` where there is none.
    quality
        Share of characters that a font maps to something readable, 0 to 1; of OCR its mean confidence.
    pictured
        It has no text and shows a picture, so that OCR may find some.
    """

    number: int
    width: float
    height: float
    text: str
    at: tuple[int, ...]
    boxes: Sequence[Box]
    lines: tuple[Line, ...]
    source: Source = "text"
    quality: float = 1.0
    pictured: bool = False

    def boxes_of(self, start: int, end: int) -> list[Box]:
        """Return the boxes of a range of the text, one for each visual line that it touches."""
        found: list[Box] = []
        for line in self.lines[bisect_right(self.lines, start, key=lambda each: each.end) :]:
            if line.start >= end:
                break
            inside = [each for each in self.at[max(start, line.start) : min(end, line.end)] if each >= 0]
            if inside:
                found.append(around([self.boxes[each] for each in inside]))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data, for the way between processes."""
        return {
            **{key: getattr(self, key) for key in _PLAIN},
            "at": list(self.at),
            "boxes": self.boxes.flat.tolist()
            if isinstance(self.boxes, Boxes)
            else [round(value, 1) for box in self.boxes for value in box],
            "lines": [
                [each.start, each.end, each.size, each.bold, *each.box, each.turn] for each in self.lines
            ],
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Page:
        """Return the page that `to_dict` wrote.

        Raises
        ------
        ValueError, TypeError, KeyError, IndexError
            For anything else; a reader that a file took over may say anything.
        """
        boxes = Boxes(array("d", fields["boxes"]))
        at = tuple(map(int, fields["at"]))
        text = str(fields["text"])
        if len(at) != len(text) or any(each >= len(boxes) or each < MARKUP for each in at):
            raise ValueError("a page of another shape")
        lines = tuple(
            Line(
                int(start),
                int(end),
                float(size),
                bool(bold),
                (float(x), float(y), float(right), float(top)),
                int(turn) % 360 // 90 * 90,
            )
            for start, end, size, bold, x, y, right, top, turn in fields["lines"]
        )
        source: Source = fields["source"] if fields["source"] in ("text", "ocr") else "none"
        return cls(
            int(fields["number"]),
            float(fields["width"]),
            float(fields["height"]),
            text,
            at,
            boxes,
            lines,
            source,
            float(fields["quality"]),
            bool(fields["pictured"]),
        )


_PLAIN = ("number", "width", "height", "text", "source", "quality", "pictured")


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that holds all."""
    return (
        round(min(each[0] for each in boxes), 1),
        round(min(each[1] for each in boxes), 1),
        round(max(each[2] for each in boxes), 1),
        round(max(each[3] for each in boxes), 1),
    )


_MARKS = re.compile(r"[\^_]\{([^{}]*)\}")


def plain(text: str) -> str:
    """Return marked-up text without its marks: ``10^{6}`` is ``106`` then, as other readers of PDF have it.

    >>> plain("La_{1.85}Sr_{0.15}CuO_{4}")
    'La1.85Sr0.15CuO4'
    """
    return _MARKS.sub(r"\1", text)
