"""Traces scored through ``labrig serve-tasks`` by the real verifiers, in NeMo Gym's form: rewards are equal.

verifiers is no dependency of ours: it is looked for in the virtual environment ``$LABRIG_TEST_VERIFIERS``, or
``verifiers`` beside the agent programs of the other tests (``.ci/run`` makes it; Python 3.12 or later).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.records.scoring import score_folder
from labrig_harness.trajectory import Trajectory
from support.command import labrig
from support.solvable import write_solvable

pytestmark = pytest.mark.accept

ARMS = {"phreeqc-mcq": "agent-toc", "science-gym": "agent-reading"}
AGENTS = ("reference", "noisy-reference", "random", "nop")
COUNT = 4

ASK = """
import asyncio, json, sys
from verifiers.v1.configs.agent import AgentConfig
from verifiers.v1.graph import MessageNode
from verifiers.v1.tasksets.nemo_gym.taskset import NeMoGymConfig, NeMoGymTaskset
from verifiers.v1.tasksets.nemo_gym.toolset import NeMoGymState
from verifiers.v1.trace import AgentInfo, Trace, TraceTask
from verifiers.v1.types import AssistantMessage, UserMessage

rows, url, plays = sys.argv[1], sys.argv[2], json.load(sys.stdin)
taskset = NeMoGymTaskset(NeMoGymConfig(id="nemo_gym", dataset=rows, task={"resources_url": url}))

async def score(task, calls, said):
    about = TraceTask(type="NeMoGymTask", data=task.data)
    trace = Trace(task=about, agent=AgentInfo(config=AgentConfig()), state=NeMoGymState())
    await task.setup(trace, None)
    for tool, arguments in calls:
        assert tool in trace.state.direct_tools, tool
        answer = await trace.state.post(tool, arguments)
        assert answer.status_code in (200, 400), answer.text
    asked = MessageNode(message=UserMessage(content=str(task.data.prompt)))
    trace.nodes = [asked, MessageNode(parent=0, message=AssistantMessage(content=said), sampled=True)]
    return [await task.nemo_gym(trace), trace.metrics["compat"]]

async def main():
    tasks = {task.data.row["verifier_metadata"]["sample"]: task for task in taskset.load()}
    print(json.dumps([await score(tasks[sample], calls, said) for sample, calls, said in plays]))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def verifiers() -> Path:
    """Return the Python of verifiers."""
    cache = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    found = Path(os.environ.get("LABRIG_TEST_VERIFIERS", cache / "verifiers")) / "bin" / "python"
    if not found.exists():
        pytest.skip("verifiers is not installed; LABRIG_TEST_VERIFIERS names its virtual environment")
    return found


def _read_plays(out: Path) -> tuple[list[Any], list[list[float]]]:
    """Return the calls and last message of each record that was scored, and its scores."""
    plays, scores = [], []
    for score in score_folder(out).scores:
        (path,) = out.glob(f"*.{score.agent}/{score.task}/epoch{score.epoch}/trajectory.json")
        run = Trajectory.from_dict(json.loads(path.read_text()))
        said = next((step.text for step in reversed(run.turns) if step.text.strip()), "")
        plays.append([score.task, [[call.tool, call.arguments] for call in run.calls], said])
        scores.append([score.strict, score.compat])
    return plays, scores


@pytest.mark.parametrize("suite", ARMS)
def test_rewards_are_the_scores_of_our_own_runs(
    suite: str, verifiers: Path, databases: Path, private_home: Path, tmp_path: Path
) -> None:
    chosen = write_solvable(suite, ARMS[suite], COUNT, tmp_path / "ids")
    choice = (suite, "--arm", ARMS[suite], "--items", chosen)
    for agent in AGENTS:
        done = labrig("run", *choice, "--agent", agent, "--out", str(tmp_path / "out"))
        assert "Traceback" not in done.stderr, done.stderr
    plays, scores = _read_plays(tmp_path / "out")
    rows = tmp_path / "rows.jsonl"
    assert labrig("export-tasks", *choice, "--format", "nemo-gym", "--out", str(rows)).returncode == 0
    assert "truth" not in rows.read_text()
    command = [sys.executable, "-m", "labrig_cli", "serve-tasks", *choice]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            asked = subprocess.run(
                [verifiers, "-c", ASK, rows, url],
                input=json.dumps(plays),
                capture_output=True,
                text=True,
                timeout=240,
            )
        finally:
            server.terminate()
    assert asked.returncode == 0, asked.stderr[-3000:]
    assert json.loads(asked.stdout.splitlines()[-1]) == scores
    assert len(plays) >= 12 and [0.0, 0.0] in scores and [1.0, 1.0] in scores
