"""What is shown of a page, each in a bounded size: outline, slices of sections, links, tables, places of words.

All of them are functions of a `Page`; none looks anything up. Sizes are bytes of UTF-8, as they count in an answer.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import unquote

from labrig.canonical import content_hash
from labrig.errors import LabrigError, nearest
from labrig.tools import cursor as cursors
from labrig_atlas.wiki.grids import Grid, grid
from labrig_atlas.wiki.identity import anchor_of
from labrig_atlas.wiki.marking import Marked, section_marked
from labrig_atlas.wiki.page import Field, Link, Page, Section, links_in

LEAST_BYTES = 200
"""Of a slice; with less, a single link may not fit."""
INFOBOX = "infobox"
"""A section by this name is the infobox, where a page has no section that is called so."""


@dataclass(frozen=True)
class Line:
    """A section in an outline.

    Attributes
    ----------
    number
        What other functions take for the section, as do its title and anchor; 0 is the lead.
    level
        1 for the lead, 2 for sections, 3 for those below.
    chars
        Of its own text, tables included: without the addresses of links, and without the sections below it.
    """

    number: int
    title: str
    level: int
    anchor: str
    chars: int


@dataclass(frozen=True)
class Slice:
    """A part of a page's text.

    Attributes
    ----------
    text
        Markdown.
    section, title
        Where it begins.
    start, total
        Its place in the Markdown of what was asked, and the length of that, in characters.
    cursor
        For the part that follows; empty at the end.
    """

    text: str
    section: int
    title: str
    start: int
    total: int
    cursor: str


@dataclass(frozen=True)
class Hit:
    """A place in a page where words stand.

    Attributes
    ----------
    section, title
        Where; title is empty for the lead, and ``infobox`` for a field of it.
    excerpt
        The words with what is around them, on one line.
    """

    section: int
    title: str
    excerpt: str


def outline(page: Page) -> list[Line]:
    """Return the sections of a page in order, with their sizes."""
    return [
        Line(number, each.title, each.level, each.anchor, _chars(page, each))
        for number, each in enumerate(page.sections)
    ]


def overview(page: Page, *, most_bytes: int = 6_000) -> dict[str, Any]:
    """Return what one sees of a page first: title, lead, infobox and outline, within a size.

    Parameters
    ----------
    most_bytes
        Of JSON, at least 2,000. The lead takes up to a third of it, the infobox up to 45 %, the outline the rest.

    Returns
    -------
    dict
        ``title``, ``address``, ``source``, ``lead``, ``infobox`` (`field_dict` of each), ``sections`` (`Line` of each),
        and where they hold ``redirected_from``, ``coordinates`` (latitude, longitude), ``languages``,
        ``disambiguation``, ``hatnotes``, ``notes``, ``made_up``, and ``left_out``: how many fields, sections and
        characters of the lead, which the other functions of this module give.
    """
    if most_bytes < 2_000:
        raise LabrigError("An overview takes more bytes", where="most_bytes", expected="2,000 or more")
    shown: dict[str, Any] = {"title": page.title, "address": page.address, "source": page.source}
    if page.redirected_from:
        shown["redirected_from"] = page.redirected_from
    if page.coordinates:
        shown["coordinates"] = {"latitude": page.coordinates[0], "longitude": page.coordinates[1]}
    if page.languages is not None:
        shown["languages"] = page.languages
    if page.disambiguation:
        shown["disambiguation"] = True
    if page.made_up:
        shown["made_up"] = True
    if page.notes:
        shown["notes"] = [_clipped(each, 200) for each in page.notes[:5]]
    if page.hatnotes:
        shown["hatnotes"] = [_clipped("".join(run.text for run in runs), 200) for runs in page.hatnotes[:3]]
    left_out: dict[str, int] = {}
    whole = page.lead
    shown["lead"] = _clipped(whole, most_bytes // 3)
    if shown["lead"] != whole:
        left_out["lead_chars"] = len(whole) - len(shown["lead"])
    fields: list[dict[str, Any]] = []
    room = most_bytes * 45 // 100
    for each in page.infobox:
        written = field_dict(each, most_bytes=most_bytes // 8)
        room -= len(_json(written)) + 1
        if room < 0 and fields:
            break
        fields.append(written)
    shown["infobox"] = fields
    lines = [asdict(each) for each in outline(page)]
    room = most_bytes - len(_json(shown)) - 150
    kept = cursors.fitting(lines, max(0, room)) if lines else 0
    shown["sections"] = lines[:kept]
    if len(fields) < len(page.infobox):
        left_out["fields"] = len(page.infobox) - len(fields)
    if kept < len(lines):
        left_out["sections"] = len(lines) - kept
    if left_out:
        shown["left_out"] = left_out
    return shown


def field_dict(field: Field, *, most_bytes: int = 1_000) -> dict[str, Any]:
    """Return a field of an infobox as plain data, its text and lists cut to a size.

    Returns
    -------
    dict
        ``label``, ``text``, and where it has them ``group``, ``items``, ``values`` (`Value.to_dict`), ``links``
        (text and address).
    """
    shown: dict[str, Any] = {
        "label": _clipped(field.label, 100),
        "text": _clipped(field.text, most_bytes // 2),
    }
    if field.group:
        shown["group"] = _clipped(field.group, 100)
    links = [{"text": each.text, "address": each.address} for each in links_in(field.runs, 0, INFOBOX)]
    values = [{**each.to_dict(), "text": _clipped(each.text, 100)} for each in field.values]
    for name, entries in (("values", values), ("links", links), ("items", list(field.items))):
        room = most_bytes - len(_json(shown))
        if entries and room > 60:
            count = cursors.fitting(entries, room)
            if count > 1 or len(_json(entries[0])) <= room:
                shown[name] = entries[:count]
    return shown


def section_number(page: Page, asked: str | int) -> int:
    """Return the number of a section that is named by number, title or anchor; an empty text is the lead.

    Raises
    ------
    LabrigError
        ``not_found`` with the nearest titles; ``bad_input`` for a title that several sections have.
    """
    if isinstance(asked, int) or asked.strip().isdigit():
        number = int(asked)
        if 0 <= number < len(page.sections):
            return number
        exact = [
            at for at, each in enumerate(page.sections) if each.title == str(asked)
        ]  # a year can be a title
        if exact:
            return exact[0]
        raise LabrigError(
            f"{page.title} has no section {number}",
            where="section",
            expected=f"0 to {len(page.sections) - 1}",
            code="not_found",
        )
    name = asked.strip().lstrip("#")
    if not name:
        return 0
    words = _folded(_anchor(name))
    by_anchor = [number for number, each in enumerate(page.sections) if each.anchor and each.anchor == name]
    if by_anchor:
        return by_anchor[0]
    found = [
        number
        for number, each in enumerate(page.sections)
        if words
        in (_folded(each.title), _folded(_anchor(each.anchor)), _folded(_anchor(_undotted(each.anchor))))
        or _folded(_undotted(name).replace("_", " ")) == _folded(each.title)
    ]
    if len(found) == 1 or (found and len({page.sections[number].level for number in found}) > 1):
        return min(found, key=lambda number: (page.sections[number].level, number))
    if found:
        raise LabrigError(
            f"{page.title} has {len(found)} sections named {name!r}",
            where="section",
            expected="one of the numbers " + ", ".join(map(str, found)),
        )
    if words in ("lead", "introduction", "summary"):
        return 0
    close = nearest(name, [each.title for each in page.sections if each.title])
    titles = [f"{number} {each.title}" for number, each in enumerate(page.sections) if each.title]
    raise LabrigError(
        f"{page.title} has no section {name!r}",
        where="section",
        expected="one of " + "; ".join(titles[:30]) if titles else "the lead, 0",
        try_="did you mean " + " or ".join(close) + "?" if close else "",
        code="not_found",
    )


def below(page: Page, number: int) -> list[int]:
    """Return a section's number and those of the sections below it; for the lead its own alone."""
    numbers = [number]
    if number:
        level = page.sections[number].level
        for following in range(number + 1, len(page.sections)):
            if page.sections[following].level <= level:
                break
            numbers.append(following)
    return numbers


