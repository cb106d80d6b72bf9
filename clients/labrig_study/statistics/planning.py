"""What a number of samples can show, before anything is run."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

ALPHA, POWER = 0.05, 0.8
DISAGREEING = 0.3
"""Share of the samples on which one of two agents is right and the other wrong: what `labrig run --dry-run` assumes."""


def half_width(samples: int) -> float:
    """Return half the 95 % interval of an accuracy near one half, the widest there is (normal approximation)."""
    return NormalDist().inv_cdf(1 - ALPHA / 2) * 0.5 / sqrt(samples)


def least_difference(samples: int, disagreeing: float = DISAGREEING) -> float | None:
    r"""Return the difference of two accuracies on the same samples that a paired test finds with `POWER`, at `ALPHA`.

    The smallest d with

    .. math:: n d^2 \ge (z_{1-\alpha/2} \sqrt{p} + z_{\mathrm{power}} \sqrt{p - d^2})^2

    where p is the share on which the two disagree. None where even d = p, one agent right on all of these, is not
    found.

    References
    ----------
    Connor, R. J. (1987). Sample size for testing differences in proportions for the paired-sample design.
    Biometrics 43, 207-211.
    """

    def needed(d: float) -> float:
        spread = sqrt(max(0.0, disagreeing - d * d))
        level, power = NormalDist().inv_cdf(1 - ALPHA / 2), NormalDist().inv_cdf(POWER)
        return float((level * sqrt(disagreeing) + power * spread) ** 2 / d**2)

    if needed(disagreeing) > samples:
        return None
    low, high = 1e-6, disagreeing
    for _ in range(50):  # what is needed falls as d grows
        middle = (low + high) / 2
        low, high = (low, middle) if needed(middle) <= samples else (middle, high)
    return high
