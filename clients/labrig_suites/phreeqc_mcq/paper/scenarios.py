"""Tables 17 and 18: accuracy by scenario."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import bounds, percent, rounded
from labrig_study.statistics.bootstrap import Estimate, bootstrap_mean
from labrig_suites.phreeqc_mcq.paper.cells import said, table
from labrig_suites.phreeqc_mcq.paper.records import TOC, Records, Run, right

NO_STEM = "Items without a stem (an imported set) are left out."


def means(records: Records) -> Table:
    """Return Table 17: mean accuracy of scenarios with its interval, scenarios all right, scenarios all wrong."""
    rows, estimates = [], []
    for arm, agent in records.methods:
        run = records.run(arm, agent)
        groups = by_stem(records, run)
        if groups:
            estimates.append(mean_of(groups))
            rows.append((agent, arm, *scenario_cells(groups, estimates[-1])))
    return table(
        "Table 17. Accuracy by scenario, all scenarios weighted equally",
        ("agent", "arm", "n", "item %", "scenarios", "scenario mean %", "95 %", "all right", "all wrong"),
        rows,
        "Scenario mean: the mean of the accuracies of the scenarios, each counted once however many items it has. 95 "
        "%: by resampling scenarios, widened like Student's interval (the paper's is the plain percentile interval, "
        f"which is too narrow for few scenarios). {NO_STEM}{said(estimates)}",
        f"no original run (epoch 0) of items with a stem. {NO_STEM}",
    )


def mean_of(groups: dict[str, list[bool]]) -> Estimate:
    """Return the mean of the scenarios' accuracies, scenarios resampled."""
    values = [ok for found in groups.values() for ok in found]
    stems = [stem for stem, found in groups.items() for _ in found]
    return bootstrap_mean(values, stems, weigh="clusters")


def scenario_cells(groups: dict[str, list[bool]], estimate: Estimate) -> tuple[Any, ...]:
    """Return items, item accuracy, scenarios, their mean and interval, and how many are all right, all wrong."""
    n = sum(map(len, groups.values()))
    return (
        *(n, percent(sum(map(sum, groups.values())), n), len(groups)),
        *(percent(estimate.value, 1), bounds(estimate.interval)),
        *(sum(all(found) for found in groups.values()), sum(not any(found) for found in groups.values())),
    )


def grid(records: Records) -> Table:
    """Return Table 18: accuracy of each agent with TOC in each scenario."""
    agents = records.agents(TOC)
    groups = [by_stem(records, records.run(TOC, agent)) for agent in agents]
    stems = sorted({stem for found in groups for stem in found})
    rows: list[tuple[Any, ...]] = [
        (
            stem,
            sum(records.stem(item) == stem for item in records.tasks),
            *grid_row([found.get(stem, []) for found in groups]),
        )
        for stem in stems
    ]
    if rows:
        overall = [[right(score) for score in records.run(TOC, agent).values()] for agent in agents]
        shares = grid_row(overall)[: len(agents)]
        rows.append(("all", len(records.tasks), *shares, None, None, None, None))
    return table(
        "Table 18. Accuracy with TOC by scenario",
        ("scenario", "n", *agents, "min", "max", "mean", "spread (pp)"),
        rows,
        "In percent, each agent over the items that it has; n: items of the suite. min, max, mean and spread "
        "(max - min) are across agents, and are most meaningful if all agents ran the same items. A scenario with one "
        f"item has a spread of 0 or 100. {NO_STEM}",
        f"needs the arm agent-toc, on items with a stem. {NO_STEM}",
    )


def grid_row(agents: Sequence[Sequence[bool]]) -> tuple[float | None, ...]:
    """Return the accuracy of each agent in percent, then their minimum, maximum, mean and spread.

    Parameters
    ----------
    agents
        Per agent right or wrong for each of its items in a scenario; empty where it has none.
    """
    shares = [fmean(found) if found else None for found in agents]
    known = [share for share in shares if share is not None]
    cells = [percent(share, 1) for share in shares]
    if not known:
        return (*cells, None, None, None, None)
    low, high = min(known), max(known)
    summary = (low, high, fmean(known), high - low)
    return (*cells, *(rounded(100 * each) for each in summary))


def by_stem(records: Records, run: Run) -> dict[str, list[bool]]:
    """Return right or wrong for each item, by scenario."""
    groups: dict[str, list[bool]] = {}
    for item, score in run.items():
        if records.stem(item):
            groups.setdefault(records.stem(item), []).append(right(score))
    return groups
