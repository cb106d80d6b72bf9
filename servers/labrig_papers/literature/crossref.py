"""Crossref: https://api.crossref.org/swagger-ui/index.html."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import Field

from labrig.http.answers import Part, read
from labrig_papers.literature.services import CROSSREF
from labrig_papers.literature.works import Work, plain_title, read_doi

if TYPE_CHECKING:
    from labrig.http import Client


class _Author(Part):
    given: str = ""
    family: str = ""
    name: str = ""


class _Date(Part):
    parts: list[list[int | None]] = Field(default=[], alias="date-parts")


class _Item(Part):
    doi: str = Field(default="", alias="DOI")
    title: list[str] = Field(default=[])
    author: list[_Author] = Field(default=[])
    issued: _Date = _Date()
    journal: list[str] = Field(default=[], alias="container-title")
    abstract: str = ""


class _One(Part):
    message: _Item


class _Items(Part):
    items: list[_Item]


class _Many(Part):
    message: _Items


async def by_doi(client: Client, doi: str, **more: Any) -> Work:
    """Return the work of a DOI; ``not_found`` where Crossref has none."""
    return _work(read(_One, await client.ask(CROSSREF, f"works/{quote(doi, safe='')}", **more)).message)


async def search(client: Client, query: str, limit: int, **more: Any) -> list[Work]:
    """Return works by words of their titles, authors, journals and years."""
    params = {"query.bibliographic": query, "rows": limit}
    found = read(_Many, await client.ask(CROSSREF, "works", params=params, **more))
    return [_work(each) for each in found.message.items[:limit]]


def _work(item: _Item) -> Work:
    year = next((each for part in item.issued.parts[:1] for each in part[:1]), None)
    authors = tuple(each.name or f"{each.given} {each.family}".strip() for each in item.author)
    title = plain_title(item.title[0]) if item.title else ""
    journal = plain_title(item.journal[0]) if item.journal else ""
    return Work(
        *(title, authors, year, read_doi(item.doi), CROSSREF.name),
        journal=journal,
        abstract=plain_title(item.abstract),
    )
