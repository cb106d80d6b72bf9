"""A suite: tasks, their reference solutions, the scorer and the tables, as one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal, Protocol

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import Trajectory


@dataclass(frozen=True)
class Arm:
    """One way to run a suite: the server and how it is set up, the answer channel, the budget.

    Attributes
    ----------
    server
        Name of the server; empty for an arm without tools (``direct``, ``cot``).
    serve
        Toolsets and output protocol, fixed at server start.
    instructions
        How to work and how to answer in this arm; it follows the item's own prompt.
    channel
        Where the answer is looked for.
    max_steps
        Turns an agent may take.
    wall_s
        Seconds an item may take.
    max_tokens
        Input and output tokens of an item; None for no limit.
    max_cost
        Cost of an item, in the currency of the price table; None for no limit.
    call_s
        Seconds one tool call may take.
    builtin_tools
        Whether an agent program keeps its own tools (shell, files) and the item's workspace as its folder.
    """

    name: str
    server: str = ""
    serve: ServeOptions = field(default_factory=ServeOptions)
    instructions: str = ""
    channel: Channel = field(default_factory=Channel)
    max_steps: int = 24
    wall_s: float = 300.0
    max_tokens: int | None = None
    max_cost: float | None = None
    call_s: float = 120.0
    builtin_tools: bool = False
    about: str = ""

    @property
    def raw_chars(self) -> int:
        """Characters of engine output that this arm puts into the agent's context as they are; 0 for none."""
        kind, _, size = (self.serve.output or "").partition(":")
        return int(size) if kind == "raw" and size.isdigit() else 0

    def prompt(self, brief: Brief) -> str:
        """Return what an agent is sent in this arm."""
        return (
            f"{brief.prompt.rstrip()}\n\n{self.instructions.strip()}\n" if self.instructions else brief.prompt
        )

    def budget(self) -> dict[str, Any]:
        """Return the limits as plain data."""
        names = ("max_steps", "wall_s", "max_tokens", "max_cost", "call_s")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True)
class Call:
    """One call of a solution; its arguments may depend on the texts of earlier results."""

    tool: str
    arguments: dict[str, Any] | Callable[[Sequence[str]], dict[str, Any]]

    def bind(self, results: Sequence[str]) -> dict[str, Any]:
        """Return the arguments, given the results so far."""
        return self.arguments if isinstance(self.arguments, dict) else self.arguments(results)


class Unsolvable(Exception):
    """A solution could not compute its answer from the results it was given."""


@dataclass(frozen=True)
class Solution:
    """A reference solution: calls, then an answer computed from their results alone.

    Attributes
    ----------
    answer
        From the result texts, in the order of `calls`; raises `Unsolvable` when they do not hold it.
    """

    calls: tuple[Call, ...]
    answer: Callable[[Sequence[str]], str]


@dataclass(frozen=True)
class Score:
    """The score of one item.

    Attributes
    ----------
    strict, compat
        In [0, 1]: by the definition that should have been, and by the published one.
    answer
        The answer as parsed, empty when there is none.
    facts
        What tables need beside it.
    """

    task: str
    arm: str
    agent: str
    epoch: int
    strict: float
    compat: float
    answer: str
    facts: dict[str, Any] = field(default_factory=dict)


def item_means(scores: Iterable[Score], by: Literal["strict", "compat"]) -> list[float]:
    """Return the mean over epochs of each item's score: items are the unit of an accuracy, not records."""
    items: dict[str, list[float]] = {}
    for each in scores:
        items.setdefault(each.task, []).append(getattr(each, by))
    return [fmean(values) for values in items.values()]


@dataclass(frozen=True)
class Table:
    """A table of a report: column names, and rows of plain values."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


class MakeTasks(Protocol):
    """Make the tasks of a suite: deterministic in `seed`."""

    def __call__(self, *, seed: int) -> list[Task]: ...


@dataclass(frozen=True)
class Suite:
    """A benchmark.

    Attributes
    ----------
    scorer_version
        Changes whenever a score could change for the same trajectory.
    score
        Pure function of task and trajectory: no tool, no socket, no file.
    """

    name: str
    version: str
    scorer_version: str
    about: str
    arms: tuple[Arm, ...]
    tasks: MakeTasks
    solution: Callable[[Task, Arm], Solution]
    score: Callable[[Task, Trajectory], Score]
    tables: Callable[[Iterable[Task], Iterable[Score]], list[Table]]
    cluster: str = ""
    """The label of a task by which items belong together (a scenario): intervals then resample clusters."""

    def arm(self, name: str = "") -> Arm:
        """Return an arm by name; the first is the default."""
        from labrig.errors import unknown_name

        for arm in self.arms:
            if arm.name == name or not name:
                return arm
        raise unknown_name(f"arm of suite {self.name}", name, [arm.name for arm in self.arms], where="--arm")
