"""Papers that are not open yet: the user's own corpus searched, services asked, free copies fetched.

The corpus is made by ``python -m labrig_papers.corpus add FOLDER``. Nobody on the network is asked by search_literature
unless `sources` names a service.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, Quantity
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.cursor import fitting
from labrig.turns import LOCAL
from labrig.workspace import MAX_FILE_BYTES
from labrig_papers.server.base import CORPUS, state, toolbox

if TYPE_CHECKING:
    from labrig_papers.corpus.searching import Found, Hit
    from labrig_papers.literature.asking import Told
    from labrig_papers.literature.works import Copy

Source = Literal["corpus", "crossref", "openalex", "arxiv", "semantic_scholar"]
ReferenceArgument = Annotated[
    str, Field(min_length=1, max_length=1000, description="DOI in any writing, or arXiv:2101.00001.")
]
HEAD = 1024
"""Bytes in which ``%PDF-`` stands, as readers take it."""
ROOM = ANSWER_BYTES - 1_500


def corpus_path() -> Path:
    """Return the corpus that this server searches: a relative path is one of the workspace, where that has the file."""
    from labrig_papers.corpus.store import default_path

    setting = str(session().setting(CORPUS.name))
    if not setting:
        return default_path()
    path = Path(setting).expanduser()
    here = session().workspace.folder / path
    return here if not path.is_absolute() and here.is_file() and not here.is_symlink() else path


def own_corpus() -> Path:
    """Return the corpus that this caller adds to: one that no other caller is answered from.

    Raises
    ------
    LabrigError
        ``refused`` where callers with tokens share the corpus.
    """
    here, path = session(), corpus_path()
    if here.owner == LOCAL or path.is_relative_to(here.workspace.folder):
        return path
    setting = Path(str(here.setting(CORPUS.name)))
    own = here.workspace.folder / setting
    if setting.name and not setting.is_absolute() and not own.is_symlink():
        return own
    raise LabrigError(
        "The corpus of this server answers all its callers, so none adds to it",
        where="add_to_corpus",
        expected="a corpus of each workspace: --set corpus=corpus.sqlite when the server is started",
        try_="fetch_pdf without add_to_corpus, and open_paper; the operator adds by python -m labrig_papers.corpus add",
        code="refused",
    )


@toolbox.tool(
    title="Search for papers",
    read_only=True,
    open_world=True,
    toolsets=("literature",),
    words="find publications, papers, articles, studies, preprints, reviews about a topic, material, properties; "
    "has anyone already done or reported something; corpus, library or folder of PDFs: which ones report something; "
    "arXiv, recent, since a year, cite, keywords, alloys, catalysts",
)
async def search_literature(
    query: Annotated[
        str, Field(min_length=1, max_length=1000, description="Words and formulas: MgB2 critical field.")
    ],
    limit: Annotated[int, Field(ge=1, le=20, description="Papers to give.")] = 10,
    sources: Annotated[
        list[Source] | None,
        Field(max_length=5, description="Where to look; default the user's corpus alone, without a network."),
    ] = None,
) -> Answer:
    """Find papers of the user's corpus by words and by formulas, in whatever way these are written.

    A paper that names every formula of the query comes with the pages and an excerpt. Where none does, papers on the
    same elements come apart as relatives: they are about other materials. No hit says nothing of papers elsewhere.
    Services that `sources` names know titles and abstracts, and take a formula as a word.

    Find publications and papers about a topic or material. It says whether anyone has already done something, which
    papers or PDFs of a folder report two things at once, and which recent preprints (arXiv) deal with a topic or
    cite it.

    Example: {"query": "MgB2 critical field"}
    """
    chosen = list(dict.fromkeys(sources or ["corpus"]))
    services = [each for each in chosen if each != "corpus"]
    if not services:
        return _of_corpus(await _searched(query, limit), limit, ROOM)
    from labrig_papers.literature.asking import search

    here = (
        _of_corpus(await _searched(query, limit), limit, ROOM // 2)
        if "corpus" in chosen
        else Answer(source="")
    )
    told = await search(state().downloads.client(), query, services, limit)
    works = [each.to_dict() for each in told.works[:limit]]
    kept = works[: fitting(works, ROOM // 2 if "corpus" in chosen else ROOM)]
    answered = [each for each in told.asked if each not in dict(told.failed)]
    return Answer(
        source="; ".join(filter(None, (here.source, f"asked {', '.join(answered)}"))),
        status="ok" if kept or here.data.get("total") else "partial",
        data={**here.data, "works": kept, "works_found": len(told.works)},
        warnings=(*here.warnings, *_failures(told)),
        next=here.next or ("fetch_pdf with a DOI or arXiv number" if kept else ""),
    )


@toolbox.tool(
    title="Resolve a DOI or title",
    read_only=True,
    open_world=True,
    toolsets=("literature",),
    words="which article a title is, authors, journal, year, reference, citation metadata, Crossref, look up, "
    "bibliographic, BibTeX",
)
async def resolve_doi(
    reference: Annotated[
        str, Field(min_length=1, max_length=1000, description="DOI in any writing, arXiv number, or title.")
    ],
) -> Answer:
    """Say which work a DOI or title means: title, authors, year, journal; asks Crossref, then OpenAlex, or arXiv.

    Of a title the likeliest works come with their similarity; from 0.9 the title is taken for that work's.

    Example: {"reference": "10.1103/PhysRevB.63.220504"}
    """
    from labrig_papers.literature.asking import resolve

    found = await resolve(state().downloads.client(), reference)
    works = [
        {**work.to_dict(), **({"similarity": alike} if alike is not None else {})}
        for work, alike in zip(found.works, found.alike, strict=True)
    ]
    works = works[: fitting(works, ROOM)]
    first = found.works[0] if found.sure else None
    values = [Quantity("doi", first.doi)] if first is not None and first.doi else []
    return Answer(
        source=", ".join(dict.fromkeys(each.source for each in found.works)) or "crossref",
        status="ok" if found.sure else "partial",
        values=tuple(values),
        data={"works": works},
        warnings=() if found.sure else ("No work has this title; the likeliest are given",),
        next="find_open_access or fetch_pdf with the DOI" if values else "",
    )


@toolbox.tool(
    title="Find a free copy",
    read_only=True,
    open_world=True,
    toolsets=("literature",),
    words="free PDF, legal copy, version of a DOI, Unpaywall, preprint, manuscript, repository, paywall, licence",
)
async def find_open_access(reference: ReferenceArgument) -> Answer:
    """Find free copies of a work: address, version and licence; asks Unpaywall, OpenAlex and Semantic Scholar.

    It finds a legal, free PDF of a DOI outside of the university.

    Example: {"reference": "10.1103/PhysRevB.63.220504"}
    """
    from labrig_papers.literature.asking import open_copies

    told = await open_copies(state().downloads.client(), reference)
    copies = [each.to_dict() for each in told.copies]
    copies = copies[: fitting(copies, ROOM)]
    none = () if copies else (f"No free copy is known to {', '.join(told.asked)}",)
    return Answer(
        source=f"asked {', '.join(told.asked)}",
        status="ok" if copies else "partial",
        data={"copies": copies, "asked": list(told.asked)},
        warnings=(*none, *_failures(told)),
        next=f"fetch_pdf(reference={reference[:200]!r})" if copies else "",
    )


@toolbox.tool(
    title="Fetch a PDF",
    read_only=False,
    open_world=True,
    toolsets=("literature",),
    words="download a free copy, full text of an article or paper by doi, url or arXiv, save the paper, article, "
    "legally available",
)
async def fetch_pdf(
    reference: Annotated[
        str,
        Field(min_length=1, max_length=2000, description="DOI, arXiv:2101.00001, or https://... of a PDF."),
    ],
    path: Annotated[
        str, Field(max_length=300, description="File of the workspace; default papers/ and the reference.")
    ] = "",
    add_to_corpus: Annotated[
        bool, Field(strict=True, description="Also add it to the corpus that search_literature searches.")
    ] = False,
) -> Answer:
    """Fetch a free PDF into the workspace, where open_paper takes it; what is no PDF is refused and not kept.

    Example: {"reference": "arXiv:2101.00001"}
    """
    from labrig_papers.fetching.addresses import is_address

    name = (
        path
        or f"papers/{re.sub(r'[^A-Za-z0-9.-]+', '_', reference).strip('._')[-120:].removesuffix('.pdf')}.pdf"
    )
    _check_place(name)
    if add_to_corpus:
        own_corpus()
    refused: list[LabrigError] = []
    warnings: tuple[str, ...] = ()
    if is_address(reference):
        address, sha256 = reference, await _pdf_at(reference)
    else:
        address, sha256, refused, warnings = await _free_copy(reference)
    here = session()
    descriptor, _ = state().downloads.opened(here.owner, address)

    def write() -> int:
        with os.fdopen(descriptor, "rb") as file:
            return here.workspace.write_bytes(name, file.read(MAX_FILE_BYTES + 1))

    size = await in_thread(write)
    added = await _added(address, sha256, name) if add_to_corpus else None
    return Answer(
        source=address,
        values=(Quantity("path", name), Quantity("size", size, "bytes")),
        data={
            "sha256": sha256,
            **({"added_to_corpus": added} if added is not None else {}),
            **(
                {"refused": [f"{each.where[:120]}: {each.what[:200]}" for each in refused]} if refused else {}
            ),
        },
        warnings=warnings,
        next=f"open_paper(path={name!r})",
    )


async def _free_copy(reference: str) -> tuple[str, str, list[LabrigError], tuple[str, ...]]:
    """Return the first free copy that is a PDF: its address, its SHA-256, what was refused, and warnings.

    Where no copy that a service knows is one, as publishers often refuse a program, the next service is asked.
    """
    from labrig_papers.literature.asking import Told, open_copies

    asked: list[str] = []
    silent: set[str] = set()
    tried: set[str] = set()
    refused: list[LabrigError] = []
    warnings: tuple[str, ...] = ()
    while True:
        try:
            told = await open_copies(state().downloads.client(), reference, but=[*asked, *silent])
        except LabrigError:  # of the last services
            if not refused:
                raise
            told = Told()
        warnings += _failures(told)
        asked += told.asked
        silent |= {source for source, _ in told.failed}
        for address in [each for each in _addresses(told.copies) if each not in tried][:4]:
            tried.add(address)
            try:
                return address, await _pdf_at(address), refused, warnings
            except LabrigError as error:
                refused.append(error)
        if not told.copies:
            break
    if not refused:
        raise LabrigError(
            f"No free copy is known to {', '.join(asked)}",
            where=reference[:200],
            try_="a PDF that you have: put it into the workspace or a root, and open_paper",
            code="not_found",
        )
    if len(refused) == 1:
        raise refused[0]
    raise LabrigError(
        "None of the addresses leads to a PDF: "
        + "; ".join(f"{each.where[:120]}: {each.what}" for each in refused)[:1_200],
        where=reference[:200],
        try_="later, or a PDF that you have: put it into the workspace, and open_paper",
        code=refused[0].code,
    )


async def _searched(query: str, limit: int) -> Found:
    from labrig_papers.corpus.searching import search
    from labrig_papers.corpus.store import opened

    path = corpus_path()

    def found_in() -> Found:
        with opened(path) as database:
            return search(database, query, limit)

    return await in_thread(found_in)


def _of_corpus(found: Found, limit: int, room: int) -> Answer:
    papers = [_shown(each) for each in found.hits or found.relatives]
    papers = papers[: fitting(papers, room)]
    data: dict[str, Any] = {
        "papers_in_corpus": found.documents,
        "total": found.total,
        "papers": papers if found.hits else [],
    }
    if found.formulas:
        data["formulas"] = [each.printed for each in found.formulas]
    if found.relatives:
        data["relatives"] = papers
    warnings = []
    if len(papers) < min(len(found.hits), limit):
        warnings.append(
            f"The first {len(papers)} of {found.total} papers are given; a narrower query has fewer"
        )
    if found.formulas and not found.total:
        named = " and ".join(each.printed for each in found.formulas)
        warnings.append(f"None of the {found.documents} papers here names {named}; others may, elsewhere")
    readable = next((each["open"] for each in papers if "open" in each), "")
    elsewhere = "a server with --root FOLDER opens the papers of that folder" if papers else ""
    return Answer(
        source=f"corpus {corpus_path().name} of {found.documents} papers",
        status="ok" if found.total else "partial",
        data=data,
        warnings=tuple(warnings),
        next=f"open_paper(path={readable!r})" if readable else elsewhere,
    )


def _shown(hit: Hit) -> dict[str, Any]:
    """Return a hit as plain data; ``open`` is what open_paper takes, where the file lies in the workspace or a root."""
    shown = {**hit.to_dict(), "sha256": hit.sha256[:12]}
    if session().owner != LOCAL:
        del shown["path"]  # of the server's computer
    if named := named_here(hit.path):
        shown["open"] = named
    return shown


def named_here(path: str) -> str:
    """Return what open_paper takes for a file of a corpus; empty where it lies outside of workspace and roots.

    A corpus that was made to travel with its papers names them by paths from its own folder.
    """
    here, place = session().workspace, (corpus_path().parent / path).resolve()
    named = ""
    for top, prefix in [(here.folder, ""), *((root, f"@{name}/") for name, root in here.roots.items())]:
        if place.is_relative_to(top):
            named = prefix + str(place.relative_to(top))
    return named


def _check_place(name: str) -> None:
    """Raise what is wrong with a name of the workspace, before anybody is asked."""
    if name.startswith("@"):
        raise LabrigError("Roots are read-only", where=name, try_="write to a relative path", code="refused")
    try:
        with session().workspace.opened(name):
            return
    except LabrigError as error:
        if error.code != "not_found":
            raise


def _failures(told: Told) -> tuple[str, ...]:
    """Return what services that failed said, with the seconds to wait where they told them."""
    return tuple(
        f"{source} did not answer ({error.code}): {error.what}"[:300]
        + (f"; again in {error.retry_after_s:g} s" if error.retry_after_s else "")
        for source, error in told.failed
    )


def _addresses(copies: tuple[Copy, ...]) -> list[str]:
    """Return where copies may be, files before the pages that lead to them."""
    files = [each.pdf for each in copies if each.pdf]
    return list(dict.fromkeys([*files, *(each.page for each in copies if each.page and not each.pdf)]))


async def _pdf_at(address: str) -> str:
    """Fetch a PDF of the network that a workspace can hold, and return its SHA-256; what is no PDF is dropped."""
    downloads, owner = state().downloads, session().owner
    await downloads.fetch(owner, address, MAX_FILE_BYTES)
    descriptor, sha256 = downloads.opened(owner, address)
    with os.fdopen(descriptor, "rb") as file:
        head = file.read(HEAD)
        if b"%PDF-" in head:
            return sha256
    downloads.drop(owner, address)
    page = head.lstrip()[:1] == b"<"
    raise LabrigError(
        f"This leads to {'a web page' if page else 'a file that is no PDF'}, such as one of a login",
        where=address[:200],
        try_="find_open_access for another copy; what asks for a login cannot be fetched",
        code="refused",
    )


async def _added(address: str, sha256: str, name: str) -> bool:
    """Add what was fetched to the corpus under its name in the workspace; False where it was there."""
    from labrig_papers.corpus.adding import read_document
    from labrig_papers.corpus.store import add, opened

    descriptor, _ = state().downloads.opened(session().owner, address)
    corpus, place = own_corpus(), session().workspace.folder / name
    try:
        document = await read_document(descriptor, sha256, place, state().readers)
    finally:
        os.close(descriptor)

    def write() -> bool:
        with opened(corpus, make=True) as database:
            return add(database, document)

    return await in_thread(write)
