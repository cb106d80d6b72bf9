"""The atlas server with live backends: services imitated on 127.0.0.1, replayed and failing; pages that do harm."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_atlas.server import toolbox
from support.imitation import Imitation, bomb, endless, html, imitation, page, redirect, status

ULM = {
    "place_id": 1,
    "osm_type": "relation",
    "osm_id": 123,
    "lat": "48.3974",
    "lon": "9.9934",
    "category": "boundary",
    "type": "administrative",
    "addresstype": "city",
    "name": "Ulm",
    "display_name": "Ulm, Baden-Württemberg, Germany",
    "address": {"city": "Ulm", "state": "Baden-Württemberg", "country": "Germany", "country_code": "de"},
    "extratags": {"population": "126329"},
    "namedetails": {},
}
CODE = {"choices": [{"message": {"role": "assistant", "content": "Here:\n```python\nprint(1 + 1)\n```\n"}}]}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Imitation]:
    """Give an imitation of every service, each at its name, and of a site with pages."""
    with imitation() as made:
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("LABRIG_HTTP_CONTACT", "tests@example.org")
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", made.url("").rstrip("/"))
        for service in toolbox.services:
            monkeypatch.setenv(service.moved_by, made.url(f"/{service.name}"))
        made.on("/robots.txt").then(status(404))
        yield made


@asynccontextmanager
async def served(
    folder: Path, settings: dict[str, str], mode: str = "live", *toolsets: str
) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(
        toolsets=toolsets or ("default",),
        workspace=folder / "w",
        settings=settings,
        http_mode=mode,
        ledger=None if mode == "live" else folder / "ledger.sqlite",
    )
    async with Client(build(toolbox, options)) as client:
        yield client


def error_of(result: Any) -> dict[str, Any]:
    assert result.is_error, result
    error: dict[str, Any] = result.meta["labrig"]["error"]
    return error


async def test_what_a_service_told_is_replayed_when_it_is_gone(site: Imitation, tmp_path: Path) -> None:
    site.on("/nominatim/search").then([ULM])
    site.on("/page").then(html("<title>A page</title><h1>A page</h1><p>Of the <a href='/x'>web</a>."))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("geocode", {"address": "Ulm"}),
        ("fetch_webpage", {"url": site.url("/page"), "section": "all"}),
    ]
    settings = {"geocode": "open", "wiki": "live"}
    seen: dict[str, list[str]] = {}
    for mode in ("record", "replay"):
        async with served(tmp_path, settings, mode) as client:
            told = [await client.call_tool_mcp(*call) for call in calls]
        assert not any(each.is_error for each in told), told
        seen[mode] = [json.dumps(each.structured_content, sort_keys=True) for each in told]
        site.stop()
    assert seen["record"] == seen["replay"]
    assert "OpenStreetMap" in seen["replay"][0] and "[web]" in seen["replay"][1]


async def test_a_search_is_asked_from_where_its_caller_says(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ATLAS_SERPER_KEY", "secret-of-serper")
    organic = [{"title": "Ulm", "link": "https://example.org/ulm", "snippet": "A city.", "position": 1}]
    site.on("/serper/search", method="POST").then({"organic": organic})
    asked = {"query": "Ulm", "location": "Austria", "gl": "at", "hl": "de", "num_results": 3}
    async with served(tmp_path, {"search": "serper"}, "live", "paper") as client:
        told = await client.call_tool_mcp("web_search", asked)
    assert [each["link"] for each in json.loads(told.content[0].text)["organic"]] == [
        "https://example.org/ulm"
    ]
    sent = json.loads(site.hits[-1].body)
    assert (sent["q"], sent["location"], sent["gl"], sent["hl"]) == ("Ulm", "Austria", "at", "de")


@pytest.mark.parametrize("backend", ["google", "brave"])
async def test_a_missing_key_is_named(backend: str, site: Imitation, tmp_path: Path) -> None:
    question, call = ("geocode", ("geocode", {"address": "Ulm"}))
    if backend == "brave":
        question, call = ("search", ("search_pages", {"query": "Ulm"}))
    async with served(tmp_path, {question: backend}) as client:
        error = error_of(await client.call_tool_mcp(*call))
    assert error["code"] == "unavailable" and "LABRIG_ATLAS_" in json.dumps(error) and site.hits == []


async def test_a_service_that_asks_to_wait(site: Imitation, tmp_path: Path) -> None:
    site.on("/nominatim/search").then(status(429, retry_after=60))
    async with served(tmp_path, {"geocode": "open"}) as client:
        error = error_of(await client.call_tool_mcp("geocode", {"address": "Ulm"}))
    assert error["code"] == "rate_limited" and error["retry_after_s"] >= 50


async def test_pages_that_do_harm_get_a_typed_answer(site: Imitation, tmp_path: Path) -> None:
    """Bombs, endless and broken pages, other files, ways into private networks: of each toolset that takes a URL."""
    site.on("/deep").then(html("<div>" * 200_000 + "x"))
    site.on("/packed").then(bomb(64 << 20, media="text/html"))
    site.on("/large").then(endless(50 << 20, media="text/html"))
    site.on("/picture").then(page(b"\x89PNG\r\n\x1a\n", "image/png"))
    site.on("/inside").then(redirect("http://169.254.169.254/latest/meta-data"))
    site.on("/charset").then(page("<p>Zürich".encode("latin-1"), "text/html; charset=utf-8"))
    expected = {
        "/deep": {"bad_input", "limit"},
        "/packed": {"too_large"},
        "/large": {"too_large"},
        "/picture": {"refused"},
        "/inside": {"refused"},
    }
    for toolset in ("default", "paper"):
        async with served(tmp_path, {"wiki": "live"}, "live", toolset) as client:
            for path, codes in expected.items():
                error = error_of(await client.call_tool_mcp("fetch_webpage", {"url": site.url(path)}))
                assert error["code"] in codes, (path, error)
            for url in (
                "http://10.0.0.1/",
                "http://[::1]/",
                "http://0x7f000001/",
                "http://localhost:8080/",
                "ftp://x.org/",
            ):
                error = error_of(await client.call_tool_mcp("fetch_webpage", {"url": url}))
                assert error["code"] in ("refused", "bad_input") or "Loopback" in error["what"], (url, error)
            read = await client.call_tool_mcp("fetch_webpage", {"url": site.url("/charset")})
            assert not read.is_error and "rich" in read.content[0].text


async def test_code_is_written_by_the_configured_model(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.on("/code_model/chat/completions", method="POST").then(CODE)
    call = ("python_generate_code", {"description": "add one and one", "extra_instructions": "print it"})
    async with served(tmp_path, {"model": "a-model"}, "live", "paper") as client:
        error = error_of(await client.call_tool_mcp(*call))
        assert error["code"] == "unavailable" and "LABRIG_ATLAS_MODEL_KEY" in json.dumps(error)
        monkeypatch.setenv("LABRIG_ATLAS_MODEL_KEY", "secret-of-the-model")
        told = await client.call_tool_mcp(*call)
    assert json.loads(told.content[0].text) == {"code": "print(1 + 1)", "model": "a-model"}
    (hit,) = site.hits
    assert hit.headers["authorization"] == "Bearer secret-of-the-model"
    asked = json.loads(hit.body)
    assert asked["model"] == "a-model" and asked["messages"][0]["content"].endswith("print it")
    assert "secret-of-the-model" not in told.content[0].text + json.dumps(told.meta)
