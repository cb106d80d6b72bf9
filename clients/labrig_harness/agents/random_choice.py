"""The agent that guesses: its accuracy is the guess rate of a suite."""

from __future__ import annotations

import random

from labrig_harness.agent import Bench
from labrig_harness.agents.own_code import OwnCode, commit


class RandomChoice(OwnCode):
    """Commits a choice drawn by seed and item id, without looking anything up."""

    needs_tools = False

    def __init__(self, seed: str) -> None:
        self._seed = seed

    async def run(self, bench: Bench) -> None:
        """Commit a random letter."""
        brief = bench.brief
        draw = random.Random(f"{self._seed}/{brief.id}")
        await commit(bench, draw.choice(brief.choices) if brief.choices else "0")
