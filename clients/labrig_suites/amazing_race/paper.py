"""The tables and figures of The Amazing Agent Race, from records; figures as tables.

Right means `Score.compat`, and PVR and RCR are the published ones. A configuration of the paper is a pair of agent and
arm here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import mean, percent, rounded
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS, Leg, leg_of
from labrig_suites.amazing_race.measures import (
    METRICS,
    at_least,
    error,
    fa,
    in_bin,
    intermediate,
    population,
    pvr,
    rates,
    rcr,
)
from labrig_suites.amazing_race.score import TEMPLATES
from labrig_suites.amazing_race.tables import ERRORS
from labrig_suites.common.grouped import grouped

RUN = "No records yet: labrig run amazing-race."
LENGTHS = ((1, 2), (3, 8), (9, 14), (15, 20), (21, 26), (27, 40), (41, 500))
"""Stops of a leg, in bins; the paper names the first and last of its own, 3 to 8 and 27 to 40."""
Models = dict[tuple[str, str], list[Score]]


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return Tables 2, 3, 7, 8, 9, 11 and 12, Figures 5, 6 and 8, and what appendices J and K count."""
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
        few_calls(models),
        shortcuts(models, {each: leg_of(sample) for each, sample in by_id.items()}),
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


def few_calls(models: Models) -> Table:
    """Return what appendix J counts of a model that thinks in place of calling, by variant."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for variant, inner in grouped(group, lambda each: each.facts["variant"]).items():
            answered = [each for each in inner if each.facts["committed"]]
            ends = Counter(each.facts["end"] for each in inner)
            rows.append(
                (
                    *(*model, variant, len(inner), percent(len(answered), len(inner))),
                    *(rounded(mean(each.facts[fact] for each in inner)) for fact in ("calls", "steps")),
                    *(percent(ends["wall_limit"], len(inner)), rates(inner, "compat")[0]),
                    rates(answered, "compat")[0],
                )
            )
    return _table(
        "Appendix J. Calls and answers",
        (
            *("agent", "arm", "variant", "records", "answered %", "calls", "turns", "out of time %", "FA %"),
            "FA % of those that answered",
        ),
        rows,
    )


def shortcuts(models: Models, legs: Mapping[str, Leg]) -> Table:
    """Return what appendix K counts of right runs that saw less than 30 % of the pages, by variant and level."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        for variant, level, inner in _places(group):
            right = sum(fa(each, "compat") == 1 for each in inner)
            short = [each for each in inner if "shortcut" in population(each, "compat")]
            stops = [stop for each in inner for stop in legs[each.task].stops[:-1]]
            pageless = sum(stop.stop_type != "page" for stop in stops)
            rows.append(
                (
                    *(*model, variant, level, len(inner), rates(inner, "compat")[0]),
                    *(percent(len(short), len(inner)), percent(len(short), right)),
                    percent(right - len(short), len(inner)),
                    rates(short, "compat")[2],
                    percent(mean(intermediate(each, "compat") for each in short)),
                    percent(pageless, len(stops)),
                )
            )
    return _table(
        "Appendix K. Shortcuts: right with less than 30 % of the pages",
        (
            *("agent", "arm", "variant", "level", "records", "FA %", "shortcuts %", "of right runs %"),
            *("FA % without them", "their RCR %", "their intermediate values %", "stops that are no pages %"),
        ),
        rows,
        "FA without them counts a shortcut as wrong. The last column is of the legs, their finish lines left out.",
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
