"""Pages as Markdown, cut as the published tool cuts them, and searches in the shape of Serper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labrig.errors import LabrigError
from labrig_atlas.asking import OFFLINE, Atlas, check_texts
from labrig_atlas.reading import Pages
from labrig_atlas.wiki.marking import PUBLISHED_CHARS, PUBLISHED_END, as_published

MOST_RESULTS = 10


async def fetch_webpage(pages: Pages, url: str, raw_html: bool = False) -> str:
    """Return a page as Markdown, or as HTML, cut at 100,000 characters."""
    if raw_html:
        text = await pages.html(url)
        return text if len(text) <= PUBLISHED_CHARS else text[:PUBLISHED_CHARS] + PUBLISHED_END
    page, _ = await pages.page(url)
    return as_published(page)


async def web_search(
    atlas: Atlas, pages: Pages, query: str, num_results: int = 5, **more: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``{searchParameters, organic: [{title, link, snippet, position}]}``, and the record of the call.

    Parameters
    ----------
    more
        ``location``, ``gl`` and ``hl``, of which the wiki offline needs none; a service is told country and language.
    """
    if not 1 <= num_results <= MOST_RESULTS:
        raise LabrigError(
            f"{num_results} results are not given", where="num_results", expected=f"1 to {MOST_RESULTS}"
        )
    check_texts([query, *more.values()])
    parameters = {"q": query, "num": num_results} | {name: each for name, each in more.items() if each}
    if atlas.backend("search") == OFFLINE:
        found, source = await pages.search(query, num_results)
        hits = [(each.title, each.address, each.excerpt) for each in found]
        record: dict[str, Any] = {"source": source}
    else:
        where = _placed(atlas.backend("search"), more)
        told = await atlas.ask("search", query, limit=num_results, language=more.get("hl") or "en", **where)
        hits = [(each.title, each.url, each.snippet) for each in told.facts.hits]
        record = {"source": told.source, "sources": [dict(each) for each in told.record]}
    organic = [
        {"title": title, "link": link, "snippet": snippet, "position": position}
        for position, (title, link, snippet) in enumerate(hits, start=1)
    ]
    return {"searchParameters": parameters, "organic": organic}, record


def _placed(backend: str, more: Mapping[str, str]) -> dict[str, str]:
    """Return where a search is asked from, in the words of the service; one that asks nothing of it is told nothing."""
    taken = {"google": ("location", "gl"), "serper": ("location", "gl"), "brave": ("gl",)}.get(backend, ())
    words = {"location": "location", "gl": "country"}
    return {words[name]: more[name] for name in taken if more.get(name)}
