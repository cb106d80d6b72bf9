"""Tables 4, 5 and 8-13: outputs by size, and what the output protocols cost and give at each size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import percent, points, ratio, rounded
from labrig_study.statistics.checking import Numbers
from labrig_suites.phreeqc_mcq.paper.bins import BINS, LONG, bin_of, is_long
from labrig_suites.phreeqc_mcq.paper.cells import per, quantile, table
from labrig_suites.phreeqc_mcq.paper.records import (
    RAW100,
    RAW500,
    TOC,
    Records,
    Run,
    rights,
    shared,
    tokens,
)

UNKNOWN = "Items without a reference output (an imported set) have no size and are left out."
TOKENS = "tokens/item: mean input tokens, including cached ones; empty if a record was not measured."


def slices(records: Records) -> Table:
    """Return Table 4: TOC against Raw100k on short and long outputs."""
    short, long = by_length(records)
    union = long_items(records)[0]
    rows = [
        (name, agent, *compared(records.run(TOC, agent), records.run(RAW100, agent), items))
        for name, items in (
            ("short: reference <= 100k", short),
            ("long: reference > 100k", long),
            ("long in any TOC run", union),
        )
        for agent in _both(records, TOC, RAW100)
        if _pair_items(items, records.run(TOC, agent), records.run(RAW100, agent))
    ]
    return table(
        "Table 4. TOC and Raw100k on short and long outputs",
        (
            *("items", "agent", "n", "TOC %", "Raw100k %", "delta (pp)"),
            *("TOC tokens/item", "Raw100k tokens/item", "TOC saves %"),
        ),
        rows,
        "Over the items that have both runs (n). The first two groups divide the items by the output of the reference "
        "input. The third, the paper's long tail, contains every item with a long output in any agent's TOC run (the "
        f"union of Table 9); it overlaps with the first and depends on which agents are in the report. {TOKENS} "
        f"{UNKNOWN}",
        "needs the arms agent-toc and agent-raw100k of one agent, on the same items.",
    )


def compared(toc: Run, raw: Run, items: set[str]) -> tuple[Any, ...]:
    """Return n, the two accuracies and their difference, the two tokens per item and the share saved."""
    paired = _pair_items(items, toc, raw)
    n = len(paired)
    first, second = sum(rights(toc, paired)), sum(rights(raw, paired))
    spent = [tokens([run[item] for item in paired], "input") for run in (toc, raw)]
    return (
        *(n, percent(first, n), percent(second, n), points(ratio(first, n), ratio(second, n))),
        *(per(spent[0], n), per(spent[1], n), saved(*spent)),
    )


def saved(tokens_toc: float | None, tokens_raw: float | None) -> float | None:
    """Return what share of the raw arm's tokens TOC does without, in percent; negative where it takes more."""
    share = ratio(tokens_toc, tokens_raw)
    return None if share is None else rounded(100 * (1 - share))


def windows(records: Records) -> Table:
    """Return Table 5: Raw100k against Raw500k on long outputs."""
    _, long = by_length(records)
    rows = []
    for agent in _both(records, RAW100, RAW500):
        small, large = records.run(RAW100, agent), records.run(RAW500, agent)
        if _pair_items(long, small, large):
            n, *accuracies, _, tokens_small, tokens_large, _ = compared(small, large, long)
            rows.append((agent, n, *accuracies, tokens_small, tokens_large))
    return table(
        "Table 5. Raw100k and Raw500k on long outputs",
        ("agent", "n", "Raw100k %", "Raw500k %", "Raw100k tokens/item", "Raw500k tokens/item"),
        rows,
        "Items whose reference output is above 100,000 characters and that have both runs (n). The records do not say "
        f"how large the model's context window is. {TOKENS}",
        f"needs the arms agent-raw100k and agent-raw500k of one agent, on items with long outputs. {UNKNOWN}",
    )


def distribution(records: Records) -> Table:
    """Return Table 8: the sizes of reference outputs."""
    sizes = [size for item in records.tasks if (size := records.size(item)) is not None]
    return table(
        "Table 8. Reference outputs by size",
        ("bin or threshold", "items", "% of items", "characters"),
        size_rows(sizes) if sizes else (),
        "Size of the output of the reference input, which is a property of the item; the paper's sizes are those of "
        f"one TOC run. {UNKNOWN} Quantiles are by linear interpolation.",
        f"no item has a reference output. {UNKNOWN}",
    )


def size_rows(sizes: Numbers) -> list[tuple[Any, ...]]:
    """Return rows for bins, cumulative thresholds, median, 90th percentile and maximum of sizes (characters)."""
    n = len(sizes)
    names = [bin_of(int(size)) for size in sizes]
    above = [("<= 100k", sum(size <= LONG for size in sizes))]
    above += [
        (f"> {bound // 1000}k", sum(size > bound for size in sizes)) for bound in (LONG, 250_000, 500_000)
    ]
    counts = [(name, names.count(name)) for name, _ in BINS] + above
    summary = (("median", 0.5), ("90th percentile", 0.9), ("maximum", 1.0))
    return [
        *((name, count, percent(count, n), None) for name, count in counts),
        *((name, None, None, quantile(sizes, share)) for name, share in summary),
    ]


