"""The agent that guesses: its accuracy is the guess rate of a suite."""

from __future__ import annotations

import random

from labrig_harness.agent import Tools
from labrig_harness.task import Brief


class RandomChoice:
    """Commits a choice drawn by seed and item id, without looking anything up."""

    name = "random"

    def __init__(self, seed: str) -> None:
        self._seed = seed

    async def run(self, brief: Brief, tools: Tools) -> None:
        """Write a random letter to the answer file."""
        draw = random.Random(f"{self._seed}/{brief.id}")
        guess = draw.choice(brief.choices) if brief.choices else "0"
        await tools.call("write_file", {"path": brief.answer_file, "content": guess})
