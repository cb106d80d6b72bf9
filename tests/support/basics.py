"""The tasks of phreeqc-basics, which the engine must solve: made once a process for all tests that only use them."""

from __future__ import annotations

from functools import cache

from labrig_harness import suites
from labrig_harness.sample import Sample


@cache
def basics(seed: int = 0) -> tuple[Sample, ...]:
    """Return the tasks of a seed."""
    return tuple(suites.load("phreeqc-basics").tasks(seed=seed))
