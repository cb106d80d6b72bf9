"""What predicts an outcome: logistic regression with AUC and McFadden's R2, and correlations with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labrig_study.statistics.checking import Floats, Numbers, Truths, numbers, same_length, share, truths
from labrig_study.statistics.distributions import t_two_sided


@dataclass(frozen=True)
class Logistic:
    """A logistic regression.

    Attributes
    ----------
    coefficients
        Intercept first, then one per predictor in log-odds per unit of it; empty where there is no finite fit.
    standard_errors, p
        Wald, in the same order.
    auc
        Area under the ROC curve of the fitted probabilities on the same data, hence a little too good.
    mcfadden
        1 - ln L / ln L0.
    separation
        ``none``; ``complete``, where the predictors tell the outcomes apart without a miss; ``quasi``, where they do
        but for ties on the boundary; ``one class``, where only one outcome occurs.
    """

    coefficients: tuple[float, ...]
    standard_errors: tuple[float, ...]
    p: tuple[float, ...]
    log_likelihood: float | None
    null_log_likelihood: float
    mcfadden: float | None
    auc: float | None
    n: int
    separation: Literal["none", "quasi", "complete", "one class"]
    note: str = ""


@dataclass(frozen=True)
class Correlation:
    """A correlation; `value` is None where one side is constant or there is one pair.

    Attributes
    ----------
    interval
        By Fisher's z; None below four pairs, and for a correlation of exactly 1 or -1.
    p
        Two-sided, of no correlation; None below three pairs.
    """

    value: float | None
    interval: tuple[float, float] | None
    p: float | None
    n: int
    confidence: float
    note: str = ""


def logistic(outcome: Truths, *predictors: Numbers) -> Logistic:
    r"""Fit :math:`\Pr(y = 1) = 1 / (1 + \exp(-\beta_0 - \sum \beta_j x_j))` by maximum likelihood.

    Where a hyperplane separates the outcomes the likelihood has no maximum and the coefficients run off to
    infinity. That is looked for first, by linear programming: b with :math:`s_i (b_0 + b \cdot x_i) \ge 0` for all
    i (s = 1 or -1 for the two outcomes) and not all 0. Then no coefficients are given, and `separation` says so.

    Parameters
    ----------
    outcome
        True or false per item, shape (n,).
    predictors
        One or more rows of numbers, each of shape (n,).

    Raises
    ------
    ValueError
        If rows differ in length, are empty, hold anything but finite numbers, or if a predictor is constant or a
        linear combination of the others, or has values so far apart that the fit is lost in rounding.

    References
    ----------
    Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression
    models. Biometrika 71, 1-10.
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In Frontiers in Econometrics.
    """
    y = truths(outcome, "outcome")
    if not predictors:
        raise ValueError("at least one predictor is needed")
    columns = [numbers(row, f"predictor {number}") for number, row in enumerate(predictors, 1)]
    same_length(outcome=y, **{f"predictor {number}": row for number, row in enumerate(columns, 1)})
    n, right = y.size, int(y.sum())
    null = sum(count * np.log(count / n) for count in (right, n - right) if count)
    if right in (0, n):
        note = f"every outcome is {bool(right)}: there is nothing to predict"
        return Logistic((), (), (), None, 0.0, None, None, n, "one class", note)
    x = np.stack(columns, axis=1)
    centre, scale = x.mean(axis=0), x.std(axis=0)
    for number, spread in enumerate(np.ptp(x, axis=0), 1):
        if spread == 0:
            raise ValueError(f"predictor {number} is constant: it can predict nothing")
    design = np.column_stack([np.ones(n), (x - centre) / scale])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError("a predictor is a linear combination of the others, or there are too few samples")
    kind = _find_separation(design, y)
    if kind != "none":
        whole = kind == "complete"
        note = (
            "the predictors separate the outcomes"
            + ("" if whole else ", ties apart")
            + ": no finite coefficients"
        )
        likelihood, fit = (0.0, 1.0) if whole else (None, None)
        return Logistic((), (), (), likelihood, float(null), fit, fit, n, kind, note)
    try:
        beta, covariance, likelihood = _fit_logistic(design, y)
    except np.linalg.LinAlgError:
        raise ValueError("no stable fit: a predictor has values too far apart; take its logarithm") from None
    # Back from standardised predictors: b_j = g_j / s_j, b_0 = g_0 - sum g_j m_j / s_j.
    back = np.diag(1 / np.concatenate([[1.0], scale]))
    back[0, 1:] = -centre / scale
    coefficients = back @ beta
    errors = np.sqrt(np.diag(back @ covariance @ back.T))
    normal = NormalDist()
    p = [2 * normal.cdf(-abs(float(b / se))) for b, se in zip(coefficients, errors, strict=True)]
    return Logistic(
        coefficients=tuple(map(float, coefficients)),
        standard_errors=tuple(map(float, errors)),
        p=tuple(p),
        log_likelihood=likelihood,
        null_log_likelihood=float(null),
        mcfadden=1 - likelihood / float(null),
        auc=auc(y, design @ beta),
        n=n,
        separation="none",
    )


def auc(outcome: Truths, scores: Numbers) -> float | None:
    """Return the area under the ROC curve: how often a true item scores above a false one, ties counting half.

    Returns
    -------
    float or None
        None when only one outcome occurs.

    Raises
    ------
    ValueError
        If the rows differ in length, are empty, or hold anything but truths and finite numbers.

    References
    ----------
    Hanley, J. A. and McNeil, B. J. (1982). Radiology 143, 29-36.
    """
    y, array = truths(outcome, "outcome"), numbers(scores, "scores")
    same_length(outcome=y, scores=array)
    right, wrong = int(y.sum()), int((~y).sum())
    if not right or not wrong:
        return None
    return (float(midranks(array)[y].sum()) - right * (right + 1) / 2) / (right * wrong)


def pearson(x: Numbers, y: Numbers, confidence: float = 0.95) -> Correlation:
    r"""Return Pearson's r with :math:`\tanh(\mathrm{atanh}\, r \pm z / \sqrt{n - 3})` and the p value of its t test.

    Parameters
    ----------
    x, y
        Numbers in pairs, shape (n,).

    Raises
    ------
    ValueError
        If the rows differ in length, are empty, or hold anything but finite numbers.

    References
    ----------
    Fisher, R. A. (1921). On the probable error of a coefficient of correlation. Metron 1, 3-32.
    """
    first, second = _check_pair(x, y)
    return _correlate_pair(first, second, confidence, rank=False)


def spearman(x: Numbers, y: Numbers, confidence: float = 0.95) -> Correlation:
    r"""Return Spearman's rank correlation, ties at their mean rank.

    The interval is Fisher's with :math:`\sqrt{(1 + r^2/2)/(n - 3)}` as standard error; p is that of the t test on
    ranks, an approximation.

    Parameters
    ----------
    x, y
        Numbers in pairs, shape (n,).

    Raises
    ------
    ValueError
        If the rows differ in length, are empty, or hold anything but finite numbers.

    References
    ----------
    Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations. Psychometrika 65, 23-28.
    """
    first, second = _check_pair(x, y)
    return _correlate_pair(midranks(first), midranks(second), confidence, rank=True)


def midranks(values: Floats) -> Floats:
    """Return ranks from 1, the smallest, ties at the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _check_pair(x: Numbers, y: Numbers) -> tuple[Floats, Floats]:
    first, second = numbers(x, "x"), numbers(y, "y")
    same_length(x=first, y=second)
    return first, second


