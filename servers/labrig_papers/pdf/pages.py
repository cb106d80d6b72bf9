"""Pages of a document, read one after another."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from labrig_papers.pdf.columns import split_columns
from labrig_papers.pdf.glyphs import Glyphs, glyphs_of
from labrig_papers.pdf.lines import Line, visual_lines
from labrig_papers.pdf.marking import marked
from labrig_papers.pdf.page import Boxes, Page
from labrig_papers.pdf.turning import as_shown, into_frames, out_of_frames, turned_back

MOST_OBJECTS = 200
"""Of a page, that are looked at."""
FEW = 16
"""Glyphs below which a page counts as one without text."""


def read_pages(document: Any, numbers: Iterable[int]) -> Iterator[Page]:
    """Give pages as marked-up text.

    Parameters
    ----------
    document
        A ``PdfDocument`` of pypdfium2.
    numbers
        Of pages that it has, from 1.
    """
    for number in numbers:
        page = document[number - 1]
        try:
            width, height = page.get_size()
            textpage = page.get_textpage()
            try:
                glyphs = glyphs_of(textpage)
            finally:
                textpage.close()
            as_shown(glyphs, page.get_rotation(), width, height)
            pictured = len(glyphs) < FEW and _shows_a_picture(page)
        finally:
            page.close()
        into_frames(glyphs, width, height)
        text = marked(_split(visual_lines(glyphs), glyphs), glyphs)
        out_of_frames(glyphs, width, height)
        share = round(1 - glyphs.unknown / (len(glyphs) or 1), 3)
        yield Page(
            number,
            round(width, 1),
            round(height, 1),
            "".join(text.text),
            tuple(text.at),
            Boxes(array("d", glyphs.boxes.round(1).tobytes())),
            tuple(turned_back(text.lines, width, height)),
            "text" if len(glyphs) >= FEW else "none",
            max(0.0, share) if len(glyphs) else 0.0,
            pictured,
        )


def _split(lines: list[Line], glyphs: Glyphs) -> list[Line]:
    """Return lines, those across two columns as two; each direction of print has columns of its own."""
    turns = dict.fromkeys(line[0].turn for line in lines)
    if len(turns) < 2:
        return split_columns(lines, glyphs)
    apart = [[line for line in lines if line[0].turn == turn] for turn in turns]
    split = [split_columns(some, glyphs) for some in apart]
    if all(one is other for one, other in zip(apart, split, strict=True)):
        return lines
    return [line for some in split for line in some]


def _shows_a_picture(page: Any) -> bool:
    """Tell whether a page holds a picture of at least a twentieth of its area, as a scan does."""
    import pypdfium2.raw as raw

    width, height = page.get_size()
    for thing in islice(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4), MOST_OBJECTS):
        left, bottom, right, top = thing.get_bounds()
        if (right - left) * (top - bottom) > 0.05 * width * height:
            return True
    return False
