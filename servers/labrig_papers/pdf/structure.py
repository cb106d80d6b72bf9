"""What a paper is made of: title, sections, captions of tables and figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
_ORDINAL = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}\.)[.)]?\s+[A-Z]")
_LETTERED = re.compile(r"(?:[IVX]{1,5}|[A-H])\.\s+(?:[A-Z][^\W\d]{2,}\b)(?!.*(?:[.,;:]$|\bet al\b))")
"""B. Physical properties: a block of its own that begins so is a heading in any print."""
_NAMED = re.compile(
    r"(?:abstract|introduction|experimental(?: (?:details|methods|section))?|methods?|results?(?: and discussion)?"
    r"|theory|calculations?|discussion|conclusions?|summary|acknowledge?ments?|references|appendix(?: [A-Z])?"
    r"|supplementary \w+)[.:]?",
    re.IGNORECASE,
)
CELL_SPACE = 0.6
"""Least white between two cells, in the size of the font; between words it is 0.2 to 0.5."""
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


_SHORT = re.compile(
    r"(?:table|tab|figure|fig)?[.\s]*(?P<supplement>s?)(?P<number>[0-9]{1,4}|[ivxl]{1,8})[.:\s]*"
)


def named(wanted: str, names: Iterable[str], kind: str = "") -> str | None:
    """Return the name of a table or figure that is meant: ``2``, ``Table 2`` and ``tab. ii`` all mean ``TABLE II``.

    Parameters
    ----------
    names
        As printed.
    kind
        ``table`` or ``figure``, which a number alone means.
    """
    known = list(names)
    key = "".join(wanted.casefold().split()).rstrip(".:")
    exact = [each for each in known if "".join(each.casefold().split()).rstrip(".:") == key]
    if exact:
        return exact[0]
    meant = _counted(wanted)
    begins = key[:3] if key.startswith(("tab", "fig")) else kind[:3]
    alike = [
        each
        for each in known
        if meant is not None and _counted(each) == meant and each.casefold().startswith(begins)
    ]
    return alike[0] if len(alike) == 1 else None


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


def _counted(name: str) -> tuple[str, int] | None:
    """Return the number in a name, with the S of a supplement, None where it has none."""
    match = _SHORT.fullmatch(name.strip().casefold())
    if match is None:
        return None
    if match["number"].isdigit():
        return match["supplement"], int(match["number"])
    digits = [_ROMAN[each] for each in match["number"]]
    paired = zip(digits, [*digits[1:], 0], strict=True)
    return match["supplement"], sum(-one if one < other else one for one, other in paired)


def body_size(pages: Sequence[Page]) -> float:
    """Return the size of font in which most of a paper is printed, in points."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += line.end - line.start
    return sizes.most_common(1)[0][0] if sizes else 10.0


def title_of(pages: Sequence[Page]) -> str:
    """Return the lines in the largest font of the upper half of the first page, as one; empty where it has no text."""
    return " ".join(_text(pages[0], each) for each in _title(pages[0]))[:300] if pages else ""


def _title(first: Page) -> list[Line]:
    """Return the lines of a title: the largest of the upper half of a page, up to the first heading."""
    if not first.lines:
        return []
    level = [
        each for each in first.lines if not each.turn
    ]  # an archive's stamp stands sideways at the margin
    upper = [each for each in level if each.box[3] > first.height / 2 and each.end - each.start > 3] or list(
        first.lines
    )
    largest = max(upper, key=lambda each: each.size).size
    chosen = [each for each in upper if each.size > 0.95 * largest][:5]
    headed = (index for index, each in enumerate(chosen) if index and _is_headed(_text(first, each)))
    return chosen[: next(headed, len(chosen))]


def _is_headed(text: str) -> bool:
    """Tell whether a line begins as a heading does: with a number of one, or as a whole with a known name."""
    return bool(_ORDINAL.match(text) or _NAMED.fullmatch(text))


def headings(pages: Sequence[Page]) -> list[Heading]:
    """Return the headings that numbers, known names, larger or bolder print give away.

    A heading in the print of the text itself is one where its number goes on with that of the heading before it.
    """
    size, all_bold = body_size(pages), _is_all_bold(pages)
    found: list[Heading] = []
    counted: tuple[int, ...] = ()
    for page in pages:
        title = _title(page) if page is pages[0] and page.number == 1 else []
        for index, line in enumerate(page.lines):
            text = _text(page, line)
            if (
                line.turn
                or not 3 <= len(text) <= LONGEST_HEADING
                or CAPTION.match(text)
                or text.endswith((",", ";"))
            ):
                continue
            numbered = _NUMBERED.match(text)
            words = text[numbered.end() :] if numbered else text
            named = _NAMED.fullmatch(words)
            if line in title or (
                page.number == 1
                and line.size > 1.25 * size
                and line.box[3] > 0.6 * page.height
                and not (numbered or named)
            ):
                continue
            capitals = text.upper() == text and sum(each.isalpha() for each in text) > 5
            larger = line.size > LARGER * size
            if not _says_something(words, bool(numbered)) or len(words.split()) > 14 or "=" in words:
                continue
            number = _ordinal(text)
            in_turn = bool(number) and _follows(number, counted) and not text.endswith((".", ":"))
            before, behind = _apart(page, index, size)
            bold = line.bold and not all_bold
            alone = before and (behind or bold or (in_turn and _is_short(page, line)))
            stands_out = larger or bold or capitals
            two_lines = not behind and index + 1 < len(page.lines) and _apart(page, index + 1, size)[1]
            lettered = before and (behind or two_lines) and _LETTERED.match(text) is not None
            if (
                named
                or (alone and stands_out and (numbered or larger or bold))
                or (alone and in_turn)
                or lettered
            ):
                level = (numbered.group().count(".", 0, -2) + 1) if numbered and text[0].isdigit() else 1
                found.append(Heading(text, page.number, level))
                counted = number or counted
    return found


