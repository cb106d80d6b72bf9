"""Tables 14 and 15: whether the output protocols solve the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from labrig_harness.suite import Table
from labrig_study.statistics.retention import kept_gained_lost
from labrig_suites.phreeqc_mcq.paper.cells import table
from labrig_suites.phreeqc_mcq.paper.records import RAW100, RAW500, TOC, Records, rights, shared

CELLS = (
    ("all three", (True, True, True)),
    ("TOC only", (True, False, False)),
    ("Raw100k only", (False, True, False)),
    ("Raw500k only", (False, False, True)),
    ("TOC and Raw100k", (True, True, False)),
    ("TOC and Raw500k", (True, False, True)),
    ("Raw100k and Raw500k", (False, True, True)),
    ("none", (False, False, False)),
)


def two_protocols(records: Records) -> Table:
    """Return Table 14: items right with TOC, with Raw100k, with both, with neither."""
    rows = []
    for agent in records.agents(TOC):
        toc, raw = records.run(TOC, agent), records.run(RAW100, agent)
        items = shared(toc, raw)
        if items:
            rows.append((agent, *two_way(rights(toc, items), rights(raw, items))))
    return table(
        "Table 14. Items right with TOC and with Raw100k",
        ("agent", "n", "TOC right", "Raw100k right", "both", "TOC only", "Raw100k only", "neither"),
        rows,
        "Over the items that have both runs (n), each counted as in Table 1; the last four columns add up to n.",
        "needs the arms agent-toc and agent-raw100k of one agent, on the same items.",
    )


def two_way(toc: Sequence[bool], raw: Sequence[bool]) -> tuple[int, ...]:
    """Return n, right with TOC, right with Raw100k, with both, with one only (TOC, Raw100k), with neither."""
    moved = kept_gained_lost(toc, raw)
    return (
        *(moved.n, moved.right, moved.kept + moved.gained),
        *(moved.kept, moved.lost, moved.gained, moved.neither),
    )


def three_protocols(records: Records) -> Table:
    """Return Table 15: items by which of the three protocols they are right with."""
    rows = []
    for agent in records.agents(TOC):
        runs = [records.run(arm, agent) for arm in (TOC, RAW100, RAW500)]
        items = shared(*runs)
        if items:
            rows.append((agent, len(items), *three_way(*(rights(run, items) for run in runs))))
    return table(
        "Table 15. Items right with TOC, Raw100k and Raw500k",
        ("agent", "n", *(name for name, _ in CELLS)),
        rows,
        "Over the items that have all three runs (n); the cells add up to n.",
        "needs the arms agent-toc, agent-raw100k and agent-raw500k of one agent, on the same items.",
    )


def three_way(toc: Sequence[bool], small: Sequence[bool], large: Sequence[bool]) -> tuple[int, ...]:
    """Return the number of items in each of `CELLS`."""
    counts = Counter(zip(toc, small, large, strict=True))
    return tuple(counts[pattern] for _, pattern in CELLS)
