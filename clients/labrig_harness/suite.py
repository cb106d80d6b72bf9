"""A suite: tasks, their reference solutions, the scorer and the tables, as one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, Protocol

from labrig.errors import unknown_name
from labrig_harness.agent import Agent, AgentSpec
from labrig_harness.arm import Arm as Arm  # a suite imports all that it is made of from here
from labrig_harness.arm import Served as Served
from labrig_harness.sample import Sample
from labrig_harness.trajectory import ToolCall, Trajectory


@dataclass(frozen=True)
class Call:
    """One call of a solution; its arguments may depend on the texts of earlier results.

    Attributes
    ----------
    until
        For a call that waits for something (a job): whether this result text has it. The call is made again until
        then; each time is a turn, and the last text is its result.
    times, every_s
        How often such a call is made at most, and the seconds between, for a tool that does not wait by itself.
    """

    tool: str
    arguments: dict[str, Any] | Callable[[Sequence[str]], dict[str, Any]]
    until: Callable[[str], bool] | None = None
    times: int = 60
    every_s: float = 0.0

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

    @classmethod
    def of(
        cls,
        sample: Sample,
        run: Trajectory,
        strict: float,
        compat: float,
        answer: str,
        facts: dict[str, Any] | None = None,
    ) -> Score:
        """Return the score of a run on a sample."""
        return cls(sample.id, run.arm, run.agent, run.epoch, strict, compat, answer, facts or {})


def item_means(scores: Iterable[Score], by: Literal["strict", "compat"]) -> list[float]:
    """Return the mean over epochs of each item's score: items are the unit of an accuracy, not records."""
    items: dict[str, list[float]] = {}
    for score in scores:
        items.setdefault(score.task, []).append(getattr(score, by))
    return [fmean(values) for values in items.values()]


@dataclass(frozen=True)
class Table:
    """A table of a report: column names, and rows of plain values."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


class MakeSamples(Protocol):
    """Make the tasks of a suite: deterministic in `seed`."""

    def __call__(self, *, seed: int) -> list[Sample]: ...


MakeAgent = Callable[[AgentSpec, str], Agent]
"""Makes an agent of a suite from its spec and a seed; a LabrigError says what the spec lacks."""

TextOf = Callable[[ToolCall], str]
"""Gives the text of a call's result, as the record holds it; empty where there is none."""


class Make(Protocol):
    """Make `count` items from a seed, which may be any text; `progress` is given the number of those done."""

    def __call__(self, seed: str, count: int, *, progress: Callable[[int], None]) -> list[Sample]: ...


class Adopt(Protocol):
    """Make tasks of the rows of a file that others published, with what the user adds to them."""

    def __call__(self, rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]: ...


@dataclass(frozen=True)
class Generator:
    """Items in any number, as the lines of a JSONL file: what ``labrig generate`` writes and ``run --tasks`` reads.

    Attributes
    ----------
    make
        Deterministic in seed, count and the versions of generator and engine.
    commitment
        What can be published of a private seed beforehand, and checked when the seed is told.
    row, task
        An item as a line, truth included, and back; `task` raises a LabrigError for what is not such a line.
    adopt
        Reads the published form of the benchmark, where there is one.
    rows
        From a folder of that form to what `adopt` takes, where an item is several files; else every JSON is an item.
    configured
        `make` with what a user sets of it, where there is a choice.
    """

    make: Make
    commitment: Callable[[str], str]
    row: Callable[[Sample], dict[str, Any]]
    task: Callable[[dict[str, Any]], Sample]
    adopt: Adopt | None = None
    rows: Callable[[Path], list[dict[str, Any]]] | None = None
    configured: Callable[[Mapping[str, Any]], Make] | None = None


