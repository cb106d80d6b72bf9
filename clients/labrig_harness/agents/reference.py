"""The agent that plays a task's reference solution: a suite whose reference is not right is broken."""

from __future__ import annotations

from collections.abc import Callable

from labrig_harness.agent import Bench
from labrig_harness.agents.own_code import OwnCode, commit
from labrig_harness.playing import played
from labrig_harness.sample import SampleInput
from labrig_harness.suite import Solution, Unsolvable


class Reference(OwnCode):
    """Makes the solution's calls and commits the answer that their results give."""

    def __init__(self, solve: Callable[[SampleInput], Solution]) -> None:
        self._solve = solve

    async def run(self, bench: Bench) -> None:
        """Play the solution; without an answer, stop without committing one."""
        solution = self._solve(bench.brief)
        results: list[str] = []
        try:
            answer = solution.answer(await played(bench, solution, results))
        except Unsolvable:
            return
        await commit(bench, answer)
