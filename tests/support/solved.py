"""Solutions of samples played over MCP: a sample's files served, the results of a solution's calls, its answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastmcp import Client

from labrig.serving.builder import build
from labrig_harness import blobs
from labrig_harness.registry import servers
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Solution, Unsolvable


@asynccontextmanager
async def served(sample: Sample, arm: Arm, workspace: Path) -> AsyncIterator[Client[Any]]:
    """Serve the files of a sample."""
    workspace.mkdir(exist_ok=True)
    blobs.place(sample.brief.files, workspace)
    server = build(servers.toolbox(arm.server), replace(arm.serve, workspace=workspace))
    async with Client(server) as client:
        yield client


async def results_of(
    client: Client[Any], solution: Solution, change: Callable[[str], str] = str, at: int = -1
) -> list[str]:
    """Return the results of a solution's calls, that of call `at` changed."""
    results: list[str] = []
    for number, call in enumerate(solution.calls):
        wire = await client.call_tool_mcp(call.tool, call.bind(results))
        text = "\n".join(part.text for part in wire.content)
        results.append(change(text) if number == at else text)
    return results


async def answer_of(
    client: Client[Any], solution: Solution, change: Callable[[str], str] = str, at: int = -1
) -> str:
    """Return what a solution answers, the result of call `at` changed, or why it does not."""
    try:
        return solution.answer(await results_of(client, solution, change, at))
    except Unsolvable as error:
        return f"unsolvable: {error}"


def other_digits(text: str) -> str:
    """Return a text with every digit changed."""
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)
