"""The tools of a running server as an agent gets them, every call recorded as `labrig.call/1`."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from labrig import __version__
from labrig.answer import META_KEY
from labrig.calls import CallLog, CallRecord, tools_hash
from labrig.toolbox import ServeOptions
from labrig_harness.agent import ServerError, StepLimit, ToolResult
from labrig_harness.servers import Target
from labrig_harness.trajectory import Step, ToolCall


class RecordedTools:
    """`labrig_harness.agent.Tools` over real MCP, with a call log and a step budget.

    The server is started at the first use, so an agent that needs no tool costs none.

    Parameters
    ----------
    folder
        Where ``calls.jsonl`` and ``blobs/`` go.
    max_steps
        Calls beyond it raise `StepLimit`.
    """

    def __init__(self, target: Target, options: ServeOptions, folder: Path, *, max_steps: int) -> None:
        self._target = target
        self._options = options
        self._log = CallLog(folder)
        self._max_steps = max_steps
        self._client: Any = None
        self._open = AsyncExitStack()
        self._starting = asyncio.Lock()
        self._tools: list[dict[str, Any]] = []
        self._tools_hash = ""
        self._count = 0
        self.versions: dict[str, str] = {"labrig": __version__}
        self.steps: list[Step] = []

    async def __aenter__(self) -> RecordedTools:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def _connected(self) -> Any:
        async with self._starting:
            if self._client is None:
                from fastmcp import Client

                client = Client(self._target.transport(self._options))
                try:
                    await self._open.enter_async_context(client)
                    tools = await client.list_tools()
                except Exception as error:
                    raise ServerError(f"{self._target.name} did not start: {_innermost(error)}") from error
                self._client = client
                self._tools = [
                    each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools
                ]
                self._tools_hash = tools_hash(self._tools)
                about = client.server_info if hasattr(client, "server_info") else None
                if about is not None:
                    self.versions[self._target.name] = str(about.version)
        return self._client

    async def list(self) -> list[dict[str, Any]]:
        """Return tools/list in wire form."""
        await self._connected()
        return self._tools

    async def call(self, tool: str, arguments: dict[str, Any], *, says: str = "") -> ToolResult:
        """Call a tool as one step.

        Raises
        ------
        StepLimit
            When the budget is used up; the call is then not made.
        ServerError
            When the server died; the call is recorded without a result.
        """
        if len(self.steps) >= self._max_steps:
            raise StepLimit(f"{self._max_steps} steps")
        client = await self._connected()
        started, clock = datetime.now(UTC), time.monotonic()
        wire: dict[str, Any] | None = None
        failure: dict[str, Any] | None = None
        try:
            result = await client.call_tool_mcp(tool, arguments)
            wire = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            failure = ((wire.get("_meta") or {}).get(META_KEY) or {}).get("error")
        except Exception as error:
            failure = {"code": "protocol", "what": _innermost(error)}
        duration = round(time.monotonic() - clock, 4)
        record = self._log.append(
            server=self._target.name,
            tool=tool,
            arguments=arguments,
            result=wire,
            error=failure,
            tools_hash=self._tools_hash,
            versions=self.versions,
            meta={"started": started.isoformat(timespec="milliseconds"), "round_trip_s": duration},
        )
        self._add_step(record, says, duration)
        if wire is None:
            raise ServerError(f"{tool}: {(failure or {}).get('what')}")
        texts = [each.get("text", f"[{each['type']}]") for each in wire.get("content", [])]
        return ToolResult("\n".join(texts), bool(wire.get("isError")), wire.get("structuredContent"))

    def _add_step(self, record: CallRecord, says: str, duration: float) -> None:
        call = ToolCall(
            record.tool,
            record.arguments,
            self._count,
            record.is_error,
            record.result,
            record.result_bytes,
            {"duration_s": duration},
        )
        self.steps.append(Step(len(self.steps), says, (call,)))
        self._count += 1


def _innermost(error: BaseException) -> str:
    """Return the first cause inside exception groups, as text."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
