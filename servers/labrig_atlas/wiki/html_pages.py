"""A page of HTML as a `Page`: MediaWiki's output (``action=parse``, Parsoid, a whole page) or any page of the web.

Called in a child process (`labrig_atlas.wiki.inside`), where a page that is made to take for ever takes its time alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urljoin

from selectolax.lexbor import LexborHTMLParser

from labrig.errors import LabrigError
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.infoboxes import fields_of, is_infobox, title_of
from labrig_atlas.wiki.page import Block, BlockKind, Field, Page, Run, Runs, Section, Table
from labrig_atlas.wiki.tables import MOST_CELLS, is_data, table_of
from labrig_atlas.wiki.walking import Walk, classes_of, is_references, is_unseen
from labrig_atlas.wiki.wording import BLOCKS, Words, formula_of, runs_of, text_of

MOST_TEXT = 4_000_000
"""Characters of a page that are kept; what comes then is left out, and the page says so."""
_PIECE = 16
"""What a piece of text counts for besides its characters: a page of a million one-letter paragraphs is long."""
MOST_TABLE_CELLS = 5 * MOST_CELLS
"""Of all tables of a page."""
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CAPTIONED = frozenset(("thumb", "gallerybox", "thumbinner", "tmulti"))
_WEB_ONLY = frozenset(("nav", "footer", "aside", "form"))
_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "complementary"))
DEEPEST = 5_000
_NESTING = re.compile(
    r"<(/?)(?:div|span|section|article|main|table|ul|ol|dl|blockquote|center|font|b|i|em|strong|sup|sub|small|big|u)\b",
    re.IGNORECASE,
)
_DISAMBIGUATION = "#disambigbox, .dmbox-disambig, .disambigbox, meta[property='mw:PageProp/disambiguation']"


@dataclass
class _Part:
    """A section while it is read."""

    title: str
    level: int
    anchor: str
    blocks: list[Block] = field(default_factory=list)


def page_of(html: str, about: About) -> Page:
    """Return the page that a text of HTML holds.

    What no reader sees, boxes of links to other pages and lists of references are left out; an infobox becomes fields.
    """
    _refuse_deep(html, about.address)
    document = LexborHTMLParser(html)
    base = _base(document, about)
    title = about.title or _title(document)
    root = _root(document, about.wiki)
    reader = _Reader(base, about)
    reader.read(root)
    sections = tuple(
        Section(each.title, each.level, each.anchor, tuple(each.blocks)) for each in reader.finished(title)
    )
    categories = about.categories or _categories(document)
    disambiguation = about.disambiguation or document.css_first(_DISAMBIGUATION) is not None
    return Page(
        title=title or about.address,
        address=about.address,
        sections=sections,
        infobox=tuple(reader.infobox),
        tables=tuple(reader.tables),
        hatnotes=tuple(reader.hatnotes),
        categories=categories,
        coordinates=_coordinates(document, reader.infobox),
        languages=about.languages if about.languages is not None else _languages(document),
        disambiguation=disambiguation or any("disambiguation pages" in each.lower() for each in categories),
        redirected_from=about.redirected_from or _redirected(document),
        source=about.source,
        notes=(*about.notes, *reader.notes),
        made_up=about.made_up,
    )


def _refuse_deep(html: str, address: str) -> None:
    """Refuse what is nested absurdly: the parser's time grows with the square of the depth (200,000: two minutes)."""
    depth = 0
    for found in _NESTING.finditer(html):
        depth = max(0, depth - 1) if found.group(1) else depth + 1
        if depth > DEEPEST:
            raise LabrigError(f"The page nests more than {DEEPEST:,} elements", where=address, code="limit")