@dataclass(frozen=True)
class Preset:
    """A published setting: which items, and the budget of each kind of agent.

    Attributes
    ----------
    items
        The sample of a set; the same for the same set.
    budgets
        By kind of agent, limits in place of the arm's (names of `Arm`).
    tasks
        By seed and number (None: all of them), the set that `items` chooses from where the suite's own `tasks` has none
        of them.
    """

    about: str
    items: Callable[[Sequence[Sample]], list[Sample]]
    budgets: Mapping[str, Mapping[str, Any]]
    tasks: Callable[[int, int | None], list[Sample]] | None = None


@dataclass(frozen=True)
class Fixture:
    """A trajectory on a sample whose score is known: what a scorer is tried with, by anybody.

    Attributes
    ----------
    strict, compat
        What the scorer must give.
    refused
        Whether the submission cannot be read as an answer. `facts` then tells it apart from a wrong answer.
    facts
        What the score's facts must hold, among others.
    about
        What is tried, in a few words: a test that fails names it.
    """

    sample: Sample
    trajectory: Trajectory
    strict: float
    compat: float
    refused: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""


@dataclass(frozen=True)
class Question:
    """What a scorer asks a judge of a record: yes or no.

    Attributes
    ----------
    key
        What the verdict is kept under (`labrig_harness.records.verdicts`).
    prompt
        The question, which asks for a JSON object with ``same`` (true or false) and ``why``.
    """

    key: str
    prompt: str


@dataclass(frozen=True)
class Judging:
    """How a scorer has a model judge whether what was said is what is true.

    Attributes
    ----------
    names
        Of a record, what was said and what is true, each once: an embedder proposes the nearest of them.
    ask
        The questions on the pairs of them that it proposed.
    """

    names: Callable[[Sample, Trajectory], tuple[list[str], list[str]]]
    ask: Callable[[Sample, Trajectory, Sequence[tuple[str, str]]], list[Question]]


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
    tasks: MakeSamples
    solution: Callable[[Sample, Arm], Solution]
    score: Callable[[Sample, Trajectory], Score]
    tables: Callable[[Iterable[Sample], Iterable[Score]], list[Table]]
    cluster: str = ""
    """The label of a task by which items belong together (a scenario): intervals then resample clusters."""
    first_tasks: Callable[[int, int], list[Sample]] | None = None
    """By seed and number, the first of `tasks` alone, where all of them take long to make."""
    evidence: Callable[[Sample, Trajectory, TextOf], dict[str, Any]] | None = None
    """Further facts for the tables, which only the texts of results hold; no score depends on them."""
    paper_tables: Callable[[Sequence[Sample], Sequence[Score]], list[Table]] | None = None
    """The tables of the paper, by its numbers: what ``labrig tables`` prints."""
    generator: Generator | None = None
    presets: Mapping[str, Preset] = field(default_factory=dict)
    fixtures: Callable[[], Sequence[Fixture]] | None = None
    """Trajectories with full marks, with none, and with a submission that cannot be read."""
    kind: str = ""
    """The label of a sample that says what kind of question it is."""
    another: Callable[[Sample, Arm], Solution] | None = None
    """A second solution, built differently from the reference: the scorer must accept it, too."""
    agents: Mapping[str, MakeAgent] = field(default_factory=dict)
    """Agents that the suite brings, by the name that ``--agent`` takes: those of its paper."""
    judging: Judging | None = None
    """What ``labrig judge`` asks a model; scores without its verdicts go by rules alone."""
    check: Callable[[Arm, Sequence[Sample]], None] | None = None
    """Raises a LabrigError where samples cannot be run in an arm here; asked before a run that is no replay."""
    earlier: tuple[str, ...] = ()
    """Versions that differ from this one in wording alone: their records are read and scored as this one's are."""

    def preset(self, name: str) -> Preset:
        """Return a preset by name."""
        if name not in self.presets:
            raise unknown_name(f"preset of suite {self.name}", name, list(self.presets), where="--preset")
        return self.presets[name]

    def arm(self, name: str = "") -> Arm:
        """Return an arm by name; the first is the default."""
        for arm in self.arms:
            if arm.name == name or not name:
                return arm
        raise unknown_name(f"arm of suite {self.name}", name, [arm.name for arm in self.arms], where="--arm")
