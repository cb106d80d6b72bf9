"""What clusters cost: standard errors over clusters, design effect, and the smallest difference one could see."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from labrig_study.statistics.checking import (
    Labels,
    Numbers,
    numbered,
    numbers,
    same_length,
    share,
    sums_within,
)
from labrig_study.statistics.distributions import t_quantile


@dataclass(frozen=True)
class StandardError:
    """The standard error of a mean, and its degrees of freedom: clusters - 1, or items - 1."""

    se: float
    df: int


@dataclass(frozen=True)
class DesignEffect:
    """How much clustering widens the uncertainty of a mean.

    Attributes
    ----------
    deff
        Variance of the mean over clusters, divided by the variance that n independent items would give; None
        where either cannot be computed. Below 1 where items of a cluster differ more than items at large.
    icc
        Intraclass correlation by analysis of variance, at most 1, negative where clusters are more alike than
        chance; None where it cannot be computed.
    effective_n
        n / deff: independent items that would tell as much.
    """

    deff: float | None
    icc: float | None
    effective_n: float | None
    n: int
    clusters: int
    note: str = ""


@dataclass(frozen=True)
class Detectable:
    """The smallest true difference of two means that the design would find, with `power`, at level `alpha`.

    Attributes
    ----------
    paired
        With both conditions on the same items; None where there is no spread to go by.
    unpaired
        Had each condition met items (and clusters) of its own, of the same spread.
    """

    paired: float | None
    unpaired: float | None
    alpha: float
    power: float
    note: str = ""


def standard_error(values: Numbers, clusters: Labels | None = None) -> StandardError | None:
    r"""Return the standard error of a mean, robust to correlation within clusters where they are given.

    With residual sums :math:`u_g = \sum_{i \in g} (x_i - \bar x)` of G clusters

    .. math:: \mathrm{se}^2 = \frac{G}{G - 1} \sum_g u_g^2 / n^2

    which with one item per cluster is the ordinary :math:`s^2/n`.

    Returns
    -------
    StandardError or None
        None for a single item or cluster.

    Raises
    ------
    ValueError
        If `values` is empty or holds anything but finite numbers, or labels and values differ in number.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 9A.2 (ratio to size).
    Liang, K.-Y. and Zeger, S. L. (1986). Biometrika 73, 13-22.
    """
    array = numbers(values)
    residuals = array - array.mean()
    if clusters is not None:
        residuals = sums_within(numbered(clusters, array.size), residuals)
    groups = residuals.size
    if groups < 2:
        return None
    return StandardError(sqrt(groups / (groups - 1) * float((residuals**2).sum())) / array.size, groups - 1)


def design_effect(values: Numbers, clusters: Labels) -> DesignEffect:
    r"""Return design effect, intraclass correlation and effective number of items.

    .. math::

        \mathrm{deff} = \frac{\mathrm{se}^2_\mathrm{clusters}}{s^2/n}, \qquad
        \mathrm{icc} = \frac{MSB - MSW}{MSB + (m_0 - 1)\, MSW}, \qquad
        m_0 = \frac{n - \sum m_g^2 / n}{G - 1}

    with the mean squares between and within G clusters of sizes :math:`m_g`.

    Parameters
    ----------
    values
        One number per item, shape (n,).
    clusters
        A label per item.

    Raises
    ------
    ValueError
        If `values` is empty or holds anything but finite numbers, or labels and values differ in number.

    References
    ----------
    Kish, L. (1965). Survey Sampling, section 5.4.
    Donner, A. and Koval, J. J. (1980). The estimation of intraclass correlation in the analysis of family data.
    Biometrics 36, 19-25 (unequal sizes).
    """
    array = numbers(values)
    place = numbered(clusters, array.size)
    sizes = np.bincount(place).astype(np.float64)
    n, groups = array.size, sizes.size
    if groups == 1:
        return DesignEffect(None, None, None, n, groups, "one cluster: what clustering costs cannot be seen")
    if np.ptp(array) == 0:
        return DesignEffect(
            None, None, None, n, groups, "all values are equal: what clustering costs cannot be seen"
        )
    robust, plain = standard_error(array, clusters), standard_error(array)
    assert robust is not None and plain is not None  # two clusters or more
    deff = (robust.se / plain.se) ** 2
    icc = None
    note = "" if groups < n else "one sample per cluster: nothing is clustered"
    if groups < n:
        means = sums_within(place, array) / sizes
        between = float((sizes * (means - array.mean()) ** 2).sum()) / (groups - 1)
        within = float(((array - means[place]) ** 2).sum()) / (n - groups)
        typical = (n - float((sizes**2).sum()) / n) / (groups - 1)
        icc = (between - within) / (between + (typical - 1) * within)
        if groups < 10:
            note = f"only {groups} clusters: the design effect is rough"
    return DesignEffect(deff, icc, n / deff if deff > 1e-12 else None, n, groups, note)


def minimum_detectable_difference(
    se: float, df: float | None = None, alpha: float = 0.05, power: float = 0.8
) -> float:
    r"""Return the smallest true difference that a two-sided test at level `alpha` finds with `power`.

    .. math:: (t_{1 - \alpha/2,\,\nu} + t_{\mathrm{power},\,\nu})\ \mathrm{se}

    Parameters
    ----------
    se
        Standard error of the difference, in its unit.
    df
        Degrees of freedom :math:`\nu`; None: the normal distribution.

    Raises
    ------
    ValueError
        If `se` is negative, `df` below 1, or `alpha` or `power` outside (0, 1).

    References
    ----------
    Bloom, H. S. (1995). Minimum detectable effects. Evaluation Review 19, 547-556.
    """
    share(alpha, "alpha")
    share(power, "power")
    if not 0 <= se < float("inf"):
        raise ValueError(f"se must be a finite number of at least 0, not {se}")
    if df is not None and not df >= 1:
        raise ValueError(f"df must be at least 1, not {df}")
    nu = float("inf") if df is None else float(df)
    return (t_quantile(1 - alpha / 2, nu) + t_quantile(power, nu)) * se


def detectable(
    a: Numbers, b: Numbers, clusters: Labels | None = None, alpha: float = 0.05, power: float = 0.8
) -> Detectable:
    """Return the smallest difference that could have been found, given how these two conditions scatter.

    Parameters
    ----------
    a, b
        One number per item on each side, in the same order, shape (n,).
    clusters
        A label per item: standard errors are then those over clusters, degrees of freedom clusters - 1.

    Raises
    ------
    ValueError
        If the sides differ in length, or for the reasons of `standard_error`.
    """
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(a=first, b=second)
    together = standard_error(second - first, clusters)
    one, other = standard_error(first, clusters), standard_error(second, clusters)
    if together is None or one is None or other is None:
        return Detectable(None, None, alpha, power, "one sample or cluster: no spread to go by")
    paired = (
        minimum_detectable_difference(together.se, together.df, alpha, power) if together.se > 0 else None
    )
    apart = hypot(one.se, other.se)
    unpaired = minimum_detectable_difference(apart, one.df + other.df, alpha, power) if apart > 0 else None
    note = "" if paired is not None else "the two sides differ by the same everywhere: no spread to go by"
    return Detectable(paired, unpaired, alpha, power, note)