def read(page: Page, *, section: str | int = "", cursor: str = "", most_bytes: int = 4_000) -> Slice:
    """Return a slice of a page's text as Markdown: from a section on, within its sections below, to a size.

    Parameters
    ----------
    section
        Number, title or anchor; an empty text for the whole page from its lead on.
    cursor
        Of the slice before.
    most_bytes
        Of text in UTF-8, at least 200. A slice ends between paragraphs where one ends in its second half, else between
        lines, sentences or words; never inside a link or a character that is written with several code points. A link
        alone that is longer is given whole.

    Raises
    ------
    LabrigError
        ``not_found`` for a section that is not there; ``bad_input`` for a cursor of other arguments or another text.
    """
    if most_bytes < LEAST_BYTES:
        raise LabrigError("A slice is longer", where="most_bytes", expected=f"{LEAST_BYTES} or more")
    first = section_number(page, section) if section != "" else 0
    numbers = below(page, first) if section != "" else list(range(len(page.sections)))
    marked = section_marked(page, numbers)
    question = [page.address, numbers, content_hash(marked.text)[:12]]
    start = cursors.decode(cursor, question) if cursor else 0
    if start > len(marked.text):
        raise LabrigError("This cursor is behind the end of the text", where="cursor")
    end = cut_at(marked, start, most_bytes)
    text = marked.text[start:end]
    where = _section_at(marked, start, first)
    following = cursors.encode(question, end) if end < len(marked.text) else ""
    return Slice(text, where, page.sections[where].title, start, len(marked.text), following)


