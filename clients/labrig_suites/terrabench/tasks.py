"""The set that ``labrig run terrabench --seed S`` runs without a file: an item of each domain and level of a track.

It is Fundamentals, which needs no engine, unless a preset names another track.

Such seeds are small numbers that anybody can try: these sets are for trying out and for comparing on one machine.
A benchmark's set comes from ``labrig generate`` with a private seed.
"""

from __future__ import annotations

from collections.abc import Callable

from labrig_harness.sample import Sample
from labrig_suites.terrabench import items

COUNT = 32


def tasks(*, seed: int) -> list[Sample]:
    """Return the items of a seed; they take some ten seconds to make."""
    return items.generate(str(seed), COUNT)


def of_track(track: int) -> Callable[[int, int | None], list[Sample]]:
    """Return how the items of a track are made, by seed and number; they are those of ``labrig generate --n 96``."""

    def tasks(seed: int, count: int | None) -> list[Sample]:
        numbers = range(track * COUNT, (track + 1) * COUNT)[:count]
        return [items.item(str(seed), number) for number in numbers]

    return tasks


def first(seed: int, count: int) -> list[Sample]:
    """Return the first items of a seed."""
    return items.generate(str(seed), COUNT, first=count)
