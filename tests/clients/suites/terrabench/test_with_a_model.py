"""A model that plays a script in our loop walks an item, through the command; its run replays without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labrig_suites.terrabench import items
from support.command import labrig
from support.scripted_model import Reply, Turn, scripted_model

pytestmark = pytest.mark.accept


def test_a_model_walks_an_item_and_the_run_replays_without_a_server(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = items.generate("7", 1)[0]
    said = json.dumps([{**row, "abs_tol": 0} for row in sample.truth["fields"]])
    script: list[Turn] = [(call["tool"], call["arguments"]) for call in sample.truth["paths"][0]]
    script.append(Reply(f"These are the numbers. <final_json>{said}</final_json>"))
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    store = tmp_path / "calls"
    for calls in ("record", "replay"):
        out = tmp_path / calls
        with scripted_model(script) as service:
            done = labrig(
                *("run", "terrabench", "--agent", "loop", "--model", "openai-chat:gpt-4.1"),
                *("--set", f"base_url={service.url}/v1", "--limit", "1", "--seed", "7"),
                *("--calls", calls, "--store", str(store), "--out", str(out)),
            )
        assert done.returncode == 0, done.stdout + done.stderr
        (line,) = (out / "scores.jsonl").read_text().splitlines()
        score = json.loads(line)
        assert score["facts"]["metrics"]["ToolUseScore"] == score["strict"] == 1, calls
    assert len(list((tmp_path / "record").rglob("trajectory.json"))) == 1
