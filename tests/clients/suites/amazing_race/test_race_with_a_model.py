"""A model that plays a script in our loop: it walks a leg with the paper's tools, or is stopped at the budget."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest

from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_suites.amazing_race import arms, items, suite
from labrig_suites.amazing_race.legs import leg_of
from support.in_memory import in_memory
from support.scripted_model import Reply, Turn, scripted_model

pytestmark = pytest.mark.accept


@cache
def sample() -> Sample:
    """Return an easy DAG; made by the first test, not while tests are collected."""
    return items.generate("with a model", 2)[1]


def ran(script: list[Turn], out: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    with scripted_model(script) as service, in_memory():
        spec = AgentSpec("loop", "openai-chat:gpt-4.1", {"base_url": f"{service.url}/v1"})
        asyncio.run(run(RunPlan(suite, suite.arm("agent-paper"), spec, (sample(),), jobs=1, retries=0), out))
    (record,) = score_folder(out).records
    assert record.score is not None
    return record.score


def walked() -> list[Turn]:
    return [(call["tool"], call["arguments"]) for call in sample().truth["trace"]]


def test_a_model_walks_a_leg_and_is_scored(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = ("write_file", {"path": arms.ANSWER_FILE, "content": f"{leg_of(sample()).passcode}\n"})
    score = ran([*walked(), answer, Reply("Done.")], tmp_path / "out", monkeypatch)
    assert (score.strict, score.compat, score.facts["end"]) == (1, 1, "answered")
    assert score.facts["pvr"] == score.facts["rcr"] == score.facts["pvr_verify"] == 1.0


def test_a_model_that_goes_on_is_stopped_at_the_budget(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script: list[Turn] = [("fetch_webpage", {"url": leg_of(sample()).seed_url})] * 99
    score = ran(script, tmp_path / "out", monkeypatch)
    assert (score.compat, score.facts["end"]) == (0, "step_limit")
    assert score.facts["steps"] == arms.paper_steps(leg_of(sample()))
