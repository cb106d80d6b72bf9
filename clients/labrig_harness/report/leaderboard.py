"""The leaderboard: one row per arm and agent, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from labrig_harness.records import Record, Scored
from labrig_harness.statistics import wilson


@dataclass(frozen=True)
class Row:
    """What an agent reached in an arm.

    Attributes
    ----------
    n
        Records; more than `items` where there are epochs.
    items
        Distinct tasks among them.
    strict, compat
        Mean scores, in [0, 1].
    interval
        Wilson's 95 % interval of `strict`; None where a score is neither 0 nor 1, to which it does not apply.
    committed
        Records with a submission.
    steps
        Mean number of steps.
    """

    arm: str
    agent: str
    n: int
    items: int
    strict: float
    interval: tuple[float, float] | None
    compat: float
    committed: int
    steps: float


def leaderboard(scored: Scored) -> list[Row]:
    """Return the rows, by strict accuracy, then by the suite's order of arms."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for each in scored.records:
        if each.score is not None:
            groups.setdefault((each.arm, each.agent), []).append(each)
    rows = [_row(arm, agent, members) for (arm, agent), members in groups.items()]
    order = [arm.name for arm in scored.suite.arms]
    place = {name: number for number, name in enumerate(order)}
    return sorted(rows, key=lambda row: (-row.strict, place.get(row.arm, len(order)), row.arm, row.agent))


def _row(arm: str, agent: str, members: list[Record]) -> Row:
    scores = [each.score for each in members if each.score is not None]
    strict = [each.strict for each in scores]
    whole = all(each in (0.0, 1.0) for each in strict)
    return Row(
        arm=arm,
        agent=agent,
        n=len(members),
        items=len({each.task for each in scores}),
        strict=fmean(strict),
        interval=wilson(int(sum(strict)), len(strict)) if whole else None,
        compat=fmean(each.compat for each in scores),
        committed=sum(each.committed for each in members),
        steps=fmean(each.steps for each in members),
    )


def chance(scored: Scored) -> float | None:
    """Return the accuracy of guessing over all tasks, or None when one of them is not multiple choice."""
    counts = [len(task.brief.choices) for task in scored.tasks.values()]
    return fmean(1 / count for count in counts) if counts and all(counts) else None
