"""Runs in pairs: every one against every other, on the items that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_study.report.runs import Run, score_of, steps_of, tokens_of

if TYPE_CHECKING:
    from labrig_study.statistics.arms import ItemRecord
    from labrig_study.statistics.comparison import Comparison

MOST_RUNS = 12
"""Runs that a page compares in pairs: 132 comparisons, of which a person reads a few."""


@dataclass(frozen=True)
class Pair:
    """Run `b` against run `a`, the baseline.

    Attributes
    ----------
    holm_p
        The p value of the permutation test, adjusted for all pairs shown; None where there is none.
    tests
        How many pairs it is adjusted for.
    """

    a: Run
    b: Run
    comparison: Comparison
    holm_p: float | None
    tests: int


def all_pairs(runs: Sequence[Run], guess: float | None) -> list[Pair]:
    """Return every ordered pair of up to `MOST_RUNS` runs."""
    from labrig_study.statistics.comparison import compare
    from labrig_study.statistics.paired import holm

    shown = runs[:MOST_RUNS]
    records = {run.label: item_records(run) for run in shown}
    found = {
        (a.label, b.label): compare(records[a.label], records[b.label], guess=guess, score="strict")
        for a, b in permutations(shown, 2)
    }
    # One test for two runs, whichever is called the baseline.
    p = {
        frozenset((a.label, b.label)): pair.permutation.p
        for a, b in combinations(shown, 2)
        if (pair := found[a.label, b.label].paired) is not None
    }
    adjusted = dict(zip(p, holm(list(p.values())), strict=True)) if p else {}
    return [
        Pair(a, b, found[a.label, b.label], adjusted.get(frozenset((a.label, b.label))), len(adjusted))
        for a, b in permutations(shown, 2)
    ]


def item_records(
    run: Run,
    score: Literal["strict", "compat"] = "strict",
    names: Mapping[str, str] | None = None,
) -> list[ItemRecord]:
    """Return a run's scored records as `labrig_study.statistics.comparison.compare` takes them.

    Parameters
    ----------
    names
        Other names for items: one that has another name is not paired with its namesake.
    """
    from labrig_study.statistics.arms import ItemRecord

    return [
        ItemRecord(
            item=(names or {}).get(each.task, each.task),
            cluster=run.clusters.get(each.task),
            epoch=each.epoch,
            score=getattr(score_of(each), score),
            committed=each.committed,
            tokens=tokens_of(each),
            steps=steps_of(each),
        )
        for each in run.records
    ]


def guess_rate(samples: Sequence[Sample]) -> float | None:
    """Return the chance of guessing, where all tasks have the same number of choices, and at least two."""
    counts = {len(sample.brief.choices) for sample in samples}
    (count,) = counts if len(counts) == 1 else (0,)
    return 1 / count if count > 1 else None


def need_statistics() -> None:
    """Refuse where NumPy or SciPy is not installed."""
    from labrig_study.statistics import has_statistics

    if not has_statistics():
        raise LabrigError(
            "Comparing runs needs NumPy and SciPy, which are not installed",
            try_="pip install 'labrig[harness]'",
            code="unavailable",
        )
