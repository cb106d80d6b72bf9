"""Tables 3 and 22-25: how far reruns of one agent agree, as a whole and item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import percent, rounded
from labrig_study.statistics.checking import Numbers
from labrig_study.statistics.stability import rerun_spread, rerun_stability
from labrig_suites.phreeqc_mcq.paper.accuracy import LETTERS
from labrig_suites.phreeqc_mcq.paper.bins import BINS, NO_OUTPUT, bin_of
from labrig_suites.phreeqc_mcq.paper.cells import millions, signed, table
from labrig_suites.phreeqc_mcq.paper.records import (
    TOC,
    Records,
    Run,
    right,
    rights,
    shared,
    tokens,
)
from labrig_suites.phreeqc_mcq.paper.sizes import long_items

COLUMNS = (
    *("agent", "n", "orig. %", "orig. tokens (M)"),
    *("accuracy delta (pp)", "tokens delta (M)"),
    *("accuracy SD (pp)", "accuracy range (pp)", "tokens SD (M)", "tokens range (M)"),
)
SPREAD = (
    "Over the items that the original and all reruns have (n). delta: rerun minus original. SD (with n - 1 in its "
    "denominator) and range are those of the reruns alone. Tokens: all input tokens, including cached ones; empty if a "
    "record was not measured."
)
MISSING = "needs reruns in the arm agent-toc: labrig run ... --arm agent-toc --epochs 4."
SAMPLES = "An item counts if the original and all reruns have it; here, all of these runs are samples."


def stability(records: Records) -> Table:
    """Return Table 3: accuracy and tokens of the reruns, against the original."""
    return table(
        "Table 3. Reruns",
        COLUMNS,
        _spreads(records, set(records.tasks)),
        f"{SPREAD} Here, every rerun is a run of all its items. In the paper, all differences lie in the 155 items of "
        "its Table 22: its reruns share the results of the other 45, so that its SDs do not include the spread of "
        "those.",
        MISSING,
    )


def stability_short(records: Records) -> Table:
    """Return Table 22: the same, without the items that had a long output in any TOC run."""
    short = set(records.tasks) - long_items(records)[0]
    return table(
        "Table 22. Reruns on items without long outputs",
        COLUMNS,
        _spreads(records, short),
        f"{SPREAD} Items whose output is above 100,000 characters in the original TOC run of any agent in this report "
        "(the union of Table 9) are left out. The remaining items are not the short ones of Table 4, which are chosen "
        "by the output of the reference input.",
        MISSING,
    )


def _spreads(records: Records, items: set[str]) -> list[tuple[Any, ...]]:
    rows = []
    for agent, runs in _rerun(records):
        paired = [item for item in shared(*runs) if item in items]
        if paired:
            accuracies = [sum(rights(run, paired)) / len(paired) for run in runs]
            used = [tokens([run[item] for item in paired], "input") for run in runs]
            known = [each for each in used if each is not None]
            rows.append(
                (agent, len(paired), *spread_cells(accuracies, known if len(known) == len(used) else None))
            )
    return rows


def spread_cells(accuracies: Sequence[float], used: Sequence[int] | None) -> tuple[Any, ...]:
    """Return the cells of a line from shares right and input tokens, each of the original and then the reruns.

    Parameters
    ----------
    accuracies
        In [0, 1], shape (1 + reruns,).
    used
        Input tokens of these runs; None where they are not known.
    """
    original, again = accuracies[0], accuracies[1:]
    changes = signed([100 * (each - original) for each in again])
    sd, reach = sd_and_range([100 * each for each in again], 1)
    if used is None:
        return percent(original, 1), None, changes, "", sd, reach, None, None
    moved = signed([(each - used[0]) / 1e6 for each in used[1:]], 2)
    tokens_sd, tokens_range = sd_and_range([each / 1e6 for each in used[1:]], 2)
    return percent(original, 1), millions(used[0]), changes, moved, sd, reach, tokens_sd, tokens_range


def sd_and_range(reruns: Numbers, digits: int) -> tuple[float | None, float | None]:
    """Return the sample standard deviation of reruns (None of one) and their range, rounded."""
    spread = rerun_spread(reruns)
    return rounded(spread.sd, digits), rounded(spread.range, digits)


def per_item(records: Records) -> Table:
    """Return Table 23: how many items were right in how many of the samples."""
    rows: list[tuple[Any, ...]] = []
    for agent, items, samples in _samples(records):
        rows += [(agent, *row) for row in histogram([sum(row) for row in samples], len(samples[0]))]
        agree = rerun_stability(samples)
        flip = round(agree.flipping * len(items))
        rows.append((agent, "the same in all", len(items) - flip, percent(len(items) - flip, len(items))))
        rows.append((agent, "variance-prone", flip, percent(flip, len(items))))
    return table(
        "Table 23. Items by how many samples were right",
        ("agent", "right in", "items", "% of items"),
        rows,
        f"{SAMPLES} Variance-prone: right in some samples, wrong in others.",
        MISSING,
    )


def histogram(counts: Sequence[int], samples: int) -> list[tuple[str, int, float | None]]:
    """Return for each number of right samples its name, its items and their share in percent.

    Parameters
    ----------
    counts
        Per item, how many of its samples were right.
    samples
        How many samples each item has.
    """
    names = {0: " (always wrong)", samples: " (always right)"}
    found = Counter(counts)
    return [
        (f"{k}/{samples}{names.get(k, '')}", found[k], percent(found[k], len(counts)))
        for k in range(samples + 1)
    ]


def by_size(records: Records) -> Table:
    """Return Table 24: variance-prone items by the size of the agent's own output."""

    def own(agent: str, item: str) -> str:
        chars = records.run(TOC, agent)[item].facts["output_chars"]
        return NO_OUTPUT if chars is None else bin_of(chars)

    order = [*(name for name, _ in BINS), NO_OUTPUT]
    return table(
        "Table 24. Variance-prone items by output size",
        ("agent", "bin", "n", "always right", "always wrong", "variance-prone", "% variance-prone"),
        _stability_by(records, own, order),
        f"{SAMPLES} Bins are by the agent's own output in its original run, not by that of the reference input as in "
        "Tables 8, 10-13 and 19, so that the counts differ; reruns may print more or less. No output: nothing was "
        "executed.",
        MISSING,
    )


