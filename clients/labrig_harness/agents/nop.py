"""The agent that does nothing: whatever scores above zero with it is a defect of the scorer."""

from __future__ import annotations

from labrig_harness.agent import Tools
from labrig_harness.task import Brief


class Nop:
    """Stops at once."""

    name = "nop"

    async def run(self, brief: Brief, tools: Tools) -> None:
        """Do nothing."""
