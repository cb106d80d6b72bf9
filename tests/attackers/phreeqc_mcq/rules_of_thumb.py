"""Attackers who have learned nothing: a letter, a rank, the largest or the smallest of a measure."""

from __future__ import annotations

from collections.abc import Sequence

from attackers.phreeqc_mcq.measures import MEASURES, OF_QUESTION, Measure, ranks_of
from attackers.phreeqc_mcq.results import Group, Result, share
from attackers.phreeqc_mcq.seen import Seen
from labrig_suites.phreeqc_mcq.items import LETTERS


def _follow(group: Group, name: str, measure: Measure, found: Sequence[Seen]) -> list[Result]:
    """Return what those find who take the largest, and the smallest, of a measure."""
    measured = [(scores, item.answer) for item in found if (scores := measure(item)) is not None]
    return [
        Result(
            group,
            f"{name}: {which}",
            sum(share(sign * each, answer) for each, answer in measured),
            len(measured),
        )
        for which, sign in (("largest", 1), ("smallest", -1))
    ]


def rules_of_thumb(found: Sequence[Seen]) -> list[Result]:
    """Return what the attackers find that have learned nothing."""
    letters = [
        Result("options", f"always {letter}", float(sum(item.answer == n for item in found)), len(found))
        for n, letter in enumerate(LETTERS)
    ]
    ranks = [ranks_of(item.values)[item.answer] for item in found]
    middle = [
        Result("options", f"value: {name}", float(ranks.count(rank)), len(found))
        for rank, name in ((1, "second smallest"), (2, "second largest"))
    ]
    groups: tuple[tuple[Group, dict[str, Measure]], ...] = (("options", MEASURES), ("question", OF_QUESTION))
    extremes = [
        result
        for group, measures in groups
        for name, measure in measures.items()
        for result in _follow(group, name, measure, found)
    ]
    return [*letters, *middle, *extremes]
