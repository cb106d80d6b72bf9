"""The limits of a sample: which one of its arm is reached, for our own agents and for programs alike.

Turns, tokens and cost; the tool calls that a program may make are counted in `recording.budget`.
"""

from __future__ import annotations

from labrig_harness.arm import Arm
from labrig_harness.endings import CostLimit, Ending, StepLimit, TokenLimit
from labrig_harness.trajectory import Cost


def reached(arm: Arm, *, turns: int, tokens: int, cost: Cost | None) -> Ending | None:
    """Return the first limit that forbids another turn, if one does.

    Parameters
    ----------
    turns
        Turns that the agent has made; 0 where they are counted by someone else.
    tokens
        Input and output tokens used.
    cost
        Cost so far; None where nobody knows it, which no limit on cost can hold.
    """
    if turns >= arm.max_steps:
        return StepLimit(f"{arm.max_steps} steps")
    if arm.max_tokens is not None and tokens >= arm.max_tokens:
        return TokenLimit(f"{tokens} of {arm.max_tokens} tokens")
    if arm.max_cost is not None and cost is not None and cost.amount >= arm.max_cost:
        return CostLimit(f"{cost.amount:.4g} of {arm.max_cost:g} {cost.currency}")
    return None
