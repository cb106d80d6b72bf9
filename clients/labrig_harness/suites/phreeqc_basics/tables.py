"""The tables of a phreeqc-basics report, from scores alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from labrig_harness.statistics import wilson
from labrig_harness.suite import Score, Table, item_means
from labrig_harness.task import Task

K = TypeVar("K", bound=tuple[Any, ...])

NO_LETTER = "no letter committed"


def tables(tasks: Iterable[Task], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, accuracy by stem, diagnoses of wrong answers, and end reasons.

    Rows are sorted by arm and agent; percentages have one decimal.
    """
    items, found = list(tasks), list(scores)
    return [accuracy(items, found), by_stem(items, found), diagnoses(found), ends(found)]


def accuracy(tasks: Sequence[Task], scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent, by both definitions, with 95 % Wilson intervals."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        n = len(group)
        compat, strict = item_means(group, "compat"), item_means(group, "strict")
        rows.append(
            (
                arm,
                agent,
                len(compat),
                *_proportion(sum(compat), len(compat)),
                *_proportion(sum(strict), len(strict)),
                percent(sum(each.facts["committed"] for each in group), n),
                round(sum(each.facts["steps"] for each in group) / n, 1),
                round(sum(each.facts["executions"] for each in group) / n, 1),
                round(sum(each.facts["result_bytes"] for each in group) / n),
            )
        )
    letters = Counter(task.truth["answer"] for task in tasks)
    majority = percent(max(letters.values(), default=0), len(tasks))
    return Table(
        "Accuracy",
        (
            *("arm", "agent", "items"),
            *("compat %", "low", "high"),
            *("strict %", "low", "high"),
            *("committed %", "mean steps", "mean runs", "mean result bytes"),
        ),
        tuple(rows),
        note=(
            "low, high: 95 % Wilson interval over items; epochs of an item are averaged first. An item that ended "
            "without a letter counts as wrong. Always the most frequent letter: "
            f"{majority} %; a blind guess: 25 %."
        ),
    )


def by_stem(tasks: Sequence[Task], scores: Sequence[Score]) -> Table:
    """Return accuracy by stem within arm and agent, in the order of the tasks."""
    order = {stem: n for n, stem in enumerate(dict.fromkeys(task.labels["stem"] for task in tasks))}
    groups = grouped(scores, lambda each: (*condition(each), order[each.facts["stem"]]))
    stems = list(order)
    rows = tuple(
        (
            *(stems[n], arm, agent, len(group)),
            percent(sum(each.compat for each in group), len(group)),
            percent(sum(each.strict for each in group), len(group)),
        )
        for (arm, agent, n), group in groups.items()
    )
    return Table("By stem", ("stem", "arm", "agent", "n", "compat %", "strict %"), rows)


def diagnoses(scores: Sequence[Score]) -> Table:
    """Return which mistake each wrong option stands for, and how often it was chosen."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        wrong = [each for each in group if not each.compat]
        counts = Counter(_diagnosis(each) for each in wrong)
        rows += [
            (arm, agent, stem, diagnosis, count, percent(count, len(wrong)))
            for (stem, diagnosis), count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        ]
    return Table(
        "Diagnoses of wrong answers",
        ("arm", "agent", "stem", "diagnosis", "count", "% of wrong"),
        tuple(rows),
        note=(
            "Each wrong option is the result of one named mistake. An agent that guessed chose one of them "
            "too: read this table beside the guess rate."
        ),
    )


def _diagnosis(score: Score) -> tuple[str, str]:
    """The stem matters where an option was chosen; where none was, there is nothing to diagnose."""
    diagnosis = score.facts["diagnosis"]
    return (score.facts["stem"], diagnosis) if diagnosis else ("", NO_LETTER)


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
    return Table("End reasons", ("arm", "agent", "end", "count", "%", "of them right (compat)"), tuple(rows))


def condition(score: Score) -> tuple[str, str]:
    return score.arm, score.agent


def grouped(scores: Iterable[Score], key: Callable[[Score], K]) -> dict[K, list[Score]]:
    groups: dict[K, list[Score]] = {}
    for each in scores:
        groups.setdefault(key(each), []).append(each)
    return {each: groups[each] for each in sorted(groups)}


def _proportion(successes: float, n: int) -> tuple[float, float, float]:
    low, high = wilson(successes, n)
    return percent(successes, n), percent(low, 1), percent(high, 1)


def percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
