"""Our own agent: ask the model, make its calls, feed the results back, until it stops calling.

A model's mistake is a recorded turn that it is told about. One that says nothing of use is told so once; if it does
so twice in a row, it has stopped.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from labrig_harness.agent import Bench, ToolResult, Turn
from labrig_harness.agents.model_agent import ModelAgent
from labrig_harness.models import service
from labrig_harness.models.messages import (
    as_history,
    as_utf8,
    content,
    definition,
    read_arguments,
    sendable_name,
    written,
)
from labrig_harness.trajectory import Fault, Tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ToolReturnPart

TOLD: dict[Fault, str] = {
    "empty_reply": "You said nothing and called no tool. Go on with the task, or give your answer.",
    "cut_off": "Your reply was cut off at the output limit. Go on, in fewer words.",
    "not_json": "Your tool call was not made: its arguments were no JSON object. Call the tool again.",
}
"""What a model is told after a turn that cannot be its last."""

CUT_CALL = "The call was not made: your reply was cut off at the output limit. Call again, with less in it."


class Loop(ModelAgent):
    """A loop of model and tools (ReAct: Yao et al. 2023, arXiv:2210.03629)."""

    async def run(self, bench: Bench) -> None:
        """Work until the model stops calling tools."""
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        deadline = time.monotonic() + bench.arm.wall_s
        tools = [definition(each) for each in await bench.tools()]
        conversation: list[ModelMessage] = [ModelRequest([UserPromptPart(bench.prompt)])]
        spent, was_told = Tokens(measured=True), False
        bench.versions.update(service.versions())
        async with service.connect(self.spec, self._model) as model:
            while True:
                bench.check_budget()
                reply = await model.ask(conversation, tools, seconds=deadline - time.monotonic())
                told = TOLD[reply.faults[0]] if reply.faults and not reply.calls and not was_told else ""
                turn, spent = self.record(bench, reply, spent)
                if reply.text.strip() or reply.calls:
                    conversation.append(as_history(reply.response))
                if reply.calls:
                    results = [
                        await self._make_call(turn, call, _is_cut(reply, call)) for call in reply.calls
                    ]
                    conversation.append(ModelRequest(results))
                elif told:
                    bench.tell(told)
                    conversation.append(ModelRequest([UserPromptPart(told)]))
                else:
                    return
                was_told = bool(told)

    async def _make_call(self, turn: Turn, call: service.Call, cut: bool) -> ToolReturnPart:
        """Make one call; what the model is told of it goes back under the call's id."""
        from pydantic_ai.messages import ToolReturnPart

        arguments, problem = read_arguments(call.raw)
        if cut or arguments is None:
            told = (
                CUT_CALL if cut else f"The call was not made: its arguments are no JSON object ({problem})."
            )
            raw = call.raw if isinstance(call.raw, str) else written(call.raw)
            turn.miscall(call.tool, as_utf8(raw), "cut_off" if cut else "not_json", told, id=call.id)
            result = ToolResult(told, is_error=True)
        else:
            result = await turn.call(call.tool, arguments, id=call.id)
        shown = content(result, images=service.takes_images(self.spec))
        return ToolReturnPart(
            sendable_name(call.tool), shown, call.id, outcome="failed" if result.is_error else "success"
        )


def _is_cut(reply: service.Reply, call: service.Call) -> bool:
    """Return whether a call may be cut short: the last one of a reply that ended at the output limit."""
    return "cut_off" in reply.faults and call is reply.calls[-1]
