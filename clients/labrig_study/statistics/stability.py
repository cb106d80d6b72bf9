"""How far reruns of one condition agree: as a whole, item by item, and in what they keep of one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from labrig_study.statistics.bootstrap import Estimate, bootstrap_ratio
from labrig_study.statistics.checking import Floats, Labels, Numbers, Truths, numbers, truths


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


@dataclass(frozen=True)
class RerunNull:
    """What retention and gain rate come out as between two runs of the same condition, where nothing changed.

    Attributes
    ----------
    retention
        Over all ordered pairs of reruns; None when no item was ever right. 1 - retention is loss that is noise.
    gain_rate
        Likewise; None when no item was ever wrong.
    pairs
        Retention of each ordered pair (first run, second run), where its first run has anything right; empty
        where items have different numbers of reruns.
    """

    retention: Estimate | None
    gain_rate: Estimate | None
    pairs: tuple[float, ...]
    note: str = ""


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


def rerun_retention(
    reruns: Sequence[Truths],
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> RerunNull:
    r"""Return retention and gain rate between reruns of one condition.

    An item right in c of m reruns is right in both of two different ones with probability
    :math:`c (c - 1) / m (m - 1)`, so over all ordered pairs

    .. math::

        R_0 = \frac{\sum_i c_i (c_i - 1) / m_i (m_i - 1)}{\sum_i c_i / m_i}, \qquad
        G_0 = \frac{\sum_i c_i (m_i - c_i) / m_i (m_i - 1)}{\sum_i (m_i - c_i) / m_i}

    Parameters
    ----------
    reruns
        Per item its reruns, right or wrong; at least two each.
    clusters
        A label per item, resampled whole for the intervals.

    Raises
    ------
    ValueError
        If there is no item, or one with fewer than two reruns or with anything but true and false.
    """
    if not len(reruns):
        raise ValueError("reruns is empty: at least one sample is needed")
    rows = [truths(row, f"reruns[{place}]") for place, row in enumerate(reruns)]
    for place, row in enumerate(rows):
        if row.size < 2:
            raise ValueError(f"reruns[{place}] holds one run: at least two are needed")
    c = np.array([row.sum() for row in rows], dtype=np.float64)
    m = np.array([row.size for row in rows], dtype=np.float64)
    pairs = m * (m - 1)

    def ratio(above: Floats, below: Floats) -> Estimate:
        return bootstrap_ratio(above, below, clusters, confidence=confidence, resamples=resamples, seed=seed)

    notes = []
    retention = gain_rate = None
    if c.sum() > 0:
        retention = ratio(c * (c - 1) / pairs, c / m)
    else:
        notes.append("no sample was ever right: retention does not exist")
    if (m - c).sum() > 0:
        gain_rate = ratio(c * (m - c) / pairs, (m - c) / m)
    else:
        notes.append("no sample was ever wrong: the gain rate does not exist")
    each: tuple[float, ...] = ()
    if len(set(m)) == 1:
        table = np.stack(rows)
        each = tuple(
            float(table[table[:, first], second].mean())
            for first, second in permutations(range(table.shape[1]), 2)
            if table[:, first].any()
        )
    return RerunNull(retention, gain_rate, each, "; ".join(notes))
