"""Numbers of a scenario: each one of a list, drawn in the order of the arguments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence


def one_of(**numbers: Sequence[float]) -> Callable[[random.Random], dict[str, float]]:
    """Return a function that draws one of each list."""
    return lambda draws: {name: draws.choice(values) for name, values in numbers.items()}


def tenths(values: Iterable[int], parts: int = 10) -> tuple[float, ...]:
    """Return tenths (hundredths, ..), which `range` does not count."""
    return tuple(value / parts for value in values)
