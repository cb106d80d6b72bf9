"""The set that ``labrig run amazing-race --seed S`` runs without a file: two legs of each level and variant.

Such seeds are small numbers that anybody can try: these sets are for trying out and for comparing on one machine.
A benchmark's set comes from ``labrig generate`` with a private seed.
"""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_suites.amazing_race import items

COUNT = 16


def tasks(*, seed: int) -> list[Sample]:
    """Return the legs of a seed; they take a minute to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first legs of a seed."""
    return items.generate(str(seed), min(count, COUNT))
