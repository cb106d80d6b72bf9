"""pass@k and pass^k of runs whose samples were run several times."""

from __future__ import annotations

from labrig_harness.records.scoring import Scored
from labrig_harness.suite import Table
from labrig_study.report.prose import percent
from labrig_study.report.runs import runs_of, scores_of
from labrig_study.report.words import span
from labrig_study.statistics import has_statistics

COLUMNS = ("arm", "agent", "k", "samples", "pass@k %", "95 % CI", "pass^k %", "95 % CI of pass^k")
NOTE = (
    "pass@k: one of k attempts at a sample is strictly right; pass^k: all of them are. Means over the samples that "
    "have k attempts; the intervals resample samples, or whole clusters of them."
)


def pass_table(scored: Scored) -> Table | None:
    """Return both for each run with two epochs or more; None without one, or without NumPy and SciPy."""
    if not has_statistics():
        return None
    from labrig_study.statistics.passing import passing

    rows = []
    for run in runs_of(scored):
        if run.changed or run.epochs < 2:
            continue
        rights = [[score == 1 for score in scores_of(records)] for records in run.items.values()]
        for each in passing(rights, run.labels()):
            shares = [
                (percent(found.value), span(found.interval) if found.interval else None)
                for found in (each.any_of, each.all_of)
            ]
            rows.append((run.arm, run.agent, each.k, each.items, *shares[0], *shares[1]))
    return Table("pass@k and pass^k", COLUMNS, tuple(rows), NOTE) if rows else None
