"""Accuracies with errors left out, and with errors counted as wrong: publications do the one or the other."""

from __future__ import annotations

from statistics import fmean

from labrig_harness.records.scoring import Scored
from labrig_harness.suite import Table
from labrig_study.report.prose import percent
from labrig_study.report.runs import runs_of, score_of

COLUMNS = (
    "arm",
    "agent",
    "agent errors",
    "from outside",
    "left out: strict %",
    "n",
    "as wrong: strict %",
    "n all",
)
NOTE = (
    "Above all else here, an agent error counts as wrong, and a record that ended from outside (a model's service, a "
    "server) is not counted until it is made again."
)


def error_table(scored: Scored) -> Table | None:
    """Return the accuracy of each run that has errors under both conventions, or None where no run has any."""
    rows = []
    for run in runs_of(scored):
        outside = scored.outside.get(run.label, 0)
        failed = sum(each.end == "agent_error" for each in run.records)
        if run.changed or not (outside or failed):
            continue
        whole = [score_of(each).strict for each in run.records]
        without = [score_of(each).strict for each in run.records if each.end != "agent_error"]
        every = len(whole) + outside
        left = percent(fmean(without)) if without else None
        rows.append(
            (run.arm, run.agent, failed, outside, left, len(without), percent(sum(whole) / every), every)
        )
    return Table("Errors, left out and as wrong (records)", COLUMNS, tuple(rows), NOTE) if rows else None
