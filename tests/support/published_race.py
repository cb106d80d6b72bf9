"""What the authors of the race publish, small: a clone of the release, a log of the adapter, a trial of Harbor."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from labrig_suites.amazing_race import fixtures, simulated
from labrig_suites.amazing_race.legs import leg_of


def a_leg(name: str) -> dict[str, Any]:
    """The fixture's leg as it would be published: without a number and a golden trace; it joins no branches."""
    leg = copy.deepcopy(dict(fixtures.sample().truth["leg"]))
    leg["metadata"] = {"sample_id": name}
    leg["stops"][4]["bridge"]["tool_chain"][-1]["output_key"] = "total"
    return {key: value for key, value in leg.items() if key not in ("number", "golden")}


def clone_at(top: Path) -> Path:
    """A clone: a leg of one name in both variants, neither of which joins branches, and JSON that is no leg.

    The riddles of the two differ, as those of the release do.
    """
    for variant in ("linear", "dag"):
        folder = top / "data" / f"aar-{variant}" / "easy"
        folder.mkdir(parents=True)
        leg = a_leg("sample_001")
        if variant == "dag":
            leg["riddle"] = leg["riddle"].replace("1.", "1. First:", 1)
        (folder / "sample_001.json").write_text(json.dumps(leg))
    (top / "adapter").mkdir()
    (top / "adapter" / "metadata.json").write_text('[{"adapter_name": "AAR"}]')
    return top


def write_log(folder: Path, sample: Any, answer: str | None) -> None:
    """What ``tools.py`` of the published adapter writes of a perfect run."""
    folder.mkdir(parents=True)
    lines = [
        {
            "tool": call.tool,
            "args": call.arguments,
            "success": True,
            "result_preview": "412",
            "result_len": 3,
            "ts": at,
        }
        for at, call in enumerate(simulated.perfect(leg_of(sample)))
    ]
    (folder / "tool_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if answer is not None:
        (folder / "answer.txt").write_text(answer)


def write_trial(job: Path, number: int, sample: Any, said: str, commands: list[str]) -> None:
    """A trial of Harbor, whose task is called as the published adapter calls it: without the variant."""
    trial = job / f"easy-sample_001__{number}"
    for folder in ("agent", "verifier"):
        (trial / folder).mkdir(parents=True)
    task = sample.id.partition("-")[2]
    result = {"task_name": task, "trial_name": trial.name, "verifier_result": {"rewards": {"reward": 1.0}}}
    (trial / "result.json").write_text(json.dumps(result))
    (trial / "verifier" / "reward.json").write_text(json.dumps({"reward": 1.0, "agent_answer": said}))
    steps: list[dict[str, Any]] = [
        {"step_id": 1, "source": "user", "message": f"# Race\n{leg_of(sample).riddle}"}
    ]
    for at, command in enumerate(commands, 2):
        call = {"tool_call_id": f"c{at}", "function_name": "Bash", "arguments": {"command": command}}
        seen = {"source_call_id": f"c{at}", "content": "Error: no key" if "maps_" in command else "# Page"}
        steps.append(
            {
                "step_id": at,
                "source": "agent",
                "message": "",
                "tool_calls": [call],
                "observation": {"results": [seen]},
            }
        )
    agent = {"name": "claude-code", "version": "1"}
    document = {"schema_version": "ATIF-v1.5", "session_id": trial.name, "agent": agent, "steps": steps}
    (trial / "agent" / "trajectory.json").write_text(json.dumps(document))
