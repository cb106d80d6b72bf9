"""Means, differences and ratios with intervals, by resampling items or whole clusters."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from labrig_study.statistics.checking import (
    Floats,
    Labels,
    Numbers,
    at_least,
    numbered,
    numbers,
    one_of,
    same_length,
    share,
    sums_within,
)
from labrig_study.statistics.distributions import t_quantile

Method = Literal["expanded", "percentile"]

FEW = 10
"""Clusters below which an interval over clusters is marked as too narrow to be relied on."""

AT_ONCE = 1 << 20
"""Numbers drawn at a time: 8 MB, however many items and resamples there are."""


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty.

    Attributes
    ----------
    value
        The statistic of the sample itself, not of the resamples.
    se
        Standard error; None where it cannot be computed.
    interval
        Two-sided interval of coverage `confidence`; None where it cannot be computed, which `note` explains.
    n
        Items.
    clusters
        What was resampled: clusters, or items (then equal to `n`).
    method
        ``expanded`` or ``percentile``.
    note
        What a reader must know before using the interval; empty when there is nothing.
    """

    value: float
    se: float | None
    interval: tuple[float, float] | None
    n: int
    clusters: int
    confidence: float
    method: str
    note: str = ""


def bootstrap_mean(
    values: Numbers,
    clusters: Labels | None = None,
    *,
    weigh: Literal["items", "clusters"] = "items",
    method: Method = "expanded",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Return a mean with a bootstrap interval, resampling items, or whole clusters where they are given.

    Items of a cluster (questions on one scenario) resemble one another. Resampling them one by one takes them
    for independent, and the interval comes out too narrow; resampling clusters whole does not.

    Parameters
    ----------
    values
        One number per item, shape (n,); epochs of an item are averaged first.
    clusters
        A label per item. None: each item is its own.
    weigh
        ``items``: the mean over items, in which a large cluster counts for more. ``clusters``: the mean of
        cluster means.
    method
        ``percentile``: quantiles of the resampled means. ``expanded``: the same, at quantiles moved outwards so
        that the interval is as wide as Student's with clusters - 1 degrees of freedom; plain percentiles are too
        narrow by the factor sqrt((m - 1)/m) z/t for m clusters.
    seed
        Of ``numpy.random.default_rng``: the same seed gives the same interval.

    Returns
    -------
    Estimate
        `se` is the standard deviation of the resampled means. Without an interval for a single cluster, and
        where all resamples agree.

    Raises
    ------
    ValueError
        If `values` is empty or holds anything but finite numbers, or labels and values differ in number.

    References
    ----------
    Davison, A. C. and Hinkley, D. V. (1997). Bootstrap Methods and their Application, sections 3.8 and 5.3.
    Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American Statistician 69, 371-386
    (the expanded percentile interval).
    """
    array = numbers(values)
    return bootstrap_ratio(
        array,
        np.ones_like(array),
        clusters,
        weigh=weigh,
        method=method,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def bootstrap_difference(
    a: Numbers,
    b: Numbers,
    clusters: Labels | None = None,
    *,
    method: Method = "expanded",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Return the mean of b - a over the same items, with a paired bootstrap interval.

    Both sides of an item are always drawn together, so what they share (how hard the item is) cancels. All else
    as in `bootstrap_mean`.

    Raises
    ------
    ValueError
        If the two sides differ in length, or for the reasons of `bootstrap_mean`.
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(a=first, b=second)
    return bootstrap_mean(
        second - first, clusters, method=method, confidence=confidence, resamples=resamples, seed=seed
    )


def bootstrap_ratio(
    numerators: Numbers,
    denominators: Numbers,
    clusters: Labels | None = None,
    *,
    weigh: Literal["items", "clusters"] = "items",
    method: Method = "expanded",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Return sum(numerators) / sum(denominators) with a bootstrap interval.

    A mean has ones as denominators; retention has kept items over items that were right before. The parameters
    are those of `bootstrap_mean`; with ``weigh="clusters"`` a cluster's numerator is its own ratio.

    Raises
    ------
    ValueError
        If a denominator is negative, if they sum to 0 (with ``weigh="clusters"``, in any cluster), or for the
        reasons of `bootstrap_mean`.
    """
    above, below = numbers(numerators, "numerators"), numbers(denominators, "denominators", low=0)
    same_length(numerators=above, denominators=below)
    one_of(method, get_args(Method), "method")
    one_of(weigh, ("items", "clusters"), "weigh")
    share(confidence, "confidence")
    at_least(resamples, 1, "resamples")
    n = above.size
    if clusters is not None:
        place = numbered(clusters, n)
        above, below = sums_within(place, above), sums_within(place, below)
    if weigh == "clusters":
        if not below.all():
            raise ValueError("the denominators of a cluster sum to 0: its ratio does not exist")
        above, below = above / below, np.ones_like(below)
    if not below.sum() > 0:
        raise ValueError("denominators sum to 0: the ratio does not exist")
    drawn = resampled_sums(np.stack([above, below], axis=1), resamples, seed)
    drawn = drawn[drawn[:, 1] > 0]
    return _make_estimate(
        float(above.sum() / below.sum()),
        drawn[:, 0] / drawn[:, 1],
        n=n,
        groups=above.size,
        noun="samples" if clusters is None or above.size == n else "clusters",
        lost=resamples - len(drawn),
        method=method,
        confidence=confidence,
    )


def bootstrap_ratio_difference(
    first: tuple[Numbers, Numbers],
    second: tuple[Numbers, Numbers],
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Return one ratio of sums less another over the same items, with an expanded percentile interval.

    Each side is (numerators, denominators) as in `bootstrap_ratio`: retention less gain rate is the case in
    point, whose denominators are disjoint sets of the same items.

    Raises
    ------
    ValueError
        As `bootstrap_ratio`.
    """
    names = ("first numerators", "first denominators", "second numerators", "second denominators")
    rows = [numbers(row, name) for row, name in zip((*first, *second), names, strict=True)]
    if len({row.size for row in rows}) > 1:
        raise ValueError("all four rows need one value per sample")
    if min(rows[1].min(), rows[3].min()) < 0 or not (rows[1].sum() > 0 and rows[3].sum() > 0):
        raise ValueError("denominators must not be negative, nor sum to 0")
    share(confidence, "confidence")
    at_least(resamples, 1, "resamples")
    n = rows[0].size
    if clusters is not None:
        place = numbered(clusters, n)
        rows = [sums_within(place, row) for row in rows]
    drawn = resampled_sums(np.stack(rows, axis=1), resamples, seed)
    drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    sums = [float(row.sum()) for row in rows]
    return _make_estimate(
        sums[0] / sums[1] - sums[2] / sums[3],
        drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3],
        n=n,
        groups=rows[0].size,
        noun="samples" if clusters is None or rows[0].size == n else "clusters",
        lost=resamples - len(drawn),
        method="expanded",
        confidence=confidence,
    )


def resampled_sums(columns: Floats, resamples: int, seed: int) -> Floats:
    """Return the column sums of rows drawn with replacement, as many as there are.

    Parameters
    ----------
    columns
        Shape (rows, k).
    resamples
        How many times the rows are drawn.

    Returns
    -------
    numpy.ndarray
        Shape (resamples, k).
    """
    rows, k = columns.shape
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, k))
    step = max(1, AT_ONCE // rows)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        chosen = rng.integers(rows, size=(stop - start, rows))
        for column in range(k):
            values = columns[:, column]
            # A constant column (the ones under a mean) has the same sum whatever is drawn.
            constant = values.min() == values.max()
            sums[start:stop, column] = rows * values[0] if constant else values[chosen].sum(axis=1)
    return sums


def _make_estimate(
    value: float,
    drawn: Floats,
    *,
    n: int,
    groups: int,
    noun: str,
    lost: int,
    method: Method,
    confidence: float,
) -> Estimate:
    """Make an interval from the resampled statistic, or say why there is none."""

    def without(se: float | None, why: str) -> Estimate:
        return Estimate(value, se, None, n, groups, confidence, method, why)

    if groups == 1:
        return without(None, f"one {noun[:-1]}: no interval can be had by resampling {noun}")
    if len(drawn) < 2:
        return without(None, "too few resamples for an interval")
    if np.ptp(drawn) <= 1e-12 * max(1.0, abs(value)):
        return without(0.0, f"all {groups} {noun} agree: resampling shows no spread, which is not certainty")
    notes = []
    if groups < FEW:
        notes.append(f"only {groups} {noun}: the interval is rough, and likely too narrow")
    if lost:
        notes.append(f"{lost} resamples had nothing to divide by and were left out")
    tail = (1 - confidence) / 2
    lower, upper = tail, 1 - tail
    if method == "expanded":
        lower = NormalDist().cdf(-sqrt(groups / (groups - 1)) * t_quantile(1 - tail, groups - 1))
        upper = 1 - lower
    low, high = np.quantile(drawn, [lower, upper])
    se = float(drawn.std(ddof=1))
    return Estimate(value, se, (float(low), float(high)), n, groups, confidence, method, "; ".join(notes))
