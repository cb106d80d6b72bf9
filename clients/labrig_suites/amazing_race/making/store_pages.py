"""Pages of a wiki's store (a dump, a ZIM file, a folder of HTML) as those of a world, which a race may use.

A page becomes an article as ours are written, so that what it tells is read by the one reader of `making.pages`. A fact
is kept where the reader of legs finds the same on the page as `fetch_webpage` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig_atlas.articles import Article, ArticleSection
from labrig_suites.amazing_race.making.pages import Fact, Pages, RacePage, pages_of
from labrig_suites.amazing_race.page_text import NotThere, PageText, read_markdown

if TYPE_CHECKING:
    from labrig_atlas.wiki.page import Page, Run

MOST_PAGES = 20_000
"""Of a store: a description fits one of its pages, so all are read, and held."""
_MARKS = re.compile(r"\[\[|\]\]|[\[\]|]")


def store_pages(path: Path, kind_of: Callable[[str, tuple[float, float] | None], str]) -> Pages:
    """Return the pages of a store.

    Parameters
    ----------
    kind_of
        Gives the kind of a page of a title and a point, which a clue says: ``place``, ``country`` or ``page``.

    Raises
    ------
    LabrigError
        For what is no store, and for one of more than `MOST_PAGES` pages.
    """
    from labrig_atlas.wiki.identity import Identity
    from labrig_atlas.wiki.marking import as_published
    from labrig_atlas.wiki.sqlite_store import SqliteStore

    store = SqliteStore(path)
    if store.pages > MOST_PAGES:
        raise LabrigError(
            f"This store has {store.pages:,} pages",
            where=str(path),
            expected=f"at most {MOST_PAGES:,}: a clue is to fit one page of all",
            try_="a store of a part of the wiki: a smaller ZIM file, a folder of its pages",
        )
    address = Identity(store.host, "").titled("X").address.removesuffix("X")
    articles, texts = [], {}
    for page in store.every():
        articles.append(_article(page, address, kind_of(page.title, page.coordinates)))
        texts[page.title] = read_markdown(as_published(page))
    made = pages_of(articles, address)
    return Pages({title: _told(page, texts[title]) for title, page in made.by_title.items()})


def _told(page: RacePage, text: PageText) -> RacePage:
    return replace(page, facts=tuple(fact for fact in page.facts if _reads(fact, text)))


def _reads(fact: Fact, text: PageText) -> bool:
    kind = {"year": "number"}.get(fact.kind, fact.kind)
    try:
        return bool(text.value(fact.target, fact.section or None, kind) == fact.value)
    except NotThere:
        return False


def _article(page: Page, address: str, kind: str) -> Article:
    infobox: dict[str, str] = {}
    for field in page.infobox:
        if field.label:
            infobox.setdefault(field.label, _marked(field.runs, address))
    sections = tuple(
        ArticleSection(section.title, "\n".join((*_prose(page, number, address), *_rows(page, number))))
        for number, section in enumerate(page.sections)
        if number and section.title
    )
    lead = " ".join(_prose(page, 0, address))
    return Article(page.title, kind, lead, (page.source,), infobox, sections, (), page.coordinates)


def _prose(page: Page, section: int, address: str) -> Iterator[str]:
    for block in page.sections[section].blocks:
        if block.kind != "table":
            yield _marked(block.runs, address)


def _rows(page: Page, section: int) -> Iterator[str]:
    """Yield the rows of the one table of a section; none where it has several, or one that is cut."""
    from labrig_atlas.wiki.grids import cells_of

    tables = [each for each in page.tables if each.section == section]
    if len(tables) == 1 and not tables[0].cut:
        for row in cells_of(tables[0]):
            yield f"| {' | '.join(_MARKS.sub(' ', ' '.join(cell.text.split())) for cell in row)} |"


def _marked(runs: tuple[Run, ...], address: str) -> str:
    """Return runs as an article has them: links to pages of the wiki in double brackets, on one line."""
    from urllib.parse import unquote

    marked = []
    for run in runs:
        text = _MARKS.sub(" ", run.text)
        title = unquote(run.link.removeprefix(address).partition("#")[0]).replace("_", " ")
        leads = run.link.startswith(address) and title and not _MARKS.search(title) and text.strip()
        marked.append(f"[[{title}|{text}]]" if leads else text)
    return " ".join("".join(marked).split())