class _Reader:
    """Reads blocks in the order of the page."""

    def __init__(self, base: str, about: About) -> None:
        self._base, self._about = base, about
        self._words = Words(base, about.address)
        self._parts = [_Part("", 1, "")]
        self._lists: list[
            int
        ] = []  # for each list that is open the last number of its items, -1 without numbers
        self._item = ""
        self._quotes = 0
        self._size = self._cells = self._boxes = 0
        self.infobox: list[Field] = []
        self.tables: list[Table] = []
        self.hatnotes: list[Runs] = []
        self.notes: list[str] = []

    def read(self, root: Any) -> None:
        """Read all below a node."""
        walk = Walk(root)
        for event, node in walk:
            if self._size > MOST_TEXT:
                self._note(f"the page is longer than {MOST_TEXT:,} characters: the rest is left out")
                break
            if event == "text":
                text = node.text_content or ""
                self._size += len(text) + _PIECE
                self._words.text(text)
            elif event == "close":
                self._close(node.tag)
            elif self._opened(node):
                walk.skip()
        self._flush()

    def finished(self, title: str) -> list[_Part]:
        """Return the sections; a first heading that repeats the page's title is the lead's."""
        lead, *rest = self._parts
        if rest and not lead.blocks and rest[0].level == 1 and rest[0].title.strip() in (title.strip(), ""):
            return [_Part("", 1, "", rest[0].blocks), *rest[1:]]
        if rest and rest[0].level == 1 and rest[0].title.strip() == title.strip():
            return [_Part("", 1, "", lead.blocks + rest[0].blocks), *rest[1:]]
        return self._parts

    def _opened(self, node: Any) -> bool:
        """Take the beginning of an element; True where all that is in it is done with."""
        tag, attributes = node.tag, node.attributes
        classes = classes_of(attributes)
        if tag == "math" or "mwe-math-element" in classes:
            self._words.text(formula_of(node))
            return True
        if is_references(classes):
            self._note("the list of references is left out")
            return True
        if is_unseen(tag, attributes, classes) or self._is_around(tag, attributes):
            return True
        if tag in _HEADINGS:
            self._heading(node, tag)
            return True
        if is_infobox(tag, classes) and self._about.wiki:
            self._flush()
            self._infobox(node)
            return True
        if classes & {"hatnote", "dablink", "rellink"} or attributes.get("role") == "note":
            self._hatnote(node)
            return True
        if tag == "figure" or (tag in ("div", "li") and classes & _CAPTIONED):
            return self._captioned(node)
        if tag == "pre":
            self._flush()
            code = (node.text() or "").strip("\n")
            self._size += len(code)
            self._add("code", (Run(code),) if code.strip() else ())
            return True
        if tag == "table":
            return self._table(node, classes)
        if tag == "a":
            self._size += len(attributes.get("href") or "")
        self._begin(tag, attributes, classes)
        return False

    def _is_around(self, tag: str, attributes: dict[str, str | None]) -> bool:
        """Tell whether an element of a page of the web is around its text: navigation, footer."""
        return not self._about.wiki and (tag in _WEB_ONLY or (attributes.get("role") or "") in _ROLES)

    def _begin(self, tag: str, attributes: dict[str, str | None], classes: frozenset[str]) -> None:
        if tag in BLOCKS:
            self._flush()
        if tag in ("ul", "ol"):
            start = attributes.get("start") or "1"
            first = int(start[:9]) if start.isascii() and start.isdigit() else 1
            self._lists.append(first - 1 if tag == "ol" else -1)
        elif tag == "li":
            if self._lists and self._lists[-1] >= 0:
                self._lists[-1] += 1
            self._item = f"{self._lists[-1]}." if self._lists and self._lists[-1] >= 0 else "-"
        elif tag == "blockquote":
            self._quotes += 1
        self._words.open(tag, attributes, classes)

    def _close(self, tag: str) -> None:
        if tag in BLOCKS:
            self._flush()
        self._words.close(tag)
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._item = ""
        elif tag == "blockquote" and self._quotes:
            self._quotes -= 1

    def _flush(self) -> None:
        """Make a block of the words since the last one."""
        runs = self._words.take()
        if self._lists or self._item:
            self._add("item", runs, depth=max(1, len(self._lists)), marker=self._item)
            self._item = "" if runs else self._item
        else:
            self._add("quote" if self._quotes else "paragraph", runs)

    def _add(self, kind: BlockKind, runs: Runs, depth: int = 0, marker: str = "", table: int = -1) -> None:
        if runs or table >= 0:
            self._parts[-1].blocks.append(Block(kind, runs, min(depth, 20), marker, table))

    def _heading(self, node: Any, tag: str) -> None:
        self._flush()
        title = text_of(runs_of(node, self._base, ""))[:500]
        inner = node.css_first(".mw-headline[id], [id]")
        anchor = node.attributes.get("id") or (inner.attributes.get("id") if inner is not None else "") or ""
        if title:
            self._parts.append(_Part(title, _HEADINGS[tag], unquote(anchor)[:500]))

    def _infobox(self, node: Any) -> None:
        """Take the fields of an infobox; those of a second one of the page stand under its title."""
        fields = fields_of(node, self._base, self._about.address, self._about.language)
        self._boxes += bool(fields)
        if self._boxes > 1:
            box = title_of(node) or f"infobox {self._boxes}"
            fields = [replace(each, group=": ".join(filter(None, (box, each.group)))) for each in fields]
        self.infobox += fields

    def _hatnote(self, node: Any) -> None:
        self._flush()
        runs = runs_of(node, self._base, self._about.address)
        if len(self._parts) == 1:
            self.hatnotes += [runs] if runs else []
        else:
            self._add("paragraph", tuple(Run(run.text, run.link, run.style or "i") for run in runs))

    def _captioned(self, node: Any) -> bool:
        """Take the caption of a picture; True where the element is one."""
        found = node.css_first("figcaption, .thumbcaption, .gallerytext")
        if found is None:
            return node.tag == "figure" and node.css_first("table, p, pre") is None
        self._flush()
        self._add("caption", runs_of(found, self._base, self._about.address))
        return node.css_first("table, pre") is None

    def _table(self, node: Any, classes: frozenset[str]) -> bool:
        if not is_data(node, classes):
            self._flush()
            return False
        self._flush()
        if self._cells > MOST_TABLE_CELLS:
            self._note("the page has more tables than are read: the later ones are left out")
            return True
        table = table_of(node, len(self._parts) - 1, self._base, self._about.address)
        if table is not None:
            self._cells += sum(len(row) for row in table.rows)
            self._size += sum(len(run.text) for row in table.rows for cell in row for run in cell.runs)
            self.tables.append(table)
            self._add("table", (), table=len(self.tables) - 1)
            if table.cut:
                self._note(
                    f"table {len(self.tables) - 1} is longer than is read: {table.cut:,} rows are left out"
                )
        return True

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _base(document: Any, about: About) -> str:
    """Return what links are resolved against: what the page says, else the wiki's titles, else the page."""
    found = document.css_first("base[href]")
    own = (
        about.address.partition("/wiki/")[0] + "/wiki/"
        if about.wiki and "/wiki/" in about.address
        else about.address
    )
    if found is None:
        return own
    try:
        return str(urljoin(about.address, found.attributes.get("href") or ""))
    except ValueError:
        return own


