"""A trajectory: what an agent did on one item, whoever ran it. Scores are computed from nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter

SCHEMA = "labrig.trajectory/1"
OUTSIDE = frozenset({"model_error", "server_error"})
"""Ends for reasons outside the agent: such a record is no answer, and `labrig run` makes it again."""

EndReason = Literal[
    "answered",  # the agent stopped by itself, with a submission
    "no_answer",  # it stopped by itself, without one
    "step_limit",
    "wall_limit",
    "token_limit",
    "model_error",  # the model's service failed
    "agent_error",  # the agent program failed
    "server_error",  # a tool server died or could not be started
    "refused",  # the model declined
]


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


@dataclass(frozen=True)
class ToolCall:
    """One tool call of a step.

    Attributes
    ----------
    record
        Index of its `labrig.call/1` record in the item's log (0-based), or -1 when the call never
        reached a server (an unknown tool, arguments that are not JSON).
    result
        SHA-256 of the result blob.
    meta
        Its duration: outside every hash and score.
    """

    tool: str
    arguments: dict[str, Any]
    record: int
    is_error: bool
    result: str = ""
    result_bytes: int = 0
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One turn of the agent: what it said, what it called."""

    index: int
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True)
class Submission:
    """The committed answer, verbatim, and the step that committed it (-1 when not known)."""

    text: str
    step: int


@dataclass(frozen=True)
class Trajectory:
    """What an agent did on one item.

    Attributes
    ----------
    submission
        None when nothing was committed. A run may commit and still hit a limit: see `end`.
    end
        Why the run ended, one of `EndReason`.
    meta
        Times and durations: outside every hash and score.
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
    versions: dict[str, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    schema: str = SCHEMA

    @property
    def calls(self) -> list[ToolCall]:
        """All tool calls in order."""
        return [call for step in self.steps for call in step.calls]

    def to_dict(self) -> dict[str, Any]:
        """Return the trajectory as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Trajectory:
        """Rebuild a trajectory from `to_dict`.

        Raises
        ------
        ValueError
            If a field is missing or of the wrong type (pydantic's ValidationError), or the schema is another.
        """
        if fields.get("schema") != SCHEMA:
            raise ValueError(f"schema {fields.get('schema')!r}, not {SCHEMA}")
        return _reader().validate_python(fields)


@lru_cache(maxsize=1)
def _reader() -> TypeAdapter[Trajectory]:
    return TypeAdapter(Trajectory)
