"""Random numbers by address: the word of a cell is a function of its file, its column and its row.

There is no stream and so no order: any cell can be computed alone, and a whole column of ten thousand files at
once. A word is the SplitMix64 finaliser (Steele, Lea and Flood, 2014, https://doi.org/10.1145/2714064.2660195)
applied twice to counters, in 64-bit integers that wrap around: the same on every platform and in every numpy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Item = TypeVar("Item")

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
LAST = (1 << 64) - 1
UNIT = 2.0**-53
"""A float, because an integer power would make numpy 1 compute with objects."""


def key(*names: str) -> int:
    """Return the 64-bit key of a list of names, such as a repository's id and a path in it."""
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:8], "little")


def keys(first: str, names: Sequence[str]) -> Words:
    """Return `key(first, name)` for each name."""
    return np.array([key(first, name) for name in names], dtype=np.uint64)


def mixed(words: Words) -> Words:
    """Return the SplitMix64 finaliser of each word."""
    words = (words ^ (words >> np.uint64(30))) * FIRST
    words = (words ^ (words >> np.uint64(27))) * SECOND
    return words ^ (words >> np.uint64(31))


def words(file: Words, column: Words, row: Words) -> Words:
    """Return the word of each cell; the three arrays are broadcast, none may be a scalar."""
    one = np.uint64(1)
    return mixed(mixed(file + STEP * (column + one)) + STEP * (row + one))


def word(file: int, column: int, row: int) -> int:
    """Return the word of one cell: that of `words`, which is slow for a single one."""
    step = int(STEP)
    return _mixed(_mixed(file + step * (column + 1)) + step * (row + 1))


def _mixed(number: int) -> int:
    number &= LAST
    number = (number ^ number >> 30) * int(FIRST) & LAST
    number = (number ^ number >> 27) * int(SECOND) & LAST
    return number ^ number >> 31


def fractions(words: Words) -> Integers:
    """Return 53-bit integers; over 2**53 they are uniform on [0, 1)."""
    return (words >> np.uint64(11)).astype(np.int64)


class Draws:
    """Choices of a design, one after another, from a stream that has a name.

    Each step of a design has a stream of its own, so that a choice more in one changes no other.

    Parameters
    ----------
    names
        What is designed and which step: a repository's id and "title".
    """

    def __init__(self, *names: str) -> None:
        self._file = key(*names)
        self._count = 0

    def word(self) -> int:
        """Return the next word."""
        self._count += 1
        return word(self._file, 0, self._count)

    def below(self, limit: int) -> int:
        """Return an integer from 0 to `limit` - 1; the bias of the product is below 2**-50."""
        return self.word() * limit >> 64

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, numerator: int, denominator: int) -> bool:
        """Return True with this probability."""
        return self.below(denominator) < numerator

    def one(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return `count` different items, or all, in the order of the draw."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]

    def weighted(self, items: Sequence[Item], weights: Sequence[int]) -> Item:
        """Return one of the items, each with the chance of its integer weight."""
        place = self.below(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            if place < weight:
                return item
            place -= weight
        raise AssertionError("a place is below the sum of the weights")


def sample(file: int, count: int, size: int) -> list[int]:
    """Return `count` different integers below `size`, ascending, every such set equally likely.

    Floyd's algorithm (Bentley and Floyd, 1987, https://doi.org/10.1145/30401.315746): one word for each number,
    and none is refused.
    """
    last = np.arange(size - count, size, dtype=np.uint64)
    zero = np.zeros(1, dtype=np.uint64)
    drawn = words(np.array([file], dtype=np.uint64), zero, last) % (last + np.uint64(1))
    chosen: set[int] = set()
    for place, number in zip(last.tolist(), drawn.tolist(), strict=True):
        chosen.add(place if number in chosen else number)
    return sorted(chosen)
