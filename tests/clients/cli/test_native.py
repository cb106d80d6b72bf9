"""`labrig run --native`: a program works with its own tools in the sample's folder, with the arm's or these alone."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

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
