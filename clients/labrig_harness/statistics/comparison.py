"""Two arms compared on the items they share: everything `labrig compare A B` prints, computed without I/O.

Scores of epochs are averaged within an item, items are paired by their id, and items with one cluster label are
resampled together. Right and wrong, on which kept, gained, lost and McNemar's test rest, are those of most epochs of an
item: with one epoch those of a published table of single runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypedDict

from labrig_harness.statistics import (
    DesignEffect,
    Detectable,
    Estimate,
    GuessCorrected,
    McNemar,
    Movement,
    OddsRatio,
    PairedT,
    Permutation,
    RerunNull,
    RetentionTest,
    Stability,
    bootstrap_difference,
    bootstrap_mean,
    bootstrap_ratio,
    bootstrap_ratio_difference,
    design_effect,
    detectable,
    guess_corrected_retention,
    kept_gained_lost,
    mcnemar,
    paired_t,
    permutation_test,
    rerun_retention,
    rerun_stability,
    retention_odds_ratio,
    retention_test,
    wilson,
)


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
class Paired:
    """Arm B against arm A on the items that both have.

    Attributes
    ----------
    accuracy_a, accuracy_b
        Over these items, whose difference is `difference`.
    difference
        B - A with the paired bootstrap over clusters: the interval to quote.
    difference_by_item
        The same, resampling items: too narrow where items come in clusters.
    design
        Design effect of the clusters on the difference.
    movement
        Kept, gained, lost, neither: an item is right on a side where more than half of its epochs there are.
    retention, gain_rate
        With bootstrap intervals over clusters; None where nothing was right, or wrong, in A.
    retention_less_gain
        Their difference, likewise: the one to quote where items come in clusters. None unless both exist.
    test
        Retention against gain rate with Fisher's test, items taken as independent.
    guess_corrected
        None unless a chance of guessing was given.
    retention_over_epochs
        Mean of the retention over all pairs of an epoch of A and one of B: what to set beside the rerun null.
        None where there is but one epoch on both sides, or nothing was right in A.
    tokens_saved
        1 - B/A of the mean tokens per record, over the items whose tokens are all known; None without any.
    """

    n: int
    clusters: int
    accuracy_a: float
    accuracy_b: float
    difference: Estimate
    difference_by_item: Estimate
    design: DesignEffect
    detectable: Detectable
    permutation: Permutation
    mcnemar: McNemar
    t_test: PairedT
    movement: Movement
    retention: Estimate | None
    gain_rate: Estimate | None
    retention_less_gain: Estimate | None
    test: RetentionTest
    odds_ratio: OddsRatio
    guess_corrected: GuessCorrected | None
    retention_over_epochs: Estimate | None
    tokens_saved: float | None


@dataclass(frozen=True)
class Comparison:
    """Two arms side by side.

    Attributes
    ----------
    only_a, only_b
        Items that the other arm has not: they count in that arm's own summary and nowhere else.
    paired
        None when no item is in both.
    notes
        Plain caveats, to be printed whole.
    score
        Which score was compared; empty where the caller did not say.
    """

    a: ArmSummary
    b: ArmSummary
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    paired: Paired | None
    confidence: float
    notes: tuple[str, ...]
    score: str = ""


@dataclass(frozen=True)
class _Item:
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


def compare(
    a: Iterable[ItemRecord],
    b: Iterable[ItemRecord],
    *,
    guess: float | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    score: str = "",
) -> Comparison:
    """Compare arm B with arm A, the baseline.

    Parameters
    ----------
    a, b
        The records of each arm, in any order, one per item and epoch.
    guess
        Chance of guessing an item right (1/4 with four options); None: no correction for guessing.
    confidence
        Coverage of all intervals.
    resamples, seed
        Of the bootstraps and the permutation test: the same seed gives the same comparison.
    score
        Which score the records hold (``strict``, ``compat``), to be named beside every count.

    Raises
    ------
    ValueError
        If an arm has no record or two of the same item and epoch, a score lies outside [0, 1], a count is
        negative, or an item has two cluster labels.
    """
    first, second = _items(a, "A"), _items(b, "B")
    common = sorted(first.keys() & second.keys())
    for item in common:
        if first[item].cluster != second[item].cluster:
            labels = f"{first[item].records[0].cluster!r} in A, {second[item].records[0].cluster!r} in B"
            raise ValueError(f"sample {item} belongs to two clusters: {labels}")
    only_a, only_b = tuple(sorted(first.keys() - second.keys())), tuple(sorted(second.keys() - first.keys()))
    options = _Options(confidence=confidence, resamples=resamples, seed=seed)
    summaries = _summary(first, options), _summary(second, options)
    paired = _pair([first[item] for item in common], [second[item] for item in common], guess, options)
    notes = [
        *_arm_notes("A", first, summaries[0]),
        *_arm_notes("B", second, summaries[1]),
        *_pairing_notes(only_a, only_b, paired),
        *_epoch_notes([each for item in common for each in (first[item], second[item])]),
    ]
    return Comparison(*summaries, only_a, only_b, paired, confidence, tuple(notes), score)


class _Options(TypedDict):
    """How the bootstraps resample, as they take it."""

    confidence: float
    resamples: int
    seed: int


def _items(records: Iterable[ItemRecord], arm: str) -> dict[str, _Item]:
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
        items[item] = _Item(("cluster", label) if label else ("item", item), ordered)
    return items


def _summary(items: dict[str, _Item], options: _Options) -> ArmSummary:
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


def _pair(a: list[_Item], b: list[_Item], guess: float | None, options: _Options) -> Paired | None:
    if not a:
        return None
    clusters = [item.cluster for item in a]
    before, after = [item.mean for item in a], [item.mean for item in b]
    first, second = [item.right for item in a], [item.right for item in b]
    moved = kept_gained_lost(first, second)
    kept = [x and y for x, y in zip(first, second, strict=True)]
    gained = [y and not x for x, y in zip(first, second, strict=True)]
    wrong = [not x for x in first]
    confidence = options["confidence"]

    def ratio(above: list[float], below: list[float]) -> Estimate | None:
        if not any(below):
            return None
        return bootstrap_ratio(above, below, clusters, **options)

    share_a = [sum(item.rights) / len(item.rights) for item in a]
    share_b = [sum(item.rights) / len(item.rights) for item in b]
    reruns = any(len(item.records) > 1 for item in (*a, *b))
    return Paired(
        n=len(a),
        clusters=len(set(clusters)),
        accuracy_a=sum(before) / len(before),
        accuracy_b=sum(after) / len(after),
        difference=bootstrap_difference(before, after, clusters, **options),
        difference_by_item=bootstrap_difference(before, after, **options),
        design=design_effect([y - x for x, y in zip(before, after, strict=True)], clusters),
        detectable=detectable(before, after, clusters, alpha=round(1 - confidence, 12)),
        permutation=permutation_test(before, after, clusters, seed=options["seed"]),
        mcnemar=mcnemar(moved.gained, moved.lost),
        t_test=paired_t(before, after),
        movement=moved,
        retention=ratio([float(x) for x in kept], [float(x) for x in first]),
        gain_rate=ratio([float(x) for x in gained], [float(x) for x in wrong]),
        retention_less_gain=bootstrap_ratio_difference((kept, first), (gained, wrong), clusters, **options)
        if moved.right and moved.wrong
        else None,
        test=retention_test(moved, confidence),
        odds_ratio=retention_odds_ratio(moved, confidence),
        guess_corrected=None if guess is None else guess_corrected_retention(moved, guess, confidence),
        retention_over_epochs=ratio([x * y for x, y in zip(share_a, share_b, strict=True)], share_a)
        if reruns
        else None,
        tokens_saved=_tokens_saved(a, b),
    )


def _tokens_saved(a: list[_Item], b: list[_Item]) -> float | None:
    spent = [(x.tokens, y.tokens) for x, y in zip(a, b, strict=True)]
    known = [(x, y) for x, y in spent if x is not None and y is not None]
    before = sum(x for x, _ in known)
    return 1 - sum(y for _, y in known) / before if before else None


def _arm_notes(arm: str, items: Mapping[str, _Item], summary: ArmSummary) -> list[str]:
    notes = []
    if summary.accuracy.note:
        notes.append(f"Arm {arm}: {summary.accuracy.note}.")
    if short := [name for name, item in items.items() if len(item.records) < summary.epochs]:
        notes.append(
            f"Arm {arm} is incomplete: {len(short)} of {summary.n} samples lack some of the {summary.epochs} epochs "
            f"({_some(short)})."
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


def _epoch_notes(paired: Sequence[_Item]) -> list[str]:
    """Say how several epochs become right or wrong; nothing where no item has several."""
    if not any(len(item.records) > 1 for item in paired):
        return []
    tied = sum(item.tied for item in paired)
    ties = f" ({tied} with just half of them right count as wrong)" if tied else ""
    return [
        "Kept, gained, lost and McNemar take a sample as right in a run where more than half of its epochs are"
        f"{ties}; accuracies are means over all epochs."
    ]


def _pairing_notes(only_a: tuple[str, ...], only_b: tuple[str, ...], paired: Paired | None) -> list[str]:
    notes = []
    for arm, other, missing in (("A", "B", only_a), ("B", "A", only_b)):
        if missing:
            notes.append(
                f"{len(missing)} samples of arm {arm} are not in arm {other} and are not paired ({_some(missing)})."
            )
    if paired is None:
        return [*notes, "No sample is in both arms: nothing can be paired."]
    if paired.clusters == paired.n:
        notes.append("No two samples share a cluster: all intervals take samples as independent.")
    else:
        notes.append(
            f"{paired.n} samples in {paired.clusters} clusters: Wilson, McNemar, the t test and Fisher's test take "
            "samples as independent; the intervals over clusters and the permutation test do not."
        )
    said = {
        "Difference": paired.difference.note,
        "Permutation test": paired.permutation.note,
        "Paired t": paired.t_test.note,
        "Detectable difference": paired.detectable.note,
        "Retention": paired.retention.note if paired.retention else "",
        "Gain rate": paired.gain_rate.note if paired.gain_rate else "",
        "Retention against gain rate": paired.test.note,
        "Odds ratio": paired.odds_ratio.note,
        "Guess correction": paired.guess_corrected.note if paired.guess_corrected else "",
    }
    by_note: dict[str, list[str]] = {}
    for what, note in said.items():
        if note:
            by_note.setdefault(note, []).append(what)
    return notes + [f"{', '.join(whats)}: {note}." for note, whats in by_note.items()]


def _some(items: Iterable[str], most: int = 5) -> str:
    names = list(items)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
