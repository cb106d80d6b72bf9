"""What a page says, read from what the paper's ``fetch_webpage`` gives: Markdown, or HTML.

A fact is named as a leg keeps it: ``Elevation (infobox)``, ``first year (prose)`` and ``row 2, column Height
(cross_section)`` with the section, ``the title of the page``.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labrig_suites.amazing_race.values import YEAR, quantity

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_ANCHOR = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_CELL = re.compile(r"(?<!\\)\|")
_TARGET = re.compile(
    r"(?:row (?P<row>\d+), column (?P<column>.*)|(?P<label>.*)) \((?P<how>infobox|prose|cross_section)\)"
)
TITLE = "the title of the page"


class NotThere(Exception):
    """The page does not say it."""


@dataclass(frozen=True)
class PageText:
    """The parts of a page that a race asks for; cells and paragraphs are marked text, with their links."""

    title: str
    infobox: dict[str, str]
    sections: dict[str, tuple[str, list[list[str]]]]
    is_html: bool

    def plain(self, marked: str) -> str:
        """Return marked text as a reader sees it."""
        if self.is_html:
            return " ".join(html.unescape(_TAG.sub("", marked)).split())
        return " ".join(re.sub(r"\\(.)", r"\1", _LINK.sub(lambda found: found[1], marked)).split())

    def link(self, marked: str) -> str:
        """Return the address that marked text links to first."""
        found = self.links(marked)
        if not found:
            raise NotThere("a link")
        return found[0]

    def links(self, marked: str) -> list[str]:
        """Return the addresses that marked text links to, in order."""
        if self.is_html:
            return [html.unescape(address) for address, _ in _ANCHOR.findall(marked)]
        return [address for _, address in _LINK.findall(marked)]

    @cached_property
    def addresses(self) -> frozenset[str]:
        """All addresses that the page links to."""
        tables = (cell for _, table in self.sections.values() for row in table for cell in row)
        marked = (*self.infobox.values(), *(prose for prose, _ in self.sections.values()), *tables)
        return frozenset(address for each in marked for address in self.links(each))

    def cell(self, label: str) -> str:
        """Return the marked text of a field of the infobox."""
        if label not in self.infobox:
            raise NotThere(label)
        return self.infobox[label]

    def value(self, target: str, section: str | None, kind: str) -> Any:
        """Return the value of a fact.

        Parameters
        ----------
        kind
            ``number``, ``date`` or ``text``, as the leg says.

        Raises
        ------
        NotThere
            Where the page does not hold it.
        """
        if target == TITLE:
            return self.title.partition(" (")[0]
        named = _TARGET.fullmatch(target)
        if named is None:
            raise NotThere(target)
        if named["how"] == "infobox":
            said = self.plain(self.cell(named["label"]))
            return _number(said) if kind == "number" else said
        if section not in self.sections:
            raise NotThere(f"section {section}")
        prose, table = self.sections[section]
        if named["how"] == "prose":
            years = YEAR.findall(self.plain(prose))
            if not years:
                raise NotThere("a year")
            return int(years[0])
        if named["row"] is None:
            return len(table) - 1
        head = [self.plain(each) for each in table[0]] if table else []
        row = int(named["row"])
        if named["column"] not in head or row >= len(table):
            raise NotThere(target)
        return _number(self.plain(table[row][head.index(named["column"])]))


def _number(said: str) -> float:
    found = quantity(said)
    if found is None:
        raise NotThere(f"a number in {said[:40]!r}")
    return found[0]


def read_markdown(text: str) -> PageText:
    """Read a page as Markdown."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# "):
        raise NotThere("a title")
    infobox: dict[str, str] = {}
    sections: dict[str, tuple[str, list[list[str]]]] = {}
    heading, prose, table = "", list[str](), list[list[str]]()
    for line in [*lines[1:], "## "]:
        if line.startswith("## ") or line.startswith("### "):
            sections.setdefault(heading, ("\n".join(prose), table))
            heading, prose, table = line.lstrip("# ").strip(), [], []
        elif line.startswith("|"):
            cells = [each.strip() for each in _CELL.split(line.strip())[1:-1]]
            if set("".join(cells)) <= set("- :"):
                continue
            if heading:
                table.append(cells)
            elif len(cells) == 2:
                infobox.setdefault(re.sub(r"\\(.)", r"\1", cells[0]), cells[1])
        else:
            prose.append(line)
    return PageText(re.sub(r"\\(.)", r"\1", lines[0][2:].strip()), infobox, sections, False)


def read_html(text: str) -> PageText:
    """Read a page as HTML, in the form of the bundled world's pages."""
    title = re.search(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)
    if title is None:
        raise NotThere("a title")
    box, _, body = text.partition('<table class="infobox">')[2].partition("</table>")
    infobox: dict[str, str] = {}
    for label, data in re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>", box, re.DOTALL):
        infobox.setdefault(" ".join(html.unescape(_TAG.sub("", label)).split()), data)
    sections: dict[str, tuple[str, list[list[str]]]] = {}
    for piece in re.split(r"<h[23][^>]*>", f"</h>{body}"):
        heading, _, rest = piece.partition("</h")
        table = [
            re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
            for row in re.findall(r"<tr>(.*?)</tr>", rest, re.DOTALL)
        ]
        prose = re.sub(r"<table.*?</table>", "", rest.partition(">")[2], flags=re.DOTALL)
        sections.setdefault(html.unescape(heading).strip(), (prose, table))
    return PageText(html.unescape(_TAG.sub("", title[1])).strip(), infobox, sections, True)
