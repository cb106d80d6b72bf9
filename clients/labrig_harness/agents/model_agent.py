"""What the agents with a model have in common: the checks at the start, a reply as a turn, the price of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec, Bench, Turn
from labrig_harness.agents.own_code import OwnCode
from labrig_harness.arm import Arm
from labrig_harness.endings import Refused
from labrig_harness.models import prices, service
from labrig_harness.trajectory import Tokens

if TYPE_CHECKING:
    from pydantic_ai.models import Model


class ModelAgent(OwnCode):
    """An agent that asks a model.

    Parameters
    ----------
    model
        One of the library's own in place of a service: see `labrig_harness.models.service.connect`.
    """

    def __init__(self, spec: AgentSpec, model: Model | None = None) -> None:
        self.spec = spec
        self._model = model
        self._prices = prices.load(Path(spec.prices)) if spec.prices else None

    def accept(self, arm: Arm) -> None:
        """Refuse an arm, a model, a setting or a price table with which no item could be run."""
        super().accept(arm)
        if arm.max_cost is not None and self._prices is None:
            raise LabrigError("A cost limit needs a price table", where="--max-cost", try_="--prices FILE")
        if self._prices is not None:
            self._prices.price(self.spec.model)
        if self._model is None:
            service.check(self.spec, tools=self.needs_tools)

    def record(self, bench: Bench, reply: service.Reply, spent: Tokens) -> tuple[Turn, Tokens]:
        """Record a reply as a turn, and what the run cost so far; return the turn and the tokens so far.

        Raises
        ------
        Refused
            When the model declined.
        """
        turn = bench.turn(
            reply.text,
            reasoning=reply.reasoning,
            tokens=reply.tokens,
            faults=reply.faults,
            model=reply.version,
            meta=reply.meta,
        )
        spent = spent + reply.tokens
        if self._prices is not None:
            bench.charge(prices.cost_of(spent, self.spec.model, self._prices))
        if reply.refused:
            raise Refused(reply.refused)
        return turn, spent
