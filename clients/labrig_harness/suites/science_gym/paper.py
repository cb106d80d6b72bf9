"""The tables and figures of the InfiniteScienceGym paper, from records; figures as tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from labrig_harness.suite import Score, Table, item_means
from labrig_harness.suites.phreeqc_basics.tables import grouped, percent
from labrig_harness.suites.science_gym.measures import (
    STYLES,
    TEMPLATE,
    abstention,
    alpha,
    by_question,
    mean,
    paired,
    thousands,
)
from labrig_harness.suites.science_gym.question import CATEGORIES
from labrig_harness.suites.science_gym.tables import share
from labrig_harness.task import Task

PARAPHRASES = tuple(style for style in STYLES if style != TEMPLATE)
RUN = "no records: labrig run science-gym."


def paper_tables(tasks: Sequence[Task], scores: Sequence[Score]) -> list[Table]:
    """Return the paper's tables and figures, and the columns of its leaderboard.

    Right means `Score.compat`. As in the paper everything is averaged over the four styles of the questions, and over
    epochs where there are some. Its models are pairs of agent and arm here, its three paraphrasing models the three
    styles that are not the template.

    Parameters
    ----------
    tasks, scores
        Records of other items are left out. Their order does not matter.
    """
    by_id = {task.id: task for task in tasks}
    found = sorted(
        (each for each in scores if each.task in by_id),
        key=lambda each: (each.agent, each.arm, each.task, each.epoch),
    )
    models = grouped(found, lambda each: (each.agent, each.arm))
    return [
        styles(by_id, models),
        TAXONOMY,
        questions(tasks),
        accuracy(models),
        by_category(models),
        effort(models),
        leaderboard(models),
    ]


Models = dict[tuple[str, str], list[Score]]

TAXONOMY = Table(
    "Table 2. Fields, domains and subdomains",
    ("field", "domains", "subdomains"),
    (),
    "No rows: the taxonomy belongs to the generator and computes from no record; see docs/suites/science-gym.md.",
)


def styles(tasks: dict[str, Task], models: Models) -> Table:
    """Return Table 1: alpha of right and wrong between each style and the template."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        answers = by_question(tasks, group, "compat")
        found = [alpha(paired(answers, style)) for style in PARAPHRASES]
        rows.append((*model, *(_two(each) for each in found)))
    if rows:
        columns = ([row[2 + n] for row in rows if row[2 + n] is not None] for n in range(len(PARAPHRASES)))
        rows.append(("average", "", *(_two(fmean(each)) if each else None for each in columns)))
    return table(
        "Table 1. Agreement with the template, by style",
        ("agent", "arm", *PARAPHRASES),
        rows,
        "Krippendorff's alpha of right and wrong per question. Empty where all answers are right, or all wrong, or "
        "NumPy and SciPy are missing (pip install 'labrig[harness]'). average: over the agents that have one.",
    )


def questions(tasks: Sequence[Task]) -> Table:
    """Return Table 3: questions by category and type."""
    rows: list[tuple[Any, ...]] = []
    every: set[str] = set()
    impossible: set[str] = set()
    for category, types in CATEGORIES.items():
        for type in types:
            group = [task for task in tasks if task.labels.get("type") == type]
            asked = {_question(task) for task in group}
            without = {_question(task) for task in group if task.truth["expected"]["kind"] == "impossible"}
            if asked:
                rows.append((category, type, len(asked), len(without), percent(len(without), len(asked))))
            every |= asked
            impossible |= without
    if rows:
        rows.append(("all", "", len(every), len(impossible), percent(len(impossible), len(every))))
    return Table(
        "Table 3. Questions by category and type",
        ("category", "type", "questions", "impossible", "impossible %"),
        tuple(rows),
        "A question in several styles counts once.",
    )


def _question(task: Task) -> str:
    return task.labels.get("question", task.id)


def accuracy(models: Models) -> Table:
    """Return Figure 2: accuracy, and precision and recall of "not possible"."""
    rows = []
    for model, group in models.items():
        said = abstention(group, "compat")
        rows.append(
            (
                *model,
                len(group),
                _accuracy(group),
                share(said.precision),
                share(said.recall),
                said.said,
                said.true,
            )
        )
    return table(
        "Figure 2. Accuracy, and impossible questions",
        ("agent", "arm", "records", "accuracy %", "precision %", "recall %", "said", "impossible"),
        rows,
        "precision and recall of “not possible”; said: records that contain these words.",
    )


def by_category(models: Models) -> Table:
    """Return Figure 3: accuracy by category."""
    rows = [
        (
            *model,
            *(_accuracy([each for each in group if each.facts["category"] == name]) for name in CATEGORIES),
        )
        for model, group in models.items()
    ]
    return table(
        "Figure 3. Accuracy by category", ("agent", "arm", *(f"{name} %" for name in CATEGORIES)), rows, ""
    )


def effort(models: Models) -> Table:
    """Return Figure 4: accuracy beside tokens and tool calls."""
    rows = [
        (*model, _accuracy(group), thousands(group, "input", "output"), mean(group, "calls"))
        for model, group in models.items()
    ]
    return table(
        "Figure 4. Accuracy, tokens and tool calls",
        ("agent", "arm", "accuracy %", "tokens per question (k)", "tool calls per question"),
        rows,
        "Tokens: input, cached or not, and output. Empty where a record was not measured.",
    )


def leaderboard(models: Models) -> Table:
    """Return the columns of the paper's leaderboard, the best first."""
    rows = []
    for model, group in models.items():
        said = abstention(group, "compat")
        shares = (share(said.precision), share(said.recall))
        spent = (thousands(group, "input", "output"), mean(group, "calls"))
        rows.append((*model, _accuracy(group), *shares, *spent))
    return table(
        "Leaderboard. As the benchmark's site shows it",
        ("agent", "arm", "Accuracy", "Unans. Pre.", "Unans. Rec.", "Toks.(k)/Q", "Tool Calls/Q"),
        sorted(rows, key=lambda row: (-(row[2] or 0), row[:2])),
        "By compat. Figures of the site are of other repositories and questions than these.",
    )


def table(title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]], note: str) -> Table:
    """Return a table; without rows its note says what to run."""
    return Table(title, tuple(columns), tuple(rows), note if rows else f"No rows: {RUN}")


def _accuracy(group: Sequence[Score]) -> float | None:
    """Return the mean over items, epochs of an item averaged first: a rerun that lacks some weighs nothing more."""
    means = item_means(group, "compat")
    return percent(sum(means), len(means)) if means else None


def _two(value: float | None) -> float | None:
    return None if value is None else round(value, 2) + 0.0
