"""The tables and figures of The Amazing Agent Race, from records; figures as tables.

Right means `Score.compat`, and PVR and RCR are the published ones. A configuration of the paper is a pair of agent and
arm here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import mean, percent, rounded
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS, Leg, leg_of
from labrig_suites.amazing_race.measures import METRICS, at_least, error, in_bin, pvr, rates, rcr
from labrig_suites.amazing_race.score import TEMPLATES
from labrig_suites.amazing_race.tables import ERRORS
from labrig_suites.common.grouped import grouped

RUN = "No records yet: labrig run amazing-race."
LENGTHS = ((1, 2), (3, 8), (9, 14), (15, 20), (21, 26), (27, 40), (41, 500))
"""Stops of a leg, in bins; the paper names the first and last of its own, 3 to 8 and 27 to 40."""
Models = dict[tuple[str, str], list[Score]]


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return Tables 2, 3, 7, 8, 9, 11 and 12, and Figures 5, 6 and 8, in the paper's order."""
    by_id = {sample.id: sample for sample in samples}
    found = sorted(
        (each for each in scores if each.task in by_id),
        key=lambda each: (each.agent, each.arm, each.task, each.epoch),
    )
    models = grouped(found, lambda each: (each.agent, each.arm))
    return [
        dataset([leg_of(each) for each in samples]),
        aggregate(models),
        penalty(models),
        decomposition(models),
        templates(models),
        scaling(models),
        recovery(models),
        by_level(models),
        main_results(models),
        resources(models),
    ]


def dataset(legs: Sequence[Leg]) -> Table:
    """Return Table 2: legs, and means of stops, roadblocks, detours and tool calls of the golden trace."""
    rows: list[tuple[Any, ...]] = []
    for variant in VARIANTS:
        for level in (*LEVELS, "all"):
            group = [leg for leg in legs if leg.variant == variant and level in (leg.level, "all")]
            if group:
                rows.append(
                    (
                        *(variant, level, len(group), rounded(mean(len(leg.stops) for leg in group))),
                        rounded(mean(sum(1 for _ in leg.of_type("tool")) for leg in group)),
                        rounded(mean(sum(1 for _ in leg.of_type("reason")) for leg in group)),
                        rounded(
                            mean(sum(len(stop.bridge.tool_chain) for stop in leg.stops) for leg in group)
                        ),
                    )
                )
    columns = ("variant", "level", "legs", "stops", "roadblocks", "detours", "tools")
    return Table("Table 2. The legs", columns, tuple(rows), "Means per leg.")


def aggregate(models: Models) -> Table:
    """Return Figure 5a: FA, PVR and RCR over all legs, beside a random digit."""
    rows: list[tuple[Any, ...]] = [
        (*model, len(group), *rates(group, "compat")) for model, group in models.items()
    ]
    rows.append(("(a random digit)", "", None, 10.0, 0.0, 0.0))
    return _table(
        "Figure 5. FA, PVR and RCR over all legs",
        ("agent", "arm", "records", "FA %", "PVR %", "RCR %"),
        rows,
    )


def penalty(models: Models) -> Table:
    """Return Figure 6: what changes from linear legs to DAGs, in percentage points."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        two = [
            rates([each for each in group if each.facts["variant"] == name], "compat") for name in VARIANTS
        ]
        changes = [
            None if before is None or after is None else round(after - before, 1)
            for before, after in zip(*two, strict=True)
        ]
        rows.append((*model, *changes))
    return _table(
        "Figure 6. From linear to DAG, percentage points", ("agent", "arm", "FA", "PVR", "RCR"), rows
    )


def decomposition(models: Models) -> Table:
    """Return Table 3: errors by variant and level; with the right ones they are 100 %."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for variant, level, inner in _places(group):
            counts = Counter(error(each, "compat") for each in inner)
            shares = (percent(counts[name], len(inner)) for name in (*ERRORS, ""))
            rows.append((*model, variant, level, len(inner), *shares))
    return _table(
        "Table 3. Errors",
        ("agent", "arm", "variant", "level", "records", *(f"{name} %" for name in ERRORS), "right %"),
        rows,
        "Of runs that are wrong. The paper does not say whether right runs with few pages count as navigation errors.",
    )


