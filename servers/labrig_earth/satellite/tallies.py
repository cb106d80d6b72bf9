"""Statistics of numbers that come in pieces, so that a scene is never in memory as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 20_000
PERCENTILES = (5, 50, 95)


class Tally:
    """Count, mean, spread, extremes and percentiles; numbers that are NaN are counted apart.

    Parameters
    ----------
    low, high
        The range in which percentiles are told apart, to (high - low) / `BINS`; numbers beyond count for its ends.
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.cells = self.valid = 0
        self._mean = self._squares = 0.0
        self.least, self.greatest = float("inf"), float("-inf")
        self._bins = np.zeros(BINS, dtype=np.int64)

    def add(self, values: NDArray[np.float64], within: NDArray[np.bool_] | None = None) -> None:
        """Add an array; `within` says which of its cells count."""
        chosen = values.ravel() if within is None else values[within]
        self.cells += chosen.size
        good = chosen[np.isfinite(chosen)]
        if not good.size:
            return
        # Chan, Golub and LeVeque (1983): means and squares of two parts put together
        mean, squares = float(good.mean()), float(((good - good.mean()) ** 2).sum())
        total, step = self.valid + good.size, mean - self._mean
        self._squares += squares + step**2 * self.valid * good.size / total
        self._mean += step * good.size / total
        self.valid = total
        self.least, self.greatest = min(self.least, float(good.min())), max(self.greatest, float(good.max()))
        places = ((good - self.low) / (self.high - self.low) * BINS).astype(np.int64)
        self._bins += np.bincount(places.clip(0, BINS - 1), minlength=BINS)

    @property
    def mean(self) -> float:
        """The mean; NaN without numbers."""
        return self._mean if self.valid else float("nan")

    @property
    def std(self) -> float:
        """The standard deviation of the population."""
        return float((self._squares / self.valid) ** 0.5) if self.valid else float("nan")

    def percentile(self, part: float) -> float:
        """Return the middle of the bin in which a percentile (0 to 100) lies."""
        if not self.valid:
            return float("nan")
        place = int(np.searchsorted(np.cumsum(self._bins), max(part / 100 * self.valid, 1)))
        middle = self.low + (place + 0.5) * (self.high - self.low) / BINS
        return float(min(max(middle, self.least), self.greatest))

    def summary(self) -> dict[str, Any]:
        """Return all of it as numbers with six digits after the point; nothing without numbers."""
        if not self.valid:
            return {}
        found = {"mean": self.mean, "std": self.std, "min": self.least, "max": self.greatest}
        found |= {f"p{part}": self.percentile(part) for part in PERCENTILES}
        return {name: round(value, 6) for name, value in found.items()}
