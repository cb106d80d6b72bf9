"""Our own client of a server: starts or reaches it, tells the recorder what it is, and makes calls.

Every way a call can go without a result is a `CallFailed` that says whether the server is still there.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any

from labrig.isolation.warm import tail
from labrig.redaction import redact
from labrig.toolbox import ServeOptions
from labrig_harness.recording.recorder import CallFailed, Recorder
from labrig_harness.recording.wire import printable
from labrig_harness.registry.servers import Target

ALIVE_S = 5.0
"""Seconds in which a server must list its tools to count as alive after a call went wrong."""


class ServerClient:
    """An open connection to a target.

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
        self._open = AsyncExitStack()
        self._client: Any = None

    async def __aenter__(self) -> ServerClient:
        from fastmcp import Client

        # In a run, a URL is another's: what it is sent is named by its headers.
        own = self._target.url and self._target.cwd is None
        token = os.environ.get("LABRIG_TOKEN", "") if own else ""
        transport: Any = self._target.transport(self._options, token)
        self._errors = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the client
        if hasattr(transport, "log_file"):  # that of a child process
            transport.log_file = self._errors
        client: Any = Client(transport)
        try:
            await self._open.enter_async_context(client)
            tools = await client.list_tools()
        except Exception as error:
            what = self._add_last_words(f"{self._target.name} did not start: {innermost(error)}")
            await self._open.aclose()
            self._recorder.failure = self._recorder.failure or what
            raise CallFailed(what, died=True) from error
        about = getattr(client, "server_info", None)
        self._client = client
        self._recorder.learn(
            [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools],
            str(about.version) if about is not None else "",
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Make one call and return its result in wire form."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(self._call_s):
                result = await self._client.call_tool_mcp(tool, arguments)
        except TimeoutError:
            what = f"The call took longer than {self._call_s:g} s and was ended"
            raise CallFailed(what, died=False, code="timeout") from None
        except MCPError as error:
            rpc = error.error.model_dump(mode="json", exclude_none=True)
            died = error.code == CONNECTION_CLOSED
            what = self._add_last_words(error.message) if died else error.message
            raise CallFailed(what, died=died, rpc=rpc) from error
        except Exception as error:  # a connection that broke, or a result of another shape than MCP's
            what = innermost(error).splitlines()[0]
            raise CallFailed(what, died=not await self._is_alive()) from error
        wire: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return wire

    def _add_last_words(self, what: str) -> str:
        """Return what went wrong and the last line that the server wrote to its standard error."""
        last = tail(self._errors).rpartition("\n")[2].strip()
        return redact(f"{what}: {printable(last)[:300]}") if last else what

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