def by_letter(records: Records) -> Table:
    """Return Table 25: variance-prone items by right letter."""
    return table(
        "Table 25. Variance-prone items by right letter",
        ("agent", "right letter", "n", "always right", "always wrong", "variance-prone", "% variance-prone"),
        _stability_by(records, lambda agent, item: records.letter(item), LETTERS),
        SAMPLES,
        MISSING,
    )


def stability_cells(samples: Sequence[Numbers]) -> tuple[Any, ...]:
    """Return n, always right, always wrong, variance-prone, and its share in percent; samples are 0 or 1."""
    found = rerun_stability(samples)
    n = found.items
    counts = [round(share * n) for share in (found.always_right, found.always_wrong, found.flipping)]
    return n, *counts, percent(counts[2], n)


def _stability_by(
    records: Records, group: Callable[[str, str], str], order: Sequence[str]
) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for agent, items, samples in _samples(records):
        groups: dict[str, list[list[bool]]] = {name: [] for name in order}
        for item, row in zip(items, samples, strict=True):
            groups[group(agent, item)].append(row)
        rows += [(agent, name, *stability_cells(found)) for name, found in groups.items() if found]
        rows.append((agent, "all", *stability_cells(samples)))
    return rows


def _rerun(records: Records) -> list[tuple[str, list[Run]]]:
    """Return agents with an original TOC run and reruns of it: the original first."""
    found = [(agent, records.epochs(TOC, agent)) for agent in records.agents(TOC)]
    return [(agent, [epochs[each] for each in sorted(epochs)]) for agent, epochs in found if len(epochs) > 1]


def _samples(records: Records) -> list[tuple[str, list[str], list[list[bool]]]]:
    """Return per agent its items and, for each, right or wrong in the original and the reruns."""
    found = [(agent, shared(*runs), runs) for agent, runs in _rerun(records)]
    return [
        (agent, items, [[right(run[item]) for run in runs] for item in items])
        for agent, items, runs in found
        if items
    ]