def templates(models: Models) -> Table:
    """Return Table 7: FA of legs that contain a roadblock template."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for name in TEMPLATES.values():
            inner = [each for each in group if name in each.facts["templates"]]
            if inner:
                rows.append((*model, name, len(inner), rates(inner, "compat")[0]))
    return _table("Table 7. FA by roadblock template", ("agent", "arm", "template", "records", "FA %"), rows)


def scaling(models: Models) -> Table:
    """Return Table 8: FA, PVR and RCR by the length of the leg."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for first, last in LENGTHS:
            inner = [each for each in group if in_bin(LENGTHS, each.facts["stops"]) == (first, last)]
            if inner:
                rows.append((*model, f"{first}-{last}", len(inner), *rates(inner, "compat")))
    return _table("Table 8. By length", ("agent", "arm", "stops", "records", "FA %", "PVR %", "RCR %"), rows)


def recovery(models: Models) -> Table:
    """Return Table 9: FA where pages, roadblocks or both were passed at 80 % or more."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for variant in VARIANTS:
            legs = [each for each in group if each.facts["variant"] == variant]
            pages = [each for each in legs if at_least(pvr(each, "compat"), 0.8)]
            tools = [each for each in legs if at_least(rcr(each, "compat"), 0.8)]
            both = [each for each in pages if each in tools]
            if legs:
                pairs = ((rates(inner, "compat")[0], len(inner)) for inner in (pages, tools, both))
                rows.append((*model, variant, *(cell for pair in pairs for cell in pair)))
    return _table(
        "Table 9. Recovery: FA of runs with high rates",
        ("agent", "arm", "variant", "PVR >= 80 %", "records", "RCR >= 80 %", "records", "both", "records"),
        rows,
    )


def by_level(models: Models) -> Table:
    """Return Figures 5b and 8: FA, PVR and RCR by level."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for level in LEVELS:
            inner = [each for each in group if each.facts["level"] == level]
            if inner:
                rows.append((*model, level, len(inner), *rates(inner, "compat")))
    return _table("Figure 8. By level", ("agent", "arm", "level", "records", "FA %", "PVR %", "RCR %"), rows)


def main_results(models: Models) -> Table:
    """Return Table 11: FA, PVR, RCR and turns by variant and level, and all levels."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for variant, level, inner in _places(group):
            turns = round(fmean(each.facts["steps"] for each in inner), 1)
            rows.append((*model, variant, level, len(inner), *rates(inner, "compat"), turns))
    return _table(
        "Table 11. Main results",
        ("agent", "arm", "variant", "level", "records", "FA %", "PVR %", "RCR %", "turns"),
        rows,
    )


def resources(models: Models) -> Table:
    """Return Table 12: thousands of tokens and seconds per run, and hours in all."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        tokens = [each.facts["tokens"] for each in group]
        seconds = [each.facts["wall_s"] for each in group]
        known = None not in tokens
        rows.append(
            (
                *(*model, len(group), round(fmean(tokens) / 1000, 1) if known else None),
                *(round(fmean(seconds), 1), round(sum(seconds) / 3600, 2)),
            )
        )
    return _table(
        "Table 12. Resources",
        ("agent", "arm", "records", "tokens (thousands)", "seconds", "hours in all"),
        rows,
    )


def _places(group: Sequence[Score]) -> list[tuple[str, str, list[Score]]]:
    found = []
    for variant in VARIANTS:
        for level in (*LEVELS, "all"):
            inner = [
                each
                for each in group
                if each.facts["variant"] == variant and level in (each.facts["level"], "all")
            ]
            if inner:
                found.append((variant, level, inner))
    return found


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], note: str = "") -> Table:
    said = METRICS if any(column.startswith(("FA", "PVR", "RCR")) for column in columns) else ""
    return Table(title, columns, tuple(rows), " ".join(filter(None, [note, said, "" if rows else RUN])))
