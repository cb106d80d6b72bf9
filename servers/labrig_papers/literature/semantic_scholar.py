"""Semantic Scholar: https://api.semanticscholar.org/api-docs/graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import Field

from labrig.http.answers import Part, read
from labrig_papers.literature.services import SEMANTIC_SCHOLAR
from labrig_papers.literature.works import Copy, Work, plain_title, read_doi

if TYPE_CHECKING:
    from labrig.http import Client

FIELDS = "title,year,authors,externalIds,venue,openAccessPdf,abstract"
_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u2011\u2013](?=\w)")
"""Its search finds nothing for words with a hyphen, and asks for a space there."""


class _Author(Part):
    name: str = ""


class _Ids(Part):
    doi: str = Field(default="", alias="DOI")
    arxiv: str = Field(default="", alias="ArXiv")


class _Pdf(Part):
    url: str = ""
    licence: str = Field(default="", alias="license")


class _Paper(Part):
    id: str = Field(alias="paperId")
    title: str = ""
    year: int | None = None
    authors: list[_Author] = Field(default=[])
    ids: _Ids = Field(default=_Ids(), alias="externalIds")
    venue: str = ""
    pdf: _Pdf = Field(default=_Pdf(), alias="openAccessPdf")
    abstract: str = ""


class _Papers(Part):
    total: int
    data: list[_Paper] = Field(default=[])


async def copies(client: Client, doi: str, **more: Any) -> list[Copy]:
    """Return the free copy of a work that is known, if one is."""
    params = {"fields": FIELDS}
    asked = await client.ask(SEMANTIC_SCHOLAR, f"paper/DOI:{quote(doi, safe='/')}", params=params, **more)
    pdf = read(_Paper, asked).pdf
    return [Copy(pdf.url, SEMANTIC_SCHOLAR.name, licence=pdf.licence)] if pdf.url else []


async def search(client: Client, query: str, limit: int, **more: Any) -> list[Work]:
    """Return works by words, in the service's order of relevance."""
    params = {"query": _HYPHEN.sub(" ", query), "limit": limit, "fields": FIELDS}
    found = read(_Papers, await client.ask(SEMANTIC_SCHOLAR, "paper/search", params=params, **more))
    return [
        Work(
            plain_title(each.title),
            tuple(author.name for author in each.authors),
            each.year,
            read_doi(each.ids.doi),
            SEMANTIC_SCHOLAR.name,
            arxiv=each.ids.arxiv,
            journal=each.venue,
            pdf=each.pdf.url,
            abstract=plain_title(each.abstract),
        )
        for each in found.data[:limit]
    ]
