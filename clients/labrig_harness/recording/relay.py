"""The relay: an agent program's way to a server, with every tool call recorded between the two.

The harness listens on a Unix socket and owns the server; the agent program starts a shim, which knows the socket and
nothing else. JSON-RPC messages go through as they are, in either protocol era; a ``tools/call`` goes through the
recorder. Each connection gets a server process of its own (a client may probe a server before it uses it, or start it
anew), and all calls go into one log.

What the agent sends is parsed and written anew, so that the server reads exactly what the recorder read.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.redaction import redact
from labrig.toolbox import ServeOptions
from labrig_harness.recording.budget import Budget
from labrig_harness.recording.recorder import CallFailed, NotRecorded, Recorder
from labrig_harness.recording.serverprocess import ServerProcess
from labrig_harness.recording.socket_folder import socket_folder
from labrig_harness.recording.wire import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LONGEST_LINE,
    NOTED,
    PARSE_ERROR,
    SERVER_DIED,
    Message,
    answered,
    drained,
    error,
    error_result,
    id_key,
    is_modern,
    lines,
    messages,
    to_line,
)
from labrig_harness.registry.servers import Target

LIST_S = 30.0
"""Seconds a server may take for tools/list when the relay itself asks for it."""


@asynccontextmanager
async def relay(
    target: Target,
    options: ServeOptions,
    recorder: Recorder,
    *,
    call_s: float | None = None,
    budget: Budget | None = None,
) -> AsyncIterator[Path]:
    """Serve a target, recorded, on a Unix socket, and yield the socket's path.

    Parameters
    ----------
    call_s
        Seconds a call may take; it is then cancelled at the server, and the agent gets an error result.
    budget
        Of the calls of the whole session; those beyond are answered with an error result and not made.

    Notes
    -----
    After the end, `recorder.failure` says whether a server died, and `recorder.over_budget` whether calls were refused.
    """
    folder = socket_folder()
    path = folder / "mcp"
    budget = budget or Budget(None)
    open_lines: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        open_lines.add(line)
        try:
            if recorder.replays or target.url or target.kept:
                from labrig_harness.recording.replay import serve_recorded  # imports the MCP server library

                await serve_recorded(reader, writer, target, recorder, call_s=call_s, budget=budget)
            else:
                argv, shown = target.start(options), target.command(options)
                process = ServerProcess.started(argv, shown=shown, cwd=target.cwd)
                await Line(reader, writer, recorder, call_s, budget).run(process)
        except asyncio.CancelledError:
            pass  # the run has ended; asyncio's own callback would report a cancelled handler as an error
        except Exception as failed:
            recorder.failure = recorder.failure or redact(
                f"The relay failed: {type(failed).__name__}: {failed}"
            )
        finally:
            open_lines.discard(line)
            writer.close()

    listener = await asyncio.start_unix_server(serve, path, limit=1 << 18)
    try:
        yield path
    finally:
        listener.close()
        for line in list(open_lines):
            line.cancel()
        await asyncio.gather(*open_lines, return_exceptions=True)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class _Pending:
    """A request that the server has not answered."""

    answer: asyncio.Future[Message]


class Line:
    """One connection of an agent program, and the server process behind it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        recorder: Recorder,
        call_s: float | None,
        budget: Budget,
    ) -> None:
        self._agent_in = reader
        self._agent_out = writer
        self._recorder = recorder
        self._call_s = call_s
        self._budget = budget
        self._pending: dict[str, _Pending] = {}
        self._dropped: set[str] = set()  # requests whose late answers are not passed on
        self._asked: dict[str, Any] = {}  # ids of the agent's other requests, until they are answered
        self._listing: dict[
            str, bool
        ] = {}  # tools/list requests under way: whether one goes on with a cursor
        self._tools: list[Message] = []
        self._own = 0
        self._calls: set[asyncio.Task[None]] = set()
        self._server: ServerProcess | None = None

    async def run(self, process: AbstractAsyncContextManager[ServerProcess]) -> None:
        """Serve until the agent closes its side or the server ends."""
        async with process as server:
            self._server = server
            agent = asyncio.create_task(self._read_agent())
            answers = asyncio.create_task(self._read_server())
            try:
                await asyncio.wait((agent, answers), return_when=asyncio.FIRST_COMPLETED)
                if answers.done():  # the server went first
                    await self._mourn_server(server, agent)
                else:
                    server.end_input()  # what it still has to answer is passed on
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(asyncio.shield(answers), ServerProcess.GRACE_S)
                    if server.never_started():
                        await self._mourn_server(server, None)
                for task in (agent, answers):
                    if task.done() and not task.cancelled() and (failed := task.exception()):
                        raise failed
            finally:
                for task in (agent, answers):
                    task.cancel()
                ended = CallFailed(
                    "The agent closed the connection under the call", died=False, code="cancelled"
                )
                self._fail_pending(ended)
                for call in list(self._calls):
                    await asyncio.wait((call,), timeout=5)
                    call.cancel()
                await asyncio.gather(agent, answers, *self._calls, return_exceptions=True)

    async def _mourn_server(self, server: ServerProcess, agent: asyncio.Task[None] | None) -> None:
        """Say how the server ended, fail what waits for it, and close the line."""
        how = await server.how_it_ended()
        if agent is None or not agent.done():
            self._recorder.failure = self._recorder.failure or how
        self._fail_pending(CallFailed(how, died=True))
        for call in list(self._calls):
            await asyncio.wait((call,), timeout=5)

    def _fail_pending(self, failure: CallFailed) -> None:
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(failure)
                pending.answer.exception()  # somebody may have stopped waiting
        self._pending.clear()

    # ---------------------------------------------------------------------------------------------- from the agent

    async def _read_agent(self) -> None:
        async for line in lines(self._agent_in, self._recorder.note):
            for message in messages(line):
                if message is None:
                    self._recorder.note(f"The agent sent a line that is not JSON-RPC: {line[:NOTED]!r}")
                    self._send_agent(error(None, PARSE_ERROR, "This line is not a JSON-RPC message"))
                else:
                    await self._take_message(message)
            await drained(self._agent_out)

    async def _take_message(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params")
        if method is not None and message.get("id") is not None:
            key = id_key(message["id"])
            if key in self._pending or key in self._asked:
                self._send_agent(error(message["id"], INVALID_REQUEST, "A request with this id is under way"))
                return
            self._dropped.discard(key)
        if method == "tools/call":
            if "id" in message:
                await self._take_call(message)
            else:  # nobody could be told its result, and a server might carry it out all the same
                self._recorder.note(
                    f"The agent sent a tools/call without an id: {json.dumps(message)[:NOTED]}"
                )
            return
        if method == "notifications/cancelled" and isinstance(params, dict):
            pending = self._pending.get(id_key(params.get("requestId")))
            if pending is not None and not pending.answer.done():
                cancelled = CallFailed("The agent cancelled the call", died=False, code="cancelled")
                pending.answer.set_exception(cancelled)
        elif method is not None and message.get("id") is not None:
            self._asked[id_key(message["id"])] = message["id"]
        if method == "tools/list" and "id" in message:
            self._listing[id_key(message["id"])] = isinstance(params, dict) and bool(params.get("cursor"))
        await self._send_server(message)

    async def _take_call(self, message: Message) -> None:
        key, params = id_key(message["id"]), message.get("params")
        if message["id"] is None:
            self._send_agent(error(None, INVALID_REQUEST, "tools/call needs an id"))
            return
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            self._recorder.note(f"The agent sent a tools/call without a tool: {json.dumps(message)[:NOTED]}")
            self._send_agent(error(message["id"], INVALID_PARAMS, "tools/call needs the name of a tool"))
            return
        arguments = params.get("arguments") or {}
        if not isinstance(arguments, dict):
            self._send_agent(
                error(message["id"], INVALID_PARAMS, "The arguments of a tool are a JSON object")
            )
            return
        if not self._budget.take():
            self._send_answer(message, self._budget.refusal(self._recorder))
            return
        if not self._recorder.tools:
            await self._list_tools(params)
        pending = self._pending[key] = _Pending(asyncio.get_running_loop().create_future())
        task = asyncio.create_task(self._record_call(message, params["name"], arguments, pending))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        await asyncio.sleep(0)  # it starts now: calls reach recorder and server in the order they were made

    async def _record_call(self, message: Message, tool: str, arguments: Message, pending: _Pending) -> None:
        wire: Message = {}

        async def forward() -> Message:
            nonlocal wire
            await self._send_server(message)
            answer = await self._await_answer(message["id"], pending)
            if "error" in answer:
                refused = answer["error"] if isinstance(answer["error"], dict) else {}
                raise CallFailed(str(refused.get("message", "the server refused")), died=False, rpc=refused)
            if not isinstance(answer.get("result"), dict):
                what = "The server's answer holds no result that is an object"
                raise CallFailed(what, died=False, rpc={"code": SERVER_DIED, "message": what})
            wire = answer["result"]
            return wire

        try:
            _, delivered = await self._recorder.call(tool, arguments, forward)
        except CallFailed as failure:
            if failure.code == "timeout":
                self._send_answer(message, error_result(str(failure)))
            elif failure.code == "died":
                self._send_agent(error(message["id"], SERVER_DIED, str(failure)))
            elif failure.rpc is not None:
                self._send_agent({"jsonrpc": "2.0", "id": message["id"], "error": failure.rpc})
            return  # who cancels a request waits for no answer
        except NotRecorded as failure:
            self._send_agent(error(message["id"], SERVER_DIED, str(failure)))
            return
        # Written anew, so that the agent reads what the record holds: a line may name a key twice.
        self._send_agent({"jsonrpc": "2.0", "id": message["id"], "result": delivered})
        await drained(self._agent_out)

    async def _await_answer(self, id: Any, pending: _Pending) -> Message:
        """Wait for an answer, as long as a call may take; tell the server when nobody waits any more."""
        try:
            async with asyncio.timeout(self._call_s):
                return await pending.answer
        except TimeoutError:
            self._dropped.add(id_key(id))
            why = f"The call took longer than {self._call_s:g} s and was ended"
            cancel = {"method": "notifications/cancelled", "params": {"requestId": id, "reason": "timeout"}}
            with contextlib.suppress(OSError):
                await self._send_server({"jsonrpc": "2.0", **cancel})
            raise CallFailed(why, died=False, code="timeout") from None
        except CallFailed as failure:
            if failure.code == "cancelled":
                self._dropped.add(id_key(id))
            raise
        finally:
            self._pending.pop(id_key(id), None)

    async def _list_tools(self, params: Message) -> None:
        """Ask for tools/list ourselves where the agent calls without having asked: every record names its hash."""
        meta = params.get("_meta")
        kept = {key: value for key, value in meta.items() if key.startswith("io.modelcontextprotocol/")} if isinstance(
            meta, dict
        ) else {}  # fmt: skip
        tools: list[Message] = []
        cursor: dict[str, str] = {}
        try:
            async with asyncio.timeout(LIST_S):
                while True:
                    self._own += 1
                    id = f"labrig-{os.getpid()}-{self._own}"
                    asked: Message = {**cursor, **({"_meta": kept} if kept else {})}
                    pending = self._pending[id_key(id)] = _Pending(asyncio.get_running_loop().create_future())
                    await self._send_server(
                        {"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": asked}
                    )
                    result = (await self._await_answer(id, pending)).get("result") or {}
                    tools += [each for each in result.get("tools", ()) if isinstance(each, dict)]
                    if not result.get("nextCursor"):
                        break
                    cursor = {"cursor": str(result["nextCursor"])}
        except (CallFailed, TimeoutError):
            self._recorder.note("The server did not answer tools/list")
        else:
            self._recorder.learn(tools)

    # --------------------------------------------------------------------------------------------- from the server

    async def _read_server(self) -> None:
        assert self._server is not None
        async for line in lines(self._server.output, self._recorder.note, self._refuse_long):
            parts = messages(line)
            if len(parts) == 1 and parts[0] is not None and line.lstrip()[:1] != b"[":
                self._pass_message(parts[0], line)
            else:
                for message in parts:
                    if message is None:
                        self._recorder.note(f"The server sent a line that is not JSON-RPC: {line[:NOTED]!r}")
                        self._fail_answered(
                            line, "The server's answer is not JSON-RPC (NaN, Infinity, cut off, or no text)"
                        )
                    else:
                        self._pass_message(message, to_line(message).rstrip())
            await drained(self._agent_out)

    def _pass_message(self, message: Message, line: bytes) -> None:
        """Hand a message of the server on: to the call that waits for it, or to the agent as it is.

        An answer that nobody waits for is dropped: an agent might take it for that of a call, and no record has it.
        """
        if "method" in message and not {"result", "error"} & message.keys():
            self._agent_out.writelines((line, b"\n"))
            return
        key = id_key(message.get("id"))
        pending = self._pending.pop(key, None)
        if pending is not None:
            if not pending.answer.done():
                pending.answer.set_result(message)
        elif key in self._dropped:
            self._dropped.discard(key)
        elif key in self._asked:
            del self._asked[key]
            self._agent_out.writelines((self._learn_answer(message, key) or line, b"\n"))
        else:
            self._recorder.note(f"The server answered what was not asked, or a second time: {line[:NOTED]!r}")

    def _learn_answer(self, message: Message, key: str) -> bytes | None:
        """Take note of what tools/list, initialize and server/discover say; return another line where one is due."""
        result = message.get("result")
        if not isinstance(result, dict):
            return None
        meta = result.get("_meta")
        about = result.get("serverInfo") or (
            meta.get("io.modelcontextprotocol/serverInfo") if isinstance(meta, dict) else None
        )
        version = str(about.get("version", "")) if isinstance(about, dict) else ""
        if key in self._listing:
            goes_on = self._listing.pop(key)
            tools = [each for each in result.get("tools") or () if isinstance(each, dict)]
            self._tools = [*self._tools, *tools] if goes_on else tools
            if not result.get("nextCursor"):
                self._recorder.learn(self._tools, version)
            if self._recorder.rewrites:
                return to_line(
                    {**message, "result": {**result, "tools": self._recorder.offer(tools)}}
                ).rstrip()
        elif isinstance(about, dict):
            self._recorder.introduce(version, str(result.get("instructions") or ""))
        return None

    def _refuse_long(self, start: bytes) -> None:
        self._fail_answered(start, f"The result is longer than {LONGEST_LINE} bytes")

    def _fail_answered(self, line: bytes, what: str) -> None:
        """Fail the requests that a line which cannot be read may have answered: nobody else will."""
        for key in answered(line, (*self._pending, *self._asked)):
            pending = self._pending.get(key)
            if pending is None:
                self._send_agent(error(self._asked.pop(key), SERVER_DIED, what))
            elif not pending.answer.done():
                pending.answer.set_exception(
                    CallFailed(what, died=False, rpc={"code": SERVER_DIED, "message": what})
                )

    # ------------------------------------------------------------------------------------------------- writing out

    async def _send_server(self, message: Message) -> None:
        assert self._server is not None
        await self._server.send(to_line(message))

    def _send_answer(self, request: Message, result: Message) -> None:
        """Answer a request ourselves, in the form of its protocol era."""
        if is_modern(request.get("params")):
            result = {**result, "resultType": "complete"}
        self._send_agent({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _send_agent(self, message: Message) -> None:
        self._agent_out.write(to_line(message))