def _correlate_pair(x: Floats, y: Floats, confidence: float, *, rank: bool) -> Correlation:
    share(confidence, "confidence")
    n = x.size
    if n == 1:
        return Correlation(None, None, None, n, confidence, "one pair: no correlation")
    # Divided by their size first, so that 1e200 squared does not overflow.
    x, y = ((each - each.mean()) / max(float(np.ptp(each)), 1e-300) for each in (x, y))
    norm = sqrt(float(x @ x) * float(y @ y))
    if norm == 0:
        return Correlation(None, None, None, n, confidence, "one side is constant: no correlation")
    r = min(1.0, max(-1.0, float(x @ y) / norm))
    if 1 - abs(r) < 1e-14:
        sign = 1.0 if r > 0 else -1.0
        note = f"exactly {sign:g}: no interval"
        return Correlation(sign, None, 0.0 if n > 2 else None, n, confidence, note)
    if n < 3:  # two pairs always lie on a line: caught above
        return Correlation(r, None, None, n, confidence, "two pairs: neither interval nor p")
    p = t_two_sided(r * sqrt((n - 2) / (1 - r * r)), n - 2)
    if n == 3:
        return Correlation(r, None, p, n, confidence, "three pairs: no interval")
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt((1 + r * r / 2 if rank else 1) / (n - 3))
    return Correlation(r, (tanh(atanh(r) - reach), tanh(atanh(r) + reach)), p, n, confidence)


def _find_separation(design: Floats, y: NDArray[np.bool_]) -> Literal["none", "quasi", "complete"]:
    """Look for a hyperplane with each outcome on its own side, by linear programming."""
    from scipy.optimize import linprog

    signed = np.where(y, 1.0, -1.0)[:, None] * design
    n, k = signed.shape
    # The widest margin m: signed b >= m, |b| <= 1. Above 0 (the solver works to 1e-7), no item is on the boundary.
    widest = linprog(
        np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([-signed, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * k + [(None, None)],
    )
    if -widest.fun > 1e-6:
        return "complete"
    most = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(n), bounds=[(-1, 1)] * k)
    return "quasi" if -most.fun > 1e-5 * n else "none"


def _fit_logistic(design: Floats, y: NDArray[np.bool_]) -> tuple[Floats, Floats, float]:
    """Return coefficients, their covariance and the log-likelihood, by Newton's method with halved steps."""
    target = y.astype(np.float64)

    def likelihood(beta: Floats) -> float:
        eta = design @ beta
        return float(target @ eta - np.logaddexp(0, eta).sum())

    beta: Floats = np.zeros(design.shape[1])
    value = likelihood(beta)
    for _ in range(200):
        p = (1 + np.tanh(design @ beta / 2)) / 2  # the logistic function, which cannot overflow so
        information = design.T @ (design * (p * (1 - p))[:, None])
        gradient = design.T @ (target - p)
        step = np.linalg.solve(information, gradient)
        size = 1.0
        while (tried := likelihood(beta + size * step)) < value and size > 1e-10:
            size /= 2
        beta, gain, value = beta + size * step, tried - value, max(tried, value)
        if gain < 1e-13 * max(1.0, abs(value)):
            break
    return beta, np.linalg.inv(information).astype(np.float64), value
