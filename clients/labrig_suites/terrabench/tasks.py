"""The set that ``labrig run terrabench --seed S`` runs without a file: an item of each domain and level.

Such seeds are small numbers that anybody can try: these sets are for trying out and for comparing on one machine.
A benchmark's set comes from ``labrig generate`` with a private seed.
"""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_suites.terrabench import items

COUNT = 32


def tasks(*, seed: int) -> list[Sample]:
    """Return the items of a seed; they take some ten seconds to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first items of a seed."""
    return items.generate(str(seed), COUNT, first=count)
