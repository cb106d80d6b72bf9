"""What an agent is: something that reads a prompt, calls tools, and stops.

Every way to end is a return or a typed exception, which the runner turns into an end reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from labrig_harness.arm import Arm
from labrig_harness.sample import SampleInput
from labrig_harness.trajectory import Cost, Fault, Step, Tokens


@dataclass(frozen=True)
class AgentSpec:
    """Which agent, with which model and settings: plain data, so that it can be recorded and sent to a worker.

    Attributes
    ----------
    model
        Provider and model (``anthropic:claude-x``), for agents that have one.
    settings
        What is sent with every request: ``temperature``, ``effort``, ``max_output_tokens``, ``base_url``.
        No key is ever part of it.
    command
        The program of the agent ``command``.
    prices
        Path of a price table (`labrig_harness.models.prices`); without one nothing is said about cost.
    name
        Its name in folders and tables; by default made of `kind` and `model`.
    """

    kind: str
    model: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    prices: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """The agent's name in folders and tables."""
        if self.name:
            return self.name
        model = "".join(c if c.isalnum() or c in "._-" else "-" for c in self.model.rpartition("/")[2])
        kind = self.kind.rpartition(".py:")[2]  # of a file, the class
        return f"{kind}-{model}" if model else kind


@dataclass(frozen=True)
class ToolResult:
    """What a tool call gave the agent: its text parts joined, and whether MCP called it an error.

    Attributes
    ----------
    structured
        MCP's structuredContent.
    content
        The content parts in wire form, images included.
    """

    text: str
    is_error: bool
    structured: dict[str, Any] | None = None
    content: tuple[dict[str, Any], ...] = ()


class Turn(Protocol):
    """An open turn of the agent."""

    async def call(self, tool: str, arguments: dict[str, Any], *, id: str = "") -> ToolResult:
        """Call a tool; recorded.

        An unknown tool, arguments that the schema forbids and a call that takes too long come back as an
        error result, with the fault recorded.

        Raises
        ------
        ServerError
            When the server died; the call is recorded without a result.
        """
        ...

    def miscall(self, tool: str, raw: str, fault: Fault, told: str, *, id: str = "") -> None:
        """Record a call that could not be made, and what the agent is told instead of a result."""
        ...


class Bench(Protocol):
    """Where an agent works on one item: what it is asked, its tools, its budget."""

    brief: SampleInput
    arm: Arm
    prompt: str
    """The question and the arm's instructions, as they are to be sent."""
    workspace: Path
    """The item's workspace, which the server serves; a program gets it only where the arm says ``builtin_tools``."""
    versions: dict[str, str]
    """Of the agent program or the model's library, to be filled in by the agent."""

    async def tools(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form; empty in an arm without a server."""
        ...

    def check_budget(self) -> None:
        """Raise `StepLimit`, `TokenLimit` or `CostLimit` when no further turn may begin."""
        ...

    def turn(
        self,
        text: str = "",
        *,
        reasoning: str = "",
        tokens: Tokens = ...,
        faults: Sequence[Fault] = (),
        model: str = "",
        meta: dict[str, Any] | None = None,
    ) -> Turn:
        """Record what the agent said as a turn of its own; calls that belong to it are made on what is returned."""
        ...

    def tell(self, text: str) -> None:
        """Record what the agent was told between its turns, as a step of the user."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any], *, says: str = "") -> ToolResult:
        """Check the budget, and make one call as a turn of its own."""
        ...

    def sockets(self, *, max_calls: int | None = None) -> AbstractAsyncContextManager[dict[str, Path]]:
        """Serve the arm's tools, recorded, for an agent program; yields by server the path of a Unix socket.

        Calls beyond `max_calls` are refused, whichever server they are for.
        """
        ...

    def settle(self) -> None:
        """After a program's run: raise `ServerError` or `StepLimit` for what could not be told while it ran."""
        ...

    def adopt(self, steps: Sequence[Step]) -> None:
        """Take over the turns that an agent program's own log shows, linked to the calls that were recorded.

        A call that the log shows and no server saw gets the fault ``not_delivered``; one that a server saw and
        the log does not show gets a turn of its own.
        """
        ...

    def keep(self, name: str) -> Path:
        """Return the path of a file to keep beside the record: the log of an agent program."""
        ...

    def charge(self, cost: Cost) -> None:
        """Record what the run cost so far."""
        ...


class Agent(Protocol):
    """An agent. It gets a bench, nothing else, and ends by returning."""

    confinement: str
    """``in_process`` for our own code; ``bubblewrap`` or ``unconfined`` for a program."""

    def accept(self, arm: Arm) -> None:
        """Raise a LabrigError when this agent cannot run in this arm, saying why."""
        ...

    async def run(self, bench: Bench) -> None:
        """Work on one item."""
        ...
