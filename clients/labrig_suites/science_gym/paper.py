"""The tables and figures of the InfiniteScienceGym paper, from records; figures as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table, item_means
from labrig_study import cells
from labrig_study.cells import percent, rounded
from labrig_suites.common.grouped import grouped
from labrig_suites.science_gym.measures import (
    STYLES,
    TEMPLATE,
    abstention,
    alpha,
    by_question,
    mean,
    paired,
    thousands,
)
from labrig_suites.science_gym.question import CATEGORIES

PARAPHRASES = tuple(style for style in STYLES if style != TEMPLATE)
RUN = "there are no records yet. Try: labrig run science-gym."


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return the paper's tables and figures, and the columns of its leaderboard.

    Right means `Score.compat`. As in the paper everything is averaged over the four styles of the questions, and over
    epochs where there are some. Its models are pairs of agent and arm here, its three paraphrasing models the three
    styles that are not the template.

    Parameters
    ----------
    tasks, scores
        Records of other items are left out. Their order does not matter.
    """
    by_id = {sample.id: sample for sample in samples}
    found = sorted(
        (each for each in scores if each.task in by_id),
        key=lambda each: (each.agent, each.arm, each.task, each.epoch),
    )
    models = grouped(found, lambda each: (each.agent, each.arm))
    return [
        styles(by_id, models),
        TAXONOMY,
        questions(samples),
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
    "No rows: the taxonomy belongs to the generator and does not follow from records; see docs/suites/science-gym.md.",
)


def styles(samples: dict[str, Sample], models: Models) -> Table:
    """Return Table 1: alpha of right and wrong between each style and the template."""
    rows: list[tuple[Any, ...]] = []
    for model, group in models.items():
        answers = by_question(samples, group, "compat")
        found = [alpha(paired(answers, style)) for style in PARAPHRASES]
        rows.append((*model, *(rounded(each, 2) for each in found)))
    if rows:
        columns = ([row[2 + n] for row in rows if row[2 + n] is not None] for n in range(len(PARAPHRASES)))
        rows.append(("average", "", *(rounded(cells.mean(each), 2) for each in columns)))
    return table(
        "Table 1. Agreement with the template, by style",
        ("agent", "arm", *PARAPHRASES),
        rows,
        "Krippendorff's alpha of right and wrong per question. Empty where all answers are right or all are wrong, or "
        "where NumPy and SciPy are missing (pip install 'labrig[harness]'). The average is over agents that have one.",
    )


def questions(samples: Sequence[Sample]) -> Table:
    """Return Table 3: questions by category and type."""
    rows: list[tuple[Any, ...]] = []
    every: set[str] = set()
    impossible: set[str] = set()
    for category, types in CATEGORIES.items():
        for type in types:
            group = [sample for sample in samples if sample.labels.get("type") == type]
            asked = {_question(sample) for sample in group}
            without = {
                _question(sample) for sample in group if sample.truth["expected"]["kind"] == "impossible"
            }
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
        "A question asked in several styles counts once.",
    )


def _question(sample: Sample) -> str:
    return sample.labels.get("question", sample.id)


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
                percent(said.precision),
                percent(said.recall),
                said.said,
                said.true,
            )
        )
    return table(
        "Figure 2. Accuracy, and impossible questions",
        ("agent", "arm", "records", "accuracy %", "precision %", "recall %", "said", "impossible"),
        rows,
        "Precision and recall of “not possible”. Said: records whose answer contains these words.",
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
        "Tokens are input, cached or not, and output; empty where a record was not measured.",
    )


def leaderboard(models: Models) -> Table:
    """Return the columns of the paper's leaderboard, the best first."""
    rows = []
    for model, group in models.items():
        said = abstention(group, "compat")
        shares = (percent(said.precision), percent(said.recall))
        spent = (thousands(group, "input", "output"), mean(group, "calls"))
        rows.append((*model, _accuracy(group), *shares, *spent))
    return table(
        "Leaderboard. With the columns of the benchmark's site",
        ("agent", "arm", "Accuracy", "Unans. Pre.", "Unans. Rec.", "Toks.(k)/Q", "Tool Calls/Q"),
        sorted(rows, key=lambda row: (-(row[2] or 0), row[:2])),
        "Scored by compat. The figures on the site are for other repositories and questions than these.",
    )


def table(title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]], note: str) -> Table:
    """Return a table; without rows its note says what to run."""
    return Table(title, tuple(columns), tuple(rows), note if rows else f"No rows: {RUN}")


def _accuracy(group: Sequence[Score]) -> float | None:
    """Return the mean over items, epochs of an item averaged first: a rerun that lacks some weighs nothing more."""
    means = item_means(group, "compat")
    return percent(sum(means), len(means))
