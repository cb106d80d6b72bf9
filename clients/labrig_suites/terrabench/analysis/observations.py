"""Scores as numbers: for each model its items, for each item its metrics, the mean over epochs.

A *model* is an agent in an arm. The item is the unit of everything: epochs of it are averaged first, and its steps and
fields are never counted by themselves (Appendix E).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from labrig_harness.suite import Score
from labrig_suites.terrabench.metrics.process import WEIGHTS

Model: TypeAlias = tuple[str, str]
METRICS = (*WEIGHTS, "ToolUseScore", "NumScore", "Hit@tol")
COMPONENTS = ("ToolAcc", "InstAcc", "ArgAcc", "CategoryF1", "OrderScore", "ToolCallSuccessRate")
"""Of ToolUseScore; the last is the one that the paper leaves out of its regression."""


@dataclass(frozen=True)
class Observed:
    """The metrics of one model, by item."""

    items: Mapping[str, Mapping[str, float]]

    def row(self, metric: str, items: Sequence[str] | None = None) -> list[float]:
        """Return a metric of all items, in the order of `items` (default: sorted)."""
        return [self.items[item][metric] for item in (items or sorted(self.items))]

    def mean(self, metric: str) -> float:
        """Return the mean over items."""
        return fmean(self.row(metric))


def observe(scores: Iterable[Score]) -> dict[Model, Observed]:
    """Return the metrics of each model, models in the order of their names."""
    found: dict[Model, dict[str, list[Mapping[str, float]]]] = {}
    for each in scores:
        found.setdefault((each.agent, each.arm), {}).setdefault(each.task, []).append(each.facts["metrics"])
    return {
        model: Observed(
            {
                item: {metric: fmean(epoch[metric] for epoch in epochs) for metric in METRICS}
                for item, epochs in items.items()
            }
        )
        for model, items in sorted(found.items())
    }


def shared_items(models: Iterable[Observed]) -> list[str]:
    """Return the items that every model has, in order."""
    sets = [set(each.items) for each in models]
    return sorted(set.intersection(*sets)) if sets else []


def stacked(models: Mapping[Model, Observed], metrics: Sequence[str]) -> dict[str, list[float]]:
    """Return columns of observations, one for each model and item, in one order."""
    columns: dict[str, list[float]] = {metric: [] for metric in metrics}
    for each in models.values():
        for item in sorted(each.items):
            for metric in metrics:
                columns[metric].append(each.items[item][metric])
    return columns
