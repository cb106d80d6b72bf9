"""Tables 16 and 30: how runs of an item came out, and where wrong ones are to be looked into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from labrig_harness.suite import Score, Table
from labrig_study.cells import percent
from labrig_suites.phreeqc_mcq.paper.cells import median, table
from labrig_suites.phreeqc_mcq.paper.records import RAW100, TOC, Records, right

OUTCOMES = ("correct", "wrong", "unparseable", "step limit, no answer", "other")
FAILURES = ("no final", "unparseable", "PHREEQC failed", "run OK, wrong", "no run, wrong")


def breakdown(records: Records) -> Table:
    """Return Table 16: outcomes under TOC and under Raw100k."""
    rows: list[tuple[Any, ...]] = []
    for agent in sorted({*records.agents(TOC), *records.agents(RAW100)}):
        sides = [outcome_cells(list(records.run(arm, agent).values())) for arm in (TOC, RAW100)]
        rows += [(agent, name, toc, raw) for (name, toc), (_, raw) in zip(*sides, strict=True)]
    return table(
        "Table 16. Outcomes under TOC and Raw100k",
        ("agent", "outcome", "Agent-TOC", "Agent-Raw100k"),
        rows,
        "Items by outcome; the first five rows add up to the sixth. Unparseable: what was submitted is not a single "
        "letter. Step limit: the turns were used up before anything was submitted; other: nothing was submitted for "
        "another reason. Conditional accuracy: correct / (correct + wrong), that is, among answers of a single letter. "
        "Empty if the arm was not run.",
        "needs the arm agent-toc or agent-raw100k.",
    )


def outcome(score: Score) -> str:
    """Return which of `OUTCOMES` a record is."""
    if right(score):
        return "correct"
    if score.facts["parsed"]:
        return "wrong"
    if score.facts["committed"]:
        return "unparseable"
    return "step limit, no answer" if score.facts["end"] == "step_limit" else "other"


def outcome_cells(records: list[Score]) -> list[tuple[str, float | None]]:
    """Return the rows of one arm: counts, their total, two accuracies in percent, two medians per item."""
    n = len(records)
    counts = Counter(map(outcome, records))
    graded = counts["correct"] + counts["wrong"]
    return [
        *((name, counts[name] if n else None) for name in OUTCOMES),
        ("total", n or None),
        ("accuracy %", percent(counts["correct"], n)),
        ("conditional accuracy %", percent(counts["correct"], graded)),
        ("median read_file calls", median([each.facts["reads"] for each in records])),
        ("median steps", median([each.facts["steps"] for each in records])),
    ]


def failures(records: Records) -> Table:
    """Return Table 30: wrong items by what their log shows first."""
    rows = []
    for agent in records.agents(TOC):
        counts = failure_counts(records.run(TOC, agent).values())
        rows.append((agent, sum(counts), *counts))
    return table(
        "Table 30. Failures by log",
        ("agent (TOC)", "failed", *FAILURES),
        rows,
        "Each wrong item is counted once, in the first column that applies: nothing was submitted; the submission is "
        "not a single letter; an execution of PHREEQC failed; a letter was submitted after executions that all went "
        "well; a letter was submitted without any execution. The paper does not state an order, and its counts do not "
        "follow any single one. A failed execution is not necessarily the reason for a wrong answer: see the suite's "
        "table “Where the chain broke”.",
        "needs the arm agent-toc.",
    )


def failure(score: Score) -> str:
    """Return which of `FAILURES` a wrong record is: the first that holds."""
    facts = score.facts
    if not facts["committed"]:
        return "no final"
    if not facts["parsed"]:
        return "unparseable"
    if facts["failed_executions"]:
        return "PHREEQC failed"
    return "run OK, wrong" if facts["executions"] else "no run, wrong"


def failure_counts(records: Iterable[Score]) -> tuple[int, ...]:
    """Return the number of wrong records in each of `FAILURES`."""
    counts = Counter(failure(each) for each in records if not right(each))
    return tuple(counts[name] for name in FAILURES)
