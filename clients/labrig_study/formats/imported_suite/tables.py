"""The table of a report on imported logs, from scores alone."""

from __future__ import annotations

from collections.abc import Iterable

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import mean, percent


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return the mean of every scorer by arm and agent; nothing where no log was scored."""
    groups: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for score in scores:
        for scorer, value in score.facts["scorers"].items():
            items = groups.setdefault((score.arm, score.agent, scorer), {})
            items.setdefault(score.task, []).append(value)
    if not groups:
        return []
    rows = tuple(
        (*key, len(items), percent(mean(map(mean, items.values())))) for key, items in sorted(groups.items())
    )
    note = "As the logs say. Epochs of a sample are averaged first."
    return [Table("Scores of the logs", ("arm", "agent", "scorer", "items", "mean %"), rows, note=note)]
