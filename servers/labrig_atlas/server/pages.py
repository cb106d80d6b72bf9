"""Pages that can be walked: seen as a whole first, then by section, links and tables; and found by words."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.tools import cursor as cursors
from labrig_atlas.asking import OFFLINE, check_texts
from labrig_atlas.server.answers import MADE_UP, answer, clipped
from labrig_atlas.server.base import atlas, pages, toolbox
from labrig_atlas.wiki import views
from labrig_atlas.wiki.page import Link, Page

OVERVIEW_BYTES, SLICE_BYTES, LIST_BYTES = 6_000, 5_000, 5_500
"""Of JSON in an Answer, which has 8,000 with its source and notes."""
MOST_LINKS, MOST_ROWS = 80, 100


@toolbox.tool(
    title="Fetch a web page",
    read_only=True,
    open_world=True,
    words="Wikipedia article, page, infobox, mayor, filmography table, actor's page, web page text, content of a "
    "url, section, summary, list, biography, born, founded, film, album, award, discography",
)
async def fetch_webpage(
    url: Annotated[str, Field(description="Address of a page, or its title in the wiki.")],
    section: Annotated[
        str, Field(description="Number, title or anchor of a section to read; 'all' for the whole text.")
    ] = "",
    links: Annotated[
        bool, Field(description="List links (of the section, 'infobox', or all) instead of text.")
    ] = False,
    table: Annotated[int | None, Field(description="Number of a table to read, from 0.")] = None,
    cursor: Annotated[str, Field(description="Where an earlier result ended.")] = "",
) -> Answer:
    """Fetch a page: title, lead, infobox with typed values, outline. Then its text by section, links or tables.

    Long texts and lists come in parts: repeat the call with the cursor that `next` names.

    Of Wikipedia it gives what the article or entry says (intro, when and where someone was born or died), the box on
    the right (infobox: mayor, population), lists and tables of a wiki page.

    Example: {"url": "Ulm"}
    """
    check_texts([section])
    page, anchor = await pages().page(url)
    section = section or anchor
    named = f"fetch_webpage(url={clipped(url, 300)!r}"
    if table is not None:
        return _table(page, table, cursor, named)
    if links:
        return _links(page, section, cursor, named)
    if section:
        return _section(
            page, "" if section == "all" else section, cursor, f"{named}, section={clipped(section, 100)!r}"
        )
    if cursor:
        raise LabrigError(
            "Which part is to go on?", where="cursor", expected="section, links or table of the call before"
        )
    shown = views.overview(page, most_bytes=OVERVIEW_BYTES)
    shown.pop("source", None)
    notes = shown.pop("notes", [])
    hint = f"{named}, section='1')" if len(page.sections) > 1 else f"{named}, links=True)"
    return _told(page, data=shown, notes=notes, next=hint)


def _section(page: Page, section: str, cursor: str, named: str) -> Answer:
    part = views.read(page, section=section, cursor=cursor, most_bytes=SLICE_BYTES)
    data: dict[str, Any] = {
        "title": page.title,
        "address": page.address,
        "section": part.section,
        "section_title": part.title,
        "start": part.start,
        "total_chars": part.total,
    }
    return _told(
        page, text=part.text, data=data, next=f"{named}, cursor={part.cursor!r})" if part.cursor else ""
    )


def _links(page: Page, section: str, cursor: str, named: str) -> Answer:
    found = [_link(link) for link in views.links(page, section="" if section == "all" else section)]
    shown, following = cursors.page(
        found, [page.address, section, "links"], cursor, MOST_LINKS, most_bytes=LIST_BYTES
    )
    data = {"title": page.title, "address": page.address, "links": list(shown)}
    hint = f"{named}, section={section!r}, links=True, cursor={following!r})" if following else ""
    return _told(page, (Quantity("links", len(found), "1"),), data=data, next=hint)


def _link(link: Link) -> dict[str, Any]:
    shown = {
        "text": clipped(link.text),
        "address": link.address,
        "section": link.section,
        "label": link.label,
    }
    return {name: each for name, each in shown.items() if each not in ("", 0)}


def _table(page: Page, number: int, cursor: str, named: str) -> Answer:
    grid = views.table(page, number)
    rows = [[clipped(cell, 300) for cell in row] for row in grid.rows]
    shown, following = cursors.page(
        rows, [page.address, number, "table"], cursor, MOST_ROWS, most_bytes=LIST_BYTES - 1_000
    )
    columns = [clipped(column, 60) for column in grid.columns[:60]]
    data = {
        "title": page.title,
        "address": page.address,
        "caption": clipped(grid.caption),
        "columns": columns,
        "rows": list(shown),
    }
    hint = f"{named}, table={number}, cursor={following!r})" if following else ""
    return _told(
        page,
        (Quantity("rows", len(rows), "1"), Quantity("tables of the page", len(page.tables), "1")),
        data=data,
        next=hint,
    )


def _told(
    page: Page,
    values: tuple[Quantity, ...] = (),
    *,
    text: str = "",
    data: dict[str, Any],
    notes: list[str] | None = None,
    next: str = "",
) -> Answer:
    """Return the Answer of a page; one on a fictional subject says so."""
    made_up = ("The subject of this page is fictional: made up by Labrig",) if page.made_up else ()
    return Answer(
        source=clipped(page.source, 600) or page.address,
        values=values,
        text=text,
        data=data,
        warnings=(*made_up, *(notes or ())),
        next=next,
    )


@toolbox.tool(
    title="Search pages",
    read_only=True,
    open_world=True,
    words="find a Wikipedia article, title, the web, Google, look for articles or websites about a topic, keyword",
)
async def search_pages(
    query: Annotated[str, Field(description="Words of the page or its title.")],
    limit: Annotated[int, Field(ge=1, le=10, description="Pages at most.")] = 5,
) -> Answer:
    """Search pages by words: title, address and an excerpt each, best first.

    Find which page or article it is when the spelling of its title is not sure (similar words); Wikipedia or the web.

    Example: {"query": "cathedral"}
    """
    if atlas().backend("search") != OFFLINE:
        told = await atlas().ask("search", query, limit=limit)
        hits = [
            {"title": clipped(hit.title), "address": hit.url, "excerpt": clipped(hit.snippet, 300)}
            for hit in told.facts.hits
        ]
        shown = hits[: cursors.fitting(hits, LIST_BYTES)]
        return answer(
            told, (Quantity("pages", len(shown), "1", "in the order of the service"),), data={"pages": shown}
        )
    found, source = await pages().search(query, limit)
    if not found:
        raise LabrigError(
            f"No page of the wiki has words of {clipped(query)!r}",
            where="query",
            try_="fewer or other words",
            code="not_found",
        )
    listed = [{"title": each.title, "address": each.address, "excerpt": each.excerpt} for each in found]
    return Answer(
        source=source,
        values=(Quantity("pages", len(listed), "1", "best first"),),
        data={"pages": listed},
        warnings=(f"the world of this wiki is fictional: {MADE_UP}",) if pages().fictional else (),
        next=f"fetch_webpage(url={found[0].address!r})",
    )
