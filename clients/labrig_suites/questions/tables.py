"""The tables of a report on questions of a file, from scores alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import percent, rounded
from labrig_suites.common.grouped import both, condition, ends, grouped, with_interval


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, accuracy by kind, every question, assertions that failed, and end reasons."""
    found = list(scores)
    return [
        accuracy(found),
        by_kind(found),
        by_question(list(samples), found),
        assertions(found),
        ends(found),
    ]


def accuracy(scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent with 95 % Wilson intervals, and what became of the rest."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        strict, compat = item_means(group, "strict"), item_means(group, "compat")
        n = len(group)
        shares = [
            percent(sum(each.facts[name] for each in group), n)
            for name in ("committed", "abstained", "false_completion")
        ]
        means = [rounded(sum(each.facts[name] for each in group) / n) for name in ("steps", "calls")]
        rows.append(
            (arm, agent, len(strict), n, *with_interval(strict), *with_interval(compat)[:1], *shares, *means)
        )
    return Table(
        "Accuracy",
        (
            *("arm", "agent", "questions", "records", "strict %", "low", "high", "right answers %"),
            *("committed %", "abstained %", "false completions %", "mean steps", "mean calls"),
        ),
        tuple(rows),
        note=(
            "strict: the answer is right, and what the question asserts of the calls holds. low, high: 95 % Wilson "
            "interval over questions; repeats of a question are averaged first. A false completion is an answer that "
            "was given and is wrong."
        ),
    )


def by_kind(scores: Sequence[Score]) -> Table:
    """Return accuracy by kind of question within arm and agent."""
    groups = grouped(scores, lambda each: (*condition(each), str(each.facts["kind"])))
    rows = tuple((kind, arm, agent, len(group), *both(group)) for (arm, agent, kind), group in groups.items())
    return Table("By kind", ("kind", "arm", "agent", "records", "right answers %", "strict %"), rows)


def by_question(samples: Sequence[Sample], scores: Sequence[Score]) -> Table:
    """Return how often each question was right, in the order of the file, with the last reason why it was not."""
    order = {sample.id: n for n, sample in enumerate(samples)}
    groups = grouped(scores, lambda each: (*condition(each), order[each.task]))
    names = list(order)
    rows = []
    for (arm, agent, n), group in groups.items():
        why = [each.facts["why"] or "; ".join(each.facts["failed_calls"]) for each in group]
        last = next(filter(None, reversed(why)), "")
        rows.append((names[n], arm, agent, len(group), sum(each.strict == 1 for each in group), last))
    return Table(
        "By question", ("question", "arm", "agent", "records", "strictly right", "why not"), tuple(rows)
    )


def assertions(scores: Sequence[Score]) -> Table:
    """Return what was asserted of the calls and did not hold."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        counts = Counter(each for score in group for each in score.facts["failed_calls"])
        rows += [
            (arm, agent, rule, count)
            for rule, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        ]
    return Table("Assertions on calls that failed", ("arm", "agent", "assertion", "records"), tuple(rows))
