"""The suite's own tables: process and answer by arm and agent, by track, level and domain, and why runs ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import mean, percent
from labrig_suites.common.grouped import condition, ends, grouped
from labrig_suites.terrabench.truth import TRACKS

SHOWN = ("ToolUseScore", "NumScore", "Hit@tol", "ToolAcc", "CategoryF1", "ArgAcc", "OrderScore", "InstAcc")
NOTE = (
    "Means over records, in percent. ToolUseScore says how like the reference a run worked, and nothing about its "
    "answer; Hit@tol whether the numbers are right. labrig tables has those of the paper."
)


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return the metrics of each condition, their means by label, the items that the records cover, and end reasons."""
    known = {sample.id: sample for sample in samples}
    found = [score for score in scores if score.task in known]
    by_label = [_by(found, label) for label in ("track", "level", "domain")]
    return [metrics(found), *by_label, items(list(known.values())), ends(found)]


def metrics(scores: Sequence[Score]) -> Table:
    """Return the main metrics by arm and agent."""
    rows = [
        (*names, len(group), *(_mean(group, name) for name in SHOWN))
        for names, group in grouped(scores, condition).items()
    ]
    return Table("Process and answer", ("arm", "agent", "records", *SHOWN), tuple(rows), NOTE)


def _by(scores: Sequence[Score], label: str) -> Table:
    rows: list[tuple[Any, ...]] = []
    for names, group in grouped(scores, condition).items():
        for value, part in sorted(grouped(group, lambda each: each.facts[label]).items()):
            rows.append((*names, value, len(part), *(_mean(part, name) for name in SHOWN[:3])))
    return Table(f"By {label}", ("arm", "agent", label, "records", *SHOWN[:3]), tuple(rows))


def items(samples: Sequence[Sample]) -> Table:
    """Return how many items of each track there are, and which side environments they need."""
    rows = []
    for track in TRACKS:
        part = [each for each in samples if each.labels["track"] == track]
        needs = sorted({need for each in part for need in each.needs})
        if part:
            rows.append((track, len(part), ", ".join(needs) or "none"))
    return Table("Items", ("track", "items", "side environments"), tuple(rows))


def _mean(scores: Sequence[Score], name: str) -> float | None:
    return percent(mean(float(each.facts["metrics"][name]) for each in scores), digits=2)
