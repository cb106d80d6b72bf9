"""Papers that are named by an address: fetched once and safely, read like any other, and replayed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.fetching import downloads
from labrig_papers.fetching.addresses import arxiv_number, is_address
from labrig_papers.server import toolbox
from support.imitation import Imitation, bomb, endless, html, imitation, page, redirect, status
from support.known_servers.papers import SENTENCE, paper


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Imitation]:
    with imitation() as made, imitation() as arxiv:  # each host has its turns
        made.on("/robots.txt").then(status(404))
        made.on("/paper.pdf").then(page(paper(), "application/pdf"))
        made.on("/moved.pdf").then(redirect("/paper.pdf"))
        made.on("/login.pdf").then(html("<p>Log in"))
        made.on("/inside.pdf").then(redirect("http://169.254.169.254/latest"))
        arxiv.on("/pdf/2101.00001v2").then(page(paper(), "application/pdf"))
        made.on("/bomb.pdf").then(bomb(8 << 20))
        monkeypatch.setenv(
            "LABRIG_HTTP_PRIVATE_ORIGINS", ",".join(each.url("").rstrip("/") for each in (made, arxiv))
        )
        monkeypatch.setenv("LABRIG_HTTP_URL_ARXIV", arxiv.url(""))
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        yield made


async def test_a_paper_of_the_network_is_read_like_any_other(site: Imitation, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    for mode in ("record", "replay"):
        options = ServeOptions(workspace=tmp_path / mode, http_mode=mode, ledger=ledger)
        async with Client(build(toolbox, options)) as client:
            for address in (
                "arXiv:2101.00001v2",
                "https://arxiv.org/abs/2101.00001v2",
                site.url("/moved.pdf"),
            ):
                first = await client.call_tool(
                    "verify_quote", {"path": address, "quote": SENTENCE}, raise_on_error=False
                )
                assert first.is_error and "open_paper" in str(first.content)
                for _ in range(2):
                    opened = (
                        await client.call_tool("open_paper", {"path": address})
                    ).structured_content or {}
                assert opened["values"][0]["value"] == 2 and address in opened["source"]
                proof = (
                    await client.call_tool("verify_quote", {"path": address, "quote": SENTENCE})
                ).structured_content
                assert proof and proof["values"][0]["value"] == "exact"
    asked = [hit.path for hit in site.hits]
    assert asked.count("/paper.pdf") == 1
    assert list((tmp_path / "record").rglob("*.pdf")) == []  # nothing is written to the workspace


LEADS_TO = {
    "/login.pdf": "web page",
    "/none.pdf": "no such page",
    "/inside.pdf": "169.254",
    "/bomb.pdf": "bytes are taken at most",
}


async def test_what_an_address_leads_to_that_is_no_paper(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labrig_papers.fetching.downloads.MOST_BYTES", 1 << 20)
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path / "work"))) as client:
        for path, said in LEADS_TO.items():
            for _ in range(2):
                result: Any = await client.call_tool(
                    "open_paper", {"path": site.url(path)}, raise_on_error=False
                )
                assert result.is_error and said in result.content[0].text, result.content
        for address in ("http://10.0.0.1/paper.pdf", "arXiv:x", "http://", "https://" + "x" * 3_000):
            result = await client.call_tool("open_paper", {"path": address}, raise_on_error=False)
            assert result.is_error and "internal" not in result.content[0].text


def test_which_names_are_addresses() -> None:
    assert is_address("HTTPS://example.org/a.pdf") and is_address("arxiv:2101.00001")
    assert (
        not is_address("paper.pdf")
        and not is_address("@library/https.pdf")
        and not is_address("file:///etc/passwd")
    )
    assert arxiv_number("arXiv:cond-mat/0101001v2") == "cond-mat/0101001v2"
    assert arxiv_number("arXiv:2101.00001/../../x") == "" and arxiv_number("2101.00001") == ""
    for at in ("https://arxiv.org/abs/2101.00001", "http://www.arxiv.org/pdf/2101.00001.pdf"):
        assert arxiv_number(at) == "2101.00001", at
    assert arxiv_number("http://arxiv.org/pdf/cond-mat/0101001v2") == "cond-mat/0101001v2"
    for other in ("https://arxiv.org.example.org/abs/2101.00001", "https://arxiv.org/abs/2101.00001/../x"):
        assert arxiv_number(other) == "", other


async def test_what_one_caller_fetched_is_no_others_and_pushes_out_nothing(
    site: Imitation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "MOST_KEPT", 2)
    monkeypatch.setattr(downloads, "MOST_CALLERS", 2)
    for number in range(4):
        site.on(f"/{number}.pdf").then(page(paper(), "application/pdf"))
    kept = downloads.Downloads()

    def has(owner: str, path: str) -> bool:
        try:
            os.close(kept.opened(owner, site.url(path))[0])
        except LabrigError as error:
            assert error.code == "not_found"
            return False
        return True

    try:
        await kept.fetch("b", site.url("/paper.pdf"))
        assert has("b", "/paper.pdf") and not has("a", "/paper.pdf")
        for number in range(4):
            await kept.fetch("a", site.url(f"/{number}.pdf"))
        kept.drop("a", site.url("/paper.pdf"))
        assert has("b", "/paper.pdf")
        assert [has("a", f"/{number}.pdf") for number in range(4)] == [False, False, True, True]
        await kept.fetch("c", site.url("/0.pdf"))
        assert has("a", "/3.pdf") and has("c", "/0.pdf") and not has("b", "/paper.pdf")
        assert kept._folder is not None and len(list(Path(kept._folder.name).iterdir())) == 3
    finally:
        await kept.close()


async def test_a_pdf_that_no_workspace_holds_is_refused_by_its_stated_size(
    site: Imitation, tmp_path: Path
) -> None:
    """Six of 190 MB were fetched, and held 880 MB, before they were refused."""
    site.on("/large.pdf").then(endless(190 << 20, stated=True, media="application/pdf"))
    options = ServeOptions(workspace=tmp_path / "work", toolsets=("default", "literature"))
    async with Client(build(toolbox, options)) as client:
        asked = {"reference": site.url("/large.pdf")}
        result: Any = await client.call_tool("fetch_pdf", asked, raise_on_error=False)
        assert result.is_error and "67,108,864 bytes are taken at most" in result.content[0].text
    assert not list((tmp_path / "work").rglob("*.pdf"))
