"""What an attacker finds, and when that is a leak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import binom

from attackers.phreeqc_mcq.seen import Floats
from labrig_suites.phreeqc_mcq.items import LETTERS

Group: TypeAlias = Literal["options", "question"]

LIMIT = 0.27
ENOUGH = 2_000
"""Items from which on `LIMIT` holds as it stands."""
CHANCE = 1e-3
"""On fewer items: how often a blind guesser may exceed the limit."""


@dataclass(frozen=True)
class Result:
    """What an attacker finds: `hits` of `tried` items.

    Attributes
    ----------
    group
        What it sees: the options alone, or the question too.
    unseen
        Whether it has learned from no item of the stems it is tested on.
    trained
        Items that a classifier learned from, in the fold with the fewest.
    """

    group: Group
    attacker: str
    hits: float
    tried: int
    unseen: bool = True
    trained: int = 0

    @property
    def judged(self) -> bool:
        """Whether the limit is for it: not for who reads the question, nor for who has seen the stem."""
        return self.group == "options" and self.unseen

    @property
    def limit(self) -> float:
        """The largest share of hits that is not a leak."""
        return limit(self.tried)

    @property
    def leaks(self) -> bool:
        """Whether it finds more than it should."""
        return self.judged and self.tried > 0 and self.hits / self.tried > self.limit


def limit(tried: int) -> float:
    """Return the largest share of hits that is not a leak, on so many items."""
    if tried >= ENOUGH or not tried:
        return LIMIT
    return max(LIMIT, float(binom.ppf(1 - CHANCE, tried, 1 / len(LETTERS))) / tried)


def share(scores: Floats, answer: int) -> float:
    """Return the part of a hit that goes to the answer: all, a share where others have the same score, or nothing."""
    best = scores.max() - scores <= 1e-9 * np.ptp(scores)  # rounding makes no difference
    return float(best[answer]) / float(best.sum())