def cut_at(marked: Marked, start: int, most_bytes: int) -> int:
    """Return where a slice ends that begins at `start` and has at most so many bytes: the best place to cut."""
    text = marked.text
    limit, size = start, 0
    while limit < len(text):
        size += _bytes(text[limit])
        if size > most_bytes:
            break
        limit += 1
    if limit >= len(text):
        return len(text)
    half = start + (limit - start) // 2
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, half, limit)
        while at >= half:
            end = at + len(mark)
            if end > start and _outside(marked, end) == end and not _joined(text, end):
                return end
            at = text.rfind(mark, half, at)
    end = _outside(marked, limit)
    while end > start and end == limit and _joined(text, limit):
        limit -= 1
        end = _outside(marked, limit)
    if end > start:
        return end
    position = bisect_right(marked.links, (start, len(text))) - 1
    if position >= 0 and marked.links[position][0] <= start < marked.links[position][1]:
        return marked.links[position][1]  # the link alone is longer
    end = start + 1
    while end < len(text) and _joined(text, end):
        end += 1
    return end


def links(
    page: Page, *, section: str | int = "", text: str = "", place: str = "", outside: bool = True
) -> list[Link]:
    """Return the links of a page in its order, each place and address once.

    Parameters
    ----------
    section
        Number, title or anchor of the section (with those below it), ``infobox``, or empty for all.
    text
        Words that stand in the link's text or its address, case and accents ignored.
    place
        ``text``, ``infobox``, ``table`` or ``hatnote``; empty for all.
    outside
        Whether links to other hosts than the page's are among them.
    """
    if isinstance(section, str) and section.strip().lower() == INFOBOX and not _has_title(page, INFOBOX):
        section, place = "", INFOBOX
    numbers = set(below(page, section_number(page, section))) if section != "" else None
    host = page.address.split("/")[2] if page.address.count("/") > 2 else ""
    words = _folded(text)
    found: dict[tuple[str, str, int, str], Link] = {}
    for link in page.links():
        if numbers is not None and link.section not in numbers:
            continue
        if place and link.place != place:
            continue
        if not outside and link.address.split("/")[2] != host:
            continue
        if words and words not in _folded(link.text) and words not in _folded(_anchor(link.address)):
            continue
        found.setdefault((link.text, link.address, link.section, link.label), link)
    return list(found.values())


def table(page: Page, number: int) -> Grid:
    """Return a table of a page as a grid, spans resolved.

    Raises
    ------
    LabrigError
        ``not_found`` for a number that no table has.
    """
    if not 0 <= number < len(page.tables):
        raise LabrigError(
            f"{page.title} has no table {number}",
            where="table",
            expected=f"0 to {len(page.tables) - 1}"
            if page.tables
            else "a page with tables; this one has none",
            code="not_found",
        )
    return grid(page.tables[number])


