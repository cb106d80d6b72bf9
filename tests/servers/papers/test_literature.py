"""Services of the literature: documented answers read right, recorded and replayed; odd ones typed; PDFs fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from fastmcp import Client

from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.serving.face import Face
from labrig.toolbox import ServeOptions
from labrig.workspace import Workspace
from labrig_papers.literature import asking
from labrig_papers.literature.services import SERVICES
from labrig_papers.literature.works import Work, merged, plain_title, read_doi, similarity
from labrig_papers.server import toolbox
from support.every_server import examples
from support.imitation import Imitation, as_json, html, imitation, page, redirect, status, text
from support.known_servers.papers import SENTENCE, paper
from support.web import Standing, asked_at_once, client, files_with

EMAIL, KEY = "planted.reader@example.org", "planted-key-0123456789"
DOI = "10.1103/physrevb.63.220504"
TITLE = "Superconductivity in a diboride of two writings"
CROSSREF = {
    "status": "ok",
    "message": {
        "DOI": "10.1103/PhysRevB.63.220504",
        "title": ["Superconductivity in a <i>diboride</i> of two writings"],
        "author": [{"given": "A.", "family": "Tester"}, {"name": "The Group"}],
        "issued": {"date-parts": [[2001, 6]]},
        "container-title": ["Phys. Made"],
        "abstract": None,
        "reference-count": 3,
    },
}
OTHER = {**CROSSREF["message"], "DOI": "10.1/x".replace("10.1", "10.1000"), "title": ["Another matter"]}  # type: ignore[dict-item]
LISTED = {"message": {"items": [OTHER, CROSSREF["message"]], "total-results": 2}}
OPENALEX = {
    "id": "https://openalex.org/W1",
    "doi": f"https://doi.org/{DOI}",
    "title": TITLE,
    "publication_year": 2001,
    "authorships": [{"author": {"display_name": "A. Tester"}}],
    "primary_location": {"source": {"display_name": "Phys. Made", "type": "journal"}, "pdf_url": None},
    "best_oa_location": None,
    "abstract_inverted_index": {"in": [1], "Found": [0], "MgB2": [2]},
}
SCHOLAR = {
    "paperId": "1",
    "title": TITLE,
    "year": 2001,
    "authors": [{"authorId": "2", "name": "A. Tester"}],
    "externalIds": {"DOI": "10.1103/PhysRevB.63.220504", "ArXiv": "cond-mat/0101446"},
    "venue": "Phys. Made",
    "openAccessPdf": None,
    "abstract": None,
}
ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>{}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/cond-mat/0101446v1</id><published>2001-01-25T00:00:00Z</published>
<title>Superconductivity in a diboride
 of two writings</title><summary>We find 39 K.</summary><author><name>A. Tester</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1103/PhysRevB.63.220504</arxiv:doi></entry>"""


def unpaywall(*urls: tuple[str | None, str]) -> dict[str, Any]:
    """Return an answer of Unpaywall with copies: address of the PDF, address of its page."""
    found = [
        {
            "url_for_pdf": pdf,
            "url": at,
            "license": "cc-by",
            "version": "publishedVersion",
            "host_type": "publisher",
        }
        for pdf, at in urls
    ]
    return {
        "doi": DOI,
        "is_oa": bool(found),
        "best_oa_location": found[0] if found else None,
        "oa_locations": found,
    }


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Imitation]:
    with imitation() as made, asked_at_once(SERVICES):
        for service in SERVICES:
            monkeypatch.setenv(service.moved_by, made.url(f"/{service.name}"))
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", made.url("").rstrip("/"))
        monkeypatch.setenv("LABRIG_HTTP_CACHE", "off")
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("LABRIG_PAPERS_UNPAYWALL_EMAIL", EMAIL)
        monkeypatch.setenv("LABRIG_PAPERS_SEMANTIC_SCHOLAR_KEY", KEY)
        made.on("/robots.txt").then(status(404))
        made.on("/crossref/works/*").then(
            lambda hit: CROSSREF if DOI in unquote(hit.target).casefold() else status(404)
        )
        made.on("/crossref/works").then(LISTED)
        made.on("/openalex/works/*").then(OPENALEX)
        made.on("/openalex/works").then({"meta": {}, "results": [OPENALEX]})
        made.on("/semantic_scholar/paper/*").then(SCHOLAR)
        made.on("/semantic_scholar/paper/search").then({"total": 1, "data": [SCHOLAR]})
        made.on("/arxiv/api/query").then(text(ATOM.format(ENTRY)))
        made.on("/arxiv/pdf/*").then(page(paper(), "application/pdf"))
        made.on("/unpaywall/*").then(unpaywall((made.url("/free.pdf"), made.url("/landing"))))
        made.on("/free.pdf").then(page(paper(), "application/pdf"))
        yield made


