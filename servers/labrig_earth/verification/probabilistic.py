"""Scores of ensembles and probabilities. Members are along the first axis; pairs with a missing value do not count.

Sources: Gneiting and Raftery (2007), JASA 102, 359-378 (CRPS); Ferro (2014), QJRMS 140, 1917-1923 (fair scores);
Murphy (1973), J. Appl. Meteor. 12, 595-600 (parts of the Brier score); Hamill (2001), MWR 129, 550-560 (ranks);
Fortin et al. (2014), J. Hydrometeor. 15, 1708-1713 (spread and skill).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name

Floats = NDArray[np.float64]
CRPS_VARIANTS = ("fair", "ecdf")
BINS = 10


def complete(members: Any, truth: Any, weights: Any = None) -> tuple[Floats, Floats, Floats]:
    """Return members (members, pairs), observations and weights (pairs,) of the pairs that are complete.

    Raises
    ------
    LabrigError
        ``bad_input`` for fewer than two members, and where no pair is complete.
    """
    values, seen = np.asarray(members, "f8"), np.asarray(truth, "f8")
    if values.ndim != seen.ndim + 1 or values.shape[1:] != seen.shape:
        raise LabrigError(
            f"Members of shape {values.shape} do not pair with observations of shape {seen.shape}",
            expected="the members' axis first, then the axes of the observations",
        )
    if values.shape[0] < 2:
        raise LabrigError("An ensemble of one has no distribution", expected="two members or more")
    weight = (
        np.ones(seen.shape) if weights is None else np.broadcast_to(np.asarray(weights, "f8"), seen.shape)
    )
    there = np.isfinite(values).all(axis=0) & np.isfinite(seen) & np.isfinite(weight)
    if not there.any() or not weight[there].sum() > 0:
        raise LabrigError(
            "There is no pair of an ensemble and an observation: all values are missing",
            expected="values of all members and of the truth at the same times and places",
        )
    return values[:, there], seen[there], weight[there]


def crps_values(members: Floats, truth: Floats, *, variant: str = "fair") -> Floats:
    """Return the continuous ranked probability score of each pair, in the unit of the values.

    Parameters
    ----------
    members
        (members, pairs).
    variant
        ``ecdf``: of the step function of the members, E|X - y| - E|X - X'|/2 with all M*M pairs of members; ``fair``:
        with the M(M-1) pairs of different members, which is unbiased for the distribution that they are drawn from.
    """
    if variant not in CRPS_VARIANTS:
        raise unknown_name("variant", variant, CRPS_VARIANTS, where="crps_variant")
    ordered = np.sort(members, axis=0)
    count = ordered.shape[0]
    error = np.abs(ordered - truth).mean(axis=0)
    ranks = 2 * np.arange(1, count + 1) - count - 1
    apart = (ordered * ranks[:, None]).sum(axis=0)  # sum over pairs i < j of the differences
    pairs = count * (count - 1) if variant == "fair" else count**2
    found: Floats = error - apart / pairs
    return found


def crps(members: Any, truth: Any, weights: Any = None, *, variant: str = "fair") -> float:
    """Return the mean CRPS (`crps_values`), in the unit of the values."""
    values, seen, weight = complete(members, truth, weights)
    return float(np.average(crps_values(values, seen, variant=variant), weights=weight))


def crps_gaussian(mean: Any, sigma: Any, truth: Any) -> Any:
    """Return the CRPS of normal distributions by its closed form (Gneiting et al., 2005, MWR 133, eq. 5)."""
    from scipy.special import ndtr

    z = (np.asarray(truth, "f8") - mean) / sigma
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return sigma * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))


@dataclass(frozen=True)
class Brier:
    """The Brier score and its parts: score = reliability - resolution + uncertainty + within.

    Attributes
    ----------
    within
        What the bins hide: zero where all probabilities in a bin are equal.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram: for each bin that is not empty the mean probability, how often it came, and weight."""

    forecast: tuple[float, ...]
    observed: tuple[float, ...]
    weight: tuple[float, ...]


def reliability(probability: Floats, event: Floats, weights: Floats, *, bins: int = BINS) -> Reliability:
    """Return how often an event came where it was forecast with which probability.

    Parameters
    ----------
    probability, event, weights
        (pairs,): 0 to 1; 0 or 1; above zero.
    bins
        Of equal width from 0 to 1; the last holds 1.
    """
    place = np.minimum((probability * bins + 1e-9).astype(int), bins - 1)
    total = np.bincount(place, weights, bins)
    there = total > 0
    forecast = np.bincount(place, weights * probability, bins)[there] / total[there]
    observed = np.bincount(place, weights * event, bins)[there] / total[there]
    share = total[there] / weights.sum()
    return Reliability(*(tuple(map(float, each)) for each in (forecast, observed, share)))


def brier(
    probability: Any, event: Any, weights: Any = None, *, bins: int = BINS
) -> tuple[Brier, Reliability]:
    """Return the Brier score with its parts, and the reliability diagram that they are of.

    Raises
    ------
    LabrigError
        ``bad_input`` for probabilities outside of 0 to 1, and where no pair is complete.
    """
    chance, came = np.asarray(probability, "f8"), np.asarray(event, "f8")
    weight = (
        np.ones(chance.shape) if weights is None else np.broadcast_to(np.asarray(weights, "f8"), chance.shape)
    )
    there = np.isfinite(chance) & np.isfinite(came) & np.isfinite(weight)
    if not there.any() or not weight[there].sum() > 0:
        raise LabrigError("There is no pair of a probability and an event: all values are missing")
    chance, came, weight = chance[there], came[there], weight[there]
    if chance.min() < 0 or chance.max() > 1:
        raise LabrigError(
            f"Probabilities go from {chance.min():g} to {chance.max():g}", expected="values from 0 to 1"
        )
    table = reliability(chance, came, weight, bins=bins)
    forecast, observed, share = (np.array(each) for each in (table.forecast, table.observed, table.weight))
    rate = float(np.average(came, weights=weight))
    score = float(np.average((chance - came) ** 2, weights=weight))
    rel = float((share * (forecast - observed) ** 2).sum())
    res = float((share * (observed - rate) ** 2).sum())
    unc = rate * (1 - rate)
    return Brier(score, rel, res, unc, score - (rel - res + unc)), table


def rank_histogram(members: Any, truth: Any) -> list[float]:
    """Return how many observations lie in each of the M+1 gaps of the ordered members; ties are shared equally."""
    values, seen, _ = complete(members, truth)
    below = (values < seen).sum(axis=0)
    ties = (values == seen).sum(axis=0)
    counts = np.zeros(values.shape[0] + 1)
    for many in np.unique(ties):
        these = below[ties == many]
        for step in range(int(many) + 1):
            counts += np.bincount(these + step, minlength=counts.size) / (many + 1)
    return [float(each) for each in counts]


def spread_and_skill(members: Any, truth: Any, weights: Any = None) -> tuple[float, float]:
    """Return spread and error of the mean, which are equal for a reliable ensemble; in the unit of the values.

    The spread is the root of the mean variance (divided by M-1), times (M+1)/M under the root.
    """
    values, seen, weight = complete(members, truth, weights)
    count = values.shape[0]
    variance = np.average(values.var(axis=0, ddof=1), weights=weight) * (count + 1) / count
    error = np.average((values.mean(axis=0) - seen) ** 2, weights=weight)
    return float(np.sqrt(variance)), float(np.sqrt(error))
