"""What a paper is made of: title, sections, captions of tables and figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from labrig_papers.pdf.page import Box, Line, Page, around, plain

CAPTION = re.compile(
    r"(?P<kind>TABLE|Table|FIG\.|Fig\.|FIGURE|Figure)\s*(?P<number>S?\d+|[IVXL]+)\b\s*(?P<sign>[.:|–-]?)\s+(?=\S)"
)
_SENTENCE = re.compile(r"[a-z]+\b")
"""What goes on with a small letter is no caption: "Figure 1 shows"."""
_NUMBERED = re.compile(r"(?:[IVX]{1,5}|[A-H]|\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+(?=[A-Z])")
_NAMED = re.compile(
    r"(?:abstract|introduction|experimental(?: (?:details|methods|section))?|methods?|results?(?: and discussion)?"
    r"|discussion|conclusions?|summary|acknowledge?ments?|references|appendix(?: [A-Z])?|supplementary \w+)[.:]?",
    re.IGNORECASE,
)
LONGEST_HEADING = 120
MOST_BOOKMARKS = 500
FEW_BOOKMARKS = 3
"""Bookmarks of a file below which its print is looked at for headings."""
LARGER = 1.08


@dataclass(frozen=True)
class Heading:
    """A heading: where it stands, and how deep (1 for a section)."""

    text: str
    page: int
    level: int


@dataclass(frozen=True)
class Caption:
    """A caption.

    Attributes
    ----------
    kind
        ``table`` or ``figure``.
    name
        As printed: ``TABLE II``, ``FIG. 3``.
    text
        All of it, marked up.
    start, end
        Its range in the text of the page.
    """

    kind: str
    name: str
    text: str
    page: int
    start: int
    end: int
    box: Box


def body_size(pages: Sequence[Page]) -> float:
    """Return the size of font in which most of a paper is printed, in points."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += line.end - line.start
    return sizes.most_common(1)[0][0] if sizes else 10.0


def title_of(pages: Sequence[Page]) -> str:
    """Return the lines in the largest font of the upper half of the first page, as one; empty where it has no text."""
    if not pages or not pages[0].lines:
        return ""
    first = pages[0]
    upper = [
        each for each in first.lines if each.box[3] > first.height / 2 and each.end - each.start > 3
    ] or list(first.lines)
    largest = max(upper, key=lambda each: each.size).size
    chosen = [each for each in upper if each.size > 0.95 * largest][:5]
    return " ".join(_text(first, each) for each in chosen)[:300]


def headings(pages: Sequence[Page]) -> list[Heading]:
    """Return the headings that numbers, known names, larger or bolder print give away."""
    size = body_size(pages)
    found: list[Heading] = []
    for page in pages:
        for index, line in enumerate(page.lines):
            text = _text(page, line)
            if not 3 <= len(text) <= LONGEST_HEADING or CAPTION.match(text) or text.endswith((",", ";")):
                continue
            if page.number == 1 and line.size > 1.25 * size and line.box[3] > 0.6 * page.height:
                continue  # the title
            numbered, named = _NUMBERED.match(text), _NAMED.fullmatch(text)
            alone = _alone(page, index)
            capitals = text.upper() == text and sum(each.isalpha() for each in text) > 5
            stands_out = line.size > LARGER * size or line.bold or capitals
            words = text[numbered.end() :] if numbered else text
            if not any(each.isalpha() for each in words) or len(words.split()) > 14 or "=" in words:
                continue
            if named or (alone and stands_out and (numbered or line.size > LARGER * size or line.bold)):
                level = (numbered.group().count(".", 0, -2) + 1) if numbered and text[0].isdigit() else 1
                found.append(Heading(text, page.number, level))
    return found


def bookmarks(document: Any, numbers: Sequence[int]) -> list[Heading]:
    """Return the headings that the maker of a file left in it, those of the pages asked for.

    Parameters
    ----------
    document
        A ``PdfDocument`` of pypdfium2.
    """
    wanted = set(numbers)
    found = []
    for mark in islice(document.get_toc(max_depth=4), MOST_BOOKMARKS):
        place = mark.get_dest()
        index = place.get_index() if place is not None else None
        title = " ".join(mark.get_title().split())[:LONGEST_HEADING]
        if index is not None and index + 1 in wanted and title:
            found.append(Heading(title, index + 1, mark.level + 1))
    return found


def captions(page: Page) -> list[Caption]:
    """Return the captions of tables and figures of a page."""
    found = []
    for index, line in enumerate(page.lines):
        match = CAPTION.match(page.text, line.start, line.end)
        if match is None or (not match["sign"] and _SENTENCE.match(page.text, match.end())):
            continue
        if index and _runs_on(page, page.lines[index - 1], line):
            continue
        last = index
        is_table = match["kind"].lower().startswith("t")
        while (
            last + 1 < len(page.lines)
            and not (is_table and "\t" in page.text[page.lines[last + 1].start : page.lines[last + 1].end])
            and page.text[page.lines[last].end :].startswith("\n")
            and not page.text[page.lines[last].end :].startswith("\n\n")
        ):
            last += 1
        block = page.lines[index : last + 1]
        kind = "table" if is_table else "figure"
        name = " ".join(match.group().split()).rstrip(".:|–- ")
        start, end = line.start, block[-1].end
        text = " ".join(page.text[start:end].split())
        found.append(Caption(kind, name, text, page.number, start, end, around([each.box for each in block])))
    return found


def _runs_on(page: Page, before: Line, line: Line) -> bool:
    """Tell whether a line goes on with a sentence of the line before it: "as in Fig. 2 and / Table 4. Under"."""
    said = page.text[before.start : before.end]
    apart = page.text[before.end : line.start] == "\n\n" or abs(before.size - line.size) > 0.06 * line.size
    return not apart and "\t" not in said and said[-1:] not in ".:;)]"


def _text(page: Page, line: Line) -> str:
    return " ".join(plain(page.text[line.start : line.end]).split())


def _alone(page: Page, index: int) -> bool:
    """Tell whether a line is a block of its own."""
    line = page.lines[index]
    before = index == 0 or page.text[page.lines[index - 1].end : line.start] == "\n\n"
    behind = index + 1 == len(page.lines) or page.text[line.end : page.lines[index + 1].start] == "\n\n"
    return before and (behind or line.bold)
