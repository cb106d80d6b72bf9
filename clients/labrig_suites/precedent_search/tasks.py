"""The set that ``labrig run precedent-search --seed S`` runs without a file: 60 materials."""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_suites.precedent_search import items

COUNT = 60


def tasks(*, seed: int) -> list[Sample]:
    """Return the materials of a seed; their literature takes some five seconds to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first materials of a seed, in the literature of all."""
    return items.generate(str(seed), COUNT, first=count)