@pytest.fixture
def elsewhere() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


class Bench:
    """Calls tools of the toolset in one mode."""

    def __init__(self, folder: Path, mode: str = "record", *, corpus: str = "") -> None:
        self.folder = folder
        options = ServeOptions(
            toolsets=("default", "literature"),
            workspace=folder / mode,
            http_mode=mode,
            ledger=folder / "ledger.sqlite" if mode != "live" else None,
            settings={"corpus": corpus or str(folder / "corpus.sqlite")},
        )
        self.client = Client(build(toolbox, options))

    async def __aenter__(self) -> Bench:
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.client.__aexit__(None, None, None)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found = (await self.client.call_tool(tool, arguments)).structured_content
        assert found is not None and len(json.dumps(found).encode()) < 8_200
        return found

    async def fails(self, tool: str, **arguments: Any) -> str:
        found: Any = await self.client.call_tool(tool, arguments, raise_on_error=False)
        assert found.is_error and "internal" not in found.content[0].text, found.content
        return str(found.content[0].text)


async def every_question(bench: Bench) -> list[dict[str, Any]]:
    every = ["crossref", "openalex", "arxiv", "semantic_scholar"]
    return [
        await bench.ask("resolve_doi", reference="https://doi.org/10.1103/PhysRevB.63.220504"),
        await bench.ask("resolve_doi", reference=TITLE),
        await bench.ask("resolve_doi", reference="arXiv:cond-mat/0101446"),
        await bench.ask("resolve_doi", reference="10.5555/other.agency"),
        await bench.ask("search_literature", query="diboride two writings", sources=every),
        await bench.ask("find_open_access", reference=DOI),
        await bench.ask("fetch_pdf", reference=DOI, add_to_corpus=True),
        await bench.ask("fetch_pdf", reference="arXiv:cond-mat/0101446", path="mine.pdf"),
    ]


