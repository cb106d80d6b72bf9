"""How a run ends: the reasons that records hold, and the exceptions that stand for them.

An agent ends by returning, or by raising one of these; the runner writes the reason down, and the reader of a program's
log finds the exception again.
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

EndReason = Literal[
    "answered",  # the agent stopped by itself, with a submission
    "no_answer",  # it stopped by itself, without one
    "step_limit",  # the arm's turns were used up
    "wall_limit",  # the arm's time was used up
    "token_limit",  # the arm's tokens were used up, or the model's context was full
    "cost_limit",  # the arm's cost budget was used up
    "model_error",  # the model's service failed
    "agent_error",  # the agent program failed
    "server_error",  # a tool server died or could not be started
    "refused",  # the model declined
]
END_REASONS: tuple[str, ...] = get_args(EndReason)

OUTSIDE = frozenset({"model_error", "server_error"})
"""Ends for reasons outside the agent: such a record is no answer, and `labrig resume` makes it again."""


class Ending(Exception):
    """A run that ends otherwise than by the agent's return; the exception's text is the record's detail."""

    reason: ClassVar[EndReason]


class StepLimit(Ending):
    """The arm's step budget is used up."""

    reason = "step_limit"


class TokenLimit(Ending):
    """The arm's token budget is used up."""

    reason = "token_limit"


class CostLimit(Ending):
    """The arm's cost budget is used up."""

    reason = "cost_limit"


class Refused(Ending):
    """The model declined to answer."""

    reason = "refused"


class ServerError(Ending):
    """A tool server died or could not be started: no fault of the agent."""

    reason = "server_error"


class ModelError(Ending):
    """The model's service failed for reasons outside the agent."""

    reason = "model_error"


class RateLimited(ModelError):
    """The model's service asks to wait; the runner tries again after `seconds` (None: as it sees fit)."""

    def __init__(self, what: str, seconds: float | None = None) -> None:
        super().__init__(what)
        self.seconds = seconds


class AgentFailed(Exception):
    """The agent program failed: it could not be started, crashed, or wrote too much.

    No `Ending`: like any other exception of an agent it becomes ``agent_error``, with its name in the detail.
    """


BY_REASON: dict[EndReason, type[Exception]] = {
    **{each.reason: each for each in (StepLimit, TokenLimit, CostLimit, Refused, ServerError, ModelError)},
    "agent_error": AgentFailed,
}
"""What is raised where a log says that a run ended so."""
