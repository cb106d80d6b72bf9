"""The suite's own tables: how often right, on what, how often "not possible", at what cost, in which words.

Those of the paper, by its numbers, are in `paper`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import percent, rounded
from labrig_suites.common.grouped import by_wilson, condition, ends, grouped, over_clusters
from labrig_suites.science_gym.measures import (
    STYLES,
    TEMPLATE,
    Answers,
    abstention,
    alpha,
    by_question,
    constant,
    mean,
    paired,
    share_equal,
    thousands,
)
from labrig_suites.science_gym.question import CATEGORIES, TYPES

BINS: tuple[tuple[str, float], ...] = (("0", 0), ("1", 1), ("2-3", 3), ("4-7", 7), ("8-15", 15), (">15", inf))
"""Tool calls of a record: name and upper bound, which belongs to the bin."""
MOST = 60
"""Characters of a constant answer that are shown."""


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, abstention, constant answers, effort, agreement of styles, and end reasons."""
    by_id = {sample.id: sample for sample in samples}
    found = list(scores)
    return [
        accuracy(by_id, found),
        abstentions(found),
        by_reason(found),
        by_evidence(found),
        by_fact("By category", "category", tuple(CATEGORIES), found),
        by_fact("By type", "type", TYPES, found),
        constants(by_id.values()),
        effort(found),
        by_calls(found),
        by_fact("By style", "style", STYLES, found),
        agreement(by_id, found),
        ends(found),
    ]


