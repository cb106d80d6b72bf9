"""The agent that does nothing: whatever scores above zero with it is a defect of the scorer."""

from __future__ import annotations

from labrig_harness.agent import Bench
from labrig_harness.agents.own_code import OwnCode


class Nop(OwnCode):
    """Stops at once."""

    needs_tools = False

    async def run(self, bench: Bench) -> None:
        """Do nothing."""
