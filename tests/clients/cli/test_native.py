"""`labrig run --native`: a program works with its own tools in the sample's folder, with the arm's or these alone."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.records.scoring import score_folder
from support.command import labrig

OWN = """
import os
from pathlib import Path

Path("final_answer.txt").write_text("B")
print("ANSWER: B, by own means, among", sorted(each.name for each in Path().iterdir()))
"""


def _run(out: Path, agent: Path, *flags: str) -> Any:
    words = ("run", "phreeqc-basics", "--limit", "1", "--agent", "command", "--out", str(out), *flags)
    return labrig(*words, "--", sys.executable, str(agent))


@pytest.mark.accept
def test_what_it_writes_by_itself_is_its_answer_and_the_arm_says_so(databases: Path, tmp_path: Path) -> None:
    agent, out = tmp_path / "own.py", tmp_path / "out"
    agent.write_text(OWN)
    assert _run(out, agent).returncode == 0
    assert _run(out, agent, "--native").returncode == 0
    assert _run(out, agent, "--native", "--arm", "direct").returncode == 0
    scored = score_folder(out)
    assert len(scored.records) == 3 and not scored.skipped and not scored.missing
    found = [json.loads(path.read_text()) for path in out.glob("*/*/epoch0/trajectory.json")]
    assert {each["arm"]: each["submission"] is not None for each in found} == {
        "agent-toc": False,  # its folder is not the sample's
        "agent-toc-native": True,
        "direct-native": True,
    }
    about = json.loads((out / "agent-toc-native.command" / "run.json").read_text())
    assert about["native"] is True and about["arm"] == "agent-toc-native"
    (gone,) = (out / "agent-toc-native.command").glob("*/epoch0")
    shutil.rmtree(gone)
    assert labrig("resume", str(out)).returncode == 0
    again = json.loads((gone / "trajectory.json").read_text())
    assert again["arm"] == "agent-toc-native" and again["submission"]["text"] == "B"


TOLD = """
import json

use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
result = {"type": "tool_result", "tool_use_id": "t1", "content": "waters.csv"}
events = [
    {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [use]}},
    {"type": "user", "message": {"role": "user", "content": [result]}},
    {"type": "assistant", "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "B"}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "B"},
]
for event in events:
    print(json.dumps({**event, "session_id": "s"}))
"""


@pytest.mark.parametrize("server", [False, pytest.param(True, marks=pytest.mark.accept)])
def test_what_its_own_tools_answered_is_in_the_record(server: bool, databases: Path, tmp_path: Path) -> None:
    """Also in an arm without a server, where such a call counted as one that no server had seen."""
    agent, out, asked = tmp_path / "told.py", tmp_path / "out", tmp_path / "asked.jsonl"
    agent.write_text(TOLD)
    asked.write_text(
        '{"id": "a", "question": "Which?", "kind": "choice", "options": ["x", "y"], "answer": "y"}\n'
    )
    suite = ("phreeqc-basics", "--limit", "1") if server else (str(asked), "--max-steps", "9")
    words = ("run", *suite, "--native", "--agent", "command", "--set", "log=claude-code", "--out", str(out))
    done = labrig(*words, "--", sys.executable, str(agent))
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*/*/epoch0/trajectory.json")
    (call,) = [call for step in json.loads(path.read_text())["steps"] for call in step["calls"]]
    assert (call["tool"], call["told"], call["is_error"], call["fault"]) == ("Bash", "waters.csv", False, "")
    shown = labrig("show", path.parts[-3], "--run", str(out)).stdout
    assert "a tool of the program's own" in shown and "waters.csv" in shown
    assert not score_folder(out).skipped


def test_an_agent_of_ours_has_no_tools_of_its_own(databases: Path, tmp_path: Path) -> None:
    done = labrig(
        "run",
        "phreeqc-basics",
        "--agent",
        "random",
        "--native",
        "--limit",
        "1",
        "--out",
        str(tmp_path / "out"),
    )
    assert done.returncode == 2 and "no tools of its own" in done.stderr
