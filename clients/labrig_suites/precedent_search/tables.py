"""The suite's own tables: what became of the answers, by arm and kind of story, who abstains, and why runs ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, ratio, rounded
from labrig_suites.common.grouped import condition, ends, grouped
from labrig_suites.precedent_search.payload import CLAIMS
from labrig_suites.precedent_search.score import CATEGORIES

NOTE = (
    "Score: 2, 1 or 0, its mean over trials. Strict asks for a cited paper of the truth with a quote that holds the "
    "value, and for no wrong value; compat is the published score. Coverage: of answers that can be read, those "
    "that are not Unknown."
)


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return outcomes by arm and agent and by kind, what was said of each class, and end reasons."""
    known = {sample.id for sample in samples}
    found = [score for score in scores if score.task in known]
    return [outcomes(found), abstention(found), kinds(found), ends(found)]


def outcomes(scores: Sequence[Score]) -> Table:
    """Return score, categories, coverage and citations."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        counts = Counter(score.facts["category"] for score in group)
        read = [score for score in group if score.facts["read"]]
        rows.append(
            (
                *(*names, len(group), mean(group, "score_strict"), mean(group, "score")),
                *(percent(counts[each], len(group)) for each in CATEGORIES),
                percent(sum(score.facts["said"] != "Unknown" for score in read), len(read)),
                *(rate(group, fact) for fact in ("proved", "cited_doi", "cited_title", "cited_title_code")),
            )
        )
    columns = (
        *(
            "arm",
            "agent",
            "trials",
            "score (strict)",
            "score (compat)",
            *(f"{each} %" for each in CATEGORIES),
        ),
        *("coverage %", "proved %", "DOI %", "title 0.9 %", "title 0.8 (code) %"),
    )
    return Table("Outcomes", columns, tuple(rows), note=NOTE)


def abstention(scores: Sequence[Score]) -> Table:
    """Return what was said of materials of each class: who never abstains, and who always does, is seen at once."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        for truth in CLAIMS:
            inner = [score for score in group if score.facts["truth"] == truth]
            if inner:
                said = Counter(score.facts["said"] for score in inner)
                shares = (percent(said[each], len(inner)) for each in (*CLAIMS, ""))
                rows.append((*names, truth, len(inner), *shares))
    return Table(
        "What was said of each class",
        ("arm", "agent", "true class", "trials", "Yes %", "No %", "Unknown %", "not read %"),
        tuple(rows),
        note="Unknown is right of materials that nobody tested, and of no other.",
    )


def kinds(scores: Sequence[Score]) -> Table:
    """Return the score by kind of story."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        for (kind,), inner in grouped(group, lambda score: (score.facts["kind"],)).items():
            rows.append((*names, kind, len(inner), mean(inner, "score_strict"), mean(inner, "score")))
    return Table(
        "By kind", ("arm", "agent", "kind", "trials", "score (strict)", "score (compat)"), tuple(rows)
    )


def mean(group: Sequence[Score], fact: str) -> float | None:
    """Return the mean of a fact."""
    return rounded(ratio(sum(float(score.facts[fact]) for score in group), len(group)), 3)


def rate(group: Sequence[Score], fact: str) -> float | None:
    """Return the percentage of trials with a fact."""
    return percent(sum(bool(score.facts[fact]) for score in group), len(group))
