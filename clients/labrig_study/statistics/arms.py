"""One arm: its records gathered by item, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TypedDict

from labrig_study.statistics.bootstrap import Estimate, bootstrap_mean
from labrig_study.statistics.clustered import DesignEffect, design_effect
from labrig_study.statistics.proportions import wilson
from labrig_study.statistics.stability import RerunNull, Stability, rerun_retention, rerun_stability


@dataclass(frozen=True)
class ItemRecord:
    """One run of one item.

    Attributes
    ----------
    cluster
        What the item shares with others (its scenario); None or empty: it shares nothing.
    epoch
        Which rerun of the item.
    score
        In [0, 1]; 1 is right.
    committed
        Whether an answer was handed in.
    tokens
        Of the whole run; None where the service did not say.
    steps
        Turns of the agent; None where its log does not tell.
    """

    item: str
    cluster: str | None
    epoch: int
    score: float
    committed: bool = True
    tokens: int | None = None
    steps: int | None = None


@dataclass(frozen=True)
class ArmSummary:
    """One arm, over all of its own items.

    Attributes
    ----------
    accuracy
        Mean over items of their mean over epochs, with the bootstrap over clusters: the interval to quote.
    wilson
        Wilson's interval for as many independent items: too narrow where items come in clusters, and wider than
        need be where item means lie between 0 and 1.
    design
        Design effect of the clusters.
    committed
        Share of records with an answer.
    tokens, tokens_per_right
        Total over the records that have it, and divided by the sum of their scores; None where there is none.
    tokens_unknown, steps_unknown
        Records whose tokens, or steps, are not known and do not count.
    steps
        Mean per record.
    rerun_null
        Retention and gain rate between reruns of this arm, over the items with two or more; None without any.
    stability
        Reruns item by item, over the items that have every epoch of the arm; None without two epochs.
    """

    n: int
    clusters: int
    records: int
    epochs: int
    accuracy: Estimate
    wilson: tuple[float, float]
    design: DesignEffect
    committed: float
    tokens: int | None
    tokens_mean: float | None
    tokens_per_right: float | None
    tokens_unknown: int
    steps: float | None
    steps_unknown: int
    rerun_null: RerunNull | None
    stability: Stability | None


@dataclass(frozen=True)
class Item:
    """An item of an arm, its records in the order of epochs."""

    cluster: tuple[str, str]
    records: tuple[ItemRecord, ...]

    @property
    def mean(self) -> float:
        return sum(record.score for record in self.records) / len(self.records)

    @property
    def rights(self) -> list[bool]:
        return [record.score == 1 for record in self.records]

    @property
    def right(self) -> bool:
        """Whether more than half of the epochs are right."""
        return 2 * sum(self.rights) > len(self.records)

    @property
    def tied(self) -> bool:
        return 2 * sum(self.rights) == len(self.records)

    @property
    def tokens(self) -> float | None:
        known = [record.tokens for record in self.records if record.tokens is not None]
        return sum(known) / len(known) if len(known) == len(self.records) else None


class Resampling(TypedDict):
    """How the bootstraps resample, as they take it."""

    confidence: float
    resamples: int
    seed: int


def items_of(records: Iterable[ItemRecord], arm: str) -> dict[str, Item]:
    """Gather records by item, and refuse what cannot be true of an arm."""
    by_item: dict[str, dict[int, ItemRecord]] = {}
    for record in records:
        where = f"arm {arm}, sample {record.item}, epoch {record.epoch}"
        if not isfinite(record.score) or not 0 <= record.score <= 1:
            raise ValueError(f"{where}: the score must lie in [0, 1], not {record.score}")
        for name, count in (("tokens", record.tokens), ("steps", record.steps)):
            if count is not None and count < 0:
                raise ValueError(f"{where}: {name} must not be negative: {count}")
        epochs = by_item.setdefault(record.item, {})
        if record.epoch in epochs:
            raise ValueError(f"{where}: two records")
        epochs[record.epoch] = record
        if (record.cluster or None) != (next(iter(epochs.values())).cluster or None):
            raise ValueError(f"{where}: the sample belongs to two clusters")
    if not by_item:
        raise ValueError(f"arm {arm} has no record")
    items = {}
    for item, epochs in sorted(by_item.items()):
        ordered = tuple(epochs[epoch] for epoch in sorted(epochs))
        label = ordered[0].cluster
        items[item] = Item(("cluster", label) if label else ("item", item), ordered)
    return items


def summary_of(items: dict[str, Item], options: Resampling) -> ArmSummary:
    scores = [item.mean for item in items.values()]
    clusters = [item.cluster for item in items.values()]
    records = [record for item in items.values() for record in item.records]
    epochs = len({record.epoch for record in records})
    tokens = [record.tokens for record in records if record.tokens is not None]
    right = sum(record.score for record in records if record.tokens is not None)
    steps = [record.steps for record in records if record.steps is not None]
    rerun = [item for item in items.values() if len(item.records) > 1]
    whole = [item for item in items.values() if len(item.records) == epochs > 1]
    return ArmSummary(
        n=len(items),
        clusters=len(set(clusters)),
        records=len(records),
        epochs=epochs,
        accuracy=bootstrap_mean(scores, clusters, **options),
        # Means of thirds and the like can add up to a little more than n.
        wilson=wilson(min(sum(scores), len(scores)), len(scores), options["confidence"]),
        design=design_effect(scores, clusters),
        committed=sum(record.committed for record in records) / len(records),
        tokens=sum(tokens) if tokens else None,
        tokens_mean=sum(tokens) / len(tokens) if tokens else None,
        tokens_per_right=sum(tokens) / right if tokens and right else None,
        tokens_unknown=len(records) - len(tokens),
        steps=sum(steps) / len(steps) if steps else None,
        steps_unknown=len(records) - len(steps),
        rerun_null=rerun_retention(
            [item.rights for item in rerun], [item.cluster for item in rerun], **options
        )
        if rerun
        else None,
        stability=rerun_stability([[record.score for record in item.records] for item in whole])
        if whole
        else None,
    )


def arm_notes(arm: str, items: Mapping[str, Item], summary: ArmSummary) -> list[str]:
    notes = []
    if summary.accuracy.note:
        notes.append(f"Arm {arm}: {summary.accuracy.note}.")
    if short := [name for name, item in items.items() if len(item.records) < summary.epochs]:
        notes.append(
            f"Arm {arm} is incomplete: {len(short)} of {summary.n} samples lack some of the {summary.epochs} epochs "
            f"({some(short)})."
        )
    if summary.rerun_null and summary.rerun_null.note:
        notes.append(f"Arm {arm}, reruns: {summary.rerun_null.note}.")
    if partial := sum(0 < record.score < 1 for item in items.values() for record in item.records):
        notes.append(
            f"Arm {arm}: {partial} records score between 0 and 1; where right or wrong is asked, they are wrong."
        )
    for name, unknown in (("tokens", summary.tokens_unknown), ("steps", summary.steps_unknown)):
        if 0 < unknown < summary.records:
            notes.append(f"Arm {arm}: {name} are not known for {unknown} of {summary.records} records.")
    return notes


def some(items: Iterable[str], most: int = 5) -> str:
    names = list(items)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
