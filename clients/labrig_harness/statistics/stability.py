"""How far reruns of one condition agree: as a whole, and item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labrig_harness.statistics.checking import Numbers, numbers


@dataclass(frozen=True)
class Spread:
    """Scatter of one number over reruns; `sd` (n - 1 in its denominator) is None for a single run."""

    mean: float
    sd: float | None
    range: float
    runs: int


@dataclass(frozen=True)
class Stability:
    """How reruns of one condition agree, item by item.

    Attributes
    ----------
    accuracy
        Scatter of the mean score over reruns.
    always_right, always_wrong
        Share of items that score 1, or 0, in every rerun.
    flipping
        Share of items whose score is not the same in every rerun.
    item_variance
        Mean over items of the sample variance over reruns; None for a single run.
    agreement
        Mean over items of the chance that two different reruns score the same; None for a single run.
    """

    accuracy: Spread
    always_right: float
    always_wrong: float
    flipping: float
    item_variance: float | None
    agreement: float | None
    items: int
    runs: int


def rerun_spread(values: Numbers) -> Spread:
    """Return mean, sample standard deviation and range of one number over reruns.

    Raises
    ------
    ValueError
        If `values` is empty or holds anything but finite numbers.
    """
    array = numbers(values)
    sd = float(array.std(ddof=1)) if array.size > 1 else None
    return Spread(float(array.mean()), sd, float(np.ptp(array)), array.size)


def rerun_stability(scores: Sequence[Numbers]) -> Stability:
    """Return how far reruns agree.

    Parameters
    ----------
    scores
        Per item its scores in [0, 1], one per rerun in the same order, shape (items, reruns).

    Raises
    ------
    ValueError
        If there is no item, items differ in their number of reruns, or a score lies outside [0, 1].
    """
    if not len(scores):
        raise ValueError("scores is empty: at least one sample is needed")
    rows = [numbers(row, f"scores[{place}]", low=0, high=1) for place, row in enumerate(scores)]
    runs = rows[0].size
    for place, row in enumerate(rows):
        if row.size != runs:
            raise ValueError(f"scores[{place}] has {row.size} reruns, scores[0] has {runs}")
    table = np.stack(rows)
    variance = agreement = None
    if runs > 1:
        variance = float(table.var(axis=1, ddof=1).mean())
        first, second = np.triu_indices(runs, k=1)
        agreement = float(np.mean(table[:, first] == table[:, second]))
    return Stability(
        accuracy=rerun_spread(table.mean(axis=0)),
        always_right=float((table == 1).all(axis=1).mean()),
        always_wrong=float((table == 0).all(axis=1).mean()),
        flipping=float((np.ptp(table, axis=1) > 0).mean()),
        item_variance=variance,
        agreement=agreement,
        items=len(rows),
        runs=runs,
    )
