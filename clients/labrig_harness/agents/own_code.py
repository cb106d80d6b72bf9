"""What agents that are our own code have in common, and how an answer is committed in any channel."""

from __future__ import annotations

from labrig.errors import LabrigError
from labrig_harness.agent import Bench
from labrig_harness.arm import Arm


class OwnCode:
    """An agent that runs in this process and is trusted."""

    confinement = "in_process"
    needs_tools = True

    def accept(self, arm: Arm) -> None:
        """Refuse an arm without tools, where the agent calls some."""
        if self.needs_tools and not arm.server and not arm.toolless:
            raise LabrigError(
                f"The arm {arm.name} has no tools, and this agent calls some",
                where="--arm",
                try_="--agent direct or cot, or an arm with a server",
                code="refused",
            )


async def commit(bench: Bench, answer: str) -> None:
    """Commit an answer through the arm's channel."""
    channel = bench.arm.channel
    if channel.is_file:
        await bench.call("write_file", {"path": channel.path, "content": answer})
    elif channel.kind == "final_json":
        bench.turn(f"<final_json>{answer}</final_json>")
    elif channel.kind == "answer":
        bench.turn(f"ANSWER: {answer}")
    else:
        bench.turn(answer)
