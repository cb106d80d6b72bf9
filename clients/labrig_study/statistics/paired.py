"""Tests of two conditions on the same items: permutation of whole clusters, McNemar, paired t, and Holm."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from labrig_study.statistics.bootstrap import AT_ONCE
from labrig_study.statistics.checking import (
    Labels,
    Numbers,
    at_least,
    numbered,
    numbers,
    same_length,
    sums_within,
    whole,
)
from labrig_study.statistics.distributions import fair_coin, t_two_sided

EXACT = 14
"""Clusters up to which all 2^k sign patterns are gone through."""


@dataclass(frozen=True)
class Permutation:
    """A paired permutation test.

    Attributes
    ----------
    difference
        Mean of b - a over items.
    exact
        Whether every pattern of signs was gone through; otherwise `patterns` were drawn.
    smallest_p
        The least p these data could have given: two patterns of signs out of all.
    """

    difference: float
    p: float
    exact: bool
    patterns: int
    smallest_p: float
    note: str = ""


@dataclass(frozen=True)
class McNemar:
    """McNemar's test in its three usual forms.

    Attributes
    ----------
    gained, lost
        Items that changed, wrong to right and right to wrong.
    exact_p
        Two-sided binomial; conservative.
    mid_p
        Less half the probability of what was seen on either side: nearer its level, and the one to prefer.
    chi2, chi2_p
        With continuity correction.
    """

    gained: int
    lost: int
    exact_p: float
    mid_p: float
    chi2: float
    chi2_p: float


@dataclass(frozen=True)
class PairedT:
    """Student's paired test; `t` and `p` are None where all differences are equal or there is one."""

    difference: float
    t: float | None
    df: int
    p: float | None
    note: str = ""


