"""The suite's own tables: how often, on what, by which mistakes, and where the chain broke.

Those of the paper, by its numbers, are in `paper`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study.cells import percent
from labrig_suites.common.choice import WITHOUT_TOOLS
from labrig_suites.common.grouped import (
    NO_LETTER,
    both,
    condition,
    effort,
    ends,
    grouped,
    most_frequent_letter,
    over_clusters,
    with_interval,
)
from labrig_suites.phreeqc_mcq.score import BREAKS, option

GUESS = 25.0
"""Percent of the items that a blind guess has right."""
WRONG = 3
"""Wrong options of an item."""


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy, accuracy by topic, the diagnosis tables, the chain, and end reasons."""
    items, found = list(samples), list(scores)
    by_id = {sample.id: sample for sample in items}
    return [
        accuracy(by_id, found),
        by_topic(by_id, found),
        by_kind(by_id, found),
        diagnoses(by_id, found),
        chain(found),
        ends(found),
    ]


def accuracy(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return accuracy by arm and agent: strict with the interval over stems, compat with Wilson's."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        compat, strict = item_means(group, "compat"), item_means(group, "strict")
        stems = [
            samples[item].labels.get("stem", item) for item in dict.fromkeys(each.task for each in group)
        ]
        rows.append(
            (
                *(arm, agent, len(strict), len(set(stems))),
                *(percent(sum(strict), len(strict)), *over_clusters(strict, stems)),
                *with_interval(compat),
                *effort(group),
            )
        )
    return Table(
        "Accuracy",
        (
            *("arm", "agent", "items", "stems"),
            *("strict %", "low", "high"),
            *("compat %", "low (Wilson)", "high (Wilson)"),
            *("committed %", "mean steps", "mean runs"),
        ),
        tuple(rows),
        note=(
            "95 % intervals: for strict by resampling whole stems, for compat Wilson's over samples, as published. "
            "Epochs of a sample are averaged first; a sample without a letter counts as wrong. Always choosing the "
            f"most frequent letter gives {most_frequent_letter(samples.values())} %, a blind guess {GUESS:g} %."
        ),
    )


def by_topic(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return accuracy by topic within arm and agent."""
    groups = grouped(scores, lambda each: (*condition(each), samples[each.task].labels.get("topic", "")))
    rows = tuple(
        (topic, arm, agent, len({each.task for each in group}), *both(group))
        for (arm, agent, topic), group in groups.items()
    )
    return Table("Accuracy by topic", ("topic", "arm", "agent", "items", "compat %", "strict %"), rows)


def _list_offers(sample: Sample) -> list[tuple[str, str, str, frozenset[str]]]:
    """Return what can be missed in an item: switch, kind, diagnosis, and the letters that come of it."""
    letters: dict[tuple[str, str, str], set[str]] = {}
    for letter in sample.truth.get("options", {}):
        for missed in option(sample, letter).get("missed", ()):
            letters.setdefault((missed["switch"], missed["kind"], missed["diagnosis"]), set()).add(letter)
    return [(*key, frozenset(found)) for key, found in letters.items()]


def by_kind(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return how many wrong answers come of each kind of mistake, beside what chance among wrong options gives."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        guessed: Counter[str] = Counter()
        chosen: Counter[str] = Counter()
        for score in group:
            if not score.answer or score.compat:
                continue
            kinds: dict[str, set[str]] = {}
            for _, kind, _, letters in _list_offers(samples[score.task]):
                kinds.setdefault(kind, set()).update(letters)
            for kind, found in kinds.items():
                guessed[kind] += len(found)
                chosen[kind] += score.answer in found
        rows += [
            (
                *(arm, agent, kind, chosen[kind]),
                *(round(guessed[kind] / WRONG, 1), round(WRONG * chosen[kind] / guessed[kind], 2)),
            )
            for kind in sorted(guessed, key=lambda kind: (-chosen[kind], kind))
        ]
    return Table(
        "Kinds of mistakes",
        ("arm", "agent", "kind", "wrong answers", "by chance", "ratio"),
        tuple(rows),
        note=(
            "Wrong answers whose option results from a mistake of this kind; an option that results from two mistakes "
            "counts for both. by chance: the count to be expected if each of these answers were any of the three wrong "
            "options. ratio: the count divided by that expected by chance; a kind well above 1 is a weakness, while "
            "ratios that are all near 1 mean guesses. input, unit, database: the model was built incorrectly; step, "
            "field: a correct output was misread."
        ),
    )


def diagnoses(samples: Mapping[str, Sample], scores: Sequence[Score]) -> Table:
    """Return which mistakes wrong answers stand for, in how many items each was offered, the most frequent first."""
    rows: list[tuple[Any, ...]] = []
    for (arm, agent), group in grouped(scores, condition).items():
        offered: Counter[tuple[str, str, str]] = Counter()
        chosen: Counter[tuple[str, str, str]] = Counter()
        for score in group:
            stem = samples[score.task].labels.get("stem", "")
            for _, kind, diagnosis, letters in _list_offers(samples[score.task]):
                offered[stem, kind, diagnosis] += 1
                chosen[stem, kind, diagnosis] += score.answer in letters
        silent = sum(not each.answer for each in group)
        if silent:
            rows.append((arm, agent, "", "", NO_LETTER, silent, len(group), percent(silent, len(group))))
        rows += [
            (arm, agent, *key, count, offered[key], percent(count, offered[key]))
            for key, count in sorted(chosen.items(), key=lambda each: (-each[1], each[0]))
            if count
        ]
    return Table(
        "Diagnoses of wrong answers",
        ("arm", "agent", "stem", "kind", "diagnosis", "chosen", "offered", "%"),
        tuple(rows),
        note=(
            "offered: records of samples in which the mistake leads to two of the four options. A blind guess chooses "
            f"one of these two in {2 * GUESS:g} % of the records. An option that results from two mistakes counts for "
            "both."
        ),
    )


def chain(scores: Sequence[Score]) -> Table:
    """Return where the chain from question to letter broke, by arm and agent."""
    rows = []
    for (arm, agent), group in grouped(scores, condition).items():
        if arm in WITHOUT_TOOLS:
            continue
        counts = Counter(str(each.facts["break"]) for each in group if not each.compat)
        wrong = sum(counts.values())
        rows.append((arm, agent, len(group), wrong, *(counts[name] for name in BREAKS)))
    return Table(
        "Where the chain broke",
        ("arm", "agent", "records", "wrong", *BREAKS),
        tuple(rows),
        note=(
            "According to the record and the option chosen, the first of these that applies: nothing was run (input) "
            "or every run failed (execution); another step or field was read (navigation); the right value was shown, "
            "but the right letter was not committed (answer); the model contained a mistake (input); the place was "
            "not read (navigation)."
        ),
    )
