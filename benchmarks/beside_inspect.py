"""What a sample costs here and in Inspect: one foreign server, one call, a model that answers at once, in one run.

The server is a FastMCP script. It is started for each sample, by both, and here also kept from sample to sample
(``--server-kept``). A short run and a longer one differ by samples alone: their difference is a sample's cost without
the start of the run, which is measured to the first request to the model. User and system time are those of the runner
and of all that it started.

Inspect is no dependency of ours: ``.ci/run`` installs it into an environment of the tests, where it needs ``mcp``, too.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SAMPLES = 2, 12
"""Of the short run and the longer one; two at a time."""

MOST_KEPT = 0.3

MOST_START_S = 4.0
"""From the start of ``labrig run`` to its first request to the model, the start of the server included."""

CLIENTS = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
INSPECT = CLIENTS / "inspect" / "bin" / "python"

SERVER = """
from fastmcp import FastMCP

server = FastMCP("echo")

@server.tool
async def echo(text: str) -> str:
    "Repeat a text"
    return text

server.run("stdio", show_banner=False, log_level="ERROR")
"""

AGENT = """
from labrig_harness.agents.loop import Loop

class Instant(Loop):
    def __init__(self, spec, seed):
        from first import first_request
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
        from pydantic_ai.models.function import FunctionModel
        from pydantic_ai.usage import RequestUsage

        async def answer(messages, info):
            first_request()
            part = ToolCallPart("echo", {"text": "7"}) if len(messages) < 2 else TextPart("ANSWER: 7")
            return ModelResponse([part], usage=RequestUsage(input_tokens=11, output_tokens=7))

        super().__init__(spec, model=FunctionModel(answer))
"""

TASK = """
import sys
from first import first_request
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import mcp_server_stdio, mcp_tools

count, command, *args = sys.argv[1:]

def answer(messages, tools, tool_choice, config):
    first_request()
    if any(each.role == "tool" for each in messages):
        said = ModelOutput.from_content("mockllm/model", "ANSWER: 7")
    else:
        said = ModelOutput.for_tool_call("mockllm/model", "echo", {"text": "7"})
    said.usage = ModelUsage(input_tokens=11, output_tokens=7, total_tokens=18)
    return said

server = mcp_server_stdio(name="echo", command=command, args=args)
asked = Task(
    dataset=[Sample(input="How many?", target="7", id=str(number)) for number in range(int(count))],
    solver=[use_tools(mcp_tools(server)), generate()],
    scorer=includes(),
)
model = get_model("mockllm/model", custom_outputs=answer)
(log,) = eval(asked, model=model, max_samples=2, display="none", log_dir="logs")
assert log.status == "success"
assert sum(message.role == "tool" for sample in log.samples for message in sample.messages) == int(count)
"""


FIRST = """
import os, time

def first_request():
    if not os.path.exists(os.environ["FIRST_REQUEST"]):
        with open(os.environ["FIRST_REQUEST"], "w") as file:
            file.write(str(time.time()))
"""


def prepare(folder: Path) -> None:
    """Write the server, the agent as an installed package, the task and the questions."""
    about = folder / "instant_agent-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: instant-agent\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[labrig.agents]\ninstant = instant_agent:Instant\n")
    for name, text in {
        "instant_agent.py": AGENT,
        "server.py": SERVER,
        "task.py": TASK,
        "first.py": FIRST,
    }.items():
        (folder / name).write_text(text)
    question = {"question": "How many?", "kind": "number", "answer": 7, "tolerance": 0}
    for count in SAMPLES:
        lines = (json.dumps({"id": str(number), **question}) + "\n" for number in range(count))
        (folder / f"{count}.jsonl").write_text("".join(lines))


def measure(argv: list[str], folder: Path) -> tuple[float, float, float]:
    """Return the wall and processor seconds of a command that must end well, and the wall to its first request."""
    first = folder / "first-request"
    first.unlink(missing_ok=True)
    began, clock = time.perf_counter(), time.time()
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "FIRST_REQUEST": str(first)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, argv
    taken = time.perf_counter() - began
    return taken, used.ru_utime + used.ru_stime, float(first.read_text()) - clock


def run_here(count: int, folder: Path, *flags: str) -> tuple[float, float, float]:
    """Measure a run of so many questions by ``labrig run``; each record has its call and is right."""
    with tempfile.TemporaryDirectory() as out:
        server = f"echo=-- {shlex.join([sys.executable, 'server.py'])}"
        words = ["run", f"{count}.jsonl", "--agent", "instant", "--model", "openai-compatible:instant"]
        words += ["--server", server, "--jobs", "2", "--fail-below", "1", "--out", out, *flags]
        found = measure([sys.executable, "-m", "labrig_cli", *words], folder)
        calls = sum(len(path.read_text().splitlines()) for path in Path(out).glob("*/*/epoch0/calls.jsonl"))
        assert calls == count, "every record has its call"
    return found


def main() -> None:
    """Print what a sample and a run cost, and the ratios."""
    if not INSPECT.is_file():
        print(f"Inspect is not installed in {CLIENTS} (.ci/run does it); `pip install mcp` beside it")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        few, many = SAMPLES
        server = [sys.executable, str(folder / "server.py")]
        ways: dict[str, Callable[[int], tuple[float, float, float]]] = {
            "Inspect": lambda count: measure([str(INSPECT), "task.py", str(count), *server], folder),
            "here, a server each": lambda count: run_here(count, folder),
            "here, kept": lambda count: run_here(count, folder, "--server-kept", "echo"),
        }
        found: dict[str, list[float]] = {}
        whole: dict[str, list[float]] = {}
        for way, run in ways.items():
            run(few)  # bytecode, and files in memory
            short, long = run(few), run(many)
            each = [(b - a) / (many - few) for a, b in zip(short[:2], long[:2], strict=True)]
            found[way], whole[way] = each, list(long[:2])
            print(
                f"  {way:20} a sample {each[0]:.2f} s of wall, {each[1]:.2f} s of processor; "
                f"the run of {many}: {long[0]:.1f} s, {long[1]:.1f} s; "
                f"to its first request {min(short[2], long[2]):.1f} s (here at most {MOST_START_S:g})",
                flush=True,
            )
    print(f"  kept / Inspect, wall and processor, a sample (at most {MOST_KEPT:g}) and the run of {many}:")
    for costs in (found, whole):
        wall, cpu = (
            ours / theirs for ours, theirs in zip(costs["here, kept"], costs["Inspect"], strict=True)
        )
        print(f"    {wall:.3f}, {cpu:.3f}")


if __name__ == "__main__":
    main()
