"""The bias of a hindcast removed: by the mean, or by quantiles; each year checked by a correction fitted on the others.

Source: Cannon, Sobie and Murdock (2015), J. Climate 28, 6938-6959, for quantile delta mapping (QDM): a value gets the
difference (or ratio) of the observed and the hindcast's quantile at its place in the forecast's own distribution, here
the members of its year. Empirical quantile mapping (EQM) takes its place in the hindcast's distribution instead; beyond
the hindcast's range the difference at the end of it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, unknown_name

Floats = NDArray[np.float64]
METHODS = ("QDM", "EQM", "mean")
KINDS = ("additive", "multiplicative")
MOST_PROBABILITIES = 201


@dataclass(frozen=True)
class Correction:
    """A correction of bias.

    Attributes
    ----------
    probabilities
        (quantiles,), rising; of the method ``mean`` one that stands for the mean.
    hindcast, observed
        (quantiles, ...cells).
    """

    method: str
    kind: str
    probabilities: Floats
    hindcast: Floats
    observed: Floats

    def apply(self, members: Floats) -> Floats:
        """Return corrected values of one forecast, (members, ...cells).

        A cell without a correction, or where a member is missing, has no value.
        """
        members = np.where(np.isfinite(members).all(axis=0), members, np.nan)
        if self.probabilities.size == 1:
            old, new = self.hindcast, self.observed
        elif self.method == "QDM":
            old, new = (
                _at_ranks(self.probabilities, each, members) for each in (self.hindcast, self.observed)
            )
        else:
            old, new = _at_values(self.hindcast, self.observed, members)
        if self.kind == "additive":
            found: Floats = members + (new - old)
            return found
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.where(old == 0, new, members * (new / old))
        return np.where(np.isfinite(old + new + members), scaled, np.nan)


def fit(
    hindcast: Floats,
    observed: Floats,
    *,
    method: str = "QDM",
    kind: str = "additive",
    probabilities: Sequence[float] = (),
) -> Correction:
    """Fit a correction.

    Parameters
    ----------
    hindcast
        (years, members, ...cells).
    observed
        (years, ...cells).
    probabilities
        Of the quantiles, rising, from 0 to 1; by default 0, 0.05, .. 1.

    Raises
    ------
    LabrigError
        ``bad_input`` for another method or kind, probabilities out of order, negative values of the multiplicative
        kind.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, where="method")
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS, where="kind")
    if kind == "multiplicative" and (np.nanmin(hindcast) < 0 or np.nanmin(observed) < 0):
        raise LabrigError(
            "A ratio of negative values corrects nothing",
            where="kind",
            expected='values from 0, or kind="additive"',
        )
    pooled = hindcast.reshape(-1, *hindcast.shape[2:])
    if method == "mean":
        return Correction(
            method, kind, np.array([0.5]), pooled.mean(axis=0)[None], observed.mean(axis=0)[None]
        )
    levels = checked_probabilities(probabilities)
    return Correction(
        method, kind, levels, np.quantile(pooled, levels, axis=0), np.quantile(observed, levels, axis=0)
    )


def checked_probabilities(given: Sequence[float]) -> Floats:
    """Return the probabilities of quantiles, or raise LabrigError."""
    if not len(given):
        return np.linspace(0, 1, 21)
    levels = np.asarray(given, "f8")
    if (
        not 2 <= levels.size <= MOST_PROBABILITIES
        or not np.isfinite(levels).all()
        or (np.diff(levels) <= 0).any()
        or levels[0] < 0
        or levels[-1] > 1
    ):
        raise LabrigError(
            f"The probabilities are {given!s:.80}",
            where="probs",
            expected=f"2 to {MOST_PROBABILITIES} numbers from 0 to 1, rising",
        )
    return levels


def left_out(hindcast: Floats, observed: Floats, **how: Any) -> Floats:
    """Return the hindcast corrected year by year, each by a correction fitted on all the other years.

    Parameters
    ----------
    hindcast, observed, how
        As in `fit`.
    """
    corrected = np.empty_like(hindcast)
    for year in range(len(hindcast)):
        others = np.arange(len(hindcast)) != year
        corrected[year] = fit(hindcast[others], observed[others], **how).apply(hindcast[year])
    return corrected


def _at_ranks(levels: Floats, quantiles: Floats, members: Floats) -> Floats:
    """Return the quantile at each member's place among the members: (rank - 0.5) / members."""
    count = len(members)
    places = (np.arange(count) + 0.5) / count
    right = np.clip(np.searchsorted(levels, places), 1, levels.size - 1)
    part = np.clip((places - levels[right - 1]) / (levels[right] - levels[right - 1]), 0, 1)
    part = part.reshape(-1, *[1] * (quantiles.ndim - 1))
    at = quantiles[right - 1] * (1 - part) + quantiles[right] * part  # by rank
    ranks = np.argsort(np.argsort(members, axis=0, kind="stable"), axis=0, kind="stable")
    return np.take_along_axis(at, ranks, axis=0)


def _at_values(hindcast: Floats, observed: Floats, members: Floats) -> tuple[Floats, Floats]:
    """Return the hindcast's and the observed quantile at each value's place in the hindcast's distribution."""
    left = np.zeros(members.shape, np.intp)
    for quantile in hindcast[1:-1]:
        left += members >= quantile
    low, high = np.take_along_axis(hindcast, left, 0), np.take_along_axis(hindcast, left + 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(high > low, np.clip((members - low) / (high - low), 0, 1), 0.5)
    new = (
        np.take_along_axis(observed, left, 0) * (1 - part) + np.take_along_axis(observed, left + 1, 0) * part
    )
    return low * (1 - part) + high * part, new
