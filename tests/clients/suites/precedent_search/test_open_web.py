"""Published materials: looked for on the network, with what was answered kept and played again; or refused at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from labrig_atlas.services.backends import SERVICES as OF_ATLAS
from labrig_harness.records.scoring import score_folder
from labrig_papers.corpus.__main__ import main as corpus
from labrig_papers.literature.services import SERVICES as OF_PAPERS
from labrig_suites.precedent_search import suite
from labrig_suites.precedent_search.arms import FILE
from labrig_suites.precedent_search.fixtures import said
from support.command import Done, labrig
from support.imitation import Imitation, html, imitation, page, status
from support.known_servers.papers import paper
from support.scripted_model import Reply, Turn, scripted_model
from support.web import asked_at_once

ROWS = [
    {"material": "MgB2", "tc": 39, "tcn": None, "doi": "10.1000/mgb2", "title": "A diboride"},
    {"material": "YPd2Si2", "tc": None, "tcn": 0.35, "doi": "10.1000/normal", "title": "Normal at last"},
]
SOURCE = {"title": "A diboride", "doi": "10.1000/mgb2", "quoted_span": "Tc = 39 K"}


@pytest.fixture
def tasks(tmp_path: Path, private_home: Path) -> Path:
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps(ROWS))
    done = labrig("generate", suite.name, "--from", str(rows), "--out", str(tmp_path / "tasks.jsonl"))
    assert done.returncode == 0, done.stderr
    return tmp_path / "tasks.jsonl"


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Imitation]:
    services = (*OF_ATLAS, *OF_PAPERS)
    with imitation() as site, asked_at_once(services):
        for service in services:
            monkeypatch.setenv(service.moved_by, site.url(f"/{service.name}"))
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", site.url("").rstrip("/"))
        monkeypatch.setenv("LABRIG_HTTP_CACHE", "off")
        monkeypatch.setenv("LABRIG_PAPERS_UNPAYWALL_EMAIL", "reader@example.org")
        site.on("/robots.txt").then(status(404))
        hit = {"title": "A diboride", "url": site.url("/blog"), "content": "39 K"}
        site.on("/searxng/search").then({"query": "MgB2", "results": [hit]})
        site.on("/blog").then(html("<title>A diboride</title><p>It is superconducting below 39 K.</p>"))
        work = {"doi": "https://doi.org/10.1000/mgb2", "title": "A diboride", "publication_year": 2001}
        site.on("/openalex/works").then({"meta": {}, "results": [{"id": "https://openalex.org/W1", **work}]})
        copy = {"url_for_pdf": site.url("/free.pdf"), "url": site.url("/free"), "license": "cc-by"}
        site.on("/unpaywall/*").then({"doi": "10.1000/mgb2", "is_oa": True, "oa_locations": [copy]})
        site.on("/free.pdf").then(page(paper(), "application/pdf"))
        yield site


def _ask(tasks: Path, script: list[Turn], *flags: str) -> Done:
    with scripted_model(script) as service:
        model = ["--agent", "loop", "--model", "openai-chat:gpt-4.1", "--set", f"base_url={service.url}/v1"]
        chosen = ["--tasks", str(tasks), "--limit", "1", "--jobs", "1"]
        return labrig("run", suite.name, *chosen, *model, *flags, OPENAI_API_KEY="no real key")


@pytest.mark.accept
def test_the_open_web_is_searched_recorded_and_replayed(tasks: Path, web: Imitation, tmp_path: Path) -> None:
    script: list[Turn] = [
        ("web_search", {"query": "MgB2 superconducting transition"}),
        ("fetch_webpage", {"url": web.url("/blog")}),
        ("search_literature", {"query": "MgB2", "sources": ["openalex"]}),
        ("fetch_pdf", {"reference": "10.1000/mgb2", "path": "mgb2.pdf"}),
        ("open_paper", {"path": "mgb2.pdf"}),
        ("write_file", {"path": FILE, "content": said("Yes", "39", source=SOURCE)}),
        Reply("Done."),
    ]
    told = []
    for mode in ("record", "replay"):
        out = tmp_path / mode
        network = ["--http-mode", mode, "--ledger", str(tmp_path / "ledger.sqlite"), "--arm", "open-web"]
        if mode == "replay":
            asked = len(web.hits)
            web.on("/*").then(status(500))
        done = _ask(tasks, script, *network, "--out", str(out))
        assert done.returncode == 0, done.stderr
        (record,) = score_folder(out).records
        assert (record.score.strict, record.score.compat) == (1, 1)
        assert record.score.facts["tools"]["web_search"] == record.score.facts["tools"]["fetch_pdf"] == 1
        calls = next(out.rglob("trajectory.json")).read_text()
        assert '"is_error": true' not in calls
        told.append(record.score)
    assert len(web.hits) == asked >= 5, "a replay asks nobody"
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ((), "--server-set corpus=FILE"),
        (("--server-set", "corpus=mine.sqlite"), "the whole path"),
        (("--server-set", "corpus=/nowhere/mine.sqlite"), "There is no corpus of papers"),
        (("--arm", "open-web"), "LABRIG_HTTP_URL_SEARXNG"),
        (("--arm", "open-web", "--server-set", "atlas.search=serper"), "LABRIG_ATLAS_SERPER_KEY"),
        (("--arm", "open-web", "--server-set", "atlas.search=brave"), "LABRIG_ATLAS_BRAVE_KEY"),
    ],
)
def test_what_is_missing_is_said_before_the_run(
    tasks: Path, tmp_path: Path, flags: tuple[str, ...], told: str
) -> None:
    if not flags:
        done = labrig(
            "run", suite.name, "--tasks", str(tasks), "--agent", "reference", "--out", str(tmp_path / "out")
        )
        assert done.returncode != 0 and told in done.stderr
    for further in ((), ("--dry-run",)):
        done = _ask(tasks, [Reply("Done.")], *flags, *further, "--out", str(tmp_path / "out"))
        assert done.returncode != 0 and told in done.stderr, done.stderr
        assert not (tmp_path / "out").exists()


@pytest.mark.accept
def test_a_corpus_of_ones_own_is_searched_and_the_reference_answers_from_it(
    tasks: Path, tmp_path: Path
) -> None:
    (tmp_path / "papers").mkdir()
    drawing = Canvas(str(tmp_path / "papers" / "one.pdf"), pagesize=(500, 300), invariant=True)
    drawing.drawString(40, 260, "MgB2 becomes superconducting at Tc = 39.0 K.")
    drawing.drawString(40, 240, "YPd2Si2 shows no superconductivity down to 0.35 K.")
    drawing.save()
    own = tmp_path / "mine.sqlite"
    assert corpus(["--corpus", str(own), "add", str(tmp_path / "papers")]) == 0
    flags = ["--tasks", str(tasks), "--server-set", f"corpus={own}", "--agent", "reference"]
    done = labrig("run", suite.name, *flags, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    scores = [record.score for record in score_folder(tmp_path / "out").records]
    assert [(score.facts["said"], score.compat) for score in scores] == [("Yes", 1), ("No", 1)]
