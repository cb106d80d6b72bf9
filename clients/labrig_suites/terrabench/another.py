"""A second solution: what a call says of the file that it made is not believed, but read out of that file."""

from __future__ import annotations

from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution
from labrig_suites.terrabench.reckoning import Formula
from labrig_suites.terrabench.solution import formulas_of, played

STATISTICS = ("min", "max", "mean")
READ = "read_netcdf_data"


def another(sample: Sample, arm: Arm) -> Solution:
    """Return the second solution; Unsolvable as the first."""
    formulas = formulas_of(sample, arm)
    path = [dict(each) for each in sample.truth["paths"][0]]
    read: dict[str, int] = {}

    def reread(formula: Formula) -> Formula:
        if isinstance(formula, int | float):
            return formula
        if "find" in formula:
            return formula
        if "with" in formula:
            return {**formula, "with": [reread(each) for each in formula["with"]]}
        made = path[formula["of"]]["arguments"].get("output_path", "")
        if formula["at"][0] not in STATISTICS or not made.endswith(".nc"):
            return formula
        if made not in read:
            read[made] = len(path)
            arguments: dict[str, Any] = {"netcdf_path": made, "include_stats": True, "sample_limit": 1}
            path.append({"tool": READ, "arguments": arguments})
        return {"of": read[made], "at": ["stats", formula["at"][0]]}

    changed = {key: reread(formula) for key, formula in formulas.items()}
    return played(path, sample.truth["bound"], changed, arm)
