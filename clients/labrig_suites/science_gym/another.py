"""A second solution: every question, those about the README too, is answered by `rowwise` in the sandbox.

`rowwise` shares nothing with `recompute` (the hard tier has `hard.solver` alone, which shares nothing with its truth);
how code is sent and its answer read is that of `solution`.
"""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution
from labrig_suites.science_gym.solution import printed_line, query, run

MODULE = "rowwise"


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a task; numbers have all their digits.

    Raises
    ------
    Unsolvable
        For an arm that does not run code, and a task that was not generated here.
    """
    call = run(query(sample), arm, module=MODULE)
    return Solution((call,), lambda results: printed_line(results[-1]))
