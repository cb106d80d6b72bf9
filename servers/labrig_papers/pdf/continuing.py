"""Where the body of a page breaks off in a sentence, and where the next page goes on with it, behind figures too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from labrig_papers.pdf.page import Line, Page
from labrig_papers.pdf.structure import body_size, captions

LIKE = 0.06
"""Relative difference of two sizes of print that are one."""
LEAST_OF_A_PAGE = 24
"""Characters of the last line of a page whose sentence goes on; numbers of pages and labels of axes have fewer."""
WORDY = 0.5
"""Share of letters of a line of text; of labels in figures it is lower."""
_ENDED = re.compile(r"[.!?:][)\]”\"]?(?:\^\{[^{}]*\})?$|\[\d[^\]]*\]$|@[\w.-]+$")
_OPEN = re.compile(
    r"(?:,|\b(?:the|an?|of|and|or|in|at|to|by|for|with|from|is|are|was|were|that|which|as|than|between))$"
)
"""An end after which even a word with a capital goes on: else that begins a sentence, behind a heading."""
_WORD = re.compile(r"[A-Z][a-z]*\s")
"""A word with a capital, and no formula or unit."""
_GOES_ON = re.compile(r"[a-z]|\d+(?:\.\d+)?\s?[a-zµμΩ°%]|[A-Z][\w_{}^./-]*[\s,;.]")


def going_on(first: Page, second: Page) -> tuple[int, int] | None:
    """Return where the text of a page breaks off and where that of the next goes on, None where a sentence ends.

    What stands between, captions, labels of axes and running heads, is in another print or begins as no sentence does.
    """
    if second.number != first.number + 1 or not (first.lines and second.lines):
        return None
    size = body_size([first, second])
    last = next(reversed(list(_body(first, size, LEAST_OF_A_PAGE))), None)
    if last is None or _ENDED.search(first.text[last.start : last.end].rstrip()):
        return None
    openings = list(_openings(second, size))
    small = (each for each in openings if not second.text[each.start].isupper())
    opening = next(small, openings[0] if openings else None)
    if opening is not None and _WORD.match(second.text, opening.start):
        opening = opening if _OPEN.search(first.text[last.start : last.end].rstrip()) else None
    return (last.end, opening.start) if opening is not None else None


def _body(page: Page, size: float, least: int) -> Iterator[Line]:
    """Yield the lines of a page in the print of the body, without captions and rows."""
    inside = [(each.start, each.end) for each in captions(page)]
    for line in page.lines:
        own = abs(line.size - size) <= LIKE * size and line.end - line.start >= least and not line.turn
        if own and not any(start <= line.start < end for start, end in inside):
            text = page.text[line.start : line.end].strip()
            if "\t" not in text and sum(map(str.isalpha, text)) >= WORDY * len(text):
                yield line


def _openings(page: Page, size: float) -> Iterator[Line]:
    """Yield the lines of the body that begin a block as the rest of a sentence may."""
    for line in _body(page, size, 8):
        begins = line.start == 0 or page.text[: line.start].endswith("\n\n")
        if begins and _GOES_ON.match(page.text, line.start):
            yield line
        elif begins and line.end - line.start >= LEAST_OF_A_PAGE:
            return
