"""The tables of a phreeqc-basics report, from scores alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import percent
from labrig_suites.common.grouped import (
    NO_LETTER,
    both,
    condition,
    effort,
    ends,
    grouped,
    most_frequent_letter,
    with_interval,
)


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, accuracy by stem, diagnoses of wrong answers, and end reasons.

    Rows are sorted by arm and agent; percentages have one decimal.
    """
    items, found = list(samples), list(scores)
    return [accuracy(items, found), by_stem(items, found), diagnoses(found), ends(found)]


def accuracy(samples: Sequence[Sample], scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent, by both definitions, with 95 % Wilson intervals."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        compat, strict = item_means(group, "compat"), item_means(group, "strict")
        rows.append(
            (
                arm,
                agent,
                len(compat),
                *with_interval(compat),
                *with_interval(strict),
                *effort(group),
                round(sum(each.facts["result_bytes"] for each in group) / len(group)),
            )
        )
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
            "low, high: 95 % Wilson interval over samples; epochs of a sample are averaged first. A sample that ended "
            "without a letter counts as wrong. Always the most frequent letter: "
            f"{most_frequent_letter(samples)} %; a blind guess: 25 %."
        ),
    )


def by_stem(samples: Sequence[Sample], scores: Sequence[Score]) -> Table:
    """Return accuracy by stem within arm and agent, in the order of the tasks."""
    order = {stem: n for n, stem in enumerate(dict.fromkeys(sample.labels["stem"] for sample in samples))}
    groups = grouped(scores, lambda each: (*condition(each), order[each.facts["stem"]]))
    stems = list(order)
    rows = tuple(
        (stems[n], arm, agent, len(group), *both(group)) for (arm, agent, n), group in groups.items()
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
