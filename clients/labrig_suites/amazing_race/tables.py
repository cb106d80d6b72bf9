"""The suite's own tables: how often right, where runs failed, and what was needless. The paper's are in `paper`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import mean, percent, rounded
from labrig_suites.amazing_race.legs import leg_of
from labrig_suites.amazing_race.lint import lint
from labrig_suites.amazing_race.measures import BYS, LIMITS, METRICS, error, jaccard, population, rates
from labrig_suites.common.grouped import condition, ends, grouped, with_interval

POPULATIONS = ("near miss", "perfect navigation, wrong", "shortcut", "total failure")
ERRORS = ("navigation", "tool use", "computation")


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, levels, errors, populations, calls of right and wrong runs, the legs, and end reasons."""
    by_id = {sample.id: sample for sample in samples}
    found = [each for each in scores if each.task in by_id]
    return [
        accuracy(found),
        levels(found),
        errors(found),
        populations(found),
        over_calling(found),
        legs(list(by_id.values())),
        ends(found),
    ]


def accuracy(scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent, with Wilson's intervals, and how far the runs got by both definitions."""
    rows = []
    for names, group in grouped(scores, condition).items():
        strict, compat = item_means(group, "strict"), item_means(group, "compat")
        ours, published = rates(group, "strict")[1:], rates(group, "compat")[1:]
        limits = sum(each.facts["end"] in LIMITS for each in group)
        rows.append(
            (
                *(*names, len(strict), *with_interval(strict), *with_interval(compat)),
                *(*ours, *published, percent(limits, len(group))),
            )
        )
    return Table(
        "Accuracy",
        (
            *("arm", "agent", "legs", "strict %", "low", "high", "compat %", "low", "high"),
            *("pages % (strict)", "roadblocks %", "PVR % (compat)", "RCR %", "limit hit %"),
        ),
        tuple(rows),
        note=(
            "95 % intervals by Wilson. compat is the single digit, which a random one has right in 10 %. strict is the "
            "number behind it, where leg and arm have one. pages, roadblocks: those that the answer depends on, made "
            "with the right arguments, in order; PVR, RCR: the published definitions. " + METRICS
        ),
    )


def levels(scores: Sequence[Score]) -> Table:
    """Return accuracy by variant and level."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        for (variant, level), inner in grouped(group, _place).items():
            rows.append(
                (arm, agent, variant, level, len(inner), *rates(inner, "strict"), *rates(inner, "compat"))
            )
    return Table(
        "By variant and level",
        (
            *("arm", "agent", "variant", "level", "records", "strict %", "pages %", "roadblocks %"),
            *("FA % (compat)", "PVR %", "RCR %"),
        ),
        tuple(rows),
        note=METRICS,
    )


def errors(scores: Sequence[Score]) -> Table:
    """Return where runs failed, by both definitions (section 6.4)."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        for by in BYS:
            counts = Counter(error(each, by) for each in group)
            rows.append(
                (arm, agent, by, len(group), *(percent(counts[name], len(group)) for name in ("", *ERRORS)))
            )
    return Table(
        "Errors",
        ("arm", "agent", "by", "records", "right %", *(f"{name} %" for name in ERRORS)),
        tuple(rows),
        note="Of runs that are wrong: navigation, fewer than half of the pages; tool use, of the roadblocks.",
    )


def populations(scores: Sequence[Score]) -> Table:
    """Return the failure populations of appendix H; they overlap."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        for by in BYS:
            counts = Counter(name for each in group for name in population(each, by))
            rows.append(
                (arm, agent, by, len(group), *(percent(counts[name], len(group)) for name in POPULATIONS))
            )
    return Table(
        "Populations",
        ("arm", "agent", "by", "records", *(f"{name} %" for name in POPULATIONS)),
        tuple(rows),
        note="A near miss needs the texts of results, which imported records may lack.",
    )


def over_calling(scores: Sequence[Score]) -> Table:
    """Return calls, searches and fetches of right and wrong runs (appendix H)."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        for name, right in (("right", 1.0), ("wrong", 0.0)):
            inner = [each for each in group if each.compat == right]
            rows.append(
                (
                    arm,
                    agent,
                    name,
                    len(inner),
                    *(
                        rounded(mean(each.facts[fact] for each in inner))
                        for fact in ("calls", "searches", "fetches")
                    ),
                )
            )
    return Table(
        "Calls of right and wrong runs",
        ("arm", "agent", "finish line (compat)", "records", "calls", "searches", "fetches"),
        tuple(rows),
    )


def legs(samples: Sequence[Sample]) -> Table:
    """Return what the linter says of the legs, and how alike their pages are."""
    counts = Counter(flag for sample in samples for flag in {each.name for each in lint(leg_of(sample))})
    alike, pairs = jaccard(samples)
    similar = (
        "" if alike is None else f" Page sets of {pairs} pairs of legs: mean Jaccard similarity {alike:.4f}."
    )
    return Table(
        "What is wrong with the legs",
        ("flag", "legs", "%"),
        tuple((name, count, percent(count, len(samples))) for name, count in counts.most_common()),
        note=f"Of {len(samples)} legs.{similar}",
    )


def _place(score: Score) -> tuple[str, str]:
    return score.facts["variant"], score.facts["level"]
