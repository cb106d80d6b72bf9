"""A second solution: the quantity in a table that PHREEQC writes, as `phreeqc_mcq.another` has it."""

from __future__ import annotations

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution, Unsolvable
from labrig_suites.phreeqc_basics.stems import stems
from labrig_suites.phreeqc_mcq.another import by_table


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a task, for an arm with a server."""
    for stem in stems():
        if stem.name == sample.labels.get("stem"):
            return by_table(stem.build, stem.database, stem.printed, stem.row, sample.brief.prompt)
    raise Unsolvable(f"no second solution for the stem {sample.labels.get('stem')!r}")
