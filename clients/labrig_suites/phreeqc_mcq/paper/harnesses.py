"""Table 26: harnesses compared on one backbone, over the same items."""

from __future__ import annotations

from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import percent
from labrig_suites.phreeqc_mcq.paper.cells import table, thousands
from labrig_suites.phreeqc_mcq.paper.lines import backbone
from labrig_suites.phreeqc_mcq.paper.records import (
    WITHOUT_TOOLS,
    Records,
    Run,
    rights,
    shared,
    tokens,
)


def harnesses(records: Records) -> Table:
    """Return Table 26: accuracy and input tokens of agents on one backbone, over matched items."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for arm, agent in records.methods:
        if arm not in WITHOUT_TOOLS:
            groups.setdefault(backbone(records, agent), []).append((agent, arm))
    rows: list[tuple[Any, ...]] = []
    for model, methods in sorted(groups.items()):
        runs = [records.run(arm, agent) for agent, arm in methods]
        items = shared(*runs)
        if items and len({agent for agent, _ in methods}) > 1:
            rows += [
                (model, *method, len(items), *efficiency(run, items))
                for method, run in sorted(zip(methods, runs, strict=True), key=lambda each: each[0])
            ]
    return table(
        "Table 26. Harnesses on one backbone",
        (
            *("backbone", "agent", "arm", "n", "%"),
            *("input tokens/item (K)", "of which cached (K)", "input tokens/right (K)"),
        ),
        rows,
        "Over the items that all runs of a backbone with tools have (n); accuracy and tokens are those of these items. "
        "The paper compares the tokens of its own agent on the full set with those of the others on 50 items. Tokens "
        "per right answer: all input tokens, including cached ones, divided by right answers; empty if a record was "
        "not measured or nothing is right. Scores do not contain prices: costs are in a separate table of the report.",
        "needs two agents with tools on one backbone, on the same items: the preset of Appendix H runs the programs "
        "on the 50 items.",
    )


def efficiency(run: Run, items: list[str]) -> tuple[Any, ...]:
    """Return accuracy, input tokens per item, cached ones per item, and input tokens per right answer (thousands)."""
    chosen = [run[item] for item in items]
    n, correct = len(items), sum(rights(run, items))
    used = tokens(chosen, "input")
    return (
        *(percent(correct, n), thousands(used, n), thousands(tokens(chosen, "cached"), n)),
        tokens_per_right(used, correct),
    )


def tokens_per_right(total: float | None, correct: float) -> float | None:
    """Return input tokens per right answer, in thousands; None where nothing is right.

    >>> tokens_per_right(100_934 * 50, 40)
    126.2
    """
    return thousands(total, correct)
