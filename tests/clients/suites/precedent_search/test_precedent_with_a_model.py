"""A model that plays a script: in our loop over the papers server with its corpus, and alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig.former_names import FORMER
from labrig_harness.records.scoring import score_folder
from labrig_suites.precedent_search import suite
from labrig_suites.precedent_search.arms import FILE
from labrig_suites.precedent_search.fixtures import said
from support.command import labrig
from support.scripted_model import Reply, Turn, scripted_model

pytestmark = pytest.mark.accept


def ran(arguments: list[str], script: list[Turn], out: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run five materials by the command, and return their scores."""
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    with scripted_model(script) as service:
        model = [
            "--model",
            "openai-chat:gpt-4.1",
            "--set",
            f"base_url={service.url}/v1",
            "--set",
            "effort=low",
        ]
        done = labrig("run", suite.name, "--limit", "5", "--jobs", "1", *arguments, *model, "--out", str(out))
        assert done.returncode == 0, done.stderr
        assert any('"low"' in json.dumps(request) for request in service.requests), "effort is sent"
    return [record.score for record in score_folder(out).records]


def test_a_model_searches_writes_and_is_scored(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script: list[Turn] = [
        ("search_literature", {"query": "superconductivity"}),
        ("open_paper", {"path": "papers/001.pdf"}),
        ("write_file", {"path": FILE, "content": said("Unknown")}),
        Reply("Done."),
    ]
    scores = ran(["--agent", "loop"], script, tmp_path / "out", monkeypatch)
    assert len(scores) == 5
    for score in scores:
        assert (score.facts["said"], score.facts["calls"], score.facts["end"]) == ("Unknown", 3, "answered")
        assert score.facts["tools"] == {"open_paper": 1, "search_literature": 1, "write_file": 1}
        assert score.strict == score.compat == (score.facts["truth"] == "Unknown")


def test_a_record_with_former_names_of_tools_scores_as_before(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As runs before version 0.2 left it: the names of that time in the trajectory and in the log of calls."""
    script: list[Turn] = [
        ("outline_paper", {"path": "papers/001.pdf"}),
        ("search_paper", {"path": "papers/001.pdf", "query": "superconductivity"}),
        ("write_file", {"path": FILE, "content": said("Unknown")}),
        Reply("Done."),
    ]
    out = tmp_path / "out"
    today = ran(["--agent", "loop"], script, out, monkeypatch)
    changed = 0
    for record in [*out.rglob("trajectory.json"), *out.rglob("calls.jsonl")]:
        text = record.read_text(encoding="utf-8")
        for old in ("outline", "search_text"):
            changed += text.count(f'"{FORMER[old]}"')
            text = text.replace(f'"{FORMER[old]}"', f'"{old}"')
        record.write_text(text, encoding="utf-8")
    assert changed >= 20, "two calls of five records, each in two files"
    told = score_folder(out)
    assert [record.score for record in told.records] == today and not told.skipped
    assert today[0].facts["tools"] == {"outline_paper": 1, "search_paper": 1, "write_file": 1}


def test_a_model_alone_answers_at_once(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--agent", "direct", "--arm", "direct", "--epochs", "3"]
    scores = ran(arguments, [Reply(said("Yes", "9.2"))], tmp_path / "out", monkeypatch)
    assert len(scores) == 15 and {score.facts["said"] for score in scores} == {"Yes"}
    assert all(score.strict == (0.5 if score.facts["truth"] == "Yes" else 0) for score in scores)
