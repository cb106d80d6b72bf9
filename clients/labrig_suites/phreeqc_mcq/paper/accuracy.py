"""Tables 1 and 6: how often agents are right, and which letters they choose."""

from __future__ import annotations

from collections import Counter
from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import bounds, percent
from labrig_study.statistics.bootstrap import Estimate, bootstrap_mean
from labrig_study.statistics.proportions import wilson
from labrig_suites.phreeqc_mcq.paper.cells import said, table
from labrig_suites.phreeqc_mcq.paper.lines import lines, remarks
from labrig_suites.phreeqc_mcq.paper.records import (
    COT,
    DIRECT,
    RAW100,
    TOC,
    Records,
    Run,
    right,
    rights,
)

LETTERS = ("A", "B", "C", "D")


def main_results(records: Records) -> Table:
    """Return Table 1: accuracy without tools, with TOC and with Raw100k."""
    rows, estimates = [], []
    found = lines(records)
    for line in found:
        runs = (
            records.run(DIRECT, line.direct),
            records.run(COT, line.cot),
            records.run(TOC, line.agent),
            records.run(RAW100, line.agent),
        )
        if any(runs):
            resampled = [stems_resampled(records, run) for run in runs]
            estimates += resampled
            cells = [_accuracy(run, each) for run, each in zip(runs, resampled, strict=True)]
            rows.append((line.agent, *(cell for each in cells for cell in each)))
    columns = [
        f"{arm} {what}"
        for arm in ("Direct", "CoT", "Agent-TOC", "Agent-Raw100k")
        for what in ("n", "%", "95 %", "Wilson 95 %")
    ]
    return table(
        "Table 1. Accuracy",
        ("agent", *columns),
        rows,
        "Right means the right committed letter (compat); an answer that is missing or is not a single letter counts "
        "as wrong. 95 %: by resampling whole stems, since items of a stem are not independent. Wilson: the paper's "
        "interval, which treats them as independent. – means that there is no interval (an item without a stem, only "
        "one stem, all items alike). The paper's tiers are an informal grouping of models and cannot be computed."
        f"{said(estimates)} {remarks(found)}",
        "no original run (epoch 0) in the arms direct, cot, agent-toc or agent-raw100k; run any of them.",
    )


def stems_resampled(records: Records, run: Run) -> Estimate | None:
    """Return accuracy over items with its interval by resampling stems; None where an item has no stem."""
    stems = [records.stem(item) for item in run]
    return bootstrap_mean(rights(run, run), stems) if run and all(stems) else None


def labels(records: Records) -> Table:
    """Return Table 6: letters predicted, and the lowest and highest accuracy among true letters."""
    rows = []
    for arm, agent in records.methods:
        run = records.run(arm, agent)
        low, high = per_letter_range([(records.letter(item), right(score)) for item, score in run.items()])
        rows.append((agent, arm, len(run), *predicted([score.answer for score in run.values()]), low, high))
    truth = Counter(records.letter(item) for item in records.tasks)
    known = "/".join(str(truth[letter]) for letter in LETTERS)
    return table(
        "Table 6. Letters chosen, and accuracy by true letter",
        ("agent", "arm", "n", *LETTERS, "NA", "lowest %", "highest %"),
        rows,
        "NA: no answer, or one that is not a single letter. The numbers of items whose right letter is A/B/C/D are "
        f"{known}. lowest, highest: accuracy among the items that share a right letter.",
        "no original run (epoch 0); run any arm.",
    )


def predicted(answers: list[str]) -> tuple[int, ...]:
    """Return how often each letter was chosen, and last how often none was."""
    counts = Counter(answers)
    chosen = [counts[letter] for letter in LETTERS]
    return (*chosen, len(answers) - sum(chosen))


def per_letter_range(items: list[tuple[str, bool]]) -> tuple[float | None, float | None]:
    """Return the lowest and highest share right, in percent, among the true letters; None without items."""
    total = Counter(letter for letter, _ in items)
    correct = Counter(letter for letter, ok in items if ok)
    shares = [share for letter in total if (share := percent(correct[letter], total[letter])) is not None]
    return (min(shares), max(shares)) if shares else (None, None)


def wilson_of(correct: int, n: int) -> str:
    """Return the Wilson interval as the tables print it; a dash without items."""
    return bounds(wilson(correct, n) if n else None)


def _accuracy(run: Run, resampled: Estimate | None) -> tuple[Any, ...]:
    n, correct = len(run), sum(rights(run, run))
    interval = resampled.interval if resampled else None
    return n, percent(correct, n), bounds(interval), wilson_of(correct, n)
