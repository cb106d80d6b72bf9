"""The set that ``labrig run supercon-extraction --seed S`` runs without a file: 20 papers."""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_suites.supercon_extraction import items

COUNT = 20


def tasks(*, seed: int) -> list[Sample]:
    """Return the papers of a seed; they take some two seconds to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first papers of a seed."""
    return items.generate(str(seed), COUNT, first=count)
