"""The statistics of a spread: quantiles of a pool, a share with its interval, and variance by source.

Nothing here knows of waters. `members` is one array a database throughout, and every database has the same
weight, however many of its members there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SOURCES = ("analysis", "database", "temperature", "interaction")

NOISE = 1e-6
"""A standard deviation of a saturation index below which it is that of the solver, whose tolerance is 1e-8."""


def pooled_mean_sd(members: Sequence[Floats]) -> tuple[float, float]:
    """Return mean and standard deviation of the pool: variance within the databases plus variance of their means."""
    means = np.array([each.mean() for each in members])
    within = float(np.mean([each.var(ddof=1) for each in members]))
    return float(means.mean()), math.sqrt(within + float(means.var()))


def pooled_quantile(members: Sequence[Floats], probability: float) -> float:
    """Return a quantile of the pool.

    For one database of m members this interpolates at the position probability (m + 1) of the sorted members
    (type 6 of Hyndman and Fan, 1996, Am. Stat. 50:361-365), so that the interval between two such quantiles
    covers a further draw with exactly the probability it states, also for small m. For several databases the
    same positions are taken of the pool with each database's weight spread over its members.
    """
    fewest = min(each.size for each in members)
    values = np.concatenate(members)
    weights = np.concatenate([np.full(each.size, 1 / (len(members) * each.size)) for each in members])
    order = np.argsort(values, kind="stable")
    positions = np.cumsum(weights[order]) - weights[order] / 2
    position = (probability * (fewest + 1) - 0.5) / fewest
    return float(np.interp(position, positions, values[order]))


def pooled_interval(members: Sequence[Floats], level: float) -> tuple[float, float]:
    """Return the central interval of the pool with a probability."""
    return pooled_quantile(members, (1 - level) / 2), pooled_quantile(members, (1 + level) / 2)


def share_above(members: Sequence[Floats], level: float) -> tuple[float, tuple[float, float]]:
    """Return the share of the pool above zero, and the Wilson interval of its sampling error.

    The databases see the same draws, so that their members are not independent. The interval is that of as
    many independent trials as the smallest database has members, which is wide enough whatever the
    correlation: the standard deviation of a mean of K proportions is at most the mean of their standard
    deviations, and so at most that of their mean.

    Wilson (1927), J. Am. Stat. Assoc. 22:209-212.
    """
    share = float(np.mean([np.mean(each > 0) for each in members]))
    return share, wilson(share, min(each.size for each in members), level)


def wilson(share: float, trials: int, level: float) -> tuple[float, float]:
    """Return the Wilson interval of a binomial proportion."""
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    low = 0.0 if share == 0 else max(0.0, middle - half)
    return low, 1.0 if share == 1 else min(1.0, middle + half)


@dataclass(frozen=True)
class Shares:
    """Where a variance comes from, as shares that sum to 1; what each is, `decompose` says.

    Attributes
    ----------
    analysis, database, temperature, interaction
        Shares of the variance.
    error
        Standard error of each, by its name, from the finite number of draws (jackknife over `pairs`).
    pairs
        How many independent pairs of draws they rest on.
    clipped
        Names of components whose estimate was below zero by sampling error, and was taken as 0.
    """

    analysis: float
    database: float
    temperature: float
    interaction: float
    error: dict[str, float]
    pairs: int
    clipped: tuple[str, ...]

    def by_source(self) -> dict[str, float]:
        """Return the shares by name."""
        return {name: float(getattr(self, name)) for name in SOURCES}


def decompose(corners: Floats) -> Shares | None:
    r"""Divide the variance of a saturation index among analysis, database, temperature and interaction.

    Parameters
    ----------
    corners
        Shape (databases, pairs, 4): f(A), f(AB), f(BA), f(B), where A and B are independent draws, AB has the
        analysis of A and the temperature of B, and BA the other way round.

    Returns
    -------
    Shares or None
        None where there is no spread to divide (all but `NOISE`).

    Notes
    -----
    With the database D one of K with equal probability, a the errors of the analysis (amounts, pH, pe) and t
    that of the temperature, all independent, the variance of f is

    .. math:: V = V_D + \frac1K \sum_d \left(V_a^{(d)} + V_t^{(d)} + V_{at}^{(d)}\right)

    - database: :math:`V_D = Var_d(E f)`, the variance of the K means (divided by K: these databases are all
      there are);
    - analysis: :math:`V_a^{(d)} = Var_a(E_t f)` within a database, its first-order effect there, so that
      where the databases differ in how they answer to the analysis, that is counted here;
    - temperature: :math:`V_t^{(d)}`, likewise;
    - interaction: :math:`V_{at}^{(d)}`, what neither has alone.

    This is the pick-freeze design of Saltelli et al. (2010, Comput. Phys. Commun. 181:259-270) for two
    groups. Jansen's (1999, Comput. Phys. Commun. 117:35-43) total effects are means of squares, E (f(A) -
    f(AB))^2 / 2 = V_t + V_at, whose error is proportional to what they estimate; the first-order effect as
    the total variance less a total effect has no such virtue, and drowns a small effect in the sampling error
    of a large one. With all four corners both parts follow directly, as in the two-way analysis of variance
    of each 2 x 2 table: with u = f(A) - f(AB) and v = f(BA) - f(B), V_at = E (u - v)^2 / 4 (Liu and Owen,
    2006, J. Am. Stat. Assoc. 101:712-721) and V_t = E u v / 2, which sum to Jansen's total effect; V_a
    likewise with the other two sides. All are unbiased. The share of the databases has the sampling variance
    of their means taken off.
    """
    pairs = corners.shape[1]
    a, ab, ba, b = np.moveaxis(corners, 2, 0)
    temperature = ((a - ab) * (ba - b) / 2).mean(axis=0)
    analysis = ((a - ba) * (ab - b) / 2).mean(axis=0)
    interaction = ((a - ab - ba + b) ** 2 / 4).mean(axis=0)
    within = np.array([analysis, temperature, interaction])
    level = corners.mean(axis=2)
    level -= level.mean(axis=0)

    def components(n: int, within: Floats, levels: Floats, squares: Floats) -> Floats:
        """Return the components, in the order of `SOURCES`, from sums over n pairs (first axis: part or database)."""
        means = levels / n
        scatter = squares / n - means**2
        between = (means**2).mean(axis=0) - scatter.mean(axis=0) / (n - 1)
        return np.array([within[0] / n, between, within[1] / n, within[2] / n])

    sums = [each.sum(axis=1) for each in (within, level, level**2)]
    raw = components(pairs, *sums)
    raw[np.abs(raw) < NOISE**2] = 0.0
    clipped = tuple(name for name, value in zip(SOURCES, raw, strict=True) if value < 0)
    total = float(np.clip(raw, 0, None).sum())
    if total < NOISE**2:
        return None
    without = [each[:, None] - own for each, own in zip(sums, (within, level, level**2), strict=True)]
    left_out = np.clip(components(pairs - 1, *without), 0, None)
    jackknife = left_out / left_out.sum(axis=0)
    error = np.sqrt((pairs - 1) * jackknife.var(axis=1))
    shares = np.clip(raw, 0, None) / total
    return Shares(
        **dict(zip(SOURCES, shares.tolist(), strict=True)),
        error=dict(zip(SOURCES, error.tolist(), strict=True)),
        pairs=pairs,
        clipped=clipped,
    )


def linear_effects(members: Sequence[Floats], regressors: Sequence[Floats]) -> tuple[Floats, float]:
    """Return the variance that each input explains in a linear regression, and how much all explain together.

    Parameters
    ----------
    members
        Values by database.
    regressors
        Standardised independent inputs of the same members, shape (members, inputs), by database.

    Returns
    -------
    variances, determination
        Squared regression coefficients less the square of their standard error, at least 0, as means over the
        databases; and R^2 within the databases.
    """
    variances, residual, whole = [], 0.0, 0.0
    for values, columns in zip(members, regressors, strict=True):
        y, x = values - values.mean(), columns - columns.mean(axis=0)
        inverse = np.linalg.inv(_product(x, x))
        coefficients = inverse @ _product(x, y[:, None])[:, 0]
        rest = y - (x * coefficients).sum(axis=1)
        noise = float((rest**2).sum()) / (values.size - 1 - coefficients.size)
        variances.append(np.clip(coefficients**2 - noise * np.diag(inverse), 0, None))
        residual += float((rest**2).sum())
        whole += float((y**2).sum())
    return np.mean(variances, axis=0), 1 - residual / whole if whole else 1.0


def _product(left: Floats, right: Floats) -> Floats:
    """Return left^T right, summed in an order that does not depend on the number of processors, as BLAS does."""
    return np.array([(left * right[:, [column]]).sum(axis=0) for column in range(right.shape[1])]).T
