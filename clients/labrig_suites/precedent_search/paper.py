"""The tables and figures on precedent search of the paper on evidence verification, from records; figures as tables.

Scores are the published ones (`Score.compat`). A configuration of the paper is a pair of agent and arm here. Shares are
of trials, with the standard error of a share, as the paper has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, with_error
from labrig_suites.common.grouped import grouped
from labrig_suites.precedent_search.score import CATEGORIES

Groups = dict[tuple[str, str], list[Score]]
WHO = ("agent", "arm")
SEARCHING = (
    "search_literature",
    "validate_precedent",
    "resolve_doi",
    "find_open_access",
    "fetch_pdf",
    "open_paper",
    "web_search",
    "fetch_webpage",
)
"""Tools that look for papers: what stands for the search engines of Figure 9."""


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return Tables 2 and 7 to 10, and Figures 3, 4 and 6 to 9."""
    known = {sample.id for sample in samples}
    found = [score for score in scores if score.task in known]
    groups = grouped(found, lambda score: (score.agent, score.arm))
    return [
        *(performance(groups), distribution(groups), precision(groups), citations(groups), retrieval(groups)),
        *(efficiency(groups), calls_by_outcome(groups), engines(groups)),
    ]


def share(group: Sequence[Score], holds: Callable[[Score], bool]) -> str:
    """Return a percentage with its standard error: ``26.1 ± 1.9``; empty for no trial."""
    return with_error([100.0 * holds(score) for score in group])


def _read(group: Sequence[Score]) -> list[Score]:
    return [score for score in group if score.facts["read"]]


def _answered(group: Sequence[Score]) -> list[Score]:
    return [score for score in _read(group) if score.facts["said"] != "Unknown"]


def _sourced(group: Sequence[Score]) -> list[Score]:
    """Return trials on materials that a paper tested: others have no source that could be cited."""
    return [score for score in group if score.facts["truth"] != "Unknown"]


def _points(points: int) -> Callable[[Score], bool]:
    return lambda score: score.facts["score"] == points


def _is(category: str) -> Callable[[Score], bool]:
    return lambda score: score.facts["category"] == category


def _fact(name: str) -> Callable[[Score], bool]:
    return lambda score: bool(score.facts[name])


def performance(groups: Groups) -> Table:
    """Return Table 7: failures over all trials, coverage and accuracy over valid ones, citations over all."""
    rows = [
        (
            *(*names, len(group), share(group, lambda score: not score.facts["read"])),
            share(_read(group), lambda score: score.facts["said"] != "Unknown"),
            *(share(_read(group), _points(points)) for points in (2, 1)),
            *(share(group, _fact(fact)) for fact in ("cited_doi", "cited_title", "cited_any")),
        )
        for names, group in groups.items()
    ]
    columns = (
        "trials",
        "failure %",
        "coverage %",
        "accuracy (score=2) %",
        "accuracy (score=1) %",
        "DOI %",
        "title %",
        "any %",
    )
    return Table("Table 7. Task performance and citation match", (*WHO, *columns), tuple(rows))


def distribution(groups: Groups) -> Table:
    """Return Figure 4: how trials fall into the five categories."""
    rows = [
        (*names, len(group), *(share(group, _is(each)) for each in CATEGORIES))
        for names, group in groups.items()
    ]
    return Table(
        "Figure 4. Score distribution", (*WHO, "trials", *(f"{each} %" for each in CATEGORIES)), tuple(rows)
    )


def precision(groups: Groups) -> Table:
    """Return Table 9: scores of answered trials."""
    rows = []
    for names, group in groups.items():
        answered = _answered(group)
        rows.append((*names, len(answered), *(share(answered, _points(points)) for points in (0, 1, 2))))
    return Table("Table 9. Precision", (*WHO, "answered trials", "S0 %", "S1 %", "S2 %"), tuple(rows))


