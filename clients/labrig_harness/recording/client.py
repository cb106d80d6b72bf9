"""Our own client of a server: starts or reaches it, tells the recorder what it is, and makes calls.

Every way a call can go without a result is a `CallFailed` that says whether the server is still there. A server that a
run keeps (`labrig_harness.registry.servers.Target.kept`) goes from record to record: one of them has it at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from labrig.isolation.warm import tail
from labrig.redaction import redact
from labrig.toolbox import ServeOptions
from labrig_harness.recording.recorder import CallFailed, Recorder
from labrig_harness.recording.wire import printable
from labrig_harness.registry.servers import Target

START_S = 180.0
"""Seconds in which a server must start and list its tools; npx and uvx may fetch it first."""

ALIVE_S = 5.0
"""Seconds in which a server must list its tools to count as alive after a call went wrong."""


class KeptServers:
    """The connections of a run that no record has at the moment, by the name of their server."""

    def __init__(self) -> None:
        self._idle: defaultdict[str, list[Connection]] = defaultdict(list)

    def take(self, target: Target) -> Connection | None:
        """Return a connection to a server, which nobody else has then; None where there is none."""
        idle = self._idle[target.name]
        return idle.pop() if idle else None

    def give(self, connection: Connection) -> None:
        """Take back a connection for the next record."""
        self._idle[connection.target.name].append(connection)

    async def close(self) -> None:
        """End all that were given back."""
        for connection in [each for idle in self._idle.values() for each in idle]:
            await connection.close()


KEPT: ContextVar[KeptServers | None] = ContextVar("labrig_kept", default=None)


@asynccontextmanager
async def kept_servers() -> AsyncIterator[None]:
    """Keep servers from record to record, in this task and what it starts, where their targets say so."""
    kept = KeptServers()
    token = KEPT.set(kept)
    try:
        yield
    finally:
        KEPT.reset(token)
        await kept.close()


class Connection:
    """A server that was started or reached, and what it said of itself; it belongs to no record.

    A task of its own holds it, since a client must be closed by the task that opened it, and a server that is kept goes
    from task to task. The client is that of the MCP SDK: FastMCP's takes twice the time to import.

    Attributes
    ----------
    client
        The MCP client, open.
    unanswered
        Calls that were not answered, or not yet: a connection that may be at work on one is not used again.
    """

    def __init__(self, target: Target, options: ServeOptions) -> None:
        self.target = target
        self.client: Any = None
        self.unanswered = 0
        self._options = options
        self._ended = asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._open = ExitStack()
        self._errors = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the client

    async def open(self) -> None:
        """Start or reach the server."""
        opened = asyncio.get_running_loop().create_future()
        self._holder = asyncio.create_task(self._hold(opened))
        await asyncio.wait({opened, self._holder}, return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            self._holder.result()

    async def _hold(self, opened: asyncio.Future[None]) -> None:
        from mcp.client.client import Client

        # In a run, a URL is another's: what it is sent is named by its headers.
        own = self.target.url and self.target.cwd is None
        token = os.environ.get("LABRIG_TOKEN", "") if own else ""
        target = self.target
        if target.kept:  # the folder of a record would be gone when the next one comes
            folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="labrig-kept-"))
            target = replace(target, cwd=Path(folder))
        streams = target.streams(self._options, token, self._errors)
        async with Client(streams, cache=None) as client:
            self.client = client
            opened.set_result(None)
            await self._ended.wait()

    async def close(self) -> None:
        """End the connection, and the process that was started for it."""
        self._ended.set()
        if self._holder is not None:
            if self.client is None:
                self._holder.cancel()
            await asyncio.wait({self._holder})
        self._open.close()

    async def list_tools(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen:
            seen.add(cursor)
            page = await self.client.list_tools(cursor=cursor)
            found += [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in page.tools]
            if (cursor := page.next_cursor) is None:
                break
        return found

    @property
    def version(self) -> str:
        """Of the server, as it says; empty where it does not."""
        about = self.client.server_info
        return str(about.version) if about is not None else ""

    def add_last_words(self, what: str) -> str:
        """Return what went wrong and the last line that the server wrote to its standard error."""
        last = tail(self._errors).rpartition("\n")[2].strip()
        return redact(f"{what}: {printable(last)[:300]}") if last else what


class ServerClient:
    """A record's way to a server, over a connection of its own or over one that is kept.

    Raises
    ------
    CallFailed
        On entering, when the server cannot be started or reached; `recorder.failure` says so as well.
    """

    def __init__(
        self, target: Target, options: ServeOptions, recorder: Recorder, call_s: float | None
    ) -> None:
        self._target = target
        self._options = options
        self._recorder = recorder
        self._call_s = call_s
        self._kept = KEPT.get() if target.kept else None

    async def __aenter__(self) -> ServerClient:
        if self._kept is not None:
            while connection := self._kept.take(self._target):
                with contextlib.suppress(Exception):  # it died since
                    self._adopt(connection, await connection.list_tools())
                    return self
                await connection.close()
        connection = Connection(self._target, self._options)
        try:
            async with asyncio.timeout(START_S):
                await connection.open()
                tools = await connection.list_tools()
        except BaseException as error:
            why = f"no answer within {START_S:g} s" if isinstance(error, TimeoutError) else innermost(error)
            what = connection.add_last_words(f"{self._target.name} did not start: {why}")
            await connection.close()
            if not isinstance(error, Exception):
                raise
            self._recorder.failure = self._recorder.failure or what
            raise CallFailed(what, died=True) from error
        self._adopt(connection, tools)
        return self

    def _adopt(self, connection: Connection, tools: list[dict[str, Any]]) -> None:
        self._connection, self._client = connection, connection.client
        self._recorder.learn(tools, connection.version)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kept is not None and not self._connection.unanswered:
            self._kept.give(self._connection)
        else:
            await self._connection.close()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Make one call and return its result in wire form."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        self._connection.unanswered += 1
        try:
            async with asyncio.timeout(self._call_s):
                result = await self._client.call_tool(tool, arguments)
        except TimeoutError:
            what = f"The call took longer than {self._call_s:g} s and was ended"
            raise CallFailed(what, died=False, code="timeout") from None
        except MCPError as error:
            rpc = error.error.model_dump(mode="json", exclude_none=True)
            died = error.code == CONNECTION_CLOSED
            self._connection.unanswered -= not died
            what = self._connection.add_last_words(error.message) if died else error.message
            raise CallFailed(what, died=died, rpc=rpc) from error
        except Exception as error:  # a connection that broke, or a result of another shape than MCP's
            what = innermost(error).splitlines()[0]
            raise CallFailed(what, died=not await self._is_alive()) from error
        self._connection.unanswered -= 1
        wire: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return wire

    async def _is_alive(self) -> bool:
        """Return whether the server still answers."""
        try:
            async with asyncio.timeout(ALIVE_S):
                await self._client.list_tools()
        except Exception:
            return False
        return True


def innermost(error: BaseException) -> str:
    """Return the first cause inside exception groups, as text."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
