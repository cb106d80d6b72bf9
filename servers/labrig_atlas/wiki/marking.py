"""Sections and pages as Markdown, each link known by its place in the text, so that a slice never cuts one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from labrig_atlas.wiki.grids import cells_of
from labrig_atlas.wiki.page import Block, Page, Run, Runs, Section, Table

PUBLISHED_CHARS = 100_000
PUBLISHED_END = "\n\n... [truncated]"
_MARKS = (("c", "`"), ("b", "**"), ("i", "*"))
MOST_LINK_WORDS = 500
"""Characters of a link's words that are kept together; behind them the words go on without the link."""


@dataclass(frozen=True)
class Marked:
    """Markdown with the places of what is in it, in characters.

    Attributes
    ----------
    links
        (start, end) of each link, in order, none in another.
    sections
        (start, number) of each section, in order.
    """

    text: str
    links: tuple[tuple[int, int], ...] = ()
    sections: tuple[tuple[int, int], ...] = ()


class _Writer:
    """Collects Markdown and the places of links."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._links: list[tuple[int, int]] = []
        self._sections: list[tuple[int, int]] = []

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def link(self, words: str, address: str) -> None:
        start = self._length
        self.add(f"[{words}]({_address(address)})")
        self._links.append((start, self._length))

    def section(self, number: int) -> None:
        self._sections.append((self._length, number))

    def done(self) -> Marked:
        return Marked("".join(self._parts), tuple(self._links), tuple(self._sections))


def section_marked(page: Page, numbers: Iterable[int]) -> Marked:
    """Return sections as Markdown with ATX headings, in the order of their numbers; the lead has no heading."""
    writer = _Writer()
    begun = False
    for number in numbers:
        section = page.sections[number]
        writer.section(number)
        if section.title:
            writer.add(("\n\n" if begun else "") + "#" * max(2, section.level) + f" {section.title}")
            begun = True
        begun = _blocks(writer, page, section, begun) or begun
    return writer.done()


def page_marked(page: Page) -> Marked:
    """Return a whole page as Markdown: title, hatnotes, infobox as a table, lead, sections, tables."""
    writer = _Writer()
    writer.add(f"# {page.title}")
    for runs in page.hatnotes:
        writer.add("\n\n")
        _runs(writer, tuple(Run(run.text, run.link, run.style or "i") for run in runs))
    if page.infobox:
        writer.add("\n\n| | |\n| --- | --- |")
        group = ""
        for field in page.infobox:
            if field.group != group:
                group = field.group
                if group:
                    writer.add(f"\n| **{_cell(group)}** | |")
            writer.add(f"\n| {_cell(field.label)} | ")
            _runs(writer, field.runs, in_cell=True)
            writer.add(" |")
    for section in page.sections:
        if section.title:
            writer.add("\n\n" + "#" * max(2, section.level) + f" {section.title}")
        _blocks(writer, page, section, True)
    return writer.done()


def as_published(page: Page, *, most: int = PUBLISHED_CHARS) -> str:
    """Return a page as the published ``fetch_webpage`` gives one.

    Its first line is the title, then how many language editions there are (where that is known), then the page as
    Markdown; what is longer than `most` characters is cut there, wherever that is, and ends with ``... [truncated]``.
    """
    text = page_marked(page).text
    title = f"# {page.title}"
    if page.languages is not None:
        text = f"{title}\n\n**Language editions:** {page.languages}{text[len(title) :]}"
    text += "\n"
    return text if len(text) <= most else text[:most] + PUBLISHED_END


def _blocks(writer: _Writer, page: Page, section: Section, begun: bool) -> bool:
    """Write the blocks of a section; True if there was one. Items of a list follow each other without a blank line."""
    before: Block | None = None
    for block in section.blocks:
        together = before is not None and before.kind == block.kind == "item"
        if begun or before is not None:
            writer.add("\n" if together else "\n\n")
        if block.kind == "table":
            if 0 <= block.table < len(page.tables):
                _table(writer, page.tables[block.table])
        elif block.kind == "code":
            writer.add("```\n" + "".join(run.text for run in block.runs) + "\n```")
        else:
            if block.kind == "item":
                indent = "  " * (block.depth - 1)
                writer.add(f"{indent}{block.marker} " if block.marker else f"{indent}  ")
            elif block.kind == "quote":
                writer.add("> ")
            elif block.kind == "caption":
                writer.add("Caption: ")
            _runs(writer, block.runs, newline="\n> " if block.kind == "quote" else "\n")
        before = block
    return before is not None


def _runs(writer: _Writer, runs: Runs, *, in_cell: bool = False, newline: str = "\n") -> None:
    """Write runs; those of one link together, white space outside of marks."""
    number = 0
    while number < len(runs):
        link = runs[number].link
        end = number + 1
        while link and end < len(runs) and runs[end].link == link:
            end += 1
        text = "".join(_styled(run, in_cell, newline) for run in runs[number:end])
        if link and text.strip():
            words = text.strip()
            writer.add(text[: len(text) - len(text.lstrip())])
            if len(words) > MOST_LINK_WORDS:
                writer.link(_words(words[:MOST_LINK_WORDS]), link)
                writer.add(words[MOST_LINK_WORDS:])
            else:
                writer.link(_words(words), link)
            writer.add(text[len(text.rstrip()) :])
        else:
            writer.add(text)
        number = end


def _styled(run: Run, in_cell: bool, newline: str) -> str:
    text = run.text.replace("\n", "<br>" if in_cell else newline)
    if in_cell:
        text = text.replace("|", "\\|")
    inner = text.strip()
    if not inner or inner == "<br>":
        return text
    for style, mark in _MARKS:
        if style in run.style:
            inner = f"{mark}{inner}{mark}"
    return text[: len(text) - len(text.lstrip())] + inner + text[len(text.rstrip()) :]


def _words(text: str) -> str:
    return text.replace("[", "\\[").replace("]", "\\]")


def _address(address: str) -> str:
    """Return an address as it stands in a link: its brackets encoded where they do not close."""
    depth = 0
    for letter in address:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    return address.replace("(", "%28").replace(")", "%29") if depth else address


def _table(writer: _Writer, table: Table) -> None:
    """Write a table of Markdown; a cell that spans several places is repeated in each."""
    cells = cells_of(table)
    if table.caption:
        writer.add(f"**{_cell(table.caption)}**\n\n")
    head = all(cell.header or not cell.runs for cell in cells[0])
    width = len(cells[0])
    if not head:
        writer.add("|" + " |" * width + "\n|" + " --- |" * width)
    for number, row in enumerate(cells):
        writer.add("|" if head and number == 0 else "\n|")
        for cell in row:
            writer.add(" ")
            _runs(writer, cell.runs, in_cell=True)
            writer.add(" |")
        if head and number == 0:
            writer.add("\n|" + " --- |" * width)
    if table.cut:
        writer.add(f"\n\n{table.cut:,} more rows are left out.")


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
