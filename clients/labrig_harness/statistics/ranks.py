"""Whether a ranking holds when the weights of its metrics change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labrig_harness.statistics.bootstrap import AT_ONCE
from labrig_harness.statistics.checking import Floats, Numbers, at_least, numbers


@dataclass(frozen=True)
class Place:
    """A model in the ranking.

    Attributes
    ----------
    score
        Weighted mean of its metrics under the weights given.
    rank
        1 is best; equal scores share the better rank.
    holds
        Share of draws in which it has that same rank.
    first
        Share of draws in which no other is better.
    likely
        The ranks between which 95 % of the draws lie.
    """

    model: str
    score: float
    rank: int
    holds: float
    first: float
    likely: tuple[int, int]


@dataclass(frozen=True)
class RankStability:
    """A ranking under the weights given, and how like it those under random weights are.

    Attributes
    ----------
    places
        Best first.
    kendall, spearman
        Mean over draws of tau-b and of the rank correlation with the ranking given; None where either is tied
        throughout, or there is one model.
    unchanged
        Share of draws in which every model has its rank.
    """

    places: tuple[Place, ...]
    kendall: float | None
    spearman: float | None
    unchanged: float
    draws: int
    concentration: float


def rank_stability(
    table: Mapping[str, Numbers],
    weights: Numbers,
    *,
    concentration: float = 20.0,
    draws: int = 10_000,
    seed: int = 0,
) -> RankStability:
    r"""Rank models by a weighted mean of metrics, again and again with random weights around those given.

    Weights are drawn from a Dirichlet distribution with parameters :math:`c\,w_j`, whose mean is w (summing to 1)
    and whose standard deviation is :math:`\sqrt{w_j (1 - w_j)/(c + 1)}`: at c = 20 and w = 1/4, 0.09. A metric of
    weight 0 stays without weight.

    Parameters
    ----------
    table
        Per model its metrics, each on a comparable scale and larger when better.
    weights
        Per metric, at least 0, not all 0.
    concentration
        The parameter c: the larger, the closer to the weights given.

    Raises
    ------
    ValueError
        If there is no model or no metric, models differ in their number of metrics, or a weight is negative.
    """
    if not table:
        raise ValueError("table is empty: at least one model is needed")
    w = numbers(weights, "weights", low=0)
    if not w.sum() > 0:
        raise ValueError("weights are all 0")
    if not 0 < concentration < float("inf"):
        raise ValueError(f"concentration must be above 0, not {concentration}")
    at_least(draws, 1, "draws")
    rows = []
    for model, metrics in table.items():
        row = numbers(metrics, f"metrics of {model}")
        if row.size != w.size:
            raise ValueError(f"metrics of {model}: {row.size} numbers for {w.size} weights")
        rows.append(row)
    w = w / w.sum()
    used = w > 0
    metrics_used = np.stack(rows)[:, used]
    rng = np.random.default_rng(seed)
    base_scores = metrics_used @ w[used]
    base = _ranks(base_scores[None, :])[0]
    ranks = np.empty((draws, base.size), dtype=np.intp)
    tau, rho = _Mean(), _Mean()
    step = max(1, AT_ONCE // (base.size**2 + w.size))
    for start in range(0, draws, step):
        stop = min(start + step, draws)
        scores = rng.dirichlet(concentration * w[used], size=stop - start) @ metrics_used.T
        ranks[start:stop] = _ranks(scores)
        tau.add(_cosine(_signs(scores), _signs(base_scores[None, :])))
        rho.add(_cosine(_middle(scores), _middle(base_scores[None, :])))
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    places = [
        Place(
            model=model,
            score=float(base_scores[number]),
            rank=int(base[number]),
            holds=float((ranks[:, number] == base[number]).mean()),
            first=float((ranks[:, number] == 1).mean()),
            likely=(int(low[number]), int(high[number])),
        )
        for number, model in enumerate(table)
    ]
    return RankStability(
        places=tuple(sorted(places, key=lambda place: (place.rank, place.model))),
        kendall=tau.value,
        spearman=rho.value,
        unchanged=float((ranks == base).all(axis=1).mean()),
        draws=draws,
        concentration=concentration,
    )


class _Mean:
    """A mean over draws that come in pieces; None when no draw had a value."""

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, values: Floats) -> None:
        self.total += float(values.sum())
        self.count += values.size

    @property
    def value(self) -> float | None:
        return self.total / self.count if self.count else None


def _signs(scores: Floats) -> Floats:
    """Return who is better in each pair of models, shape (draws, pairs): 1, -1, or 0 for a tie."""
    first, second = np.triu_indices(scores.shape[1], k=1)
    apart = scores[:, first] - scores[:, second]
    level = _level(scores)
    return np.where(np.abs(apart) <= level, 0.0, np.sign(apart))


def _level(scores: Floats) -> float:
    """Return the difference below which scores are equal: other sums of the same differ in the last digits."""
    return 1e-12 * max(1.0, float(np.abs(scores).max()))


def _better(scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each model how many others are better, and how many equal it, each of shape (draws, models)."""
    ahead = scores[:, None, :] - scores[:, :, None]
    level = _level(scores)
    return (ahead > level).sum(axis=2), (np.abs(ahead) <= level).sum(axis=2) - 1


def _ranks(scores: Floats) -> NDArray[np.intp]:
    """Return ranks from 1, the best, shape (draws, models); ties share the better rank."""
    return 1 + _better(scores)[0]


def _middle(scores: Floats) -> Floats:
    """Return ranks with ties at their mean, less the mean rank, shape (draws, models)."""
    better, equal = _better(scores)
    centred: Floats = better + equal / 2 - (scores.shape[1] - 1) / 2
    return centred


def _cosine(rows: Floats, base: Floats) -> Floats:
    """Return the cosine of each row with `base`, for the rows that have one.

    Of pair signs it is Kendall's tau-b, of centred ranks Spearman's correlation.
    """
    norms = np.sqrt((rows**2).sum(axis=1) * (base**2).sum())
    kept = norms > 0
    cosines: Floats = (rows @ base[0])[kept] / norms[kept]
    return cosines
