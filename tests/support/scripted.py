"""Scripted agents that answer a question by many tools over MCP: live, replayed, and with a result changed."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from fastmcp import Client

from support.played import played

Change = Callable[[dict[str, Any]], None]
LEAST_STEPS = 20


class Steps:
    """The calls of an agent, counted; a change is made to the result of a tool on its way to the agent."""

    def __init__(self, client: Client[Any], changes: Mapping[str, Change] | None = None) -> None:
        self.count = 0
        self._client, self._changes = client, changes or {}

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found = await self._client.call_tool(tool, arguments, raise_on_error=False)
        text = found.content[0].text
        assert not found.is_error, f"{tool}: {text}"
        self.count += 1
        payload: dict[str, Any] = found.structured_content or json.loads(text)
        if tool in self._changes:
            self._changes[tool](payload)
        return payload


async def told(
    folder: Path, agent: Callable[[Steps], Awaitable[Any]], toolsets: str, change: Mapping[str, Change]
) -> tuple[Any, Any]:
    """Return what an agent answers live and replayed, which must be the same, and what it answers of a changed result.

    Parameters
    ----------
    folder
        Its ``work`` is the workspace.
    change
        By tool: changes a payload on its way to the agent.
    """

    async def honest(client: Client[Any]) -> Any:
        step = Steps(client)
        answer = await agent(step)
        assert step.count >= LEAST_STEPS, step.count
        return answer

    async def deceived(client: Client[Any]) -> Any:
        return await agent(Steps(client, change))

    live = await played(folder, "record", honest, toolsets)
    assert await played(folder, "replay", honest, toolsets) == live, "no server was there"
    return live, await played(folder, "replay", deceived, toolsets)
