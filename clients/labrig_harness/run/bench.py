"""The bench: where an agent works on one item. It starts the server, makes the recorded calls, keeps the budget."""

from __future__ import annotations

import asyncio
import json
import reprlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.agent import ToolResult
from labrig_harness.blobs import Blob
from labrig_harness.endings import ServerError, StepLimit
from labrig_harness.grounding.perturb import Declared, Perturber
from labrig_harness.limits import reached
from labrig_harness.recording.call_store import LIVE, CallStore, Setting
from labrig_harness.recording.client import ServerClient
from labrig_harness.recording.recorder import CallFailed, NotRecorded, Recorder
from labrig_harness.registry.servers import Target
from labrig_harness.run.linking import link, tool_call
from labrig_harness.sample import SampleInput
from labrig_harness.suite import Arm
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
    calls, store
        Who answers calls, ``live``, ``record``, ``replay`` or ``refresh``, and the folder of stored calls that all
        but the first need: see `labrig_harness.recording.call_store`.
    perturb
        A change of one result on its way to the agent: a spec, or what `decisive.declare` returned.

    Attributes
    ----------
    steps
        What was done so far: the prompt, then the agent's turns.
    versions
        Of the agent program or the model's library, which the agent fills in.
    """

    def __init__(
        self,
        brief: SampleInput,
        arm: Arm,
        folder: Path,
        workspace: Path,
        *,
        calls: str = LIVE,
        store: str | Path = "",
        perturb: str | Declared | None = None,
    ) -> None:
        self.brief = brief
        self.arm = arm
        self.prompt = arm.prompt(brief)
        self.workspace = workspace
        self.folder = folder
        declared = Declared.plainly(perturb) if isinstance(perturb, str) and perturb else perturb or None
        self.recorder = Recorder(
            CallLog(folder),
            arm.server,
            mode=calls if arm.server else LIVE,
            store=CallStore.open(Path(store), mode=calls) if arm.server and calls != LIVE and store else None,
            setting=setting(brief, arm),
            perturber=Perturber(declared) if isinstance(declared, Declared) else None,
            result_chars=arm.result_chars,
        )
        self.steps: list[Step] = [Step(0, self.prompt, source="user")]
        self.cost: Cost | None = None
        self.versions: dict[str, str] = {}
        self._client: ServerClient | None = None
        self._open = AsyncExitStack()
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> WorkBench:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    @property
    def target(self) -> Target:
        """The arm's server."""
        return Target(name=self.arm.server)

    @property
    def options(self) -> ServeOptions:
        """How the arm's server is served for this item."""
        return replace(self.arm.serve, workspace=self.workspace)

    async def tools(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form; empty in an arm without a server."""
        if self.arm.server and not self.recorder.replays:
            await self._connected()
        return self.recorder.offer(self.recorder.tools)

    def check_budget(self) -> None:
        """Raise `StepLimit`, `TokenLimit` or `CostLimit` when no further turn may begin."""
        turns = [step for step in self.steps if step.source == "agent"]
        spent = sum(step.tokens.total for step in turns)
        limit = reached(self.arm, turns=len(turns), tokens=spent, cost=self.cost)
        if limit is not None:
            raise limit

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

    def tell(self, text: str) -> None:
        """Record what the agent was told between its turns."""
        self.steps.append(Step(len(self.steps), text, source="user"))

    async def call(self, tool: str, arguments: dict[str, Any], *, says: str = "") -> ToolResult:
        """Check the budget, and make one call as a turn of its own."""
        self.check_budget()
        return await self.turn(says).call(tool, arguments)

    @asynccontextmanager
    async def socket(self, *, max_calls: int | None = None) -> AsyncIterator[Path]:
        """Serve the arm's tools, recorded, on a Unix socket for an agent program; yields its path.

        Parameters
        ----------
        max_calls
            Calls of the whole run; those beyond are refused, and `settle` says so.
        """
        from labrig_harness.recording.relay import relay

        async with relay(
            self.target, self.options, self.recorder, call_s=self.arm.call_s, max_calls=max_calls
        ) as path:
            yield path

    def settle(self) -> None:
        """Say how a run of a program went that could not be told while it ran.

        Raises
        ------
        ServerError
            When a server died or did not start, or a call could not be recorded.
        StepLimit
            When calls were refused because the budget of calls was used up.
        """
        if self.recorder.failure:
            raise ServerError(self.recorder.failure)
        if self.recorder.over_budget:
            raise StepLimit("the budget of calls")

    def adopt(self, steps: Sequence[Step]) -> None:
        """Take over the turns that an agent program's own log shows, linked to the recorded calls."""
        linked = link(steps, self.recorder.records, self.arm.server, self.recorder.delivered_bytes)
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
        if problem := unsendable(arguments):
            turn = OpenTurn(self, index)
            turn.miscall(tool, reprlib.repr(arguments), "bad_arguments", problem, id=id)
            return ToolResult(problem, is_error=True)
        fault: Fault | Literal[""] = "" if fits(arguments, tools[tool]) else "bad_arguments"
        made = len(self.recorder.records)
        try:
            record, wire = await self.recorder.call(tool, arguments, lambda: self._forward(tool, arguments))
        except NotRecorded as failure:
            raise ServerError(str(failure)) from failure
        except CallFailed as failure:
            self._add_failed(index, id, fault, failure)
            if failure.died:
                raise ServerError(f"{tool}: {failure}") from failure
            return ToolResult(str(failure), is_error=True)
        except (
            BaseException
        ):  # the run was ended under the call, which is recorded and so belongs to the turn
            if len(self.recorder.records) > made:
                self._add_failed(index, id, fault, None)
            raise
        number = self.recorder.number(record)
        given = self.recorder.delivered_bytes.get(number)
        self.add_call(index, replace(tool_call(record, number, given), id=id, fault=fault))
        return read_wire(wire)

    def _add_failed(
        self, index: int, id: str, fault: Fault | Literal[""], failure: CallFailed | None
    ) -> None:
        """Add the call that was recorded last, and without a result, to a turn."""
        record = self.recorder.records[-1]
        if failure is not None and failure.code == "timeout":
            fault = "timeout"
        told = str(failure) if failure is not None else ""
        call = tool_call(record, len(self.recorder.records) - 1)
        self.add_call(index, replace(call, id=id, fault=fault, told=told))

    async def _forward(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = await self._connected()
        return await client.call(tool, arguments)

    async def _connected(self) -> ServerClient:
        async with self._starting:
            if self._client is None:
                client = ServerClient(self.target, self.options, self.recorder, self.arm.call_s)
                try:
                    self._client = await self._open.enter_async_context(client)
                except CallFailed as failure:
                    raise ServerError(str(failure)) from failure
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


def setting(brief: SampleInput, arm: Arm) -> Setting:
    """Return what results depend on beside the calls: how the arm's server is set up, and the item's files.

    Of read-only roots the names alone count: paths differ between machines.
    """
    options = {
        "toolsets": list(arm.serve.toolsets),
        "tools": list(arm.serve.tools),
        "read_only": arm.serve.read_only,
        "output": arm.serve.output,
        "roots": [root.name for root in arm.serve.roots],
        **({"settings": dict(arm.serve.settings)} if arm.serve.settings else {}),
    }
    files = {path: file.plain() if isinstance(file, Blob) else file for path, file in brief.files.items()}
    return Setting(arm.server, options, files)


def unsendable(arguments: dict[str, Any]) -> str:
    """Return why arguments cannot be sent as JSON, or an empty text."""
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        return f"The arguments cannot be sent as JSON: {error}"
    return ""


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
