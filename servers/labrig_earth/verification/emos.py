"""Ensembles calibrated by nonhomogeneous Gaussian regression: mean a + sum b_i x_i, variance c + d S2.

Source: Gneiting, Raftery, Westveld and Goldman (2005), MWR 133, 1098-1118: the mean CRPS of the normal distribution is
made smallest (``crps``). ``regression`` is a quick way in two steps: least squares of the observations on the members,
then of the squared residuals on the variance, with c and d not below zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name
from labrig_earth.verification.probabilistic import crps_gaussian

Floats = NDArray[np.float64]
METHODS = ("crps", "regression")
LEAST_YEARS = 24
"""Fewer years cannot support a correction that is fitted and checked (see the notes on oracles in the docs)."""


@dataclass(frozen=True)
class Emos:
    """Coefficients of a calibration.

    Attributes
    ----------
    a, b
        Of the mean: a in the unit of the values, b (members,) without unit.
    c, d
        Of the variance: c in the squared unit, d without unit; neither is below zero.
    """

    a: float
    b: tuple[float, ...]
    c: float
    d: float

    def mean(self, members: Floats) -> Floats:
        """Return the calibrated mean of members (members, ...)."""
        found: Floats = self.a + np.tensordot(np.array(self.b), members, (0, 0))
        return found

    def sigma(self, variance: Floats, least: float) -> Floats:
        """Return the calibrated standard deviation for the variance S2; its square is at least `least`."""
        found: Floats = np.sqrt(np.maximum(self.c + self.d * variance, least))
        return found


def fit(
    members: Floats,
    variance: Floats,
    truth: Floats,
    *,
    method: str = "crps",
    least_variance: float = 1e-4,
    near: Emos | None = None,
) -> Emos:
    """Fit the coefficients.

    Parameters
    ----------
    members
        (members, pairs), all finite.
    variance, truth
        (pairs,).
    method
        ``crps`` or ``regression``.
    near
        Coefficients from which the search for the smallest CRPS begins; by default those of the regression.

    Raises
    ------
    LabrigError
        ``bad_input`` for too few pairs, for truth that does not vary, and for another method.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, where="method")
    count, pairs = members.shape
    if pairs < 2 * (count + 3):
        raise LabrigError(
            f"{pairs} pairs cannot hold {count + 3} coefficients",
            expected=f"at least {2 * (count + 3)} pairs",
        )
    if not np.ptp(truth) > 0:
        raise LabrigError("The truth does not vary: nothing can be fitted", expected="variance above zero")
    centre = float(truth.mean())
    scale = float(truth.std())
    x, y, s2 = (members - centre) / scale, (truth - centre) / scale, variance / scale**2
    least = least_variance / scale**2
    if near is not None and method == "crps":
        a = (near.a + centre * (sum(near.b) - 1)) / scale
        first = Emos(a, near.b, near.c / scale**2, near.d)
    else:
        first = _regression(x, y, s2)
    found = first if method == "regression" else _least_crps(first, x, y, s2, least)
    a = centre + scale * found.a - centre * sum(found.b)
    return Emos(float(a), found.b, float(found.c * scale**2), float(found.d))


def _regression(x: Floats, y: Floats, s2: Floats) -> Emos:
    from scipy.optimize import nnls

    design = np.vstack([np.ones(y.size), x]).T
    beta = np.linalg.lstsq(design, y, rcond=None)[0]
    squares = (y - design @ beta) ** 2
    gamma, _ = nnls(np.vstack([np.ones(y.size), s2]).T, squares)
    return Emos(float(beta[0]), tuple(map(float, beta[1:])), float(gamma[0]), float(gamma[1]))


def _least_crps(first: Emos, x: Floats, y: Floats, s2: Floats, least: float) -> Emos:
    """Return the coefficients of the smallest mean CRPS, by quasi-Newton steps with the exact gradient."""
    from scipy.optimize import minimize
    from scipy.special import ndtr

    def cost(at: Floats) -> tuple[float, Floats]:
        a, b, c, d = at[0], at[1:-2], at[-2] ** 2, at[-1] ** 2
        raw = c + d * s2
        inside = raw > least
        sigma = np.sqrt(np.maximum(raw, least))
        z = (y - a - b @ x) / sigma
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        score = sigma * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))
        by_mean = 1 - 2 * ndtr(z)
        by_variance = (2 * density - 1 / np.sqrt(np.pi)) / (2 * sigma) * inside
        slope = np.concatenate(
            [
                [by_mean.mean()],
                (x * by_mean).mean(axis=1),
                [2 * at[-2] * by_variance.mean(), 2 * at[-1] * (by_variance * s2).mean()],
            ]
        )
        return float(score.mean()), slope

    start = np.array([first.a, *first.b, np.sqrt(max(first.c, 1e-3)), np.sqrt(max(first.d, 1e-3))])
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return Emos(float(found[0]), tuple(map(float, found[1:-2])), float(found[-2] ** 2), float(found[-1] ** 2))


def left_out(
    members: Floats,
    variance: Floats,
    truth: Floats,
    years: NDArray[np.int64],
    *,
    method: str = "crps",
    least_variance: float = 1e-4,
) -> float:
    """Return the mean CRPS of pairs calibrated with coefficients of the other years.

    Parameters
    ----------
    years
        (pairs,): the year of each pair, left out as a whole.

    Raises
    ------
    LabrigError
        ``bad_input`` for fewer than `LEAST_YEARS` years.
    """
    each = require_years(years)
    scores = np.empty(truth.size)
    near = fit(members, variance, truth, method=method, least_variance=least_variance)
    for year in each:
        out = years == year
        found = fit(
            members[:, ~out],
            variance[~out],
            truth[~out],
            method=method,
            least_variance=least_variance,
            near=near,
        )
        sigma = found.sigma(variance[out], least_variance)
        scores[out] = crps_gaussian(found.mean(members[:, out]), sigma, truth[out])
    return float(scores.mean())


def require_years(years: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the different years; LabrigError for fewer than `LEAST_YEARS`."""
    each = np.unique(years)
    if each.size < LEAST_YEARS:
        raise LabrigError(
            f"{each.size} years cannot support a calibration that is fitted and checked on years left out",
            where="truth_path, member_paths",
            expected=f"at least {LEAST_YEARS} years",
        )
    return each
