"""An MCP server whose calls go through a recorder: over a store (replay), a server reached by URL, or one that is kept.

Built on mcp's low-level server, so that it speaks every protocol era; its tools/list is the recorded one.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from labrig_harness.recording.recorder import CallFailed, NotRecorded, Recorder
from labrig_harness.recording.wire import NOTED, SERVER_DIED, drained, error_result, lines, messages
from labrig_harness.registry.servers import Target

if TYPE_CHECKING:
    from labrig_harness.recording.budget import Budget

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


async def serve_recorded(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    target: Target,
    recorder: Recorder,
    *,
    call_s: float | None,
    budget: Budget,
) -> None:
    """Serve one connection: from the recorder's store, or from a target that outlives it.

    Over the latter only tools are passed on: no resources, no prompts, no requests of the server to the client.
    """
    async with _reach_target(target, recorder, call_s) as forward:
        server = recorded_server(target.name, recorder, forward, budget)
        to_server, from_agent = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_agent, from_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def read() -> None:
            async with to_server:
                async for line in lines(reader, recorder.note):
                    for message in messages(line):
                        if message is None:
                            recorder.note(f"The agent sent a line that is not JSON-RPC: {line[:NOTED]!r}")
                            continue
                        with contextlib.suppress(anyio.BrokenResourceError, ValueError):
                            parsed = types.jsonrpc_message_adapter.validate_python(message, by_name=False)
                            await to_server.send(SessionMessage(parsed))

        async def write() -> None:
            async for answer in from_server:
                text = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.writelines((text.encode(), b"\n"))
                await drained(writer)

        async with anyio.create_task_group() as samples:
            samples.start_soon(write)
            samples.start_soon(read)
            async with to_agent:
                await server.run(from_agent, to_agent, server.create_initialization_options())
            samples.cancel_scope.cancel()


def recorded_server(name: str, recorder: Recorder, forward: Call, budget: Budget) -> Server[Any]:
    """Return a server with the recorder's tools, whose calls go through the recorder."""

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(tool) for tool in recorder.offer(recorder.tools)]
        )

    async def call_tool(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        if not budget.take():
            return types.CallToolResult.model_validate(budget.refusal(recorder))
        try:
            _, wire = await recorder.call(params.name, arguments, lambda: forward(params.name, arguments))
        except CallFailed as failure:
            if failure.code == "timeout":
                return types.CallToolResult.model_validate(error_result(str(failure)))
            rpc = failure.rpc or {}
            raise MCPError(rpc.get("code", SERVER_DIED), str(failure), rpc.get("data")) from failure
        except NotRecorded as failure:
            raise MCPError(SERVER_DIED, str(failure)) from failure
        return types.CallToolResult.model_validate(wire)

    return Server(
        name,
        version=recorder.versions.get(name, ""),
        instructions=recorder.instructions or None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


@asynccontextmanager
async def _reach_target(target: Target, recorder: Recorder, call_s: float | None) -> AsyncIterator[Call]:
    """Yield what makes a call at the target; over a store nothing is reached."""
    if recorder.replays:

        async def none(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            raise CallFailed("A replayed call has no server", died=True)

        yield none
        return
    from labrig.toolbox import ServeOptions
    from labrig_harness.recording.client import ServerClient

    async with ServerClient(target, ServeOptions(), recorder, call_s) as client:
        yield client.call
