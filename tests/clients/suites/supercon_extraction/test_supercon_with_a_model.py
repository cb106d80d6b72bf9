"""A model that plays a script: in our loop over the papers server, and alone with the PDF as an attachment."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from pypdf import PdfReader

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.sample import Sample
from labrig_harness.suite import Score
from labrig_suites.supercon_extraction import items, suite
from labrig_suites.supercon_extraction.arms import BY_PAGE, FILE
from labrig_suites.supercon_extraction.by_page import read_rows, split_pages
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
    arm: str,
    agent: str,
    script: list[Turn],
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    by: Literal["results", "requests"] = "results",
) -> tuple[Score, list[dict[str, object]]]:
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    with scripted_model(script, by=by) as service, in_memory():
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


def test_each_page_is_asked_alone_and_the_lists_are_joined(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = truths().validate_python(sample().truth["rows"])
    pages = sample().truth["pages"]

    def of_page(number: int) -> Reply:
        there = [row for row in rows if row.places[0].page == number]
        found = [entry(row.name, row.material, row.printed, 1, row.places[0].quote) for row in there]
        return Reply(json.dumps({"properties": found}) if found else "This page has none.")

    script: list[Turn] = [of_page(number) for number in range(1, len(pages) + 1)]
    score, asked = ran(BY_PAGE, BY_PAGE, script, tmp_path / "out", monkeypatch, by="requests")
    assert (score.strict, score.facts["end"], score.facts["said"]) == (1, "answered", len(rows))
    assert len(asked) == len(pages)
    for number, request in enumerate(asked):
        (pdf,) = re.findall(r"base64,([A-Za-z0-9+/=]+)", json.dumps(request))
        (page,) = PdfReader(io.BytesIO(base64.b64decode(pdf))).pages
        words = set(re.findall(r"[a-z]{6,}", page.extract_text()))
        assert len(words & set(re.findall(r"[a-z]{6,}", pages[number]))) > 0.7 * len(words)


async def test_what_a_page_by_page_agent_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no real key")
    make = suite.agents[BY_PAGE]
    with pytest.raises(LabrigError, match="needs a model"):
        make(AgentSpec(BY_PAGE), "0")
    with pytest.raises(LabrigError, match="needs the arm by-page"):
        make(AgentSpec(BY_PAGE, "openai-chat:gpt-4.1"), "0").accept(suite.arm("zeroshot"))
    for broken in (b"", b"no PDF", b"%PDF-1.4\n%%EOF"):
        with pytest.raises(LabrigError):
            [page async for page in split_pages(broken)]
    for made in items.generate("pages", 10):
        if made.labels["variant"] in ("locked", "damaged", "bitmap"):
            pages = [page async for page in split_pages(made.brief.attachments[0].content())]
            assert len(pages) == len(made.truth["pages"]), made.labels
    assert read_rows("no list", 2) == read_rows('{"properties": {}}', 2) == read_rows("{" * 9, 2) == []
    assert read_rows('{"properties": [7, {"location": "?"}]}', 2) == [7, {"location": {"page": 2}}]
