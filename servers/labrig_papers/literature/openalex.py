"""OpenAlex: https://docs.openalex.org/api-entities/works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import Field

from labrig.http.answers import Part, read
from labrig_papers.literature.services import OPENALEX
from labrig_papers.literature.works import Copy, Work, plain_title, read_doi

if TYPE_CHECKING:
    from labrig.http import Client

MOST_WORDS = 3_000
"""Places of words of an abstract that are put together."""


class _Named(Part):
    name: str = Field(default="", alias="display_name")
    type: str = ""


class _Authorship(Part):
    author: _Named = _Named()


class _Location(Part):
    pdf: str = Field(default="", alias="pdf_url")
    page: str = Field(default="", alias="landing_page_url")
    licence: str = Field(default="", alias="license")
    version: str = ""
    source: _Named = _Named()


class _Work(Part):
    id: str
    doi: str = ""
    title: str = ""
    year: int | None = Field(default=None, alias="publication_year")
    authorships: list[_Authorship] = Field(default=[])
    primary: _Location = Field(default=_Location(), alias="primary_location")
    best: _Location = Field(default=_Location(), alias="best_oa_location")
    abstract: dict[str, list[int]] = Field(default={}, alias="abstract_inverted_index")


class _Works(Part):
    results: list[_Work]


async def by_doi(client: Client, doi: str, **more: Any) -> Work:
    """Return the work of a DOI."""
    return _read(await _of(client, doi, **more))


async def copies(client: Client, doi: str, **more: Any) -> list[Copy]:
    """Return the best free copy of a work, if there is one."""
    best = (await _of(client, doi, **more)).best
    if not best.pdf and not best.page:
        return []
    return [Copy(best.pdf, OPENALEX.name, best.page, best.version, best.licence, best.source.type)]


async def search(client: Client, query: str, limit: int, **more: Any) -> list[Work]:
    """Return works by words of title, abstract and text."""
    params = {"search": query, "per-page": limit}
    found = read(_Works, await client.ask(OPENALEX, "works", params=params, **more))
    return [_read(each) for each in found.results[:limit]]


async def _of(client: Client, doi: str, **more: Any) -> _Work:
    return read(_Work, await client.ask(OPENALEX, f"works/doi:{quote(doi, safe='/')}", **more))


def _read(work: _Work) -> Work:
    return Work(
        plain_title(work.title),
        tuple(each.author.name for each in work.authorships),
        work.year,
        read_doi(work.doi),
        OPENALEX.name,
        journal=work.primary.source.name,
        pdf=work.best.pdf,
        abstract=_in_order(work.abstract),
    )


def _in_order(places: dict[str, list[int]]) -> str:
    """Return an abstract, which comes as the places of each of its words."""
    words = sorted((place, word) for word, found in places.items() for place in found[:MOST_WORDS])
    return " ".join(word for _, word in words[:MOST_WORDS])
