"""Means and paired differences with the paper's intervals: 2,000 resamples of items, plain percentiles (Appendix E)."""

from __future__ import annotations

from labrig_study.statistics.bootstrap import Estimate, bootstrap_difference, bootstrap_mean
from labrig_suites.terrabench.analysis.observations import Observed, shared_items

RESAMPLES = 2_000
"""B of the paper."""


def interval(model: Observed, metric: str, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the mean of a metric over items with its 95 % percentile interval."""
    return bootstrap_mean(model.row(metric), method="percentile", resamples=resamples, seed=seed)


def difference(
    first: Observed, second: Observed, metric: str, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate | None:
    """Return the mean of first - second over the items of both, with its interval; None where they share no item."""
    items = shared_items((first, second))
    if not items:
        return None
    mine, theirs = first.row(metric, items), second.row(metric, items)
    return bootstrap_difference(theirs, mine, method="percentile", resamples=resamples, seed=seed)


def excludes_zero(estimate: Estimate) -> bool:
    """Return whether an interval does: the paper calls such a difference reliable."""
    return estimate.interval is not None and not estimate.interval[0] <= 0 <= estimate.interval[1]