def accuracy(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent: strict with the interval over repositories, compat with Wilson's."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        strict, compat = item_means(group, "strict"), item_means(group, "compat")
        places = [_repository(samples[item]) for item in dict.fromkeys(each.task for each in group)]
        rows.append(
            (
                *(arm, agent, len(strict), len(set(places))),
                *(percent(sum(strict), len(strict)), *over_clusters(strict, places)),
                *(percent(sum(compat), len(compat)), *by_wilson(sum(compat), len(compat))),
                percent(sum(each.facts["committed"] for each in group), len(group)),
            )
        )
    always = constant(samples.values())
    return Table(
        "Accuracy",
        (
            *("arm", "agent", "items", "repositories"),
            *("strict %", "low", "high", "compat %", "low (Wilson)", "high (Wilson)", "JSON %"),
        ),
        tuple(rows),
        note=(
            "95 % intervals. For strict, whole repositories are resampled, with all their questions and styles. For "
            "compat it is Wilson's interval over samples, which treats the four styles of a question as independent "
            "and is therefore too narrow. Epochs of a sample are averaged first. JSON %: records whose last message "
            "has a JSON object. Answering “not possible” every time is right for "
            f"{percent(always.impossible, always.items)} % of the samples."
        ),
    )


def _repository(sample: Sample) -> str:
    return sample.labels.get("repository", sample.id)


def abstentions(scores: Sequence[Score]) -> Table:
    """Return precision and recall of "not possible" by arm and agent."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        row: list[Any] = [arm, agent, len(group)]
        strict, compat = abstention(group, "strict"), abstention(group, "compat")
        row += [strict.true, strict.said, strict.both]
        row += [percent(strict.precision), *by_wilson(strict.both, strict.said)]
        row += [percent(strict.recall), *by_wilson(strict.both, strict.true)]
        row += [compat.said, percent(compat.precision), percent(compat.recall)]
        rows.append(tuple(row))
    return Table(
        "“not possible”",
        (
            *("arm", "agent", "records", "impossible", "said", "said correctly"),
            *("precision %", "low", "high", "recall %", "low", "high"),
            *("said (compat)", "precision % (compat)", "recall % (compat)"),
        ),
        tuple(rows),
        note=(
            "Precision: of the records that say “not possible”, the share whose question is impossible. Recall: of "
            "the records of impossible questions, the share that say so. Low and high are 95 % Wilson intervals over "
            "records. An agent that always gives an answer has a recall of 0 and no precision; one that never does has "
            "a recall of 100, and its precision is the share of impossible questions."
        ),
    )


def by_reason(scores: Sequence[Score]) -> Table:
    """Return how often each kind of impossible question was seen to be one."""
    groups = grouped(
        (each for each in scores if each.facts["impossible"]),
        lambda each: (each.facts["reason"], *condition(each)),
    )
    rows = tuple((*key, len(group), *_both(group)) for key, group in groups.items())
    return Table(
        "Impossible questions by reason", ("reason", "arm", "agent", "records", "strict %", "compat %"), rows
    )


def by_evidence(scores: Sequence[Score]) -> Table:
    """Return how many right answers have their evidence in the record."""
    rows = []
    for (arm, agent), group in grouped(
        (each for each in scores if "opened" in each.facts and each.strict == 1), condition
    ).items():
        closed = sum(not each.facts["opened"] for each in group)
        unseen = sum(each.facts["opened"] and each.facts["printed"] is False for each in group)
        without = closed + unseen
        rows.append((arm, agent, len(group), closed, unseen, without, percent(without, len(group))))
    return Table(
        "Right without evidence",
        ("arm", "agent", "right (strict)", "no data opened", "number not printed", "without evidence", "%"),
        tuple(rows),
        note=(
            "Of the answers that are right: those whose run opened no data file that the question is about, and those "
            "whose number no result of a call holds. Which files code read, a record does not hold: code that reads "
            "any counts as having opened data."
        ),
    )


def by_fact(title: str, fact: str, order: Sequence[str], scores: Sequence[Score]) -> Table:
    """Return accuracy by a fact of the items within arm and agent, its values in a given order."""
    place = {value: number for number, value in enumerate(order)}
    groups = grouped(
        scores,
        lambda each: (place.get(each.facts[fact], len(place)), each.facts[fact], *condition(each)),
    )
    rows = tuple((*key[1:], len(group), *_both(group)) for key, group in groups.items())
    return Table(title, (fact, "arm", "agent", "records", "strict %", "compat %"), rows)


def _both(group: Sequence[Score]) -> tuple[float | None, ...]:
    return (
        percent(sum(each.strict for each in group), len(group)),
        percent(sum(each.compat for each in group), len(group)),
    )


def constants(samples: Iterable[Sample]) -> Table:
    """Return what one and the same answer to all questions of a type gets."""
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.labels.get("type", ""), []).append(sample)
    named = sorted(groups, key=lambda each: (TYPES.index(each) if each in TYPES else len(TYPES), each))
    rows = []
    for name, group in [(each, groups[each]) for each in named] + [
        ("all", [sample for each in named for sample in groups[each]])
    ]:
        best = constant(group)
        rows.append(
            (
                *(name, best.items, best.answer[:MOST], percent(best.right, best.items)),
                percent(best.impossible, best.items),
            )
        )
    return Table(
        "Constant answers",
        ("type", "items", "best constant answer", "right %", "“not possible” right %"),
        tuple(rows) if groups else (),
        note="Strict, computed from the truths alone. What counts is how far the accuracy on a type is above this.",
    )


def effort(scores: Sequence[Score]) -> Table:
    """Return tokens and tool calls by arm and agent."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        right = [each for each in group if each.strict == 1]
        rows.append(
            (
                *(arm, agent, len(group), _both(group)[0]),
                *(
                    thousands(group, "input", "output"),
                    thousands(group, "cached"),
                    thousands(group, "output"),
                ),
                thousands(right, "input", "output"),
                *(mean(group, "calls"), mean(right, "calls")),
                *(mean(group, name) for name in ("python_runs", "steps", "wall_s")),
            )
        )
    return Table(
        "Tokens and tool calls",
        (
            *("arm", "agent", "records", "strict %"),
            *("tokens (k)", "cached input (k)", "output (k)", "tokens if right (k)"),
            *("calls", "calls if right", "Python runs", "steps", "wall s"),
        ),
        tuple(rows),
        note=(
            "Means per record. Tokens are input, cached or not, and output; empty where a record was not measured. "
            "Calls are those of any tool, including failed ones."
        ),
    )


def by_calls(scores: Sequence[Score]) -> Table:
    """Return accuracy by the number of tool calls of a record."""
    groups = grouped(scores, lambda each: (*condition(each), _bin(each.facts["calls"])))
    rows = tuple(
        (arm, agent, BINS[number][0], len(group), *_both(group), thousands(group, "input", "output"))
        for (arm, agent, number), group in groups.items()
    )
    return Table(
        "By tool calls",
        ("arm", "agent", "calls", "records", "strict %", "compat %", "tokens (k)"),
        rows,
        note=(
            "Hard questions take more calls: a row shows how records with so many calls turned out, not what more "
            "calls would achieve."
        ),
    )


def _bin(count: float) -> int:
    return next(number for number, (_, most) in enumerate(BINS) if count <= most)


def agreement(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return how far an agent is right on the same questions when they are worded otherwise."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        strict, compat = by_question(samples, group, "strict"), by_question(samples, group, "compat")
        for style in STYLES:
            if style == TEMPLATE or not paired(strict, style):
                continue
            equal, n = share_equal(paired(strict, style))
            row = (arm, agent, style, n, percent(equal, n))
            rows.append((*row, _alpha(strict, style), _alpha(compat, style)))
        whole = [each.values() for each in strict.values() if set(STYLES) <= set(each)]
        if whole:
            equal, n = share_equal(whole)
            rows.append((arm, agent, "all four", n, percent(equal, n), None, None))
    return Table(
        "Agreement of styles",
        ("arm", "agent", "style", "questions", "agree % (strict)", "alpha (strict)", "alpha (compat)"),
        tuple(rows),
        note=(
            "Each style against the template, over the questions (and epochs) that have both. Agree: right in both or "
            "wrong in both. Alpha: Krippendorff's, of right and wrong; 1 is full agreement, 0 is what chance gives; "
            "empty where all answers are right or all are wrong. All four: right in all styles or in none."
        ),
    )


def _alpha(answers: Answers, style: str) -> float | None:
    return rounded(alpha(paired(answers, style)), 2)