def long_outputs(records: Records) -> Table:
    """Return Table 9: how many outputs are long in each agent's own TOC run, in any and in all of them."""
    runs = [(agent, records.run(TOC, agent)) for agent in records.agents(TOC)]
    rows: list[tuple[Any, ...]] = []
    for agent, run in runs:
        count = len(_long(run))
        rows.append((agent, len(run), count, percent(count, len(run))))
    if rows:
        (union, of_any), (both, of_all) = [
            (len(long), len(items))
            for long, items in zip(long_items(records), _any_and_all(records), strict=True)
        ]
        rows.append(("union: long in any run", of_any, union, percent(union, of_any)))
        rows.append(("intersection: long in every run", of_all, both, percent(both, of_all)))
    return table(
        "Table 9. Long outputs by run",
        ("TOC run", "n", "long", "%"),
        rows,
        "Long: the agent's own last output in its original run is above 100,000 characters; a run without an output is "
        "not long. The union is over the items that any TOC run has, the intersection over the items that all have, "
        "whichever agents are in the report; the paper's five runs are not the five of its other tables.",
        "needs the arm agent-toc.",
    )


def long_items(records: Records) -> tuple[set[str], set[str]]:
    """Return the items with a long output in any original TOC run, and in all of them."""
    found = [_long(records.run(TOC, agent)) for agent in records.agents(TOC)]
    return (set.union(*found), set.intersection(*found)) if found else (set(), set())


def by_bin(records: Records) -> Table:
    """Return Tables 10-13: accuracy and tokens of the protocols in each bin, all agents in one table."""
    rows: list[tuple[Any, ...]] = []
    for agent in _both(records, TOC, RAW100):
        toc, raw, large = (records.run(arm, agent) for arm in (TOC, RAW100, RAW500))
        paired = shared(toc, raw, large) if large else shared(toc, raw)
        for name, items in _groups(records, paired):
            rows.append((agent, name, len(items), *protocols((toc, raw, large), items)))
    return table(
        "Tables 10-13. Protocols by output size",
        (
            *("agent", "bin", "n", "TOC %", "Raw100k %", "Raw500k %"),
            *("TOC tokens/item", "Raw100k tokens/item", "Raw500k tokens/item", "Raw100k - TOC (pp)"),
        ),
        rows,
        "The paper has one table for each agent. Over the items that have all of the agent's runs in these arms (n); "
        f"bins are by the output of the reference input, and empty ones are left out. {TOKENS} The last column is "
        "Raw100k minus TOC in every row; the paper's Table 10 reverses the sign in its last row.",
        f"needs the arms agent-toc and agent-raw100k of one agent, on the same items. {UNKNOWN}",
    )


def protocols(runs: tuple[Run, Run, Run], items: Sequence[str]) -> tuple[Any, ...]:
    """Return three accuracies, three tokens per item, and Raw100k less TOC, over items that TOC and Raw100k have."""
    n = len(items)
    counts = [sum(rights(run, items)) if run else None for run in runs]
    spent = [tokens([run[item] for item in items], "input") if run else None for run in runs]
    return (
        *(percent(count, n) for count in counts),
        *(per(total, n) for total in spent),
        points(ratio(counts[1], n), ratio(counts[0], n)),
    )


def by_length(records: Records) -> tuple[set[str], set[str]]:
    """Return the items with a short reference output, and those with a long one."""
    known = {item: size for item in records.tasks if (size := records.size(item)) is not None}
    long = {item for item, size in known.items() if is_long(size)}
    return set(known) - long, long


def _groups(records: Records, items: list[str]) -> list[tuple[str, list[str]]]:
    """Return the bins that have items, short, long and all; of the items that have a size."""
    sized = [(item, size) for item in items if (size := records.size(item)) is not None]
    groups = [(name, [item for item, size in sized if bin_of(size) == name]) for name, _ in BINS]
    groups += [(name, [item for item, size in sized if is_long(size) == long]) for name, long in _CAP]
    groups.append(("all", [item for item, _ in sized]))
    return [each for each in groups if each[1]]


_CAP = (("short: <= 100k", False), ("long: > 100k", True))


def _long(run: Run) -> set[str]:
    return {item for item, score in run.items() if is_long(score.facts["output_chars"])}


def _any_and_all(records: Records) -> tuple[set[str], set[str]]:
    runs = [set(records.run(TOC, agent)) for agent in records.agents(TOC)]
    return set.union(*runs), set.intersection(*runs)


def _both(records: Records, first: str, second: str) -> list[str]:
    others = records.agents(second)
    return [agent for agent in records.agents(first) if agent in others]


def _pair_items(items: set[str], *runs: Run) -> list[str]:
    return [item for item in shared(*runs) if item in items]
