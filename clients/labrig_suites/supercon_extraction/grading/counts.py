"""Precision, recall and F1 from counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """How much of the truth was found, and how much of what was said is true.

    Attributes
    ----------
    found, truths
        Truths with a right prediction, of all.
    right, said
        Predictions that are right, of all. With one-to-one matching `right` is `found`.
    """

    found: int
    truths: int
    right: int
    said: int

    @property
    def recall(self) -> float:
        """Share of the truth; 1 where there is no truth and nothing was said, else 0 of nothing."""
        return self.found / self.truths if self.truths else float(not self.said)

    @property
    def precision(self) -> float:
        """Share of what was said."""
        return self.right / self.said if self.said else float(not self.truths)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0
