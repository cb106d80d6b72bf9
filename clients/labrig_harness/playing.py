"""Playing a solution's calls, one after another; a call that waits is made until it has what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from labrig_harness.agent import ToolResult
from labrig_harness.suite import Call, Solution, Unsolvable


class Caller(Protocol):
    """What makes a call: a bench."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Make one call as a turn of its own."""
        ...


async def made(caller: Caller, call: Call, arguments: dict[str, Any]) -> str:
    """Make a call of a solution and return the text of its result: the last one, for a call that waits.

    Raises
    ------
    Unsolvable
        When a call that waits has not what it waits for after `Call.times`.
    """
    for number in range(call.times if call.until is not None else 1):
        if number and call.every_s:
            await asyncio.sleep(call.every_s)
        text = (await caller.call(call.tool, arguments)).text
        if call.until is None or call.until(text):
            return text
    raise Unsolvable(f"{call.tool} did not end in {call.times} calls")


async def played(caller: Caller, solution: Solution, results: list[str]) -> Sequence[str]:
    """Make the calls of a solution, each result text added to `results` as it comes."""
    for call in solution.calls:
        results.append(await made(caller, call, call.bind(results)))
    return results