def citations(groups: Groups) -> Table:
    """Return Table 10: scores of trials with a citation that matches, and citations of trials of each score."""
    rows = []
    for names, group in groups.items():
        cited = [score for score in group if score.facts["cited_any"]]
        by_score = [
            [score for score in _sourced(group) if score.facts["score"] == points] for points in (0, 1, 2)
        ]
        rows.append(
            (
                *(*names, len(cited), *(share(cited, _points(points)) for points in (0, 1, 2))),
                *(share(each, _fact("cited_any")) for each in by_score),
            )
        )
    columns = (
        *(f"citation quality, score {n} %" for n in range(3)),
        *(f"attribution quality, score {n} %" for n in range(3)),
    )
    return Table("Table 10. Citation match reliability", (*WHO, "trials that cite", *columns), tuple(rows))


def retrieval(groups: Groups) -> Table:
    """Return Figures 6 and 7: DOIs of correct trials, and scores of trials with the right DOI."""
    rows = []
    for names, group in groups.items():
        right = [score for score in _sourced(group) if score.facts["score"] == 2]
        cited = [score for score in group if score.facts["cited_doi"]]
        rows.append(
            (
                *(*names, len(right), share(right, _fact("cited_doi")), len(cited)),
                *(share(cited, _points(points)) for points in (2, 1, 0)),
            )
        )
    return Table(
        "Figures 6 and 7. DOIs of correct answers, and answers with the right DOI",
        (
            *WHO,
            "correct trials",
            "with the DOI %",
            "trials with the DOI",
            "correct %",
            "partial %",
            "score 0 %",
        ),
        tuple(rows),
        "Materials that nobody tested have no DOI, and are left out.",
    )


def efficiency(groups: Groups) -> Table:
    """Return Tables 2 and 8 and Figure 3: calls, tokens and cost of a trial, beside the score."""
    rows: list[tuple[Any, ...]] = []
    for names, group in groups.items():
        tokens = [score.facts["tokens"] / 1e6 for score in group if score.facts["tokens"] is not None]
        costs = [score.facts["cost"] for score in group if score.facts["cost"] is not None]
        calls = [float(score.facts["calls"]) for score in group]
        efforts = ", ".join(sorted({score.facts["effort"] for score in group} - {""}))
        rows.append(
            (
                *(
                    *names,
                    efforts,
                    len(group),
                    with_error([100 * score.compat for score in group]),
                    with_error(calls, 1),
                ),
                *(with_error(tokens, 3), len(tokens), with_error(costs), len(costs)),
            )
        )
    columns = (
        "effort",
        "trials",
        "score of 100",
        "tool calls",
        "million tokens",
        "trials with tokens",
        "cost",
        "trials with cost",
    )
    return Table(
        "Tables 2 and 8, Figure 3. Effort of a trial",
        (*WHO, *columns),
        tuple(rows),
        "The time of a trial is in its record.",
    )


def calls_by_outcome(groups: Groups) -> Table:
    """Return Figure 8: tool calls of trials of each category."""
    rows = []
    for names, group in groups.items():
        for each in CATEGORIES:
            calls = [float(score.facts["calls"]) for score in group if score.facts["category"] == each]
            if calls:
                rows.append((*names, each, len(calls), with_error(calls, 1)))
    return Table("Figure 8. Tool calls by outcome", (*WHO, "outcome", "trials", "tool calls"), tuple(rows))


def engines(groups: Groups) -> Table:
    """Return Figure 9: which share of the calls that look for papers each tool has, of correct and of other trials."""
    rows = []
    for names, group in groups.items():
        for about, holds in (("correct", True), ("other", False)):
            used: Counter[str] = Counter()
            for score in group:
                if (score.facts["score"] == 2) is holds:
                    used.update({name: n for name, n in score.facts["tools"].items() if name in SEARCHING})
            total = sum(used.values())
            rows += [(*names, about, name, n, percent(n, total)) for name, n in sorted(used.items())]
    return Table(
        "Figure 9. Tools that look for papers",
        (*WHO, "trials", "tool", "calls", "% of these calls"),
        tuple(rows),
    )
