"""Questions of a file have no reference solution: nobody wrote one."""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution, Unsolvable


def solution(sample: Sample, arm: Arm) -> Solution:
    """Say that there is none."""
    raise Unsolvable("the questions of a file have no reference solution")
