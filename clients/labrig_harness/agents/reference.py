"""The agent that plays a task's reference solution: a suite whose reference is not right is broken."""

from __future__ import annotations

from collections.abc import Callable

from labrig_harness.agent import Tools
from labrig_harness.suite import Solution, Unsolvable
from labrig_harness.task import Brief


class Reference:
    """Makes the solution's calls and commits the answer that their results give."""

    name = "reference"

    def __init__(self, solve: Callable[[Brief], Solution]) -> None:
        self._solve = solve

    async def run(self, brief: Brief, tools: Tools) -> None:
        """Play the solution; without an answer, stop without committing one."""
        solution = self._solve(brief)
        results: list[str] = []
        try:
            for call in solution.calls:
                results.append((await tools.call(call.tool, call.bind(results))).text)
            answer = solution.answer(results)
        except Unsolvable:
            return
        await tools.call("write_file", {"path": brief.answer_file, "content": answer})