def _root(document: Any, wiki: bool) -> Any:
    """Return the element that holds the text of a page."""
    body = document.body if document.body is not None else document.root
    if wiki:
        found = document.css(".mw-parser-output")
        best = (
            max(found, key=lambda each: len(each.text() or ""), default=None) if len(found) < 20 else found[0]
        )
        return best if best is not None else body
    whole = len(body.text() or "")
    for where in ("main", "[role=main]", "article", "#content", "#main"):
        found = document.css(where)
        if len(found) == 1 and 3 * len(found[0].text() or "") > whole:
            return found[0]
    return body


def _title(document: Any) -> str:
    found = document.css_first("#firstHeading")
    if found is None:
        named = document.css_first("title")
        text = (named.text() if named is not None else "") or ""
        if not text.strip():
            found = document.css_first("h1")
        else:
            return re.sub(r"\s+[-–—|]\s+Wikipedia.*$", "", " ".join(text.split()))[:500]
    return text_of(runs_of(found, "", ""))[:500] if found is not None else ""


def _categories(document: Any) -> tuple[str, ...]:
    stated = [
        unquote((each.attributes.get("href") or "").rpartition("/")[2].partition("#")[0]).partition(":")[2]
        for each in document.css("link[rel='mw:PageProp/Category']")[:500]
    ]
    listed = [each.text() or "" for each in document.css("#mw-normal-catlinks li a")[:500]]
    return tuple(dict.fromkeys(each.replace("_", " ").strip() for each in (*stated, *listed) if each.strip()))


def _languages(document: Any) -> int | None:
    """Return how many language editions a whole page links to, None where it names none."""
    return len(document.css("li.interlanguage-link")) or None


def _redirected(document: Any) -> str:
    found = document.css_first(".mw-redirectedfrom a")
    return (found.text() or "").strip() if found is not None else ""


def _coordinates(document: Any, infobox: list[Field]) -> tuple[float, float] | None:
    """Return the place of the page's subject: from its title, else from its infobox."""
    title = document.css_first("#coordinates .geo, .mw-indicator-coordinates .geo")
    numbers = re.findall(r"[-+]?\d+(?:\.\d+)?", title.text() or "") if title is not None else []
    if len(numbers) == 2 and abs(float(numbers[0])) <= 90 and abs(float(numbers[1])) <= 180:
        return float(numbers[0]), float(numbers[1])
    for each in infobox:
        for value in each.values:
            if value.kind == "coordinates" and value.latitude is not None and value.longitude is not None:
                return value.latitude, value.longitude
    return None
