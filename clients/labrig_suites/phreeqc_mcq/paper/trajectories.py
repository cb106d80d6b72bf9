"""Tables 27-29: how long runs are, and how long those are that go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean
from typing import Any

from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, rounded
from labrig_suites.phreeqc_mcq.paper.cells import median, quantile, table
from labrig_suites.phreeqc_mcq.paper.records import ORIGINAL, TOC, Records, right

MISSING = "needs the arm agent-toc."

BUCKETS = (("0-4", 4), ("5-7", 7), ("8-11", 11), ("12-15", 15), ("16-19", 19), ("20-24", 24), ("> 24", inf))
"""Steps: name and upper bound; the paper's five, and what its runs had none of on either side."""


def trajectories(records: Records) -> Table:
    """Return Table 27: time, steps and executions per item with TOC."""
    rows = []
    for agent in records.agents(TOC):
        run = list(records.run(TOC, agent).values())
        wall, steps, executions = (
            [each.facts[name] for each in run] for name in ("wall_s", "steps", "executions")
        )
        rows.append(
            (
                *(agent, len(run), median(wall), quantile(wall, 0.9), median(steps)),
                *(median(executions), rounded(fmean(executions))),
                sum(each.facts["failed_executions"] for each in run),
            )
        )
    return table(
        "Table 27. Length of runs with TOC",
        (
            *("agent (TOC)", "n", "wall median (s)", "wall p90 (s)", "steps median"),
            *("runs median", "runs mean", "failed runs"),
        ),
        rows,
        "wall: seconds per item. steps: turns of the agent. runs: executions of PHREEQC per item; failed runs: total "
        "over all items.",
        MISSING,
    )


def by_steps(records: Records) -> Table:
    """Return Table 28: accuracy by number of steps."""
    rows: list[tuple[Any, ...]] = []
    for agent in records.agents(TOC):
        epochs = records.epochs(TOC, agent)
        again = [epoch for epoch in epochs if epoch > ORIGINAL] or [ORIGINAL]
        pooled = [score for epoch in again for score in epochs[epoch].values()]
        whose = "original" if again == [ORIGINAL] else f"{len(again)} rerun{'s' * (len(again) > 1)}"
        rows += [
            (agent, whose, *row) for row in step_rows([(each.facts["steps"], right(each)) for each in pooled])
        ]
    return table(
        "Table 28. Accuracy with TOC by number of steps",
        ("agent (TOC)", "runs", "steps", "n", "right", "%"),
        rows,
        "Records are counted, not items: the reruns are pooled without the original, as in the paper (whereas Table 23 "
        "includes the original); if there are no reruns, the original is used. Buckets without records are left out.",
        MISSING,
    )


def step_rows(runs: Sequence[tuple[int, bool]]) -> list[tuple[str, int, int, float | None]]:
    """Return bucket, records, right ones and accuracy, from the steps of each record and whether it is right."""
    rows = []
    low = -1.0
    for name, high in BUCKETS:
        found = [ok for steps, ok in runs if low < steps <= high]
        rows.append((name, len(found), sum(found), percent(sum(found), len(found))))
        low = high
    rows.append(("all", len(runs), sum(ok for _, ok in runs), percent(sum(ok for _, ok in runs), len(runs))))
    return [row for row in rows if row[1]]


def failed_steps(records: Records) -> Table:
    """Return Table 29: steps of the items that went wrong."""
    return table(
        "Table 29. Steps of wrong items with TOC",
        (
            *("agent (TOC)", "failed n", "failed median", "failed mean"),
            *("overall median", "at the step limit", "% at the step limit"),
        ),
        ((agent, *failed_cells(list(records.run(TOC, agent).values()))) for agent in records.agents(TOC)),
        "Failed: wrong, or without an answer of a single letter. At the step limit: failed runs that ended because the "
        "turns of the arm were used up, whether or not anything had been submitted.",
        MISSING,
    )


def failed_cells(records: list[Score]) -> tuple[Any, ...]:
    """Return failed items, median and mean of their steps, the median of all, and how many hit the step limit."""
    failed = [each for each in records if not right(each)]
    steps = [each.facts["steps"] for each in failed]
    ceiling = sum(each.facts["end"] == "step_limit" for each in failed)
    return (
        *(len(failed), median(steps), rounded(fmean(steps)) if steps else None),
        median([each.facts["steps"] for each in records]),
        *(ceiling, percent(ceiling, len(failed))),
    )