async def test_each_service_is_asked_and_read_and_replayed_with_the_same_bytes(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Bench(tmp_path) as bench:
        told = await every_question(bench)
        found = await bench.ask("search_literature", query="transition La zero field")
        assert found["data"]["papers"][0]["open"] == f"papers/{DOI.replace('/', '_')}.pdf"
        proof = await bench.ask("verify_quote", path="mine.pdf", quote=SENTENCE)
        assert proof["values"][0]["value"] == "exact"
    by_doi, by_title, by_number, by_agency, works, copies, fetched, _ = told
    first = by_doi["data"]["works"][0]
    assert (first["title"], first["year"], first["authors"]) == (TITLE, 2001, ["A. Tester", "The Group"])
    assert by_title["values"][0]["value"] == DOI and by_title["data"]["works"][0]["similarity"] == 1
    assert by_title["status"] == "ok" and by_title["data"]["works"][1]["similarity"] < 0.9
    assert by_number["data"]["works"][0]["arxiv"] == "cond-mat/0101446v1"
    assert by_agency["data"]["works"][0]["abstract"] == "Found in MgB2"
    merged_works = works["data"]["works"]
    assert [each["doi"] for each in merged_works] == ["10.1000/x", DOI], "one work, whoever names it"
    assert merged_works[1]["source"] == "crossref, openalex, arxiv, semantic_scholar"
    assert copies["data"]["copies"][0] == {
        "pdf": site.url("/free.pdf"),
        "page": site.url("/landing"),
        **{"source": "unpaywall", "version": "publishedVersion", "licence": "cc-by", "host": "publisher"},
    }
    assert fetched["data"]["added_to_corpus"] is True
    sent = " ".join(f"{hit.target} {hit.headers}" for hit in site.hits)
    assert "email=planted.reader" in sent and KEY in sent and sent.count("labrig/") == len(site.hits)
    asked = len(site.hits)
    site.stop()
    for name in ("UNPAYWALL_EMAIL", "SEMANTIC_SCHOLAR_KEY"):
        monkeypatch.delenv(f"LABRIG_PAPERS_{name}")
    (tmp_path / "corpus.sqlite").unlink()
    async with Bench(tmp_path, "replay") as bench:
        assert json.dumps(await every_question(bench)) == json.dumps(told)
    assert len(site.hits) == asked
    assert not files_with(tmp_path, EMAIL.encode(), KEY.encode())


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (status(429, retry_after=120), "rate_limited"),
        (text('{"message": {"DOI": "10.1'), "unreachable"),
        (text("[" * 60_000), "unreachable"),
        (html("<title>Log in</title>"), "unreachable"),
        (page(b"null", "application/json"), "unreachable"),
        (page(b'{"message": {"DOI": 7, "items": {}}}', "application/json"), "unreachable"),
        (status(500), "unreachable"),
    ],
)
async def test_what_a_service_says_that_is_no_answer_is_typed(
    site: Imitation, tmp_path: Path, answer: Any, code: str
) -> None:
    for path in ("/crossref/*", "/openalex/*", "/arxiv/*", "/semantic_scholar/*", "/unpaywall/*"):
        site.on(path).then(answer)
    async with client(tmp_path, site, cache=None, clock=Standing()) as web:
        for question in (
            asking.resolve(web, DOI),
            asking.resolve(web, "A title"),
            asking.resolve(web, "arXiv:2101.00001"),
            asking.search(web, "words", list(asking.SEARCHES), 5),
            asking.open_copies(web, DOI),
        ):
            with pytest.raises(LabrigError) as caught:
                await question
            assert caught.value.code == code
            assert code != "rate_limited" or caught.value.retry_after_s == pytest.approx(120, abs=0.1)


