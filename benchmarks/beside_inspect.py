"""What a sample costs here and in Inspect: one server, one call, a model that answers at once, in one run.

One server is a FastMCP script. It is started for each sample, by both, and here also kept from sample to sample
(``--server-kept``). The other is ours, which Inspect starts for each sample and a run of ours forks from a warm one. A
short run and a longer one differ by samples alone: their difference is a sample's cost without the start of the run,
which is measured to the first request to the model. User and system time are those of the runner and of all that it
started.

Inspect is no dependency of ours: ``.ci/run`` installs it and ``mcp``, which it needs, into an environment of the tests.
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

MOST_KEPT, MOST_OWN = 0.3, 0.12
"""Of what a sample takes in Inspect, wall and processor: a foreign server that is kept, and one of ours."""

CALLS = {"echo": {"text": "7"}, "write_file": {"path": "seven.txt", "content": "7"}}

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
        import json, os
        from first import first_request
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
        from pydantic_ai.models.function import FunctionModel
        from pydantic_ai.usage import RequestUsage

        async def answer(messages, info):
            first_request()
            part = ToolCallPart(*json.loads(os.environ["CALL"])) if len(messages) < 2 else TextPart("ANSWER: 7")
            return ModelResponse([part], usage=RequestUsage(input_tokens=11, output_tokens=7))

        super().__init__(spec, model=FunctionModel(answer))
"""

TASK = """
import json, os, sys
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
        said = ModelOutput.for_tool_call("mockllm/model", *json.loads(os.environ["CALL"]))
    said.usage = ModelUsage(input_tokens=11, output_tokens=7, total_tokens=18)
    return said

server = mcp_server_stdio(name="server", command=command, args=args)
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


def measure(argv: list[str], folder: Path, tool: str) -> tuple[float, float, float]:
    """Return the wall and processor seconds of a command that must end well, and the wall to its first request."""
    call = json.dumps([tool, CALLS[tool]])
    first = folder / "first-request"
    first.unlink(missing_ok=True)
    began, clock = time.perf_counter(), time.time()
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "FIRST_REQUEST": str(first), "CALL": call},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, argv
    taken = time.perf_counter() - began
    return taken, used.ru_utime + used.ru_stime, float(first.read_text()) - clock


def run_here(count: int, folder: Path, tool: str, *flags: str) -> tuple[float, float, float]:
    """Measure a run of so many questions by ``labrig run``; each record has its call and is right."""
    with tempfile.TemporaryDirectory() as out:
        words = ["run", f"{count}.jsonl", "--agent", "instant", "--model", "openai-compatible:instant"]
        words += ["--jobs", "2", "--fail-below", "1", "--out", out, *flags]
        found = measure([sys.executable, "-m", "labrig_cli", *words], folder, tool)
        calls = sum(len(path.read_text().splitlines()) for path in Path(out).glob("*/*/epoch0/calls.jsonl"))
        assert calls == count, "every record has its call"
    return found


def main() -> None:
    """Print what a sample and a run cost, and the ratios."""
    if not [*INSPECT.parents[1].glob("lib/python3*/site-packages/mcp")]:
        print(f"Inspect and mcp are not installed in {INSPECT.parents[1]} (.ci/run does it)")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        few, many = SAMPLES
        script = [sys.executable, "server.py"]
        ours = [sys.executable, "-m", "labrig_cli", "serve", "phreeqc", "--workspace", "work"]
        foreign = ("--server", f"echo=-- {shlex.join(script)}")
        ways: dict[str, tuple[str, Callable[[int, str], tuple[float, float, float]]]] = {
            "Inspect": ("echo", lambda count, tool: in_inspect(count, folder, tool, script)),
            "here, a server each": ("echo", lambda count, tool: run_here(count, folder, tool, *foreign)),
            "here, kept": (
                "echo",
                lambda count, tool: run_here(count, folder, tool, *foreign, "--server-kept", "echo"),
            ),
            "Inspect, ours": ("write_file", lambda count, tool: in_inspect(count, folder, tool, ours)),
            "here, ours": (
                "write_file",
                lambda count, tool: run_here(count, folder, tool, "--server", "phreeqc"),
            ),
        }
        found: dict[str, list[float]] = {}
        whole: dict[str, list[float]] = {}
        for way, (tool, run) in ways.items():
            run(few, tool)  # bytecode, and files in memory
            short, long = run(few, tool), run(many, tool)
            each = [(b - a) / (many - few) for a, b in zip(short[:2], long[:2], strict=True)]
            found[way], whole[way] = each, list(long[:2])
            print(
                f"  {way:20} a sample {each[0]:.3f} s of wall, {each[1]:.3f} s of processor; "
                f"the run of {many}: {long[0]:.1f} s, {long[1]:.1f} s; "
                f"to its first request {min(short[2], long[2]):.1f} s (here at most {MOST_START_S:g})",
                flush=True,
            )
    for what, here, there, most in (
        ("kept", "here, kept", "Inspect", MOST_KEPT),
        ("ours", "here, ours", "Inspect, ours", MOST_OWN),
    ):
        print(f"  {what} / Inspect, wall and processor, a sample (at most {most:g}) and the run of {many}:")
        for costs in (found, whole):
            wall, cpu = (a / b for a, b in zip(costs[here], costs[there], strict=True))
            print(f"    {wall:.3f}, {cpu:.3f}")


def in_inspect(count: int, folder: Path, tool: str, server: list[str]) -> tuple[float, float, float]:
    """Measure the same by Inspect."""
    return measure([str(INSPECT), "task.py", str(count), *server], folder, tool)


if __name__ == "__main__":
    main()
