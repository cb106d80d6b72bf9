"""Ours, server-everything from npm and a FastMCP script in one run: recorded, replayed when all are gone, scored.

By our loop and by the real Claude Code, whose model is scripted on 127.0.0.1. Tests skip where npm did not install
what they need (``.ci/run`` does it).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from labrig.calls import CallLog
from labrig_harness.registry.servers import Target
from support.command import labrig
from support.real_clients import binary
from support.scripted_model import Turn, scripted_model

NOTES = """
from pathlib import Path
from fastmcp import FastMCP

server = FastMCP("notes", version="0.3")

@server.tool
def echo(message: str) -> str:
    return f"noted: {message}"

@server.tool
def read_file(path: str) -> str:
    return Path(path).read_text()

server.run("stdio", show_banner=False, log_level="ERROR")
"""
QUESTION = """
[[question]]
question = "Which pH has the water of water.txt?"
kind = "number"
answer = 8.27
tolerance = 0.02
files = ["water.txt"]
calls = [
    {tool = "execute_phreeqc"},
    {tool = "read_file", arguments = {path = "water.txt"}},
    {tool = "echo", at_least = 2},
    {tool = "get-sum", arguments = {a = 2, b = 3}},
]
"""
WATER = "SOLUTION 1\n pH 7 charge\n Na 1\n C(4) 1\nEND\n"


def script(agent: str) -> list[Turn]:
    """Return what the model says: of two tools of one name, the loop leaves the first as it is."""
    return [
        ("notes__read_file", {"path": "water.txt"}),
        ("execute_phreeqc", {"input": WATER}),
        ("get-sum", {"a": 2, "b": 3}),
        ("echo" if agent == "loop" else "everything__echo", {"message": "8.27"}),
        ("notes__echo", {"message": "8.27"}),
        "ANSWER: 8.27",
    ]


MADE = [
    ("notes", "read_file"), ("phreeqc", "execute_phreeqc"), ("everything", "get-sum"), ("everything", "echo"),
    ("notes", "echo"),
]  # fmt: skip
KEY = "sk-0123456789-of-these-tests"
AGENTS = {
    "loop": ("openai-compatible:scripted", "OPENAI_COMPATIBLE_API_KEY", "/v1"),
    "claude-code": ("scripted-model", "ANTHROPIC_API_KEY", ""),
}


@pytest.fixture
def servers(tmp_path: Path) -> list[str]:
    """Return the words that name the three, the foreign ones in a folder that can be removed."""
    everything = binary("@modelcontextprotocol/server-everything", "mcp-server-everything")
    gone = tmp_path / "gone"
    gone.mkdir()
    (gone / "everything").symlink_to(everything)
    (gone / "notes.py").write_text(NOTES)
    foreign = {
        "everything": [str(gone / "everything"), "stdio"],
        "notes": [sys.executable, str(gone / "notes.py")],
    }
    words = ["phreeqc", *(f"{name}=-- {shlex.join(argv)}" for name, argv in foreign.items())]
    return [flag for word in words for flag in ("--server", word)]


@pytest.mark.accept
@pytest.mark.parametrize("agent", list(AGENTS))
def test_three_servers_are_recorded_and_replayed_when_all_are_gone(
    agent: str,
    servers: list[str],
    databases: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, key, base = AGENTS[agent]
    if agent == "claude-code":
        program = Path(binary("@anthropic-ai/claude-code", "claude"))
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(key, KEY)
    asked = tmp_path / "questions.toml"
    asked.write_text(QUESTION)
    (tmp_path / "water.txt").write_text(WATER)

    def run(out: str, calls: str) -> dict[str, Any]:
        with scripted_model(script(agent)) as scripted:
            done = labrig(
                *("run", str(asked), *servers, "--agent", agent, "--model", model),
                *("--set", f"base_url={scripted.url}{base}", "--out", str(tmp_path / out)),
                *("--calls", calls, "--store", str(tmp_path / "store"), "--fail-below", "1"),
            )
        assert done.returncode == 0, done.stdout + done.stderr
        (record,) = (tmp_path / out).glob("*/q1/epoch0/trajectory.json")
        read: dict[str, Any] = json.loads(record.read_text())
        assert [(each.server, each.tool) for each in CallLog(record.parent)] == MADE
        assert not any(call["is_error"] for step in read["steps"] for call in step["calls"])
        return read

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a server was started")

    made = run("made", "record")
    assert {"phreeqc", "everything", "notes"} <= set(made["versions"])
    shutil.rmtree(tmp_path / "gone")
    monkeypatch.setattr(Target, "start", refuse)
    again = run("again", "replay")
    results = [[call["result"] for step in each["steps"] for call in step["calls"]] for each in (made, again)]
    assert results[0] == results[1] and len(results[0]) == len(MADE)
