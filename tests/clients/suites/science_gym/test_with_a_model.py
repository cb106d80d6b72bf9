"""A model in our loop, which plays a script, on science-gym: what it calls, says and costs is in score and tables."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.sample import Sample
from labrig_suites.science_gym import items, suite
from support.sandbox_rig import skip_unless
from support.scripted_model import Reply, Turn, Usage, scripted_model

pytestmark = pytest.mark.accept


def counted() -> Sample:
    """Return a question about the rows of a csv file that is there."""
    return next(
        sample
        for seed in range(20)
        for sample in items.generate(str(seed), 80)
        if sample.labels["type"] == "count-rows"
        and sample.labels["format"] == "csv"
        and sample.truth["expected"]["kind"] == "integer"
    )


@pytest.mark.parametrize(
    ("arm", "right"), [("agent-paper", True), ("agent-default", True), ("agent-paper", False)]
)
def test_a_model_reads_counts_and_answers(
    arm: str, right: bool, private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unless()
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    sample = counted()
    asked = sample.truth["query"]
    paper = arm == "agent-paper"
    read = f"read_text_file(id={asked['repository']!r}, path={asked['path']!r})"
    text = f"{read}['file_content']" if paper else read
    answer = sample.truth["answer"] if right else "not possible"
    script: list[Turn] = [
        Reply("I look.", (("list_directory", {"id": asked["repository"]}),), usage=Usage(1000, 0, 0, 50)),
        ("run_python_code", {"code": f"len({text}.splitlines()) - 1"}),
        Reply(f'It is this:\n```json\n{{"answer": "{answer}"}}\n```', usage=Usage(500, 1500, 0, 20)),
    ]
    with scripted_model(script) as service:
        spec = AgentSpec("loop", "openai-chat:gpt-4.1", {"base_url": f"{service.url}/v1"})
        plan = RunPlan(suite, suite.arm(arm), spec, (sample,), jobs=1, retries=0)
        asyncio.run(run(plan, tmp_path / "out"))
    (record,) = score_folder(tmp_path / "out").records
    found = record.score
    assert found is not None
    assert (found.strict, found.compat) == (float(right), float(right))
    assert found.facts["abstained"] is not right
    assert (found.facts["calls"], found.facts["python_runs"]) == (2, 1)
    assert found.facts["tokens"]["cached"] == 1500
    results = json.dumps(service.requests[-1])
    assert sample.truth["answer"] in results  # the code's own count was shown to the model
