"""Agents, one readable file each.

=================== =====================================================================
reference           plays a task's reference solution over real MCP
nop                 does nothing: the floor
random              commits a random choice without a tool: the guess rate
noisy-reference     the reference with seeded faults: makes reports that are worth reading
=================== =====================================================================
"""

from __future__ import annotations

from collections.abc import Callable

from labrig.errors import unknown_name
from labrig_harness.agent import Agent
from labrig_harness.agents.noisy_reference import NoisyReference
from labrig_harness.agents.nop import Nop
from labrig_harness.agents.random_choice import RandomChoice
from labrig_harness.agents.reference import Reference
from labrig_harness.suite import Solution
from labrig_harness.task import Brief

Solve = Callable[[Brief], Solution]
"""Looks the reference solution of an item up; only agents that play solutions are given it."""

NAMES = ("reference", "nop", "random", "noisy-reference")


def make(name: str, *, seed: int, epoch: int = 0, solve: Solve) -> Agent:
    """Return an agent by name; what it draws at random depends on seed, epoch and item alone.

    Raises
    ------
    LabrigError
        For a name that is not in `NAMES`.
    """
    if name == "reference":
        return Reference(solve)
    if name == "nop":
        return Nop()
    if name == "random":
        return RandomChoice(f"{seed}/{epoch}")
    if name == "noisy-reference":
        return NoisyReference(solve, f"{seed}/{epoch}")
    raise unknown_name("agent", name, NAMES, where="--agent")
