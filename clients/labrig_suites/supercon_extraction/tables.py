"""The suite's own tables: how much was extracted, by both definitions, at which level, and why runs ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, with_error
from labrig_suites.common.grouped import condition, ends, grouped

NOTE = (
    "Means over papers with their standard error; a paper of which nothing could be read counts as 0. Proved: right at "
    "0.1 %, with a quote that stands on the named page and holds the value. Pairs: property and material, whatever the "
    "value. Published: the published rules; names are compared by a list, or by the judge that the column names names."
)


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return extraction by arm and agent, by field and level, values of figures, and end reasons."""
    known = {sample.id for sample in samples}
    found = [score for score in scores if score.task in known]
    return [extraction(found), levels(found), figures(found), ends(found)]


def failed(score: Score) -> bool:
    """Tell whether nothing was extracted: nothing committed, not readable, or no property in it."""
    return not score.facts["read"] or not score.facts["said"]


def of(scores: Sequence[Score], fact: str) -> list[float]:
    """Return a measured fact of each record."""
    return [float(score.facts[fact]) for score in scores]


def extraction(scores: Sequence[Score]) -> Table:
    """Return F1 by both definitions, and its parts."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        quoted = [score for score in group if score.facts["quoted"] is not None and score.facts["said"]]
        on_page = percent(
            sum(score.facts["quoted"] for score in quoted), sum(score.facts["said"] for score in quoted)
        )
        rows.append(
            (
                *(
                    *names,
                    len(group),
                    with_error([score.strict for score in group]),
                    with_error(of(group, "f1")),
                ),
                *(
                    with_error(of(group, "precision")),
                    with_error(of(group, "recall")),
                    with_error(of(group, "pm")),
                ),
                *(with_error([score.compat for score in group]), with_error(of(group, "compat_recall"))),
                *(on_page if quoted else None, percent(sum(map(failed, group)), len(group))),
                " and ".join(sorted({str(score.facts.get("names", "list")) for score in group})),
            )
        )
    return Table(
        "Extraction",
        (
            *(
                "arm",
                "agent",
                "papers",
                "F1 proved (strict)",
                "F1 of values",
                "precision",
                "recall",
                "F1 of pairs",
            ),
            *("F1 published (compat)", "recall published", "quotes on their page %", "failed %", "names"),
        ),
        tuple(rows),
        note=NOTE,
    )


def levels(scores: Sequence[Score]) -> Table:
    """Return F1 by field, level and variant."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        for place, inner in grouped(group, _place).items():
            strict, compat = ([getattr(score, by) for score in inner] for by in ("strict", "compat"))
            rows.append(
                (
                    *names,
                    *place,
                    len(inner),
                    with_error(strict),
                    with_error(of(inner, "pm")),
                    with_error(compat),
                )
            )
    columns = (
        "arm",
        "agent",
        "field",
        "level",
        "variant",
        "papers",
        "F1 proved (strict)",
        "F1 of pairs",
        "F1 published (compat)",
    )
    return Table("By field, level and variant", columns, tuple(rows))


def figures(scores: Sequence[Score]) -> Table:
    """Return how many of the values that stand in a figure alone were read, which are in no other table."""
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        some = [score for score in group if score.facts["figures"]]
        there = sum(score.facts["figures"] for score in some)
        read = sum(score.facts["figures_read"] for score in some)
        rows.append((*names, len(some), there, read, percent(read, there)))
    return Table(
        "Values that stand in a figure alone",
        ("arm", "agent", "papers with such values", "values", "read", "read %"),
        tuple(rows),
        note="Right at 0.1 %, said to be of a figure, on its page. Missing one costs nothing in any score.",
    )


def _place(score: Score) -> tuple[str, str, str]:
    return score.facts["field"], score.facts["level"], score.facts["variant"]