async def test_a_service_that_fails_takes_no_others_answer_with_it(
    site: Imitation, elsewhere: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SEMANTIC_SCHOLAR", "UNPAYWALL"):  # a host of their own, since a pause holds for a host
        monkeypatch.setenv(f"LABRIG_HTTP_URL_{name}", elsewhere.url("/"))
    monkeypatch.setenv(
        "LABRIG_HTTP_PRIVATE_ORIGINS", ",".join(each.url("").rstrip("/") for each in (site, elsewhere))
    )
    elsewhere.on("/*").then(status(429, retry_after=120))
    async with Bench(tmp_path, "live") as bench:
        found = await bench.ask("search_literature", query="x", sources=["openalex", "semantic_scholar"])
        assert found["data"]["works"] and "again in 120 s" in found["warnings"][0]
        copies = await bench.ask("find_open_access", reference=DOI)
        assert copies["status"] == "partial" and copies["data"]["asked"] == ["openalex"]
        assert "No free copy is known to openalex" in copies["warnings"][0] and len(copies["warnings"]) == 3
        assert "No free copy" in await bench.fails("fetch_pdf", reference=DOI)
        assert "There is no corpus" in await bench.fails("search_literature", query="MgB2"), (
            "and nobody is asked"
        )


@pytest.mark.accept
async def test_what_leads_to_no_pdf_is_refused_and_not_kept(site: Imitation, tmp_path: Path) -> None:
    site.on("/login").then(html("<p>Log in"))
    site.on("/moved").then(redirect("/login"))
    site.on("/inside").then(redirect("http://169.254.169.254/latest"))
    site.on("/word.pdf").then(page(b"PK\x03\x04", "application/pdf"))
    async with Bench(tmp_path, "live") as bench:
        for path, said in (("/moved", "web page"), ("/inside", "169.254"), ("/word.pdf", "no PDF")):
            assert said in await bench.fails("fetch_pdf", reference=site.url(path))
        bad = [
            (site.url("/moved"), site.url("/moved")),
            (site.url("/inside"), ""),
            (None, site.url("/login")),
        ]
        site.on("/unpaywall/*").then(unpaywall(*bad))
        said = await bench.fails("fetch_pdf", reference=DOI)
        assert "web page" in said and "169.254" in said
        site.on("/unpaywall/*").then(unpaywall(*bad[:2], (site.url("/free.pdf"), "")))
        got = await bench.ask("fetch_pdf", reference=DOI)
        assert len(got["data"]["refused"]) == 2 and got["source"] == site.url("/free.pdf")
        site.on("/unpaywall/*").then(unpaywall(*bad))
        free = {"pdf_url": site.url("/free.pdf"), "is_oa": True}
        site.on("/openalex/works/*").then(
            as_json({**OPENALEX, "best_oa_location": free, "locations": [free]})
        )
        got = await bench.ask("fetch_pdf", reference=DOI)  # of the next service
        assert len(got["data"]["refused"]) == 3 and got["source"] == site.url("/free.pdf")
        for reference in ("x" * 100_000, "", " "):
            assert await bench.fails("resolve_doi", reference=reference)
            assert await bench.fails("fetch_pdf", reference=reference)
        assert "resolve_doi with the title" in await bench.fails("fetch_pdf", reference="A title of a paper")
        assert await bench.fails("fetch_pdf", reference=DOI, add_to_corpus=1)
        assert await bench.fails("fetch_pdf", reference=DOI, path="../out.pdf")
        site.on("/crossref/works/*").then(status(404))
        site.on("/openalex/works/*").then(status(404))
        assert "may be misprinted" in await bench.fails("resolve_doi", reference="10.1103/wrong")
    assert [each.name for each in (tmp_path / "live").rglob("*.pdf")] == [f"{DOI.replace('/', '_')}.pdf"]


@pytest.mark.accept
async def test_what_one_token_adds_is_in_no_corpus_of_another(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A paper that A added made B's validate_precedent say "superconducting, 293 K, measured"."""
    whose = ["a"]
    monkeypatch.setattr(Face, "_owner", lambda face: whose[0])
    folders = {name: Workspace(tmp_path / name) for name in ("a", "b")}
    monkeypatch.setattr(Face, "_store", lambda face, owner: ArtifactStore(folders[owner]))
    query = {"query": "transition La zero field"}
    async with Bench(tmp_path, "live") as bench:  # a corpus of the operator's, by an absolute path
        said = await bench.fails("fetch_pdf", reference=DOI, add_to_corpus=True)
        assert "answers all its callers" in said and "--set corpus=corpus.sqlite" in said
        assert not (tmp_path / "corpus.sqlite").exists() and not list(tmp_path.rglob("*.pdf"))
    monkeypatch.chdir(tmp_path)
    async with Bench(tmp_path, "live", corpus="corpus.sqlite") as bench:
        await bench.ask("fetch_pdf", reference=DOI, add_to_corpus=True)
        found = await bench.ask("search_literature", **query)
        assert found["data"]["papers"][0]["open"] and "path" not in found["data"]["papers"][0]
        whose[0] = "b"
        assert "There is no corpus" in await bench.fails("search_literature", **query)
        assert "There is no corpus" in await bench.fails("validate_precedent", material="UPt3")
    assert (folders["a"].folder / "corpus.sqlite").exists() and not (tmp_path / "corpus.sqlite").exists()


@pytest.mark.accept
async def test_the_examples_of_the_descriptions_run(site: Imitation, tmp_path: Path) -> None:
    async with Bench(tmp_path, "live") as bench:
        await bench.ask("fetch_pdf", reference=DOI, add_to_corpus=True)
        calls = examples(await bench.client.list_tools())
        for tool in (spec.name for spec in toolbox.specs if spec.toolsets == ("literature",)):
            assert (await bench.ask(tool, **calls[tool]))["source"], tool


async def test_an_xml_with_entities_and_errors_of_arxiv_are_said(site: Imitation, tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><feed>&b;</feed>'
    error = "<entry><id>http://arxiv.org/api/errors#x</id><summary>incorrect id format</summary></entry>"
    async with Bench(tmp_path, "live") as bench:
        for answer, said in (
            (bomb, "another form"),
            (ATOM.format(error), "incorrect id format"),
            (ATOM.format(""), "no such number"),
            (ATOM.format("<entry><author><name/></author></entry>"), "no such number"),
            ("<feed>", "half of it"),
            ("<rss></rss>", "in place of an Atom feed"),
        ):
            site.on("/arxiv/api/query").then(text(answer))
            assert said in await bench.fails("resolve_doi", reference="arXiv:2101.00001")


def test_dois_in_any_writing_and_works_that_are_one() -> None:
    for written in (f"doi:{DOI.upper()}", f"http://dx.doi.org/{DOI}", f" {DOI}. ", f"https://doi.org/{DOI}"):
        assert read_doi(written) == DOI, written
    for none in ("10.1/x", "a 10.1103/x", "10.1103/a b", "", "10.1103/" + "x" * 400):
        assert read_doi(none) == "", none
    assert similarity("A <i>b</i>  c", "a B c") == 1 and similarity("", "") == 1
    one, other = Work("T", (), None, DOI, "a"), Work("t", (), 2001, DOI, "b", pdf="https://e.org/x.pdf")
    assert merged([one, other, Work("U", (), None, "", "a")]) == [
        Work("T", (), 2001, DOI, "a, b", pdf="https://e.org/x.pdf"),
        Work("U", (), None, "", "a"),
    ]


def test_dois_with_angle_brackets_are_dois() -> None:
    sici = "10.1175/1520-0493(1999)127<0001:AMTOT>2.0.CO;2"
    for written in (sici, "https://doi.org/10.1175/1520-0493(1999)127%3C0001:AMTOT%3E2.0.CO;2",
                    sici.replace("<", "&lt;").replace(">", "&gt;")):  # fmt: skip
        assert read_doi(written) == sici.casefold(), written


@pytest.mark.parametrize(
    ("sent", "plain"),
    [
        ("Waters &amp; Rocks &amp;amp; Soils", "Waters & Rocks & Soils"),
        ("On MgB <sub>2</sub> wires", "On MgB2 wires"),
        ("\n        On\n        <i>Mytilus</i>\n        shells", "On Mytilus shells"),
        (
            'Wires of\n  <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML" display="inline">\n    <mml:msub>\n'
            "      <mml:mi>MgB</mml:mi>\n      <mml:mn>2</mml:mn>\n    </mml:msub>\n  </mml:math>\n  made",
            "Wires of MgB2 made",
        ),
        ("Where 1 < x and y > 2, p &lt; 0.05", "Where 1 < x and y > 2, p < 0.05"),
        ("On &lt;i&gt;Mytilus&lt;/i&gt;", "On Mytilus"),
    ],
)
def test_titles_as_crossref_sends_them_are_read_as_they_are_printed(sent: str, plain: str) -> None:
    assert plain_title(sent) == plain and plain_title(plain) == plain


async def test_gaps_in_a_record_of_crossref_take_no_others_with_it(site: Imitation, tmp_path: Path) -> None:
    from support.web import client

    odd = {
        "DOI": None,
        "title": [None],
        "author": [None, {"family": "Tester"}],
        "issued": {"date-parts": [[None]]},
    }
    site.on("/crossref/works").then({"message": {"items": [odd, None, CROSSREF["message"]]}})
    async with client(tmp_path, site, cache=None) as web:
        first, second = (await asking.search(web, "words", ["crossref"], 5)).works
    assert (first.doi, first.title, first.authors, first.year) == ("", "", ("Tester",), None)
    assert second.doi == DOI


async def test_semantic_scholar_is_asked_without_hyphens(site: Imitation, tmp_path: Path) -> None:
    async with client(tmp_path, site, cache=None, clock=Standing()) as web:
        await asking.search(web, "La-doped thin\u2010film T -5", ["semantic_scholar"], 5)
    assert "query=La+doped+thin+film+T+-5&" in site.hits[-1].target.replace("%20", "+")
