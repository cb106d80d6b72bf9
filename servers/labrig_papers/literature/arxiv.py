"""arXiv: https://info.arxiv.org/help/api/user-manual.html; answers are Atom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from labrig.errors import LabrigError
from labrig.http.answers import odd
from labrig_papers.fetching.addresses import ARXIV
from labrig_papers.literature.works import Copy, Work, plain_title, read_doi

if TYPE_CHECKING:
    from labrig.http import Client, Response

DOIS = "10.48550/arxiv."
"""What the DOIs that arXiv gives itself begin with."""
_ATOM, _OWN = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_NUMBER = re.compile(r"https?://arxiv\.org/abs/(\S+)")


async def by_number(client: Client, number: str, **more: Any) -> Work:
    """Return the work of an arXiv number; ``not_found`` where there is none."""
    found = _works(await client.ask(ARXIV, "api/query", params={"id_list": number}, **more))
    if not found:
        raise LabrigError("arXiv has no such number", where=number, code="not_found")
    return found[0]


async def search(client: Client, query: str, limit: int, **more: Any) -> list[Work]:
    """Return works in which all words of a query stand."""
    words = re.findall(r"[\w.-]+", query)[:30]
    if not words:
        return []
    asked = " AND ".join(f'all:"{word}"' for word in words)
    params = {"search_query": asked, "start": 0, "max_results": limit}
    return _works(await client.ask(ARXIV, "api/query", params=params, **more))[:limit]


def number_of_doi(doi: str) -> str:
    """Return the arXiv number of a DOI that arXiv gave itself; empty for others."""
    return doi[len(DOIS) :] if doi.casefold().startswith(DOIS) else ""


def copy(number: str) -> Copy:
    """Return the copy of a number: arXiv has one of each."""
    return Copy(
        f"arXiv:{number}", ARXIV.name, f"https://arxiv.org/abs/{number}", "submittedVersion", "", "repository"
    )


def _works(response: Response) -> list[Work]:
    text = response.text
    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # Atom has neither; entities could grow without end
        raise odd(response.url, "a document with a type, such as a web page")
    try:
        feed = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise odd(response.url, f"no XML, or half of it: {error}") from error
    if feed.tag != f"{_ATOM}feed":
        raise odd(response.url, f"{feed.tag[:60]} in place of an Atom feed")
    works = []
    for entry in feed.iter(f"{_ATOM}entry"):
        identity = _text(entry, f"{_ATOM}id")
        number = _NUMBER.fullmatch(identity)
        if not identity:  # what it has in the place of a number that nobody was given
            continue
        if number is None:  # its errors come as an entry
            raise LabrigError(
                f"arXiv answers: {_text(entry, f'{_ATOM}summary')[:200] or 'an entry without a number'}",
                where=response.url,
            )
        year = _text(entry, f"{_ATOM}published")[:4]
        works.append(
            Work(
                plain_title(_text(entry, f"{_ATOM}title")),
                tuple(_text(each, f"{_ATOM}name") for each in entry.iter(f"{_ATOM}author")),
                int(year) if year.isascii() and year.isdigit() else None,
                read_doi(_text(entry, f"{_OWN}doi")),
                ARXIV.name,
                arxiv=number[1],
                journal=_text(entry, f"{_OWN}journal_ref"),
                pdf=f"arXiv:{number[1]}",
                abstract=plain_title(_text(entry, f"{_ATOM}summary")),
            )
        )
    return works


def _text(entry: ElementTree.Element, name: str) -> str:
    return " ".join((entry.findtext(name) or "").split())
