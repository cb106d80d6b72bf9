"""Unpaywall: https://unpaywall.org/products/api; it wants the e-mail address of who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import Field

from labrig.http.answers import Part, read
from labrig_papers.literature.services import UNPAYWALL
from labrig_papers.literature.works import Copy

if TYPE_CHECKING:
    from labrig.http import Client


class _Location(Part):
    pdf: str = Field(default="", alias="url_for_pdf")
    page: str = Field(default="", alias="url")
    licence: str = Field(default="", alias="license")
    version: str = ""
    host: str = Field(default="", alias="host_type")


class _Work(Part):
    doi: str
    best: _Location | None = Field(default=None, alias="best_oa_location")
    others: list[_Location] = Field(default=[], alias="oa_locations")


async def copies(client: Client, doi: str, **more: Any) -> list[Copy]:
    """Return free copies of a work, the best first."""
    found = read(_Work, await client.ask(UNPAYWALL, quote(doi, safe="/"), **more))
    every = [*([found.best] if found.best else []), *found.others]
    made = [
        Copy(each.pdf, UNPAYWALL.name, each.page, each.version, each.licence, each.host)
        for each in every
        if each.pdf or each.page
    ]
    return list(dict.fromkeys(made))
