"""Runs whose results were changed on their way: does the answer follow the evidence, or stay with the truth?"""

from __future__ import annotations

from collections import Counter

from labrig_harness.grounding.outcomes import OUTCOMES
from labrig_harness.records.scoring import Record
from labrig_harness.suite import Table
from labrig_study.cells import percent
from labrig_study.report.runs import Run
from labrig_study.statistics.proportions import wilson

SAID = {
    "followed": "the answer follows the changed result",
    "stayed": "the answer stays with the true result",
    "noticed": "the agent said that something does not fit",
    "other": "the answer agrees with neither result",
    "not_applied": "nothing was changed on its path, or nothing follows from it",
    "": "what follows from it cannot be told",
}
"""How an answer took a changed result, in words."""

COLUMNS = ("run", "records", *(name.replace("_", " ") for name in OUTCOMES), "followed %", "low", "high")
NOTE = (
    "One result of each run was changed on its way to the agent, in a declared way. followed: the answer is what the "
    "reference solution computes from the changed evidence; stayed: it is the truth, which the evidence no longer "
    "says; noticed: the agent said that something does not fit; not applied: nothing was changed on its path, or "
    "nothing follows from it. The share, with its 95 % Wilson interval, is of the runs in which it was."
)


def evidence(runs: list[Run]) -> Table | None:
    """Return the table of the runs with changed results, or None where there are none."""
    rows = [_make_row(run) for run in runs if run.changed]
    return Table("Changed evidence", COLUMNS, tuple(rows), NOTE) if rows else None


def _make_row(run: Run) -> tuple[str | int | float | None, ...]:
    records: tuple[Record, ...] = (*run.records, *run.unscored)
    counts = Counter(each.grounding or "not_applied" for each in records)
    applied = len(records) - counts["not_applied"]
    bounds = wilson(counts["followed"], applied) if applied else (None, None)
    share = percent(counts["followed"], applied)
    return (run.name, len(records), *(counts[name] for name in OUTCOMES), share, *map(percent, bounds))
