"""Whether a quote stands in a paper: on which page, in which boxes, and as what.

A quote is compared folded (`labrig_papers.evidence.folding`). Where it begins or ends within a number or a word it is
no evidence: "6.9 K" stands in "36.9 K".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from labrig.errors import LabrigError
from labrig_papers.evidence.folding import Folded, fold, fold_stacked, fold_without_hyphens, without_commands
from labrig_papers.pdf.continuing import going_on
from labrig_papers.pdf.page import Box, Page, plain

Status = Literal["exact", "normalised", "other_page", "partial_token", "ambiguous", "not_found"]

SHORTEST, SHORT, LONGEST = 3, 12, 2_000
"""Folded characters: fewer are refused; fewer than `SHORT` are found everywhere, which is said."""
MOST_PLACES = 20
NEAR = 60.0
"""Similarity (rapidfuzz, 0 to 100) from which the nearest text is shown."""


@dataclass(frozen=True)
class Place:
    """A range of the text of a page that says the same as a quote.

    Attributes
    ----------
    text
        As it stands there, marked up.
    whole
        It begins and ends with whole words and numbers.
    """

    page: int
    start: int
    end: int
    text: str
    boxes: tuple[Box, ...]
    whole: bool


@dataclass(frozen=True)
class Verdict:
    """What became of a quote.

    Attributes
    ----------
    status
        ``exact``: once on the page, character for character but for line ends and marks; ``normalised``: once, in
        another writing or on a page that OCR read; ``ambiguous``: more than once; ``other_page``: on other pages
        alone; ``partial_token``: only within a longer number or word; ``not_found``.
    places
        Where it stands, on the page that was asked for first.
    nearest
        The most similar text of that page where it was not found, with its page.
    notes
        What lowers its worth: a short quote, text from OCR.
    from_ocr
        The page was read by OCR: never ``exact`` then.
    """

    status: Status
    places: tuple[Place, ...]
    nearest: str = ""
    notes: tuple[str, ...] = ()
    from_ocr: bool = False


def find_quote(page: Page, quote: str) -> list[Place]:
    """Return the places of a page at which a quote stands, whole ones first."""
    plain_quote = without_commands(quote)
    return _places(page, plain_quote) or _places(page, _without_bars(plain_quote))


def verify_quote(pages: Sequence[Page], quote: str, page: int | None = None) -> Verdict:
    """Hold a quote against a paper.

    Parameters
    ----------
    pages
        All that were read.
    quote
        As copied, in any writing; LaTeX and the marks of our pages are understood.
    page
        On which it should stand, from 1; None for any.

    Raises
    ------
    LabrigError
        ``bad_input`` for a quote of less than 3 or more than 2,000 characters without white space, and for a page that
        is not among `pages`.
    """
    plain_quote = without_commands(quote)
    wanted = fold(plain_quote)
    if not SHORTEST <= len(wanted.text) <= LONGEST:
        raise LabrigError(
            f"A quote of {len(wanted.text)} characters proves nothing"
            if len(wanted.text) < SHORTEST
            else "This quote is too long",
            where="quote",
            expected=f"{SHORTEST} to {LONGEST} characters without white space",
            try_="quote the sentence or the row that holds the value",
        )
    numbers = [each.number for each in pages]
    if page is not None and page not in numbers:
        raise LabrigError(
            f"There is no page {page}",
            where="page",
            expected=f"{numbers[0]} to {numbers[-1]}",
            code="not_found",
        )
    order = sorted(pages, key=lambda each: (each.number != page, each.number))
    found = [place for each in order for place in _places(each, plain_quote)][:MOST_PLACES]
    if not found and (row := _without_bars(plain_quote)) != plain_quote:
        found = [place for each in order for place in _places(each, row)][:MOST_PLACES]
    notes = _notes(wanted, [each for each in pages if each.number in {place.page for place in found}])
    whole = [place for place in found if place.whole]
    here = [place for place in whole if page is None or place.page == page]
    if here:
        if len(here) > 1:
            return Verdict("ambiguous", tuple(here), notes=notes)
        scanned = any(each.source == "ocr" for each in pages if each.number == here[0].page)
        exact = _verbatim(quote, here[0]) and not scanned
        return Verdict("exact" if exact else "normalised", tuple(here), notes=notes, from_ocr=scanned)
    if whole:
        return Verdict("other_page", tuple(whole), notes=notes)
    if found:
        return Verdict("partial_token", tuple(found), notes=notes)
    for first, second in pairwise(sorted(pages, key=lambda each: each.number)):
        if across := _across(first, second, plain_quote):
            scanned = "ocr" in (first.source, second.source)
            over = f"it goes on from page {first.number} to page {second.number}"
            named = page in (None, first.number, second.number)
            return Verdict(
                "normalised" if named else "other_page", across, notes=(*notes, over), from_ocr=scanned
            )
    return Verdict("not_found", (), _nearest(order, wanted), notes)


def _without_bars(quote: str) -> str:
    """Return a row of a table without the bars that agents put between its cells."""
    return re.sub(r"(?:^|\s+)\|(?=\s|$)", " ", quote)


def _places(page: Page, quote: str) -> list[Place]:
    """Return where a quote stands in a page; if nowhere, the same without hyphens, or with stacked scripts in order."""
    for folding in (fold, fold_without_hyphens, fold_stacked):
        hay, needle = folding(page.text), folding(quote).text
        found: list[Place] = []
        start = hay.text.find(needle) if needle else -1
        while start >= 0 and len(found) < MOST_PLACES:
            found.append(_place(page, hay, start, start + len(needle)))
            start = hay.text.find(needle, start + 1)
        if found:
            return sorted(found, key=lambda each: not each.whole)
    return []


def _across(first: Page, second: Page, quote: str) -> tuple[Place, ...]:
    """Return the two places of a quote that begins on one page and ends on the next, none where it does not.

    It breaks off at the end of a line that no point ends, and goes on where one of the first blocks begins.
    """
    wanted, hay, more = fold(quote), fold(first.text), fold(second.text)
    if second.number != first.number + 1 or len(wanted.text) < 2 * LEAST_ACROSS:
        return ()
    low, high = 0, len(wanted.text)
    while low < high:  # the longest beginning of the quote that the page has
        middle = (low + high + 1) // 2
        low, high = (middle, high) if wanted.text[:middle] in hay.text else (low, middle - 1)
    start = hay.text.rfind(wanted.text[:low])
    if not low or low > len(wanted.text) - LEAST_ACROSS or start < 0:
        return ()
    rest = more.text.find(wanted.text[low:])
    if rest < 0:
        return ()
    begin, end = (
        _place(first, hay, start, start + low),
        _place(second, more, rest, rest + len(wanted.text) - low),
    )
    ends = first.text[begin.end : begin.end + 1] in ("", "\n") and begin.text[-1:] not in ".!?"
    begins = end.start == 0 or second.text[: end.start].endswith("\n\n")
    early = end.start in [each.start for each in second.lines[:FIRST_LINES]]
    if (
        not early or low < LEAST_ACROSS
    ):  # figures and their captions stand over it; a word alone may stand anywhere
        goes_on = going_on(first, second)
        early = goes_on is not None and goes_on[1] == end.start
        ends = goes_on is not None and abs(goes_on[0] - begin.end) <= 2
    return (begin, end) if ends and begin.whole and end.whole and begins and early else ()


LEAST_ACROSS = 6
"""Folded characters of a quote on either page; fewer only where the first page breaks off with them."""
FIRST_LINES = 4
"""Of a page: a running head and a number may stand over its text."""


def _place(page: Page, hay: Folded, start: int, end: int) -> Place:
    first, last = hay.places[start], hay.places[end - 1]
    behind = last + 1
    while behind < len(page.text) and page.text[behind] == "}":
        behind += 1
    return Place(
        page.number,
        first,
        behind,
        page.text[first:behind],
        tuple(page.boxes_of(first, behind)),
        not (_cut(page.text, first, -1) or _cut(page.text, last, 1)),
    )


def _cut(text: str, place: int, step: int) -> bool:
    """Tell whether the word or number at a place goes on beyond it, forwards or backwards."""
    inner, place = text[place], place + step
    while 0 <= place < len(text) and text[place] in "^_{}":
        if text[place] in "^_":
            return False  # a script begins or ends there
        place += step
    if not 0 <= place < len(text):
        return False
    outer = text[place]
    beyond = text[place + step] if 0 <= place + step < len(text) else " "
    if inner.isdigit():
        return (
            outer.isdigit()
            or (outer in ".," and beyond.isdigit())
            or (step < 0 and outer in "−-" and not beyond.isalnum())
        )
    return inner.isalpha() and outer.isalpha()


def _verbatim(quote: str, place: Place) -> bool:
    """Tell whether a quote is the text of a place but for white space and the marks of scripts."""
    return "".join(plain(quote).split()) == "".join(plain(place.text).split())


def _notes(wanted: Folded, pages: Sequence[Page]) -> tuple[str, ...]:
    notes = []
    if len(wanted.text) < SHORT:
        notes.append("a short quote: give the sentence or row, so that it belongs to one value")
    if any(each.source == "ocr" for each in pages):
        notes.append("the text of the page comes from OCR, which is no exact evidence: look at the picture")
    return tuple(notes)


def _nearest(pages: Sequence[Page], wanted: Folded) -> str:
    from rapidfuzz import fuzz

    best = (NEAR, "")
    for page in pages:
        hay = fold(page.text)
        found = fuzz.partial_ratio_alignment(wanted.text, hay.text, score_cutoff=best[0])
        if found is not None and found.dest_end > found.dest_start and found.score > best[0]:
            start, end = hay.places[found.dest_start], hay.places[found.dest_end - 1] + 1
            while start > 0 and not page.text[start - 1].isspace():
                start -= 1
            while end < len(page.text) and not page.text[end].isspace():
                end += 1
            best = (found.score, f"p. {page.number}: {' '.join(page.text[start:end].split())}")
    return best[1]
