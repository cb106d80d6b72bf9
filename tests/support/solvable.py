"""Samples that the reference solves in an arm: what a test of an oracle is asked."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from labrig_harness import suites
from labrig_harness.sample import Sample
from labrig_harness.suite import Unsolvable


def solvable(name: str, arm: str, count: int) -> list[str]:
    """Return the ids of the first samples of a suite that have a solution in an arm."""
    suite = suites.load(name)

    def has_solution(sample: Sample) -> bool:
        try:
            suite.solution(sample, suite.arm(arm))
        except Unsolvable:
            return False
        return True

    found = [each.id for each in islice(filter(has_solution, suite.tasks(seed=0)), count)]
    assert len(found) == count
    return found


def write_solvable(name: str, arm: str, count: int, path: Path) -> str:
    """Write those ids, one a line, and return the path for ``--items``."""
    path.write_text("\n".join(solvable(name, arm, count)) + "\n")
    return str(path)
