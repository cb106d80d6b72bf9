"""How far the epochs of a run agree with one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labrig_study.report.leaderboard import Row
from labrig_study.report.runs import scores_of
from labrig_study.statistics import has_statistics

if TYPE_CHECKING:
    from labrig_study.statistics.stability import RerunNull, Stability


@dataclass(frozen=True)
class Reruns:
    """The epochs of a run.

    Attributes
    ----------
    whole
        Items that have every epoch; `stability` rests on these alone.
    alpha
        Krippendorff's alpha (nominal) of the verdicts, epochs as raters: 1 is agreement, 0 what chance gives; None
        where all verdicts are alike.
    null
        Retention and gain rate between reruns, where nothing changed.
    """

    row: Row
    whole: int
    stability: Stability | None
    alpha: float | None
    null: RerunNull


def reruns(rows: Sequence[Row]) -> list[Reruns]:
    """Return the runs with two epochs or more; nothing where NumPy and SciPy are missing."""
    return (
        [_measure_reruns(row) for row in rows if row.epochs > 1 and _has_reruns(row)]
        if has_statistics()
        else []
    )


def _has_reruns(row: Row) -> bool:
    return any(len(records) > 1 for records in row.run.items.values())


def _measure_reruns(row: Row) -> Reruns:
    from labrig_study.statistics.agreement import krippendorff_alpha
    from labrig_study.statistics.stability import rerun_retention, rerun_stability

    items = row.run.items
    epochs = sorted({each.epoch for each in row.run.records})
    by_epoch = [
        {each.epoch: score for each, score in zip(records, scores_of(records), strict=True)}
        for records in items.values()
    ]
    whole = [[scores[epoch] for epoch in epochs] for scores in by_epoch if len(scores) == len(epochs)]
    again = [
        ([score == 1 for score in scores.values()], label)
        for scores, label in zip(by_epoch, row.run.labels(), strict=True)
        if len(scores) > 1
    ]
    return Reruns(
        row=row,
        whole=len(whole),
        stability=rerun_stability(whole) if whole else None,
        alpha=krippendorff_alpha([[scores.get(epoch) for scores in by_epoch] for epoch in epochs]),
        null=rerun_retention([rights for rights, _ in again], [label for _, label in again]),
    )