_WORD = re.compile(r"(?<![\w\d])[^\W\d_]{3,}(?![\w\d])")
_OF_AXIS = re.compile(r"[\[(]\s?[^()\[\]]{0,9}\s?[\])]\s*$|[/∝≈]")
"""A unit in brackets behind a quantity, as an axis has it, or a formula."""


def _says_something(words: str, is_numbered: bool) -> bool:
    """Tell whether a line may head a section: it has a word, and is no label of an axis or of a part of a figure."""
    said = _WORD.findall(words)
    if is_numbered:
        return (
            bool(said) and words.count(",") < 3 and "et al" not in words
        )  # authors, their address, a running head
    alike = any(
        len(each) > 3 and (each[1:].islower() or each.isupper()) for each in said
    )  # URhSi is a formula
    return words[:1].isupper() and alike and not _OF_AXIS.search(words)


def _is_all_bold(pages: Sequence[Page]) -> bool:
    """Tell whether most of a paper counts as bold, as where fonts state the weight of their stems."""
    lines = [(each.end - each.start, each.bold) for page in pages for each in page.lines]
    return 2 * sum(length for length, bold in lines if bold) > sum(length for length, _ in lines)


def _ordinal(text: str) -> tuple[int, ...]:
    """Return the number that a heading begins with: (2, 1) of "2.1 Samples", empty where it has none."""
    match = re.match(r"(\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+[A-Z]", text)
    return tuple(map(int, match[1].split("."))) if match else ()


def _follows(number: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Tell whether a number of a heading may be the next one: 2.1, 2.2 and 3 behind 2.1, or 1 behind none."""
    if not before:
        return number == (1,)
    next_ones = {(*before, 1), *((*before[:deep], before[deep] + 1) for deep in range(len(before)))}
    return number in next_ones


def _is_short(page: Page, line: Line) -> bool:
    """Tell whether a line ends long before the widest line of its page, as the end of a paragraph may."""
    return line.box[2] - line.box[0] < 0.75 * max(each.box[2] - each.box[0] for each in page.lines)


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
            and page.text[page.lines[last].end : page.lines[last + 1].start]
            in ("\n", "")  # a hyphen was taken out
            and not (is_table and _is_over(page, page.lines[last], page.lines[last + 1], line))
        ):
            last += 1
        if is_table and index < last < len(page.lines) - 1:
            last -= stands_over(page, page.lines[last], page.lines[last + 1])
        block = page.lines[index : last + 1]
        kind = "table" if is_table else "figure"
        name = " ".join(match.group().split()).rstrip(".:|–- ")
        start, end = line.start, block[-1].end
        text = " ".join(page.text[start:end].split())
        found.append(Caption(kind, name, text, page.number, start, end, around([each.box for each in block])))
    return found


def _is_over(page: Page, last: Line, line: Line, first: Line) -> bool:
    """Tell whether a line behind the end of a sentence begins so far in that it is a head over columns."""
    return page.text[last.end - 1 : last.end] == "." and line.box[0] > first.box[0] + 3 * line.size


def stands_over(page: Page, head: Line, row: Line) -> bool:
    """Tell whether a line is the head of a row: both have as many cells, three or more, each over its own.

    Gaps between cells may be hardly wider than those between words, so that no tab parts them.
    """
    cells = _parts(page, row)
    heads = _parts(page, head) if len(cells) > 2 else []
    return len(heads) == len(cells) and all(
        one[0] < other[1] and other[0] < one[1] for one, other in zip(heads, cells, strict=True)
    )


def _parts(page: Page, line: Line) -> list[tuple[float, float]]:
    """Return from where to where the parts of a line go that `CELL_SPACE` parts."""
    boxes = sorted(page.boxes[each] for each in page.at[line.start : line.end] if each >= 0)
    parts: list[tuple[float, float]] = []
    for left, _, right, _ in boxes:
        if parts and left - parts[-1][1] < CELL_SPACE * line.size:
            parts[-1] = (parts[-1][0], max(parts[-1][1], right))
        else:
            parts.append((left, right))
    return parts


def _runs_on(page: Page, before: Line, line: Line) -> bool:
    """Tell whether a line goes on with a sentence of the line before it: "as in Fig. 2 and / Table 4. Under"."""
    said = page.text[before.start : before.end]
    apart = page.text[before.end : line.start] == "\n\n" or abs(before.size - line.size) > 0.06 * line.size
    return not apart and "\t" not in said and said[-1:] not in ".:;)]"


def _text(page: Page, line: Line) -> str:
    return " ".join(plain(page.text[line.start : line.end]).split())


def _apart(page: Page, index: int, size: float) -> tuple[bool, bool]:
    """Return whether a line is a block of its own above and below; what stands over it may be a title."""
    line = page.lines[index]
    above = page.lines[index - 1] if index else None
    before = (
        above is None
        or page.text[above.end : line.start] == "\n\n"
        or (above.size > LARGER * size and above.size >= line.size)
    )
    behind = index + 1 == len(page.lines) or page.text[line.end : page.lines[index + 1].start] == "\n\n"
    return before, behind
