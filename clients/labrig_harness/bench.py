"""The bench: where an agent works on one item. It starts the server, makes the recorded calls, keeps the budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.agent import CostLimit, ServerError, StepLimit, TokenLimit, ToolResult
from labrig_harness.linking import link, tool_call
from labrig_harness.recorder import CallFailed, Recorder
from labrig_harness.servers import Target
from labrig_harness.suite import Arm
from labrig_harness.task import Brief
from labrig_harness.trajectory import Cost, Fault, Step, Tokens, ToolCall


class WorkBench:
    """`labrig_harness.agent.Bench` over real MCP.

    The server is started at the first use, so an agent that needs no tool costs none.

    Parameters
    ----------
    folder
        The record that is being made: ``calls.jsonl``, ``blobs/`` and kept logs go there.
    workspace
        The item's workspace, which the server serves.

    Attributes
    ----------
    steps
        What was done so far: the prompt, then the agent's turns.
    versions
        Of the agent program or the model's library, which the agent fills in.
    """

    def __init__(self, brief: Brief, arm: Arm, folder: Path, workspace: Path) -> None:
        self.brief = brief
        self.arm = arm
        self.prompt = arm.prompt(brief)
        self.workspace = workspace
        self.folder = folder
        self.recorder = Recorder(CallLog(folder), arm.server)
        self.steps: list[Step] = [Step(0, self.prompt, source="user")]
        self.cost: Cost | None = None
        self.versions: dict[str, str] = {}
        self._client: Any = None
        self._open = AsyncExitStack()
        self._starting = asyncio.Lock()
        self._tools: list[dict[str, Any]] = []

    async def __aenter__(self) -> WorkBench:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    @property
    def options(self) -> ServeOptions:
        """How the arm's server is served for this item."""
        return replace(self.arm.serve, workspace=self.workspace)

    async def tools(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form; empty in an arm without a server."""
        if self.arm.server:
            await self._connected()
        return self._tools

    def check_budget(self) -> None:
        """Raise `StepLimit`, `TokenLimit` or `CostLimit` when no further turn may begin."""
        turns = [step for step in self.steps if step.source == "agent"]
        if len(turns) >= self.arm.max_steps:
            raise StepLimit(f"{self.arm.max_steps} steps")
        spent = sum(step.tokens.total for step in turns)
        if self.arm.max_tokens is not None and spent >= self.arm.max_tokens:
            raise TokenLimit(f"{spent} of {self.arm.max_tokens} tokens")
        if self.arm.max_cost is not None and self.cost is not None and self.cost.amount >= self.arm.max_cost:
            raise CostLimit(f"{self.cost.amount:.4g} of {self.arm.max_cost:g} {self.cost.currency}")

    def turn(
        self,
        text: str = "",
        *,
        reasoning: str = "",
        tokens: Tokens = Tokens(),
        faults: Sequence[Fault] = (),
        model: str = "",
        meta: dict[str, Any] | None = None,
    ) -> OpenTurn:
        """Record what the agent said as a turn of its own."""
        index = len(self.steps)
        self.steps.append(
            Step(
                index,
                text,
                tokens=tokens,
                reasoning=reasoning,
                faults=tuple(faults),
                model=model,
                meta=meta or {},
            )
        )
        return OpenTurn(self, index)

    async def call(self, tool: str, arguments: dict[str, Any], *, says: str = "") -> ToolResult:
        """Check the budget, and make one call as a turn of its own."""
        self.check_budget()
        return await self.turn(says).call(tool, arguments)

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[Path]:
        """Serve the arm's tools, recorded, on a Unix socket for an agent program; yields its path."""
        from labrig_harness.relay import relay

        target = Target(name=self.arm.server)
        async with relay(target, self.options, self.recorder, call_s=self.arm.call_s) as path:
            yield path

    def adopt(self, steps: Sequence[Step]) -> None:
        """Take over the turns that an agent program's own log shows, linked to the recorded calls."""
        linked = link(steps, self.recorder.records)
        told = [step for step in linked if step.source != "user"]  # the prompt is here already
        self.steps[1:] = [replace(step, index=number) for number, step in enumerate(told, 1)]

    def keep(self, name: str) -> Path:
        """Return the path of a file to keep beside the record."""
        return self.folder / name

    def charge(self, cost: Cost) -> None:
        """Record what the run cost so far."""
        self.cost = cost

    # ------------------------------------------------------------------------------------------ of turns

    def add_call(self, index: int, call: ToolCall) -> None:
        """Add a call to a turn."""
        step = self.steps[index]
        self.steps[index] = replace(step, calls=(*step.calls, call))

    async def make(self, index: int, tool: str, arguments: dict[str, Any], id: str) -> ToolResult:
        """Make a call of a turn."""
        tools = {each["name"]: each for each in await self.tools()}
        if tool not in tools:
            told = f"There is no tool {tool!r}. The tools are: {', '.join(tools) or 'none'}."
            self.add_call(index, ToolCall(tool, arguments, -1, True, id=id, fault="unknown_tool", told=told))
            return ToolResult(told, is_error=True)
        fault: Fault | None = None if fits(arguments, tools[tool]) else "bad_arguments"
        failure, wire = None, {}
        try:
            record, wire = await self.recorder.call(tool, arguments, lambda: self._forward(tool, arguments))
        except CallFailed as error:
            failure, record = error, self.recorder.records[-1]
            fault = "timeout" if error.code == "timeout" else fault
        number = self.recorder.records.index(record)
        told = str(failure) if failure else ""
        self.add_call(index, replace(tool_call(record, number), id=id, fault=fault or "", told=told))
        if failure is not None:
            if failure.died:
                raise ServerError(f"{tool}: {failure}")
            return ToolResult(told, is_error=True)
        return read_wire(wire)

    async def _forward(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        client = await self._connected()
        try:
            async with asyncio.timeout(self.arm.call_s):
                result = await client.call_tool_mcp(tool, arguments)
        except TimeoutError:
            what = f"The call took longer than {self.arm.call_s:g} s and was ended"
            raise CallFailed(what, died=False, code="timeout") from None
        except MCPError as error:
            raise CallFailed(error.message, died=error.code == CONNECTION_CLOSED) from error
        except Exception as error:
            raise CallFailed(innermost(error), died=True) from error
        wire: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return wire

    async def _connected(self) -> Any:
        async with self._starting:
            if self._client is None:
                from fastmcp import Client

                client = Client(Target(name=self.arm.server).transport(self.options))
                try:
                    await self._open.enter_async_context(client)
                    tools = await client.list_tools()
                except Exception as error:
                    raise ServerError(f"{self.arm.server} did not start: {innermost(error)}") from error
                self._client = client
                self._tools = [
                    each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools
                ]
                about = client.server_info if hasattr(client, "server_info") else None
                self.recorder.learn(self._tools, str(about.version) if about is not None else "")
        return self._client


class OpenTurn:
    """`labrig_harness.agent.Turn`: one turn of the agent, to which calls are added."""

    def __init__(self, bench: WorkBench, index: int) -> None:
        self._bench = bench
        self._index = index

    async def call(self, tool: str, arguments: dict[str, Any], *, id: str = "") -> ToolResult:
        """Call a tool; recorded."""
        return await self._bench.make(self._index, tool, arguments, id)

    def miscall(self, tool: str, raw: str, fault: Fault, told: str, *, id: str = "") -> None:
        """Record a call that could not be made."""
        call = ToolCall(tool, {}, -1, True, id=id, raw=raw, fault=fault, told=told)
        self._bench.add_call(self._index, call)


def fits(arguments: dict[str, Any], tool: dict[str, Any]) -> bool:
    """Return whether arguments are what a tool's schema asks for; a schema that is none forbids nothing."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        return bool(Draft202012Validator(tool.get("inputSchema") or {}).is_valid(arguments))
    except (SchemaError, RecursionError):
        return True


def read_wire(wire: dict[str, Any]) -> ToolResult:
    """Return a result in wire form as an agent gets it."""
    content = tuple(wire.get("content", ()))
    text = "\n".join(str(each.get("text", f"[{each.get('type')}]")) for each in content)
    return ToolResult(text, bool(wire.get("isError")), wire.get("structuredContent"), content)


def innermost(error: BaseException) -> str:
    """Return the first cause inside exception groups, as text."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
