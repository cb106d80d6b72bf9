"""What our own loop costs per step, beside the model and the tool call: an echo tool over stdio, a model in process.

One run gives all three times: of the loop, of the model's function, and of the calls as they were recorded (from
before a call is sent until its result is there). The rest is ours and the model library's: requests put together,
replies read, turns recorded, arguments checked.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from labrig_harness.agent import AgentSpec
from labrig_harness.agents.loop import Loop
from labrig_harness.registry.servers import Target
from labrig_harness.run.bench import WorkBench
from labrig_harness.sample import SampleInput
from labrig_harness.suite import Arm

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models.function import AgentInfo

ROUNDS = 5
MOST_MS = 5.0
TEXT = "0123456789abcdef" * 64
ECHO = """
from fastmcp import FastMCP
server = FastMCP("echo")
@server.tool
async def echo(text: str) -> str:
    return text
server.run("stdio", show_banner=False, log_level="ERROR")
"""


class EchoBench(WorkBench):
    """A bench whose server is the echo server."""

    def target(self, server: str) -> Target:
        """Return the echo server, started by a command."""
        return Target(name=server, argv=(sys.executable, "-c", ECHO))


async def overhead_ms(steps: int, folder: Path) -> float:
    """Return milliseconds per step that are neither the model's nor the tool's."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import RequestUsage

    in_model = 0.0

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal in_model
        clock = time.perf_counter()
        done = (len(messages) - 1) // 2
        part = ToolCallPart("echo", {"text": TEXT}) if done < steps - 1 else TextPart("Done.")
        # Counts as a service gives them: without, the library would count the words of the whole conversation.
        response = ModelResponse([part], usage=RequestUsage(input_tokens=1, output_tokens=1))
        in_model += time.perf_counter() - clock
        return response

    arm = Arm("echo", server="echo", max_steps=steps, wall_s=600)
    agent = Loop(AgentSpec("loop", "openai:echo"), model=FunctionModel(answer))
    async with EchoBench(SampleInput("echo", "Echo."), arm, folder, folder) as bench:
        await bench.tools()  # the server's start is not part of a step
        clock = time.perf_counter()
        await agent.run(bench)
        whole = time.perf_counter() - clock
        in_tools: float = sum(record.meta["round_trip_s"] for record in bench.recorder.course.records)
        assert len(bench.steps) == steps + 1, "the prompt and the turns"
    return (whole - in_model - in_tools) / steps * 1000


def main() -> None:
    """Print medians for a run of usual length and for a long one."""
    print(f"own loop, a step beside model and tool, median of {ROUNDS} runs")
    for steps in (24, 200):
        found = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                found.append(asyncio.run(overhead_ms(steps, Path(folder))))
        print(f"  {steps} steps: {statistics.median(found):.2f} ms   (at most {MOST_MS:g})")


if __name__ == "__main__":
    main()
