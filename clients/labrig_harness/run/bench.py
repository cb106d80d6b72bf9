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
from labrig.canonical import content_hash
from labrig.toolbox import ServeOptions
from labrig_harness.agent import ToolResult
from labrig_harness.arm import Arm
from labrig_harness.blobs import Blob
from labrig_harness.endings import ServerError, StepLimit
from labrig_harness.grounding.perturb import Declared, Perturber
from labrig_harness.limits import reached
from labrig_harness.recording.budget import Budget
from labrig_harness.recording.call_store import LIVE, CallStore, Setting
from labrig_harness.recording.client import ServerClient
from labrig_harness.recording.recorder import CallFailed, NotRecorded, Recorder
from labrig_harness.registry.servers import Target
from labrig_harness.run.linking import link, tool_call
from labrig_harness.sample import SampleInput
from labrig_harness.tool_names import names_of
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
        settings = settings_of(brief, arm)
        first, *others = settings.items() or [("", Setting(""))]
        mode = calls if arm.server else LIVE
        self.recorder = Recorder(
            CallLog(folder),
            first[0],
            mode=mode,
            store=CallStore.open(Path(store), mode=calls) if mode != LIVE and store else None,
            setting=first[1],
            perturber=Perturber(declared) if isinstance(declared, Declared) else None,
            result_chars=arm.result_chars,
            start=start_of(list(settings.values())),
        )
        self.recorders = {first[0]: self.recorder} | {
            name: self.recorder.beside(name, setting) for name, setting in others
        }
        self.steps: list[Step] = [Step(0, self.prompt, source="user")]
        self.cost: Cost | None = None
        self.versions: dict[str, str] = {}
        self._clients: dict[str, ServerClient] = {}
        self._open = AsyncExitStack()
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> WorkBench:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    def target(self, server: str) -> Target:
        """Return how a server of the arm is reached."""
        target = self.arm.target(server)
        return target if target.is_own else replace(target, cwd=self.workspace)

    async def tools(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form, by the names that tools have in the arm; empty in an arm without a server."""
        named = await self._name_tools()
        found = []
        for name, (server, tool) in named.items():
            recorder = self.recorders[server]
            about = next(each for each in recorder.offer(recorder.tools) if each["name"] == tool)
            found.append({**about, "name": name})
        return found

    async def _name_tools(self) -> dict[str, tuple[str, str]]:
        """Return, by the names of tools in the arm, the servers and their own names."""
        if self.arm.server and not self.recorder.replays:
            for server in self.arm.served:
                await self._connect_server(server)
        return names_of(self.recorder.course.servers)

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
    async def sockets(self, *, max_calls: int | None = None) -> AsyncIterator[dict[str, Path]]:
        """Serve the arm's tools, recorded, for an agent program: by server, the path of a Unix socket.

        Parameters
        ----------
        max_calls
            Calls of the whole run; those beyond are refused, and `settle` says so.
        """
        from labrig_harness.recording.relay import relay

        budget = Budget(max_calls)
        async with AsyncExitStack() as stack:
            paths = {}
            for server, options in self._serve_options().items():
                serving = relay(
                    self.target(server),
                    options,
                    self.recorders[server],
                    call_s=self.arm.call_s,
                    budget=budget,
                )
                paths[server] = await stack.enter_async_context(serving)
            yield paths

    def _serve_options(self) -> dict[str, ServeOptions]:
        """Return how the arm's servers are served for this item: all of them in its workspace."""
        return {name: replace(serve, workspace=self.workspace) for name, serve in self.arm.served.items()}

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
        linked = link(steps, self.recorder.course)
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
        tools = await self._name_tools()
        if tool not in tools:
            told = f"There is no tool {tool!r}. The tools are: {', '.join(tools) or 'none'}."
            self.add_call(index, ToolCall(tool, arguments, -1, True, id=id, fault="unknown_tool", told=told))
            return ToolResult(told, is_error=True)
        if problem := unsendable(arguments):
            turn = OpenTurn(self, index)
            turn.miscall(tool, reprlib.repr(arguments), "bad_arguments", problem, id=id)
            return ToolResult(problem, is_error=True)
        server, own = tools[tool]
        recorder = self.recorders[server]
        about = next(each for each in recorder.tools if each["name"] == own)
        fault: Fault | Literal[""] = "" if fits(arguments, about) else "bad_arguments"
        made = len(recorder.records)
        try:
            record, wire = await recorder.call(
                own, arguments, lambda: self._forward_call(server, own, arguments)
            )
        except NotRecorded as failure:
            raise ServerError(str(failure)) from failure
        except CallFailed as failure:
            self._add_failed(index, id, fault, failure)
            if failure.died:
                raise ServerError(f"{tool}: {failure}") from failure
            return ToolResult(str(failure), is_error=True)
        except BaseException:
            # The run was ended under the call, which is recorded and so belongs to the turn.
            if len(recorder.records) > made:
                self._add_failed(index, id, fault, None)
            raise
        call = tool_call(recorder.course, recorder.number(record))
        self.add_call(index, replace(call, id=id, fault=fault))
        return read_wire(wire)

    def _add_failed(
        self, index: int, id: str, fault: Fault | Literal[""], failure: CallFailed | None
    ) -> None:
        """Add the call that was recorded last, and without a result, to a turn."""
        if failure is not None and failure.code == "timeout":
            fault = "timeout"
        told = str(failure) if failure is not None else ""
        call = tool_call(self.recorder.course, len(self.recorder.records) - 1)
        self.add_call(index, replace(call, id=id, fault=fault, told=told))

    async def _forward_call(self, server: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = await self._connect_server(server)
        return await client.call(tool, arguments)

    async def _connect_server(self, server: str) -> ServerClient:
        async with self._starting:
            if server not in self._clients:
                options = self._serve_options()[server]
                client = ServerClient(self.target(server), options, self.recorders[server], self.arm.call_s)
                try:
                    self._clients[server] = await self._open.enter_async_context(client)
                except CallFailed as failure:
                    raise ServerError(str(failure)) from failure
        return self._clients[server]


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


def settings_of(brief: SampleInput, arm: Arm) -> dict[str, Setting]:
    """Return by server what results depend on beside the calls: how it is set up, and the item's files.

    Of read-only roots the names alone count: paths differ between machines.
    """
    files = {path: file.plain() if isinstance(file, Blob) else file for path, file in brief.files.items()}
    found = {}
    for server, serve in arm.served.items():
        target = arm.target(server)
        options = _list_settings(serve) if target.is_own else _list_words(target)
        found[server] = Setting(server, options, files)
    return found


def _list_words(target: Target) -> dict[str, Any]:
    """Return how a server of others is set up: its URL, or its command, of paths the names alone."""
    return {
        "url": target.url,
        "argv": [Path(word).name if word.startswith("/") else word for word in target.argv],
    }


def _list_settings(serve: ServeOptions) -> dict[str, Any]:
    return {
        "toolsets": list(serve.toolsets),
        "tools": list(serve.tools),
        "read_only": serve.read_only,
        "output": serve.output,
        "roots": [root.name for root in serve.roots],
        **({"settings": dict(serve.settings)} if serve.settings else {}),
    }


def start_of(settings: Sequence[Setting]) -> str:
    """Return the hash of the state in which a session of these servers begins."""
    if len(settings) < 2:
        return settings[0].start if settings else ""
    return content_hash([[each.setup for each in settings], settings[0].files])


def unsendable(arguments: dict[str, Any]) -> str:
    """Return why arguments cannot be sent as JSON, or an empty text."""
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        return f"The arguments cannot be sent as JSON: {error}"
    return ""


def fits(arguments: dict[str, Any], tool: dict[str, Any]) -> bool:
    """Return whether arguments are what a tool's schema asks for; an invalid schema forbids nothing."""
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
