"""The set that ``labrig run science-gym --seed S`` runs without a file: 50 questions in four styles.

Such seeds are small numbers that anybody can try: these sets are for trying out and for comparing on one machine.
A benchmark's set comes from ``labrig generate`` with a private seed.
"""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_suites.science_gym import items

COUNT = 200


def tasks(*, seed: int) -> list[Sample]:
    """Return the items of a seed; they take some ten seconds to make."""
    return items.generate(str(seed), COUNT)


def first(seed: int, count: int) -> list[Sample]:
    """Return the first items of a seed."""
    return items.generate(str(seed), COUNT, first=count)
