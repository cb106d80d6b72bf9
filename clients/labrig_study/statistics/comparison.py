"""Two arms compared on the items they share: everything `labrig compare A B` prints, computed without I/O.

Scores of epochs are averaged within an item, items are paired by their id, and items with one cluster label are
resampled together. Right and wrong, on which kept, gained, lost and McNemar's test rest, are those of most epochs of an
item: with one epoch those of a published table of single runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labrig_study.statistics.arms import (
    ArmSummary,
    Item,
    ItemRecord,
    Resampling,
    arm_notes,
    items_of,
    some,
    summary_of,
)
from labrig_study.statistics.bootstrap import (
    Estimate,
    bootstrap_difference,
    bootstrap_ratio,
    bootstrap_ratio_difference,
)
from labrig_study.statistics.clustered import DesignEffect, Detectable, design_effect, detectable
from labrig_study.statistics.paired import McNemar, PairedT, Permutation, mcnemar, paired_t, permutation_test
from labrig_study.statistics.retention import (
    GuessCorrected,
    Movement,
    OddsRatio,
    RetentionTest,
    guess_corrected_retention,
    kept_gained_lost,
    retention_odds_ratio,
    retention_test,
)


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
    first, second = items_of(a, "A"), items_of(b, "B")
    common = sorted(first.keys() & second.keys())
    for item in common:
        if first[item].cluster != second[item].cluster:
            labels = f"{first[item].records[0].cluster!r} in A, {second[item].records[0].cluster!r} in B"
            raise ValueError(f"sample {item} belongs to two clusters: {labels}")
    only_a, only_b = tuple(sorted(first.keys() - second.keys())), tuple(sorted(second.keys() - first.keys()))
    options = Resampling(confidence=confidence, resamples=resamples, seed=seed)
    summaries = summary_of(first, options), summary_of(second, options)
    paired = _compare_pair(
        [first[item] for item in common], [second[item] for item in common], guess, options
    )
    notes = [
        *arm_notes("A", first, summaries[0]),
        *arm_notes("B", second, summaries[1]),
        *_note_pairing(only_a, only_b, paired),
        *_note_epochs([each for item in common for each in (first[item], second[item])]),
    ]
    return Comparison(*summaries, only_a, only_b, paired, confidence, tuple(notes), score)


def _compare_pair(a: list[Item], b: list[Item], guess: float | None, options: Resampling) -> Paired | None:
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
        tokens_saved=_count_tokens_saved(a, b),
    )


def _count_tokens_saved(a: list[Item], b: list[Item]) -> float | None:
    spent = [(x.tokens, y.tokens) for x, y in zip(a, b, strict=True)]
    known = [(x, y) for x, y in spent if x is not None and y is not None]
    before = sum(x for x, _ in known)
    return 1 - sum(y for _, y in known) / before if before else None


def _note_epochs(paired: Sequence[Item]) -> list[str]:
    """Say how several epochs become right or wrong; nothing where no item has several."""
    if not any(len(item.records) > 1 for item in paired):
        return []
    tied = sum(item.tied for item in paired)
    ties = f" ({tied} with just half of them right count as wrong)" if tied else ""
    return [
        "Kept, gained, lost and McNemar take a sample as right in a run where more than half of its epochs are"
        f"{ties}; accuracies are means over all epochs."
    ]


def _note_pairing(only_a: tuple[str, ...], only_b: tuple[str, ...], paired: Paired | None) -> list[str]:
    notes = []
    for arm, other, missing in (("A", "B", only_a), ("B", "A", only_b)):
        if missing:
            notes.append(
                f"{len(missing)} samples of arm {arm} are not in arm {other} and are not paired ({some(missing)})."
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