def find(page: Page, words: str, *, around: int = 100, most: int = 20) -> tuple[list[Hit], int]:
    """Return where words stand in a page, and how many places there are; case, accents and white space are ignored.

    Parameters
    ----------
    around
        Characters that are shown on each side.
    """
    wanted = _folded(" ".join(words.split()))
    if not wanted:
        raise LabrigError("There is nothing to find", where="words", expected="one word or more")
    hits: list[Hit] = []
    count = 0
    texts: list[tuple[int, str, str]] = [
        (0, INFOBOX, f"{' '.join(filter(None, (each.group, each.label)))}: {each.text}")
        for each in page.infobox
    ]
    for number, section in enumerate(page.sections):
        texts += [(number, section.title, section.title)] if section.title else []
        for block in section.blocks:
            if block.kind == "table" and 0 <= block.table < len(page.tables):
                rows = page.tables[block.table].rows
                texts += [(number, section.title, " | ".join(cell.text for cell in row)) for row in rows]
            else:
                texts.append((number, section.title, "".join(run.text for run in block.runs)))
    for number, title, text in texts:
        line = " ".join(text.split())
        folded, places = _folded_with_places(line)
        at = folded.find(wanted)
        while at >= 0:
            count += 1
            if len(hits) < most:
                start, end = places[at], places[at + len(wanted) - 1] + 1
                hits.append(Hit(number, title, _excerpt(line, start, end, around)))
            at = folded.find(wanted, at + len(wanted))
    return hits, count


def _anchor(address: str) -> str:
    """Return an anchor or an address as words."""
    try:
        return anchor_of(address)
    except LabrigError:
        return address


def _section_at(marked: Marked, start: int, first: int) -> int:
    """Return the section that the text at a place belongs to."""
    position = bisect_right(marked.sections, (start, len(marked.text))) - 1
    return marked.sections[position][1] if position >= 0 else first


def _chars(page: Page, section: Section) -> int:
    """Return how many characters a reader sees of a section."""
    count = 0
    for block in section.blocks:
        count += sum(len(run.text) for run in block.runs)
        if block.kind == "table" and 0 <= block.table < len(page.tables):
            rows = page.tables[block.table].rows
            count += sum(len(run.text) for row in rows for cell in row for run in cell.runs)
    return count


def _outside(marked: Marked, end: int) -> int:
    """Return `end`, or where the link begins that it stands in."""
    position = bisect_right(marked.links, (end, -1)) - 1
    if position >= 0:
        start, stop = marked.links[position]
        if start < end < stop:
            return start
    return end


def _joined(text: str, at: int) -> bool:
    """Tell whether the code points on both sides of a place are one character to a reader."""
    if at <= 0 or at >= len(text):
        return False
    after, before = text[at], text[at - 1]
    return (
        unicodedata.combining(after) != 0
        or unicodedata.category(after) in ("Mn", "Me", "Mc")
        or after in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
        or (before == "\r" and after == "\n")
    )


def _bytes(letter: str) -> int:
    code = ord(letter)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _folded(text: str) -> str:
    return _folded_with_places(text)[0]


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """Return a text without case and accents, and for each of its characters the place that it has in `text`."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    folded: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text):
        for each in unicodedata.normalize("NFKD", letter).casefold():
            if not unicodedata.combining(each):
                folded.append(each)
                places.append(at)
    return "".join(folded), places


def _undotted(anchor: str) -> str:
    """Return an anchor in which bytes were written as ``.E2``, MediaWiki's older form, as text."""
    if not re.search(r"\.[0-9A-F]{2}", anchor):
        return anchor
    try:
        return unquote(re.sub(r"\.([0-9A-F]{2})", r"%\1", anchor), errors="strict")
    except UnicodeDecodeError:
        return anchor


def _has_title(page: Page, title: str) -> bool:
    return any(each.title.lower() == title for each in page.sections)


def _excerpt(line: str, start: int, end: int, around: int) -> str:
    left, right = max(0, start - around), min(len(line), end + around)
    return ("…" if left else "") + line[left:right] + ("…" if right < len(line) else "")


def _clipped(text: str, most_bytes: int) -> str:
    """Return a text of at most so many bytes, cut between words where that is near, with ``…`` behind."""
    if len(text.encode()) <= most_bytes:
        return text
    end = cut_at(Marked(text), 0, max(1, most_bytes - 3))
    return text[:end].rstrip() + "…"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
