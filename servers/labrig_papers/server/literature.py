"""Searching a reader's own papers, which ``python -m labrig_papers.corpus add FOLDER`` gathered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.cursor import fitting
from labrig_papers.server.base import CORPUS, toolbox

if TYPE_CHECKING:
    from labrig_papers.corpus.searching import Hit


@toolbox.tool(title="Search a corpus of papers", read_only=True, toolsets=("literature",))
async def search_literature(
    query: Annotated[
        str, Field(min_length=1, max_length=1000, description="Words and formulas: MgB2 critical field.")
    ],
    limit: Annotated[int, Field(ge=1, le=20, description="Papers to give.")] = 10,
) -> Answer:
    """Find papers of the user's corpus by words and by formulas, in whatever way these are written.

    A paper that names every formula of the query comes with the pages and an excerpt. Where none does, papers on the
    same elements come apart as relatives: they are about other materials. No hit says nothing of papers elsewhere.
    """
    from labrig_papers.corpus.searching import search
    from labrig_papers.corpus.store import default_path, opened

    setting = str(session().setting(CORPUS.name))
    path = Path(setting).expanduser() if setting else default_path()

    def found_in() -> Any:
        with opened(path) as database:
            return search(database, query, limit)

    found = await in_thread(found_in)
    papers = [_shown(each) for each in found.hits or found.relatives]
    papers = papers[: fitting(papers, ANSWER_BYTES - 1500)]
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
        source=f"corpus {path.name} of {found.documents} papers",
        status="ok" if found.total else "partial",
        data=data,
        warnings=tuple(warnings),
        next=f"open_paper(path={readable!r})" if readable else elsewhere,
    )


def _shown(hit: Hit) -> dict[str, Any]:
    """Return a hit as plain data; ``open`` is what open_paper takes, where the file lies in the workspace or a root."""
    shown = {**hit.to_dict(), "sha256": hit.sha256[:12]}
    here, place = session().workspace, Path(hit.path).resolve()
    for top, prefix in [(here.folder, ""), *((root, f"@{name}/") for name, root in here.roots.items())]:
        if place.is_relative_to(top):
            shown["open"] = prefix + str(place.relative_to(top))
    return shown