def permutation_test(
    a: Numbers, b: Numbers, clusters: Labels | None = None, *, draws: int = 20_000, seed: int = 0
) -> Permutation:
    r"""Test whether two conditions differ on the same items, by swapping them in whole clusters.

    If neither condition were better, a cluster's summed difference :math:`D_g = \sum_{i \in g} (b_i - a_i)`
    would have come out with the other sign as readily. The p value is the share of sign patterns with
    :math:`|\sum \pm D_g| \ge |\sum D_g|`: all :math:`2^k` of them for k <= 14 clusters with a difference, else
    of `draws` random ones with the seen pattern counted in, :math:`(1 + \#)/(1 + \mathrm{draws})`.

    Parameters
    ----------
    a, b
        One number per item on each side, in the same order, shape (n,); epochs of an item are averaged first.
    clusters
        A label per item. None: each item is its own.
    draws
        Random patterns where there are too many to go through.
    seed
        Of ``numpy.random.default_rng``.

    Raises
    ------
    ValueError
        If the sides differ in length, are empty or hold anything but finite numbers.

    References
    ----------
    Fisher, R. A. (1935). The Design of Experiments, section 21.
    Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. Stat. Appl. Genet. Mol. Biol. 9,
    article 39.
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(a=first, b=second)
    at_least(draws, 1, "draws")
    change = second - first
    mean = float(change.mean())
    sums = change if clusters is None else sums_within(numbered(clusters, change.size), change)
    # Scores such as 1/3 leave rounding behind: a sum of 1e-17 is none.
    noise = 1e-12 * max(1.0, float(np.abs(change).sum()))
    sums = sums[np.abs(sums) > noise]
    k = sums.size
    if k == 0:
        return Permutation(mean, 1.0, True, 1, 1.0, "no cluster differs: there is nothing to test")
    # The two patterns of all equal signs reach |sum| when all clusters moved one way: 2 of 2^k.
    smallest = 2.0 ** (1 - k)
    seen = abs(float(sums.sum())) - noise
    exact = k <= EXACT
    patterns = 2**k if exact else draws
    rng = np.random.default_rng(seed)
    reached = 0
    step = max(1, AT_ONCE // k)
    for start in range(0, patterns, step):
        stop = min(start + step, patterns)
        if exact:
            bits = np.arange(start, stop)[:, None] >> np.arange(k) & 1
        else:
            bits = rng.integers(2, size=(stop - start, k), dtype=np.int8)
        reached += int((np.abs((2.0 * bits - 1) @ sums) >= seen).sum())
    p = reached / patterns if exact else (1 + reached) / (1 + draws)
    note = f"{k} clusters with a difference: p cannot be below {smallest:.2g}" if smallest > 0.05 else ""
    return Permutation(mean, p, exact, patterns, smallest if exact else max(smallest, 1 / (1 + draws)), note)


def mcnemar(gained: int, lost: int) -> McNemar:
    r"""Test whether more items changed one way than the other.

    Of :math:`m = b + c` items that changed, :math:`b` were lost and :math:`c` gained; if both ways were as
    likely, :math:`b \sim \mathrm{Bin}(m, 1/2)`. The corrected statistic is
    :math:`\max(0, |b - c| - 1)^2 / m` on one degree of freedom.

    Parameters
    ----------
    gained, lost
        Items that changed; all p values are 1 where there are none.

    Raises
    ------
    ValueError
        If a count is negative or not whole.

    References
    ----------
    McNemar, Q. (1947). Psychometrika 12, 153-157. Edwards, A. L. (1948). Psychometrika 13, 185-187 (correction).
    Fagerland, M. W., Lydersen, S. and Laake, P. (2013). The McNemar test for binary matched-pairs data: mid-p and
    asymptotic are better than exact conditional. BMC Med. Res. Methodol. 13, 91.
    """
    gained, lost = whole(gained, "gained"), whole(lost, "lost")
    m, fewer = gained + lost, min(gained, lost)
    if m == 0:
        return McNemar(0, 0, 1.0, 1.0, 0.0, 1.0)
    tail, seen = fair_coin(fewer, m)
    exact = min(1.0, 2 * tail)
    mid = 2 * tail - seen  # twice (the tail less half of its last term)
    chi2 = max(0, abs(gained - lost) - 1) ** 2 / m
    return McNemar(gained, lost, exact, min(1.0, mid), chi2, erfc(sqrt(chi2 / 2)))


def paired_t(a: Numbers, b: Numbers) -> PairedT:
    r"""Test whether the mean of b - a is 0, by :math:`t = \bar d / (s_d/\sqrt n)` on n - 1 degrees of freedom.

    Items count as independent: where they come in clusters the p value is too small.

    Parameters
    ----------
    a, b
        One number per item on each side, in the same order, shape (n,); epochs of an item are averaged first.

    Raises
    ------
    ValueError
        If the sides differ in length, are empty or hold anything but finite numbers.
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(a=first, b=second)
    change = second - first
    n, mean = change.size, float(change.mean())
    if n == 1:
        return PairedT(mean, None, 0, None, "one pair: no spread can be estimated")
    if np.ptp(change) <= 1e-12:
        return PairedT(mean, None, n - 1, None, "all differences are equal: t does not exist")
    t = mean / (float(change.std(ddof=1)) / sqrt(n))
    return PairedT(mean, t, n - 1, t_two_sided(t, n - 1))


def holm(p_values: Numbers) -> tuple[float, ...]:
    r"""Return p values adjusted for the number of tests, in the order given.

    With the p values in ascending order, :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`.
    The family-wise error rate is kept whatever the dependence of the tests.

    Raises
    ------
    ValueError
        If there are none, or one lies outside [0, 1].

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6, 65-70.
    """
    p = numbers(p_values, "p_values", low=0, high=1)
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(np.minimum(1.0, p[order] * np.arange(p.size, 0, -1)))
    adjusted = np.empty_like(p)
    adjusted[order] = raised
    return tuple(float(each) for each in adjusted)
