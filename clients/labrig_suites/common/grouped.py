"""Scores in groups, the columns that tables of lettered questions share, and the table of end reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, rounded
from labrig_study.statistics import has_statistics
from labrig_study.statistics.proportions import wilson

K = TypeVar("K", bound=tuple[Any, ...])

NO_LETTER = "no letter committed"


def ends(scores: Sequence[Score]) -> Table:
    """Return why runs ended, whether or not they had committed an answer."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        counts = Counter(str(each.facts["end"]) for each in group)
        right = Counter(str(each.facts["end"]) for each in group if each.compat)
        rows += [
            (arm, agent, end, counts[end], percent(counts[end], len(group)), right[end])
            for end in sorted(counts, key=lambda each: (-counts[each], each))
        ]
    return Table("End reasons", ("arm", "agent", "end", "count", "%", "of which right (compat)"), tuple(rows))


def condition(score: Score) -> tuple[str, str]:
    return score.arm, score.agent


def grouped(scores: Iterable[Score], key: Callable[[Score], K]) -> dict[K, list[Score]]:
    groups: dict[K, list[Score]] = {}
    for score in scores:
        groups.setdefault(key(score), []).append(score)
    return {each: groups[each] for each in sorted(groups)}


def with_interval(values: Sequence[float]) -> tuple[float | None, ...]:
    """Return the percentage of means of items, with its 95 % Wilson interval."""
    return percent(sum(values), len(values)), *by_wilson(sum(values), len(values))


def by_wilson(part: float, whole: int) -> tuple[float | None, ...]:
    """Return Wilson's 95 % interval in percent; None of nothing."""
    return tuple(map(percent, wilson(part, whole) if whole else (None, None)))


def over_clusters(values: Sequence[float], clusters: Sequence[str]) -> tuple[float | None, ...]:
    """Return the interval over clusters in percent; None where it does not exist or NumPy and SciPy are missing."""
    if not has_statistics() or len(set(clusters)) < 2:
        return None, None
    from labrig_study.statistics.bootstrap import bootstrap_mean

    return tuple(map(percent, bootstrap_mean(values, clusters).interval or (None, None)))


def both(group: Sequence[Score]) -> tuple[float | None, ...]:
    """Return the percentages that are right by compat and by strict."""
    n = len(group)
    return percent(sum(each.compat for each in group), n), percent(sum(each.strict for each in group), n)


def effort(group: Sequence[Score]) -> tuple[float | None, ...]:
    """Return the percentage of runs that committed an answer, and the means of their steps and executions."""
    n = len(group)
    return (
        percent(sum(each.facts["committed"] for each in group), n),
        rounded(sum(each.facts["steps"] for each in group) / n),
        rounded(sum(each.facts["executions"] for each in group) / n),
    )


def most_frequent_letter(samples: Collection[Sample]) -> float | None:
    """Return the percentage of items that one letter, given always, has right."""
    letters = Counter(sample.truth["answer"] for sample in samples)
    return percent(max(letters.values(), default=0), len(samples))
