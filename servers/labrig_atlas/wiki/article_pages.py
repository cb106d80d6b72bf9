"""Labrig's own short articles as pages of a wiki, whose source line says whose text it is."""

from __future__ import annotations

import re

from labrig_atlas.articles import LINK, Article
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import Block, Cell, Field, Page, Run, Runs, Section, Table, Value, plain
from labrig_atlas.wiki.values import values_of

_CELL = re.compile(r"\|(?![^\[\]]*\]\])")
"""A bar that parts cells: not the one within a link."""


def article_page(article: Article, identity: Identity, *, made_up: bool = False) -> Page:
    """Return an article as a page.

    Parameters
    ----------
    made_up
        Whether its subject is fictional.
    """
    tables: list[Table] = []
    sections = [Section("", 1, "", _blocks(article.lead, identity, 0, tables))]
    for number, each in enumerate(article.sections, 1):
        anchor = each.title.replace(" ", "_")
        sections.append(Section(each.title, 2, anchor, _blocks(each.text, identity, number, tables)))
    return Page(
        title=identity.title,
        address=identity.address,
        sections=tuple(sections),
        infobox=tuple(_fields(article, identity)),
        tables=tuple(tables),
        categories=(article.kind,),
        coordinates=article.coordinates,
        languages=article.languages or None,
        source=source_line(article, made_up=made_up),
        made_up=made_up,
    )


def source_line(article: Article, *, made_up: bool) -> str:
    """Return what a page of ours says of itself."""
    if made_up:
        return (
            "Fictional: Labrig's own article on a world that was made from a seed ("
            + "; ".join(article.sources)
            + ")"
        )
    return "Labrig's own short article, not Wikipedia's text; facts from: " + "; ".join(article.sources)


def _fields(article: Article, identity: Identity) -> list[Field]:
    fields = []
    for label, text in article.infobox.items():
        runs = _runs(text, identity)
        fields.append(Field(label, "", runs, values=values_of(plain(runs), label=label)))
    if article.coordinates and not any("oordinates" in label for label in article.infobox):
        latitude, longitude = article.coordinates
        text = f"{abs(latitude):g}°{'N' if latitude >= 0 else 'S'} {abs(longitude):g}°{'E' if longitude >= 0 else 'W'}"
        value = Value("coordinates", text, latitude=latitude, longitude=longitude)
        fields.append(Field("Coordinates", "", (Run(text),), values=(value,)))
    return fields


def _blocks(text: str, identity: Identity, section: int, tables: list[Table]) -> tuple[Block, ...]:
    """Return paragraphs, items (lines with ``- ``) and tables; the tables are added to `tables`."""
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.strip().split("\n")]
        while lines:
            kind = _kind(lines[0])
            count = next((at for at, line in enumerate(lines) if _kind(line) != kind), len(lines))
            part, lines = lines[:count], lines[count:]
            if kind == "table":
                tables.append(_table(part, identity, section))
                blocks.append(Block("table", table=len(tables) - 1))
            elif kind == "item":
                blocks += [Block("item", _runs(line[2:], identity), 1, "-") for line in part]
            elif any(part):
                blocks.append(Block("paragraph", _runs(" ".join(part), identity)))
    return tuple(blocks)


def _kind(line: str) -> str:
    return "table" if line.startswith("|") else "item" if line.startswith("- ") else "paragraph"


def _table(lines: list[str], identity: Identity, section: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        if re.fullmatch(r"[|\s:-]+", line) and "-" in line:
            continue  # the rule below a head, as Markdown has it
        cells = [each.strip() for each in _CELL.split(line.strip("|"))]
        rows.append(tuple(Cell(_runs(each, identity), header=not rows) for each in cells))
    return Table(section, "", tuple(rows))


def _runs(text: str, identity: Identity) -> Runs:
    """Return a text with ``[[links]]`` as runs."""
    runs: list[Run] = []
    at = 0
    for found in LINK.finditer(text):
        if found.start() > at:
            runs.append(Run(text[at : found.start()]))
        runs.append(Run((found[2] or found[1]).strip(), str(identity.titled(found[1].strip()))))
        at = found.end()
    if at < len(text):
        runs.append(Run(text[at:]))
    return tuple(runs)
