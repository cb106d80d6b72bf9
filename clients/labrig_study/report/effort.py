"""What accuracy cost: tokens, with the runs that no other beats; and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from labrig_harness.records.scoring import Record
from labrig_study.report.leaderboard import Row
from labrig_study.report.runs import Run, median_of, score_of, steps_of
from labrig_study.statistics.proportions import wilson

BUCKETS = 6
"""Ranges of steps at most."""


@dataclass(frozen=True)
class Point:
    """A run by what it spent and reached; `best` where no other run is as good for less, or better for as much."""

    row: Row
    tokens: float
    best: bool


@dataclass(frozen=True)
class Bucket:
    """Records of a run that took `low` to `high` steps.

    Attributes
    ----------
    interval
        Wilson's, records taken as independent; None where a score is neither 0 nor 1, or there is no record.
    """

    low: int
    high: int
    n: int
    accuracy: float | None
    interval: tuple[float, float] | None
    committed: float | None

    @property
    def name(self) -> str:
        """The range in words."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Steps:
    """A run by the number of its steps.

    Attributes
    ----------
    unknown
        Records that do not tell their steps.
    limited, limited_right
        Records that ended at the step limit, and those among them that were right all the same.
    wrong_median, right_median
        Median steps of wrong and of right records; None without any.
    """

    run: Run
    number: int
    buckets: tuple[Bucket, ...]
    unknown: int
    limited: int
    limited_right: int
    right_median: float | None
    wrong_median: float | None


def frontier(rows: Sequence[Row]) -> list[Point]:
    """Return the runs whose tokens are known, by tokens, and which of them no other beats."""
    spent = [
        (row, row.tokens_in + row.tokens_out)
        for row in rows
        if row.tokens_in is not None and row.tokens_out is not None
    ]
    points = []
    for row, tokens in spent:
        beaten = any(
            other.strict >= row.strict and less <= tokens and (other.strict, -less) > (row.strict, -tokens)
            for other, less in spent
        )
        points.append(Point(row, tokens, not beaten))
    return sorted(points, key=lambda point: (point.tokens, point.row.number))


def edges(counts: Sequence[int]) -> list[tuple[int, int]]:
    """Return ranges of steps for all runs: each number by itself while they are few, else ranges of like size."""
    distinct = sorted(set(counts))
    if len(distinct) <= BUCKETS:
        return [(each, each) for each in distinct]
    ordered, ranges, start = sorted(counts), [], distinct[0]
    for part in range(1, BUCKETS):
        cut = ordered[min(len(ordered) - 1, part * len(ordered) // BUCKETS)]
        if cut > start:
            ranges.append((start, cut - 1))
            start = cut
    return [*ranges, (start, distinct[-1])]


def by_steps(rows: Sequence[Row]) -> list[Steps]:
    """Return each run by its steps, all over the same ranges; runs that tell no steps are left out."""
    counts = [
        steps for row in rows for each in row.run.records if (steps := steps_of(each)) is not None and steps
    ]
    if not counts:
        return []
    ranges = edges(counts)
    made = (_count_steps(row, ranges) for row in rows)
    return [each for each in made if any(bucket.n for bucket in each.buckets)]


def _count_steps(row: Row, ranges: list[tuple[int, int]]) -> Steps:
    records = row.run.records
    known = [(steps, each) for each in records if (steps := steps_of(each)) is not None]
    limited = [each for each in records if each.end == "step_limit"]
    right = [steps for steps, each in known if score_of(each).strict >= 1]
    wrong = [steps for steps, each in known if score_of(each).strict < 1]
    return Steps(
        run=row.run,
        number=row.number,
        buckets=tuple(
            _make_bucket(low, high, [each for steps, each in known if low <= steps <= high])
            for low, high in ranges
        ),
        unknown=len(records) - len(known),
        limited=len(limited),
        limited_right=sum(score_of(each).strict >= 1 for each in limited),
        right_median=median_of(right),
        wrong_median=median_of(wrong),
    )


def _make_bucket(low: int, high: int, records: list[Record]) -> Bucket:
    if not records:
        return Bucket(low, high, 0, None, None, None)
    scores = [score_of(each).strict for each in records]
    whole = all(each in (0.0, 1.0) for each in scores)
    return Bucket(
        low,
        high,
        len(records),
        fmean(scores),
        wilson(sum(scores), len(scores)) if whole else None,
        fmean(each.committed for each in records),
    )
