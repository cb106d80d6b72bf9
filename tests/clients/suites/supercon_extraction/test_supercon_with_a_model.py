"""A model that plays a script: in our loop over the papers server, and alone with the PDF as an attachment."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from pathlib import Path

import pytest

from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_suites.supercon_extraction import items, suite
from labrig_suites.supercon_extraction.arms import FILE
from labrig_suites.supercon_extraction.fixtures import entry
from labrig_suites.supercon_extraction.rows import truths
from support.in_memory import in_memory
from support.scripted_model import Reply, Turn, scripted_model

pytestmark = pytest.mark.accept


@cache
def sample() -> Sample:
    """Return one paper; made by the first test, not while tests are collected."""
    return items.generate("with a model", 1)[0]


def said(changed: bool) -> str:
    """Return the truth as a model would write it, its first value by others where it is changed."""
    rows = [
        entry(row.name, row.material, row.printed, row.places[0].page, row.places[0].quote)
        for row in truths().validate_python(sample().truth["rows"])
    ]
    if changed:
        rows[0]["value_string"] = "1.23 K"
    return json.dumps({"properties": rows}, ensure_ascii=False)


def ran(
    arm: str, agent: str, script: list[Turn], out: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Score, list[dict[str, object]]]:
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    with scripted_model(script) as service, in_memory():
        spec = AgentSpec(agent, "openai-chat:gpt-4.1", {"base_url": f"{service.url}/v1"})
        plan = RunPlan(suite, suite.arm(arm), spec, (sample(),), jobs=1, retries=0)
        asyncio.run(run(plan, out))
        asked = list(service.requests)
    (record,) = score_folder(out).records
    assert record.score is not None
    return record.score, asked


def test_a_model_reads_writes_and_is_scored(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script: list[Turn] = [
        ("read_pages", {"path": "paper.pdf"}),
        ("write_file", {"path": FILE, "content": said(changed=True)}),
        ("validate_extraction", {"path": "paper.pdf", "extraction_file": FILE}),
        ("write_file", {"path": FILE, "content": said(changed=False)}),
        Reply("Done."),
    ]
    score, _ = ran("agent-default", "loop", script, tmp_path / "out", monkeypatch)
    assert (score.strict, score.facts["calls"], score.facts["end"]) == (1, 4, "answered")


def test_a_model_alone_is_sent_the_pdf(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, asked = ran("zeroshot", "direct", [Reply(said(changed=True))], tmp_path / "out", monkeypatch)
    assert 0.8 < score.strict < 1
    assert "JVBERi" in json.dumps(asked), "the PDF in base64 begins so"
