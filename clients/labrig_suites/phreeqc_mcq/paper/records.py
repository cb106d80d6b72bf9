"""Scores as runs: what one agent did in one arm at one epoch, by item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Score

DIRECT, COT = "direct", "cot"
TOC, TOC50, OUTLINE, RAW100, RAW500 = (
    "agent-toc",
    "agent-toc50",
    "agent-outline",
    "agent-raw100k",
    "agent-raw500k",
)
WITHOUT_TOOLS = (DIRECT, COT)
ARMS = (DIRECT, COT, TOC, TOC50, OUTLINE, RAW100, RAW500)
"""In the order of rows; an arm of another name comes after them."""

ORIGINAL = 0
"""The epoch of the original run; later epochs are its reruns."""

Run: TypeAlias = dict[str, Score]


@dataclass(frozen=True)
class Records:
    """All records of a report, made by `arrange`.

    Attributes
    ----------
    samples
        By item id, sorted.
    runs
        By arm and agent label, then epoch; the items of a run are sorted, so that the order of records does not
        matter to any table, resampling included.
    """

    tasks: dict[str, Sample]
    runs: dict[tuple[str, str], dict[int, Run]]

    @property
    def methods(self) -> list[tuple[str, str]]:
        """The pairs of arm and agent that have an original run, by arm and label."""
        return [method for method in self.runs if ORIGINAL in self.runs[method]]

    def run(self, arm: str, agent: str) -> Run:
        """Return an original run; empty where there is none."""
        return self.epochs(arm, agent).get(ORIGINAL, {})

    def epochs(self, arm: str, agent: str) -> dict[int, Run]:
        """Return the original run and its reruns, by epoch."""
        return self.runs.get((arm, agent), {})

    def agents(self, arm: str) -> list[str]:
        """Return the labels that have an original run in an arm."""
        return [agent for each, agent in self.methods if each == arm]

    def letter(self, item: str) -> str:
        """Return the right letter of an item."""
        return str(self.tasks[item].truth["answer"])

    def stem(self, item: str) -> str:
        """Return the scenario of an item; empty where it is not known."""
        return self.tasks[item].labels.get("stem", "")

    def size(self, item: str) -> int | None:
        """Return the characters that the reference input of an item prints; None where they are not known."""
        found = self.tasks[item].truth.get("output_chars")
        return None if found is None else int(found)


def arrange(samples: Iterable[Sample], scores: Iterable[Score]) -> Records:
    """Sort scores into runs.

    Raises
    ------
    LabrigError
        If two records claim the same arm, agent, epoch and item: counting one of them would be a choice.
    """
    items = {sample.id: sample for sample in sorted(samples, key=lambda each: each.id)}
    runs: dict[tuple[str, str], dict[int, Run]] = {}
    for score in sorted(scores, key=_place):
        if score.task not in items:
            continue
        run = runs.setdefault((score.arm, score.agent), {}).setdefault(score.epoch, {})
        if score.task in run:
            raise LabrigError(
                f"Two records of item {score.task}, epoch {score.epoch}, by {score.agent} in arm {score.arm}",
                where="scores",
                try_="Report one folder at a time, or give the second run another label (--name).",
                code="bad_input",
            )
        run[score.task] = score
    return Records(items, runs)


def right(score: Score) -> bool:
    """Say whether a record is right by the paper's definition: the committed letter, and nothing else."""
    return score.compat == 1


def rights(run: Run, items: Iterable[str]) -> list[bool]:
    """Return right or wrong for each item."""
    return [right(run[item]) for item in items]


def shared(*runs: Run) -> list[str]:
    """Return the items that all these runs have; none where there is no run."""
    return [item for item in runs[0] if all(item in run for run in runs)] if runs else []


def tokens(records: Sequence[Score], kind: str) -> int | None:
    """Return the sum of a token count (``input``, ``cached``, ``output``); None unless all records have it."""
    counts = [(each.facts["tokens"] or {}).get(kind) for each in records]
    known = [int(count) for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _place(score: Score) -> tuple[int, str, str, int, str]:
    arm = ARMS.index(score.arm) if score.arm in ARMS else len(ARMS)
    return arm, score.arm, score.agent, score.epoch, score.task
