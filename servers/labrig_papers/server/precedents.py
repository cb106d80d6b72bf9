"""Whether a material was ever found superconducting, as the papers of the corpus say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, Quantity
from labrig.threads import in_thread
from labrig.tools.cursor import fitting
from labrig_papers.server.base import toolbox
from labrig_papers.server.literature import corpus_path, named_here

if TYPE_CHECKING:
    from labrig_papers.precedents.finding import Looked, Paper, Report
    from labrig_papers.precedents.judging import Judgement

ROOM = ANSWER_BYTES - 2_800
SHOWN = 8


@toolbox.tool(
    title="Look for a precedent",
    read_only=True,
    toolsets=("literature",),
    words="superconductor known or reported before, novelty, new material, critical temperature, found in papers, "
    "evidence for superconductivity",
)
async def validate_precedent(
    material: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Formula in any writing, or name: La2-xSrxCuO4 with x = 0.15.",
        ),
    ],
) -> Answer:
    """Say whether papers of the corpus report a material superconducting, not so down to a temperature, or nothing.

    Each report has its quote, page, DOI, temperature, criterion and pressure, and whether it is measured, cited or
    calculated. "unknown" says what was searched; it is no sign that the material is not superconducting.

    Example: {"material": "MgB2"}
    """
    from labrig_papers.corpus.store import opened
    from labrig_papers.precedents.finding import look
    from labrig_papers.precedents.judging import judge

    path = corpus_path()

    def looked() -> tuple[Looked, Judgement]:
        with opened(path) as database:
            found = look(database, material)
        return found, judge(found.reports)

    found, judged = await in_thread(looked)
    reports = [_shown(number, each) for number, each in enumerate(found.reports)]
    kept = reports[: fitting(reports, ROOM)]
    values = [Quantity("state", judged.state), Quantity("material", found.formula[:200])]
    if judged.kelvin is not None:
        name = "lowest_temperature_tested" if judged.state == "not superconducting" else "highest_tc"
        values.append(Quantity(name, judged.kelvin, "K"))
    data: dict[str, Any] = {
        "searched": {"papers": found.documents, "naming_it": found.naming, "composition": found.key[:300]},
        "reports": kept,
        "reports_altogether": len(reports),
    }
    if judged.contradictions:
        data["contradictions"] = [
            {"reports": [one, other], "why": why} for one, other, why in judged.contradictions[:SHOWN]
        ]
    for name, papers in (("silent", found.silent), ("relatives", found.relatives)):
        if papers and (name == "silent" or judged.state == "unknown"):
            data[name] = [_named(each) for each in papers[:SHOWN]]
    warnings = list(judged.notes)
    if judged.state == "unknown":
        warnings.append(_nothing(found))
    if len(kept) < len(reports):
        warnings.append(f"The first {len(kept)} of {len(reports)} reports are given")
    if found.left:
        warnings.append(f"{found.left} papers that name it were not read")
    return Answer(
        source=f"corpus {path.name} of {found.documents} papers",
        status="partial" if judged.state == "unknown" else "ok_with_warnings" if warnings else "ok",
        values=tuple(values),
        data=data,
        warnings=tuple(warnings),
        next="search_literature with sources, for papers elsewhere"
        if judged.state == "unknown"
        else "open_paper and verify_quote, before it is reported",
    )


def _nothing(found: Looked) -> str:
    if found.naming:
        return f"{found.naming} of {found.documents} papers here name it; none says whether it is superconducting"
    return f"None of the {found.documents} papers here names it, in any writing; others may, elsewhere"


def _shown(number: int, report: Report) -> dict[str, Any]:
    said = report.statement
    found = {
        "report": number,
        "says": said.says,
        "kelvin": said.kelvin,
        "printed": said.printed,
        "criterion": said.criterion,
        "pressure": said.pressure,
        "gigapascal": said.gigapascal,
        "field": said.field,
        "standing": said.standing,
        "quote": said.quote,
        "page": said.page,
        "named_in": said.named if said.named not in ("clause", "sentence") else "",
        **_named(report.paper),
    }
    return {name: each for name, each in found.items() if each not in ("", None)}


def _named(paper: Paper) -> dict[str, Any]:
    found = {
        "title": paper.title[:200],
        "doi": paper.doi[:200],
        "year": paper.year,
        "open": named_here(paper.path),
        "sha256": paper.sha256[:12],
    }
    return {name: each for name, each in found.items() if each not in ("", None)}
