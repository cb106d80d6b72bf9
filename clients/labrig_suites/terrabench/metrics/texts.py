"""Likeness of two texts: of the words they hold, and of their order (Appendix I names text similarity, no definition).

``words`` is the F1 of the two multisets of words, ``order`` the F1 of the longest common subsequence of words (ROUGE-L,
Lin 2004, with equal weight of precision and recall). Words are runs of letters and digits in lower case; the first
`MOST_WORDS` of a text count. The sidecar is cut out first: it is scored by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from labrig_suites.terrabench.metrics.arguments import f1
from labrig_suites.terrabench.metrics.order import longest_common
from labrig_suites.terrabench.metrics.sidecar import CLOSE, OPEN

MOST_WORDS = 1_000


@dataclass(frozen=True)
class Likeness:
    """Both in [0, 1], and 1 for two texts without a word."""

    words: float
    order: float


def likeness(predicted: str, reference: str) -> Likeness:
    """Return how alike two texts are.

    >>> likeness("The mean is 3 K.", "the mean: 3 K")
    Likeness(words=0.8888888888888888, order=0.8888888888888888)
    """
    mine, theirs = words_of(predicted), words_of(reference)
    size = len(mine) + len(theirs)
    order = 2 * longest_common(mine, theirs) / size if size else 1.0
    return Likeness(f1(Counter(mine), Counter(theirs)), order)


def words_of(text: str) -> list[str]:
    """Return the words of a text that count, in order."""
    text = text[: 100 * MOST_WORDS]
    head, tag, rest = text.partition(OPEN)
    if tag:
        text = head + " " + rest.rpartition(CLOSE)[2]
    return re.findall(r"\w+", text.casefold())[:MOST_WORDS]
