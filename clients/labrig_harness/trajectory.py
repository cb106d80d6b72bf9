"""A trajectory: what an agent did on one item, in our loop or in a program. Scores are computed from nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter

from labrig_harness.endings import EndReason

SCHEMA, EARLIER = "labrig.trajectory/3", "labrig.trajectory/2"
"""The earlier one is written for a trajectory that uses nothing new."""

Fault = Literal[
    "not_json",  # arguments that are not a JSON object
    "unknown_tool",  # a tool that is not offered
    "bad_arguments",  # arguments that the tool's schema forbids
    "timeout",  # a call that took longer than the arm's limit for one
    "not_delivered",  # a call that the agent program says it made and no server saw
    "empty_reply",  # neither text nor calls
    "cut_off",  # a reply that ended at the output limit
]
"""Mistakes of a model: recorded, answered with an error that it can act on, never a crash."""


@dataclass(frozen=True)
class Tokens:
    """Token counts that do not overlap; `reasoning` alone is a part of `output`.

    Attributes
    ----------
    measured
        False where the service reported nothing: the zeros are then unknown, not zero.
    """

    input_uncached: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    measured: bool = False

    @property
    def input(self) -> int:
        """All input tokens, cached or not."""
        return self.input_uncached + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        """Input and output."""
        return self.input + self.output

    def __add__(self, other: Tokens) -> Tokens:
        """Add counts; a sum is measured when all its parts are."""
        return Tokens(
            self.input_uncached + other.input_uncached,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
            self.reasoning + other.reasoning,
            self.measured and other.measured,
        )


AT_LEAST = ", at least: not all tokens were reported"
"""Ends the label of a price table where the cost is a lower bound."""


@dataclass(frozen=True)
class Cost:
    """What a run cost, and by which price table: without one there is no cost.

    Attributes
    ----------
    table
        Name and hash of the price table, or the program whose own estimate this is.
    """

    amount: float
    currency: str
    table: str


@dataclass(frozen=True)
class ToolCall:
    """One tool call of a step.

    Attributes
    ----------
    record
        Index of its `labrig.call/1` record in the item's log (0-based), or -1 when the call never reached a
        server (an unknown tool, arguments that are not JSON), or was one of a tool of the agent program's own.
    result
        SHA-256 of the result blob.
    id
        The agent's own id of the call, where it has one.
    raw
        The arguments verbatim, where they are no JSON object; `arguments` is then empty.
    fault
        The model's mistake in this call, or empty.
    told
        What the agent was told in place of a result, for a call that never reached a server: an error, or what a tool
        of a program's own answered.
    delivered_bytes
        How much of the result the agent's model was given, where its log shows it; None where not known.
    meta
        Its duration: outside every hash and score.
    """

    tool: str
    arguments: dict[str, Any]
    record: int
    is_error: bool
    result: str = ""
    result_bytes: int = 0
    id: str = ""
    raw: str = ""
    fault: Fault | Literal[""] = ""
    told: str = ""
    delivered_bytes: int | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether a server saw the call and carried it out; what only a program's own log claims does not count."""
        return self.record >= 0 and not self.is_error


@dataclass(frozen=True)
class Step:
    """One turn: of the agent (what it said, what it called), or what it was told by a user or the system.

    Attributes
    ----------
    reasoning
        What the service showed of the model's reasoning.
    faults
        Mistakes of the model that belong to no call.
    model
        The model and version that the service says answered, where it says so.
    meta
        Times: outside every hash and score.
    """

    index: int
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    source: Literal["agent", "user", "system"] = "agent"
    reasoning: str = ""
    faults: tuple[Fault, ...] = ()
    model: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """The committed answer, verbatim, and the step that committed it (-1 when not known)."""

    text: str
    step: int


@dataclass(frozen=True)
class LeftFile:
    """A file that a run made or changed in its workspace, as it was at the end."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Trajectory:
    """What an agent did on one item.

    Attributes
    ----------
    agent
        The label of the agent with its model and settings: the row of a table.
    steps
        The first one of a run of ours is the prompt (source ``user``).
    submission
        None when nothing was committed. A run may commit and still hit a limit: see `end`.
    end
        Why the run ended, one of `EndReason`.
    model, settings
        What was asked of the model's service: its name, and temperature, effort, output limit where they were sent.
    confinement
        How the agent was kept from truths and records: ``in_process`` (our own code), ``bubblewrap``, or
        ``unconfined``; empty where it was not us who ran it.
    perturbation
        The declared change that the recording proxy made to one result, and what it changed; None for none.
    left
        The files that were left in the workspace, in an arm that lists them (`Arm.left_files`): those that the run
        made or changed.
    meta
        Times, durations, earlier attempts: outside every hash and score.
    """

    task: str
    suite: str
    agent: str
    arm: str
    epoch: int
    seed: int
    steps: tuple[Step, ...]
    submission: Submission | None
    end: EndReason
    end_detail: str = ""
    model: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    confinement: str = ""
    perturbation: dict[str, Any] | None = None
    cost: Cost | None = None
    versions: dict[str, str] = field(default_factory=dict)
    left: tuple[LeftFile, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def turns(self) -> tuple[Step, ...]:
        """The agent's own steps."""
        return tuple(step for step in self.steps if step.source == "agent")

    @property
    def calls(self) -> list[ToolCall]:
        """All tool calls in order."""
        return [call for step in self.steps for call in step.calls]

    @property
    def tokens(self) -> Tokens:
        """The tokens of all turns; measured when those of every turn are."""
        turns = self.turns
        return sum((step.tokens for step in turns), Tokens(measured=bool(turns)))

    def to_dict(self) -> dict[str, Any]:
        """Return the trajectory as plain data."""
        fields = asdict(self)
        if self.left:
            return {**fields, "schema": SCHEMA}
        del fields["left"]
        return {**fields, "schema": EARLIER}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Trajectory:
        """Rebuild a trajectory from `to_dict`.

        Raises
        ------
        ValueError
            If a field is missing or of the wrong type (pydantic's ValidationError), or the schema is another.
        """
        if fields.get("schema") not in (SCHEMA, EARLIER):
            raise ValueError(f"schema {fields.get('schema')!r}, not {SCHEMA} or {EARLIER}")
        return _make_reader().validate_python(fields)


@lru_cache(maxsize=1)
def _make_reader() -> TypeAdapter[Trajectory]:
    return TypeAdapter(Trajectory)
