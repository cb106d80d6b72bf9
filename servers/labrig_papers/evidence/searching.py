"""Where words stand in a paper, with the line round them and its boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.evidence.folding import fold_caseless, without_commands
from labrig_papers.pdf.page import Box, Page

LONGEST = 200
ROUND = 90
"""Characters to either side of a hit that are shown with it."""


@dataclass(frozen=True)
class Hit:
    """A place at which the words stand: the text round it, and the boxes of the words themselves."""

    page: int
    start: int
    end: int
    quote: str
    boxes: tuple[Box, ...]


def search_text(pages: Sequence[Page], query: str) -> list[Hit]:
    """Return all places at which a text stands, in the order of the paper.

    Case, white space, scripts and forms of signs do not matter, so ``La1.85Sr0.15CuO4`` finds
    ``La_{1.85}Sr_{0.15}CuO_{4}``.

    Raises
    ------
    LabrigError
        For an empty query, or one of more than 200 characters.
    """
    wanted = fold_caseless(without_commands(query))
    if not wanted.text or len(query) > LONGEST:
        raise LabrigError(
            "The query is empty" if not wanted.text else "The query is too long",
            where="query",
            expected=f"1 to {LONGEST} characters",
        )
    found = []
    for page in pages:
        hay = fold_caseless(page.text)
        start = hay.text.find(wanted.text)
        while start >= 0:
            first, last = hay.places[start], hay.places[start + len(wanted.text) - 1] + 1
            found.append(
                Hit(page.number, first, last, _round(page, first, last), tuple(page.boxes_of(first, last)))
            )
            start = hay.text.find(wanted.text, start + len(wanted.text))
    return found


def _round(page: Page, start: int, end: int) -> str:
    """Return the text round a place, from word to word."""
    left, right = max(0, start - ROUND), min(len(page.text), end + ROUND)
    while left > 0 and left > start - ROUND - 20 and not page.text[left - 1].isspace():
        left -= 1
    while right < len(page.text) and right < end + ROUND + 20 and not page.text[right].isspace():
        right += 1
    return " ".join(page.text[left:right].split())
