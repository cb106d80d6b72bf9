"""The table of a results report, from scores alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import percent
from labrig_study.statistics.proportions import wilson


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy by arm and agent, by both definitions, and how often the two disagree."""
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.arm, score.agent), []).append(score)
    return [
        Table(
            "Accuracy",
            ("arm", "agent", "items", "compat %", "low", "high", "strict %", "disagree"),
            tuple(_make_row(*key, groups[key]) for key in sorted(groups)),
            note=(
                "compat: correct as the table says; low, high: its 95 % Wilson interval. strict: the prediction equals "
                "the truth. Epochs of a sample are averaged first. disagree: rows where the two say different things."
            ),
        )
    ]


def _make_row(arm: str, agent: str, group: list[Score]) -> tuple[Any, ...]:
    compat, strict = item_means(group, "compat"), item_means(group, "strict")
    n = len(compat)
    low, high = wilson(sum(compat), n)
    shares = map(percent, (sum(compat) / n, low, high, sum(strict) / n))
    return (arm, agent, n, *shares, sum(bool(each.facts["disagree"]) for each in group))
