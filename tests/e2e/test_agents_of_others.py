"""The agents of ``docs/agents-of-others.md`` as they stand there, with a scripted service: calls, answers, turns.

None is a dependency of ours. Programs come from npm beside those of the other tests; the Python packages from a virtual
environment ``agents`` there. What is not installed is skipped.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command import labrig
from support.places import PROJECT
from support.scripted_model import Reply, Turn, scripted_model

pytestmark = pytest.mark.soak

CLIENTS = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
MODULES, PYTHON = CLIENTS / "node_modules", CLIENTS / "agents" / "bin" / "python"
PAGE = (PROJECT / "docs" / "agents-of-others.md").read_text()
BLOCK = re.compile(r"^```(?:python\n# file: (\S+)|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)

SERVER = """
from fastmcp import FastMCP

server = FastMCP("lab")


@server.tool
def axis(planet: str) -> float:
    "Semi-major axis of an orbit in au."
    return {"mars": 1.524}[planet.lower()]


@server.tool
def period(au: float) -> float:
    "Period of an orbit in years."
    return au**1.5


server.run(show_banner=False)
"""
ANSWER = "ANSWER: 1.881"
OURS = [("axis", 0, False), ("period", 1, False)]


def _calls(prefix: str = "", last: Turn = ANSWER) -> list[Turn]:
    return [(f"{prefix}axis", {"planet": "Mars"}), (f"{prefix}period", {"au": 1.524}), last]


def _of_npm(program: str, *words: str) -> list[str]:
    return ["--set", f"readable={MODULES}", "--", *words, str(MODULES / program)]


SHELL: list[Turn] = [
    ("bash", {"command": "echo 1.524 | awk '{print $1^1.5}' > y; cat y"}),
    Reply(ANSWER, (("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}),)),
]
AGENTS: dict[str, tuple[list[str], list[Turn], list[tuple[str, int, bool]], bool]] = {
    "langgraph_agent.py": (["--", str(PYTHON)], _calls(), OURS, False),
    "openai_agent.py": (["--", str(PYTHON)], _calls(), OURS, False),
    "smolagents_agent.py": (
        ["--", str(PYTHON)],
        _calls(last=("final_answer", {"answer": ANSWER})),
        OURS,
        False,
    ),
    "mini_agent.py": (
        ["--native", "--set", "log=mini-swe-agent", "--", str(PYTHON)],
        SHELL,
        [("bash", -1, False), ("bash", -1, False)],
        True,
    ),
    "qwen.sh": (
        ["--set", "log=claude-code", *_of_npm("@qwen-code/qwen-code/cli.js", "sh")],
        _calls("mcp__lab__"),
        OURS,
        True,
    ),
    "opencode_agent.py": (
        _of_npm("opencode-ai/bin/opencode.exe", sys.executable),
        _calls("lab_"),
        OURS,
        False,
    ),
}
"""By its file: how it is run, what its model says, the calls of the record, and whether its tokens are known."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_of_the_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags, script, calls, counted = AGENTS[name]
    begun = flags.index("--")
    command = [*flags[begun + 1 :]]
    if not Path(command[-1]).exists():
        pytest.skip(f"{command[-1]} is not installed")
    agent, server, asked = tmp_path / name, tmp_path / "lab.py", tmp_path / "asked.toml"
    agent.write_text(next(code for file, code in BLOCK.findall(PAGE) if (file or "qwen.sh") == name))
    server.write_text(SERVER)
    asked.write_text(
        f"server = {json.dumps([f'lab=-- {sys.executable} {server}'])}\n"
        '[[question]]\nid = "mars"\nquestion = "How many years does Mars take?"\n'
        'kind = "number"\nanswer = 1.881\ntolerance = "1%"\n'
    )
    command.insert(1, str(agent))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789-of-these-tests")
    monkeypatch.setenv("MODEL", "scripted")
    # smolagents tells its model of calls and results in words
    with scripted_model(script, by="requests" if name.startswith("smol") else "results") as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        done = labrig(
            *("run", str(asked), "--agent", "command", "--set", "env=OPENAI_API_KEY,OPENAI_BASE_URL,MODEL"),
            *("--out", str(tmp_path / "out"), "--fail-below", "1", *flags[:begun], "--", *command),
        )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "out").glob("*/mars/epoch0/trajectory.json")
    record: dict[str, Any] = json.loads(path.read_text())
    made = [
        (call["tool"], call["record"], call["is_error"]) for step in record["steps"] for call in step["calls"]
    ]
    assert made == calls and record["end"] == "answered"
    said = [step for step in record["steps"] if step["source"] == "agent"]
    assert all(step["tokens"]["measured"] == counted for step in said)
