"""The reference with seeded faults, so that reports show what real agents do wrong.

Faults are drawn from the seed and the item id, so a run can be repeated. Half of the items are played
without a fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from labrig_harness.agent import Bench
from labrig_harness.agents.own_code import OwnCode, commit
from labrig_harness.playing import made
from labrig_harness.sample import SampleInput
from labrig_harness.suite import Call, Solution, Unsolvable

FAULTS = ("skip_call", "swap_calls", "wrong_call", "wrong_answer", "no_commit")


class NoisyReference(OwnCode):
    """Plays the solution with one fault in about half of the items."""

    def __init__(self, solve: Callable[[SampleInput], Solution], seed: str) -> None:
        self._solve = solve
        self._seed = seed

    async def run(self, bench: Bench) -> None:
        """Play the solution with the item's fault; commit what comes of it."""
        brief = bench.brief
        draw = random.Random(f"{self._seed}/{brief.id}")
        fault = draw.choice(FAULTS) if draw.random() < 0.5 else ""
        solution = self._solve(brief)
        calls = _add_fault(list(solution.calls), fault, draw)
        results: list[str] = []
        try:
            for call in calls:
                results.append(await made(bench, call, _bind_arguments(call, results)))
            answer = solution.answer(results)
        except (Unsolvable, IndexError):
            # Like an agent that lost the thread: it commits a guess rather than nothing.
            answer = draw.choice(brief.choices or ("0",))
        if fault == "wrong_answer":
            answer = draw.choice([each for each in brief.choices if each != answer] or ["?"])
        if fault != "no_commit":
            await commit(bench, answer)


def _bind_arguments(call: Call, results: Sequence[str]) -> dict[str, Any]:
    try:
        return call.bind(results)
    except Unsolvable:
        return {"path": "result.out"}


def _add_fault(calls: list[Call], fault: str, draw: random.Random) -> list[Call]:
    where = draw.randrange(len(calls))
    if fault == "skip_call":
        del calls[where]
    elif fault == "swap_calls" and len(calls) > 1:
        where = draw.randrange(len(calls) - 1)
        calls[where], calls[where + 1] = calls[where + 1], calls[where]
    elif fault == "wrong_call":
        calls.insert(where, Call("read_file", {"path": "no_such_file.out"}))
    return calls
