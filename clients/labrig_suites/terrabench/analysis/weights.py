"""Study B: does the ranking of models depend on the weights of ToolUseScore (Appendix D.1, Table 4)?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labrig_study.statistics.checking import at_least, numbers
from labrig_study.statistics.prediction import spearman
from labrig_suites.terrabench.metrics.process import WEIGHTS

SPREAD, DRAWS = 0.10, 1_000


@dataclass(frozen=True)
class Perturbed:
    """How like the ranking under the given weights those under random ones are.

    Attributes
    ----------
    median, least
        Of Spearman's correlations; None where models are tied throughout, or there is one.
    reach
        Share of draws with a correlation of at least 0.95.
    first, last
        Share of draws in which the best (worst) model is the same; with ties, any of them counts.
    """

    draws: int
    median: float | None
    least: float | None
    reach: float | None
    first: float
    last: float


@dataclass(frozen=True)
class Scheme:
    """Other weights, and Spearman's correlation of their ranking with that of the weights given."""

    name: str
    weights: dict[str, float]
    spearman: float | None


def perturbed(
    table: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float] = WEIGHTS,
    *,
    spread: float = SPREAD,
    draws: int = DRAWS,
    seed: int = 0,
) -> Perturbed:
    """Rank models again and again with each weight moved by up to `spread`, clipped at 0, all made to add up to 1.

    The paper says "by ±0.10": taken here as uniform between -0.10 and 0.10, independent for each weight.

    Parameters
    ----------
    table
        By model the means of its metrics, by the names of `weights`.
    seed
        Of ``numpy.random.default_rng``.

    Raises
    ------
    ValueError
        If there is no model, a metric is missing or not finite, or the weights cannot add up to 1.
    """
    _, metrics, base = _checked(table, weights)
    at_least(draws, 1, "draws")
    if not 0 <= spread < float("inf"):
        raise ValueError(f"spread must be at least 0, not {spread}")
    rng = np.random.default_rng(seed)
    moved = np.clip(base + rng.uniform(-spread, spread, size=(draws, base.size)), 0, None)
    sums = moved.sum(axis=1, keepdims=True)
    if (sums == 0).any():
        raise ValueError(f"with a spread of {spread} all weights of a draw may be 0")
    given = metrics @ base
    all_scores = np.round(moved / sums @ metrics.T, 12)
    found = [each for row in all_scores if (each := spearman(row, np.round(given, 12)).value) is not None]
    level = 1e-12
    top, bottom = given >= given.max() - level, given <= given.min() + level
    first = [bool((top & (row >= row.max() - level)).any()) for row in all_scores]
    last = [bool((bottom & (row <= row.min() + level)).any()) for row in all_scores]
    return Perturbed(
        draws=draws,
        median=float(np.median(found)) if found else None,
        least=float(min(found)) if found else None,
        reach=float(np.mean([each >= 0.95 for each in found])) if found else None,
        first=float(np.mean(first)),
        last=float(np.mean(last)),
    )


def schemes(
    table: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float] = WEIGHTS,
    *,
    derived: Mapping[str, float] | None = None,
) -> list[Scheme]:
    """Return equal weights, each metric left out in turn, and weights from a regression where they are given.

    Raises
    ------
    ValueError
        As `perturbed`.
    """
    names, metrics, base = _checked(table, weights)
    given = np.round(metrics @ base, 12)
    found = [("equal", np.ones(base.size))]
    for place, name in enumerate(names):
        left = base.copy()
        left[place] = 0
        if left.sum() > 0:
            found.append((f"without {name}", left))
    if derived is not None:
        found.append(
            ("from the regression", numbers([derived.get(name, 0.0) for name in names], "derived", low=0))
        )
    made = []
    for label, row in found:
        share = row / row.sum()
        made.append(
            Scheme(
                label,
                dict(zip(names, map(float, share), strict=True)),
                spearman(np.round(metrics @ share, 12), given).value,
            )
        )
    return made


def _checked(
    table: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> tuple[list[str], np.ndarray, np.ndarray]:
    if not table:
        raise ValueError("table is empty: at least one model is needed")
    names = list(weights)
    base = numbers([weights[name] for name in names], "weights", low=0)
    if not base.sum() > 0:
        raise ValueError("weights are all 0")
    for model, row in table.items():
        if missing := [name for name in names if name not in row]:
            raise ValueError(f"metrics of {model} lack {missing[0]}")
    metrics = np.stack(
        [numbers([row[name] for name in names], f"metrics of {model}") for model, row in table.items()]
    )
    return names, metrics, base / base.sum()


def leaders(
    table: Mapping[str, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS
) -> Sequence[str]:
    """Return models by their weighted mean, best first, equal ones by name."""
    _, metrics, base = _checked(table, weights)
    means = dict(zip(table, map(float, np.round(metrics @ base, 12)), strict=True))
    return sorted(means, key=lambda model: (-means[model], model))
