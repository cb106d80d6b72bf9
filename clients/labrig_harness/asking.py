"""A server in this process that is asked from plain code: for generators, whose truths are what the tools say.

    with asking("atlas", ServeOptions(toolsets=("paper",))) as ask:
        text = ask("maps_geocode", {"address": "Ulm"})

Calls go through MCP in memory, so that a result is what an agent is given, to the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.registry import servers

AskText = Callable[[str, Mapping[str, Any]], str]


@contextmanager
def asking(server: str, options: ServeOptions) -> Iterator[AskText]:
    """Serve in memory; yield a function that calls a tool and returns the text of its result.

    The function waits for the result and may be called from one thread at a time. It raises a LabrigError for a result
    that is an error, with its text.
    """
    from anyio.from_thread import start_blocking_portal
    from fastmcp import Client
    from fastmcp.client.transports import FastMCPTransport

    from labrig.serving.builder import build

    client = Client(FastMCPTransport(build(servers.toolbox(server), options)))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):

        async def call(tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
            result = await client.call_tool_mcp(tool, dict(arguments))
            return bool(result.is_error), "\n".join(
                each.text for each in result.content if each.type == "text"
            )

        def ask(tool: str, arguments: Mapping[str, Any]) -> str:
            failed: bool
            text: str
            failed, text = portal.call(call, tool, arguments)
            if failed:
                raise LabrigError(text, where=tool, code="engine")
            return text

        yield ask
