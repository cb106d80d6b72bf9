"""Questions about the literature: what a reference is, which works there are, and where free copies are.

A service that fails does not take the others' answers with it: what it said is told beside them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig_papers.fetching.addresses import arxiv_number
from labrig_papers.literature import arxiv, crossref, openalex, semantic_scholar, unpaywall
from labrig_papers.literature.services import UNPAYWALL
from labrig_papers.literature.works import (
    LONGEST,
    SAME_TITLE,
    Copy,
    Work,
    merged,
    plain_title,
    read_doi,
    similarity,
)

if TYPE_CHECKING:
    from labrig.http import Client

SEARCHES: dict[str, Callable[..., Awaitable[list[Work]]]] = {
    "crossref": crossref.search,
    "openalex": openalex.search,
    "arxiv": arxiv.search,
    "semantic_scholar": semantic_scholar.search,
}
_TITLES = 5


@dataclass(frozen=True)
class Resolved:
    """What a reference is.

    Attributes
    ----------
    works
        The one work of a DOI or number; of a title the most alike first.
    alike
        Of each work how like its title is to the one given, None where a DOI or number was.
    """

    works: tuple[Work, ...]
    alike: tuple[float | None, ...]

    @property
    def sure(self) -> bool:
        """Whether the first work is the one that was meant."""
        return bool(self.works) and (self.alike[0] is None or self.alike[0] >= SAME_TITLE)


@dataclass(frozen=True)
class Told:
    """Works or copies, and what each service that failed said."""

    works: tuple[Work, ...] = ()
    copies: tuple[Copy, ...] = ()
    asked: tuple[str, ...] = ()
    failed: tuple[tuple[str, LabrigError], ...] = ()


def reference_of(text: str) -> tuple[str, str]:
    """Return DOI and arXiv number of a reference; both empty for a title.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is empty or too long.
    """
    if not text.strip() or len(text) > LONGEST:
        raise LabrigError(
            f"A reference of {len(text):,} characters cannot be looked up",
            where="reference",
            expected=f"a DOI, an arXiv number or a title of at most {LONGEST:,} characters",
        )
    doi, number = read_doi(text), arxiv_number(text)
    return doi, number or arxiv.number_of_doi(doi)


async def resolve(client: Client, text: str) -> Resolved:
    """Return the work that a DOI, an arXiv number or a title means.

    Raises
    ------
    LabrigError
        ``not_found`` for a DOI or number that nobody registered; what `labrig.http.client.Client.ask` raises.
    """
    doi, number = reference_of(text)
    if number:
        return Resolved((await arxiv.by_number(client, number),), (None,))
    if not doi:
        title = plain_title(text)
        found = await crossref.search(client, title, _TITLES)
        ranked = sorted(((similarity(title, each.title), each) for each in found), key=lambda each: -each[0])
        return Resolved(tuple(each for _, each in ranked), tuple(round(ratio, 3) for ratio, _ in ranked))
    try:
        return Resolved((await crossref.by_doi(client, doi),), (None,))
    except LabrigError as error:
        if error.code != "not_found":
            raise
    try:  # DOIs of other agencies, such as DataCite
        return Resolved((await openalex.by_doi(client, doi),), (None,))
    except LabrigError as error:
        if error.code != "not_found":
            raise
    raise LabrigError(
        "Neither Crossref nor OpenAlex knows this DOI",
        where=doi,
        expected="a DOI as its paper prints it",
        try_="resolve_doi with the title: a DOI may be misprinted",
        code="not_found",
    )


async def search(client: Client, query: str, sources: Sequence[str], limit: int) -> Told:
    """Return works by words from several services at once, each work once.

    Raises
    ------
    LabrigError
        That of the first service, where all of them fail.
    """
    answers = await asyncio.gather(
        *(SEARCHES[source](client, query, limit) for source in sources), return_exceptions=True
    )
    works: list[Work] = []
    failed = []
    for source, answer in zip(sources, answers, strict=True):
        if isinstance(answer, LabrigError):
            failed.append((source, answer))
        elif isinstance(answer, BaseException):
            raise answer
        else:
            works += answer
    if failed and len(failed) == len(sources):
        raise failed[0][1]
    return Told(tuple(merged(works)), asked=tuple(sources), failed=tuple(failed))


async def open_copies(client: Client, text: str, *, but: Collection[str] = ()) -> Told:
    """Return free copies of the work of a DOI or arXiv number, from the first service that knows one.

    Parameters
    ----------
    but
        Services that are not asked.

    Raises
    ------
    LabrigError
        ``bad_input`` for a title; that of the first service, where all of them fail.
    """
    doi, number = reference_of(text)
    if number:
        return Told() if "arxiv" in but else Told(copies=(arxiv.copy(number),), asked=("arxiv",))
    if not doi:
        raise LabrigError(
            "A free copy is looked up by DOI or arXiv number",
            where="reference",
            expected="10.1103/PhysRevB.63.220504 or arXiv:cond-mat/0101446",
            try_="resolve_doi with the title",
        )
    asking = [("openalex", openalex.copies), ("semantic_scholar", semantic_scholar.copies)]
    assert UNPAYWALL.key is not None
    if UNPAYWALL.key.value() or client.replays:
        asking.insert(0, ("unpaywall", unpaywall.copies))
    asked: list[str] = []
    failed = []
    for source, copies in asking:
        if source in but:
            continue
        try:
            found = await copies(client, doi)
        except LabrigError as error:
            if client.replays and error.code == "not_recorded" and source == "unpaywall":
                continue  # it was not asked where no e-mail address was set
            if error.code != "not_found":
                failed.append((source, error))
                continue
            found = []
        asked.append(source)
        if found:
            return Told(copies=tuple(found), asked=tuple(asked), failed=tuple(failed))
    if failed and not asked:
        raise failed[0][1]
    return Told(asked=tuple(asked), failed=tuple(failed))
