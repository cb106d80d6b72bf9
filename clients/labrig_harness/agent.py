"""What an agent is: something that reads a brief, calls tools, and stops.

Every way to end is a return or a typed exception, which the runner turns into an end reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from labrig_harness.task import Brief


@dataclass(frozen=True)
class ToolResult:
    """What a tool call gave the agent: its text parts joined, and whether MCP called it an error."""

    text: str
    is_error: bool
    structured: dict[str, Any] | None = None


class Tools(Protocol):
    """The tools of a running server, as an agent sees them."""

    async def list(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any], *, says: str = "") -> ToolResult:
        """Call a tool as one step, recorded; `says` is what the agent said before it."""
        ...


class Agent(Protocol):
    """An agent. It gets a brief and tools, nothing else, and ends by returning."""

    name: str

    async def run(self, brief: Brief, tools: Tools) -> None:
        """Work on one item."""
        ...


class StepLimit(Exception):
    """The arm's step budget is used up."""


class ServerError(Exception):
    """A tool server died or could not be started: no fault of the agent."""


class ModelError(Exception):
    """The model's service failed for reasons outside the agent."""
