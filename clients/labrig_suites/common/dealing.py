"""Dealing out what a guesser could use (letters, ranks, stems): at random, and evenly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(values: Sequence[T], count: int, draws: random.Random) -> list[T]:
    """Return `count` values in random order, each as often as the others to within one."""
    order = draws.sample(list(values), len(values))
    dealt = [order[n % len(order)] for n in range(count)]
    draws.shuffle(dealt)
    return dealt
