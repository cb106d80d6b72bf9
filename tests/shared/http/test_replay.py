"""Recorded once, replayed with the service gone: the same results, byte for byte, and nothing that was not recorded."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastmcp import Client as McpClient

from labrig.answer import META_KEY
from labrig.errors import LabrigError
from labrig.http import ANY, Key, Service
from labrig.serving.builder import build
from support.imitation import (
    Hit,
    Imitation,
    echo,
    html,
    imitation,
    page,
    redirect,
    silence,
    status,
    text,
    truncated,
)
from support.web import client, files_with
from support.web_tools import options, toolbox

KEY = 'pl4nted+/key="with\\odd&signs'
"""Every form in which a service may echo it looks different."""
FORMS = (
    KEY,
    quote(KEY, safe=""),
    quote(KEY, safe="").lower(),
    json.dumps(KEY)[1:-1],
    KEY.replace("&", "&amp;").replace('"', "&quot;"),
    base64.b64encode(KEY.encode()).decode().rstrip("=")[:-1],
    "pl4nted",
)
NEEDLES = tuple(form.encode() for form in FORMS)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Imitation]:
    with imitation() as made:
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("LABRIG_HTTP_URL_CATALOGUE", made.url("/api"))
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", made.url("").rstrip("/"))
        monkeypatch.setenv("LABRIG_HTTP_CONTACT", "tests@example.org")
        monkeypatch.setenv("LABRIG_TESTS_CATALOGUE_KEY", KEY)
        yield made


def furnish(site: Imitation) -> list[tuple[str, dict[str, Any]]]:
    """Give the site answers of every kind; return the tool calls that meet them."""
    site.on("/api/terms", query={"q": "quartz"}).then({"name": "Quartz", "formula": "SiO2", "ü": "–"})
    site.on("/api/terms", query={"q": "echo"}).then(echo())
    site.on("/api/terms", query={"q": "denied"}).then(echo(403))
    site.on("/api/terms", query={"q": "gone"}).then(status(404, "no such term"))
    site.on("/api/terms", query={"q": "often"}).then(status(429, retry_after=77))
    site.on("/api/terms", query={"q": "down"}).then(status(500, "down"))
    site.on("/api/terms", query={"q": "cut"}).then(truncated(b"half"))
    site.on("/api/search", method="POST").then(echo())
    site.on("/api/search", method="POST", body=lambda body: b"clay" in body).then({"hits": ["clay"]})
    site.on("/api/jobs/7").then({"state": "queued"}, {"state": "running"}, {"state": "done"})
    site.on("/robots.txt").then("User-agent: *\nDisallow: /closed")
    site.on("/page").then(html("<p>A page about quartz, " + "x" * 5000))
    site.on("/moved").then(redirect("/moved-on", 301))
    site.on("/moved-on").then(redirect("/page"))
    site.on("/loop").then(redirect("/loop"))
    site.on("/inside").then(redirect("http://169.254.169.254/latest/meta-data"))
    site.on("/large").then(page(b"x" * 200_000))
    site.on("/silent").then(silence())
    site.on("/binary").then(page(bytes(range(256)), "application/octet-stream"))
    site.on("/packed").then(page(b"packed " * 100, "text/plain", packed=True))
    pages = ("page", "moved", "loop", "inside", "large", "silent", "binary", "packed", "closed", "nowhere")
    return [
        *(("look_up", {"term": term}) for term in ("quartz", "echo", "denied", "gone", "down", "cut")),
        ("search", {"text": "clay"}),
        ("search", {"text": "sand"}),
        ("search", {"text": "sand", "limit": 5}),
        *(("read_page", {"url": site.url(f"/{name}")}) for name in pages),
        ("read_page", {"url": "http://127.0.0.1:1/"}),
        ("job", {"number": 7}),
        ("job", {"number": 7}),
        ("job", {"number": 7}),
        ("look_up", {"term": "often"}),  # the last: the host is not asked for a while
    ]


async def play(calls: list[tuple[str, dict[str, Any]]], folder: Path, mode: str) -> list[bytes]:
    """Make calls of tools over MCP; return each result as bytes, without what is volatile."""
    results = []
    async with McpClient(build(toolbox, options(folder, mode))) as mcp:
        for tool, arguments in calls:
            result = await mcp.call_tool(tool, arguments, raise_on_error=False)
            meta = {
                name: value
                for name, value in (result.meta or {}).get(META_KEY, {}).items()
                if name != "volatile"
            }
            whole = [
                result.is_error,
                [each.model_dump() for each in result.content],
                result.structured_content,
                meta,
            ]
            results.append(json.dumps(whole, ensure_ascii=False, sort_keys=True).encode())
    return results


async def test_results_of_tools_are_the_same_without_the_service(site: Imitation, tmp_path: Path) -> None:
    calls = furnish(site)
    recorded = await play(calls, tmp_path, "record")
    asked = len(site.hits)
    site.stop()
    assert await play(calls, tmp_path, "replay") == recorded
    assert await play(list(reversed(calls[:-4])), tmp_path, "replay") == list(reversed(recorded[:-4]))
    assert len(site.hits) == asked
    codes = [json.loads(result)[3].get("error", {}).get("code") for result in recorded]
    assert codes == [
        *(None, None, "refused", "not_found", "unreachable", "unreachable"),
        *(None, None, None),
        *(
            None,
            None,
            "unreachable",
            "refused",
            "too_large",
            "unreachable",
            None,
            None,
            "refused",
            "not_found",
        ),
        "refused",
        *(None, None, None),
        "rate_limited",
    ]
    assert b'"retry_after_s": 77' in recorded[-1]
    assert [json.loads(result)[2]["text"] for result in recorded[-4:-1]] == [
        f'{{"state": "{state}"}}' for state in ("queued", "running", "done")
    ]


@pytest.mark.accept
async def test_a_planted_key_is_nowhere(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = furnish(site)
    monkeypatch.setenv("LABRIG_HTTP_CACHE", "on")
    with_key = {"q": KEY, "n": "1"}
    async with McpClient(build(toolbox, options(tmp_path, "record", log_calls=tmp_path / "log"))) as mcp:
        for tool, arguments in calls[:-1]:
            result = await mcp.call_tool(tool, arguments, raise_on_error=False)
            assert not [form for form in FORMS if form in str(result)]
    site.on("/echo").then(echo())
    site.on("/kept").then(
        lambda hit: text(
            f"{hit.target} {hit.headers}",
            headers={"Cache-Control": "max-age=99", "X-Echo": KEY},
        )
    )
    for mode in ("record", "live"):
        async with client(tmp_path, site, mode=mode) as web:
            for more in (
                {"params": with_key},
                {"headers": {"Authorization": f"Bearer {KEY}"}},
                {"headers": {"X-Note": f"key is {KEY}"}},
                {
                    "headers": {
                        "Authorization": "Basic " + base64.b64encode(f"someone:{KEY}".encode()).decode()
                    }
                },
                {"method": "POST", "form": with_key},
                {"method": "POST", "data": {"deep": [{"er": KEY}]}},
                {"method": "POST", "body": f"<x>{KEY}</x>".encode()},
            ):
                for path in ("/echo", "/kept"):
                    answer = await web.request(**{"method": "GET", "url": site.url(path), **more})
                    assert not [form for form in FORMS if form in repr(answer)], more
            with pytest.raises(LabrigError) as caught:
                await web.get(f"http://someone:{quote(KEY, safe='')}@127.0.0.1:{site.port}/x")
            assert not [form for form in FORMS if form in str(caught.value)]
    assert (
        sum(
            KEY in repr(hit.query.values())
            or KEY in hit.headers.get("x-api-key", "")
            or KEY.encode() in hit.body
            for hit in site.hits
        )
        >= 10
    )
    (tmp_path / "planted").write_text(KEY)
    found = files_with(tmp_path, *NEEDLES)
    assert {each.split(":")[0] for each in found} == {"planted"}  # the search would find it
    assert (
        sqlite3.connect(tmp_path / "ledger.sqlite").execute("select count(*) from exchanges").fetchone()[0]
        > 15
    )


@pytest.mark.accept
async def test_a_ledger_replays_without_the_key_or_with_another(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = furnish(site)[:9]
    recorded = await play(calls, tmp_path, "record")
    site.stop()
    monkeypatch.setenv("LABRIG_TESTS_CATALOGUE_KEY", "an0ther-key-of-somebody")
    assert await play(calls, tmp_path, "replay") == recorded
    monkeypatch.delenv("LABRIG_TESTS_CATALOGUE_KEY")
    monkeypatch.delenv("LABRIG_HTTP_CONTACT")
    assert await play(calls, tmp_path, "replay") == recorded


@pytest.mark.accept
@pytest.mark.parametrize(
    "place",
    [
        *({"param": "key"}, {"param": "user"}, {"param": "api_key"}, {"header": "X-Who"}),
        *({"header": "Authorization", "prefix": "Bearer "}, {"header": "X-Auth", "prefix": "Token "}),
    ],
)
@pytest.mark.parametrize("required", [True, False])
async def test_wherever_the_key_goes_it_does_not_count(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: dict[str, str], required: bool
) -> None:
    service = Service(
        "catalogue", "https://x.example.org", key=Key("tests", "any_key", **place, required=required)
    )
    site.on("/api/terms").then("a term")
    for recorded_with in (KEY, "") if not required else (KEY,):
        folder = tmp_path / (recorded_with and "with")
        monkeypatch.setenv("LABRIG_TESTS_ANY_KEY", recorded_with)
        async with client(folder, site, mode="record") as web:
            recorded = await web.ask(service, "terms", params={"q": "x"})
        for key in (KEY, "an0ther-key-of-somebody", ""):
            monkeypatch.setenv("LABRIG_TESTS_ANY_KEY", key)
            async with client(folder, site, mode="replay") as web:
                assert await web.ask(service, "terms", params={"q": "x"}) == recorded
                with pytest.raises(LabrigError, match="not in the ledger"):
                    await web.ask(service, "terms", params={"q": "y"})


async def test_what_was_not_recorded_is_refused_by_name(site: Imitation, tmp_path: Path) -> None:
    furnish(site)
    await play([("look_up", {"term": "quartz"}), ("search", {"text": "clay"})], tmp_path, "record")
    hits = len(site.hits)
    (result,) = await play([("look_up", {"term": "quart"})], tmp_path, "replay")
    error = json.loads(result)[3]["error"]
    assert error["code"] == "not_recorded"
    assert f"GET {site.url('/api/terms')}?q=quart" in error["what"]
    assert f"GET {site.url('/api/terms')}?q=quartz" in error["try"]
    assert "q" in error["try"].split("(", 1)[1]
    (result,) = await play([("search", {"text": "clay", "limit": 11})], tmp_path, "replay")
    assert json.loads(result)[3]["error"]["code"] == "not_recorded"
    assert len(site.hits) == hits  # the service is there, and was not asked
    with pytest.raises(LabrigError, match=r"nothing\.sqlite"):
        client(tmp_path, mode="replay", ledger=tmp_path / "nothing.sqlite")


async def test_the_modes(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then("one", "two", "three", "four")
    site.on("/e").then(status(404, "first"), status(404, "second"))
    site.on("/b").then(status(500), status(500), "mended")

    async def ask(mode: str, path: str = "/x") -> str:
        async with client(tmp_path, site, mode=mode, cache=None) as web:
            return (await web.get(site.url(path), accept=ANY, patience_s=0)).text

    assert [await ask(mode) for mode in ("record", "record", "replay", "live", "replay")] == [
        "one",
        "one",
        "one",
        "two",
        "one",
    ]
    assert [await ask(mode) for mode in ("refresh", "replay", "record")] == ["three"] * 3
    assert [await ask(mode, "/e") for mode in ("record", "record", "replay")] == [
        "first"
    ] * 3  # 404 is an answer
    site.on("/t").then(silence(), "there")
    async with client(tmp_path, site, mode="record") as web:
        with pytest.raises(LabrigError, match="did not answer"):
            await web.get(site.url("/t"), timeout_s=0.3, patience_s=0)
    assert await ask("record", "/t") == "there"  # errors of the network are asked again
    assert await ask("replay", "/t") == "there"


async def test_a_refresh_asks_once_so_that_its_replay_is_the_same(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(*(f"{n}" for n in range(50)))
    site.on("/job").then(*(f"{n}" for n in range(50)))

    async def ask(mode: str) -> list[str]:
        async with client(tmp_path, site, mode=mode) as web:
            both = await asyncio.gather(*(web.get(site.url("/x")) for _ in range(2)))
            polls = [await web.get(site.url("/job"), poll=True) for _ in range(3)]
            return [each.text for each in (*both, await web.get(site.url("/x")), *polls)]

    assert await ask("record") == ["0", "0", "0", "0", "1", "2"]
    assert await ask("refresh") == ["1", "1", "1", "3", "4", "5"]
    assert await ask("replay") == ["1", "1", "1", "3", "4", "5"]


async def test_the_same_question_at_the_same_time_is_asked_once(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(*(f"{n}" for n in range(50)))
    async with client(tmp_path, site, mode="record") as web:
        answers = await asyncio.gather(*(web.get(site.url("/x")) for _ in range(20)))
    assert {answer.text for answer in answers} == {"0"}
    assert len(site.hits) == 1


@pytest.mark.parametrize(
    "way",
    [
        lambda token: {"data": {"page_token": token}},
        lambda token: {"form": {"page_token": token}},
        lambda token: {"params": {"page_token": token}},
        lambda token: {"headers": {"X-Page-Token": token}},
    ],
)
async def test_two_pages_named_by_a_token_are_two_requests(
    site: Imitation, tmp_path: Path, way: Callable[[str], dict[str, Any]]
) -> None:
    site.on("/rows").then(*(f"page {n}" for n in range(4)))
    tokens = (
        "CAoQAA1",
        "CAoQAA2dDk3NzY1",
        "tok000022121",
        "tok000028316",
    )  # equal in the first 8 digits of SHA-256
    pages = []
    for mode in ("record", "replay"):
        async with client(tmp_path, site, mode=mode) as web:
            pages.append(
                [(await web.request("POST", site.url("/rows"), **way(token))).text for token in tokens]
            )
    assert pages == [["page 0", "page 1", "page 2", "page 3"]] * 2
    assert not files_with(tmp_path, *(token.encode() for token in tokens))


async def test_a_redirect_that_repeats_the_address_keeps_its_key(site: Imitation, tmp_path: Path) -> None:
    def moved(hit: Hit) -> object:
        return redirect(f"{hit.path}/?{hit.target.partition('?')[2]}")

    def who(hit: Hit) -> object:
        right = (
            hit.query.get("key") == KEY or hit.query.get("token") == "t0ken-0f-an-agent" or KEY in hit.path
        )
        return text(f"{'right' if right else 'wrong'} {hit.target}")

    site.on("/*").then(lambda hit: who(hit) if hit.path.endswith("/") else moved(hit))
    for mode in ("record", "replay"):
        async with client(tmp_path, site, mode=mode) as web:
            for more in ({"params": {"key": KEY}}, {"params": {"n": 1, "token": "t0ken-0f-an-agent"}}):
                answer = await web.get(site.url("/a"), **more)
                assert answer.text.startswith("right /a/?") and len(answer.redirects) == 1
            assert (await web.get(site.url(f"/bot{quote(KEY, safe='')}/me"))).text.startswith(
                "right /bot[key]/me/"
            )
    assert not files_with(tmp_path, *NEEDLES, b"t0ken-0f")


async def test_a_key_does_not_go_where_only_its_mask_points(site: Imitation, tmp_path: Path) -> None:
    with imitation() as other:
        site.on("/a").then(lambda hit: redirect(other.url(f"/b?{hit.target.partition('?')[2]}")))
        other.on("/b").then(echo())
        async with client(tmp_path, site, other, mode="record") as web:
            for params in ({"key": KEY}, {"token": "t0ken-0f-an-agent"}):
                assert "[key]" in (await web.get(site.url("/a"), params=params)).json()["url"]
        assert not [hit for hit in other.hits if "pl4nted" in hit.target or "t0ken" in hit.target]


async def test_what_is_hidden_stays_hidden_after_a_redirect(site: Imitation, tmp_path: Path) -> None:
    site.on("/a").then(redirect("/b"))
    site.on("/b").then("your token t0ken-0f-an-agent is fine")
    async with client(tmp_path, site, mode="record") as web:
        answer = await web.get(site.url("/a"), params={"token": "t0ken-0f-an-agent"})
    assert answer.text == "your token [key] is fine"


async def test_how_it_was_asked_is_part_of_the_question(site: Imitation, tmp_path: Path) -> None:
    """Whether redirects are followed and the site's rules hold decides what the answer is."""
    site.on("/a").then(redirect("/b"))
    site.on("/b").then("the end")
    site.on("/robots.txt").then("User-agent: *\nDisallow: /closed")
    site.on("/closed").then("an interface for programs")
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("/a", {"follow": follow}) for follow in (False, True, False)),
        *(("/closed", {"robots": robots}) for robots in (True, False, True)),
    ]

    async def ask(mode: str) -> list[object]:
        found: list[object] = []
        async with client(tmp_path, site, mode=mode) as web:
            for path, more in asked:
                try:
                    answer = await web.get(site.url(path), accept=ANY, **more)
                    found.append((answer.status, answer.text, answer.source()))
                except LabrigError as error:
                    found.append(error.to_dict())
        return found

    live = await ask("live")
    assert [each[0] if isinstance(each, tuple) else each["code"] for each in live] == [
        *(302, 200, 302),
        *("refused", 200, "refused"),
    ]
    recorded = await ask("record")
    assert [each[:2] if isinstance(each, tuple) else each for each in recorded] == [
        each[:2] if isinstance(each, tuple) else each for each in live
    ]
    site.stop()
    assert await ask("replay") == recorded


async def test_tokens_that_are_no_text_are_told_apart(site: Imitation, tmp_path: Path) -> None:
    site.on("/rows").then("page 0", "page 1")
    async with client(tmp_path, site, mode="record") as web:
        pages = [(await web.get(site.url(f"/rows?page_token=%ff%{n}"))).text for n in ("fe", "fd")]
    assert pages == ["page 0", "page 1"]


async def test_a_size_limit_above_the_recorded_one_is_refused(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(page(b"x" * 5000))
    async with client(tmp_path, site, mode="record") as web:
        with pytest.raises(LabrigError) as caught:
            await web.get(site.url("/x"), max_bytes=1000)
        assert caught.value.code == "too_large"
    async with client(tmp_path, site, mode="replay") as web:
        for limit, code in ((1000, "too_large"), (500, "too_large"), (5000, "not_recorded")):
            with pytest.raises(LabrigError) as caught:
                await web.get(site.url("/x"), max_bytes=limit)
            assert caught.value.code == code
    async with client(tmp_path, site, mode="refresh") as web:
        assert len((await web.get(site.url("/x"))).body) == 5000
    async with client(tmp_path, site, mode="replay") as web:
        with pytest.raises(LabrigError, match="1,000 bytes"):
            await web.get(site.url("/x"), max_bytes=1000)


async def test_too_large_for_two_limits_is_recorded_with_the_higher(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(page(b"x" * 5000, chunks=700))

    async def ask(mode: str, *limits: int) -> list[dict[str, Any]]:
        found = []
        async with client(tmp_path, site, mode=mode) as web:
            for limit in limits:
                with pytest.raises(LabrigError) as caught:
                    await web.get(site.url("/x"), max_bytes=limit)
                found.append(caught.value.to_dict())
        return found

    await ask("record", 1000)
    (error,) = await ask("record", 2000)
    assert error["code"] == "too_large" and "2,000 bytes" in error["what"]
    assert await ask("replay", 2000) == [error]


async def test_an_exchange_that_holds_a_secret_leaves_no_trace(site: Imitation, tmp_path: Path) -> None:
    site.on("/token").then(
        text('{"access_token": "tok3n-of-the-service"}', headers={"Cache-Control": "max-age=99"})
    )
    async with client(tmp_path, site, mode="record") as web:
        answer = await web.request(
            "POST",
            site.url("/token"),
            form={"grant_type": "x", "client_secret": "s3cret-of-mine"},
            private=True,
        )
        assert answer.json()["access_token"] == "tok3n-of-the-service"
        await web.get(site.url("/token"), private=True)
    assert not files_with(tmp_path, b"tok3n", b"s3cret")
    async with client(tmp_path, site, mode="replay") as web:
        with pytest.raises(LabrigError, match="never recorded"):
            await web.get(site.url("/token"), private=True)


@pytest.mark.accept
async def test_killed_while_it_records(site: Imitation, tmp_path: Path) -> None:
    site.on("/*").then(lambda hit: hit.target)
    code = """
import asyncio, sys
from pathlib import Path
from labrig.http import Client, Limit
async def main():
    origin = sys.argv[1]
    async with Client(mode="record", ledger=Path(sys.argv[2]), private_origins=[origin], limit=Limit(1000, 8)) as web:
        for n in range(100_000):
            await asyncio.gather(*(web.get(f"{origin}/{n}-{m}") for m in range(4)))
            print(n, flush=True)
asyncio.run(main())
"""
    ledger = tmp_path / "ledger.sqlite"
    origin = site.url("").rstrip("/")
    with subprocess.Popen(
        [sys.executable, "-c", code, origin, str(ledger)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 20:
                break
        process.kill()
    site.stop()
    async with client(tmp_path, site, mode="replay", ledger=ledger) as web:
        for n in range(21):
            for m in range(4):
                assert (await web.get(site.url(f"/{n}-{m}"))).text == f"/{n}-{m}"


@pytest.mark.accept
async def test_a_server_of_its_own_replays_with_no_network_at_all(site: Imitation, tmp_path: Path) -> None:
    """Over stdio, through the flags of ``serve``; a library that goes round the layer is refused."""
    calls = furnish(site)[:9]
    recorded = await play(calls, tmp_path, "record")
    site.stop()
    code = (
        "import sys; from labrig.serving.serve import main; "
        "from support.web_tools import toolbox; sys.exit(main(toolbox))"
    )
    flags = [
        "--http-mode",
        "replay",
        "--ledger",
        str(tmp_path / "ledger.sqlite"),
        "--workspace",
        str(tmp_path / "w"),
    ]
    config = {
        "mcpServers": {
            "web": {
                "command": sys.executable,
                "args": ["-c", code, *flags],
                "env": {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            }
        }
    }
    async with McpClient(config) as mcp:
        for (tool, arguments), before in zip(calls, recorded, strict=True):
            result = await mcp.call_tool(tool, arguments, raise_on_error=False)
            assert result.structured_content == json.loads(before)[2]


async def test_what_is_no_answer_is_asked_again(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(status(500, "down"), status(429, "wait"), "there", "later")
    said = []
    for mode in ("record", "replay", "record", "record", "record", "replay"):
        async with client(tmp_path, site, mode=mode, cache=None) as web:
            said.append((await web.get(site.url("/x"), accept=ANY, patience_s=0)).text)
    assert said == [
        "down",
        "down",
        "down",
        "there",
        "there",
        "there",
    ]  # the first stays until there is an answer


async def test_a_redirect_is_another_question_than_where_it_leads(site: Imitation, tmp_path: Path) -> None:
    site.on("/a").then(redirect("/b"))
    site.on("/b").then("there")
    for mode in ("record", "replay"):
        async with client(tmp_path, site, mode=mode) as web:
            hop = await web.get(site.url("/a"), follow=False, accept=ANY)
            assert (hop.status, hop.headers["location"]) == (302, "/b")
            assert (await web.get(site.url("/a"))).text == "there"
    assert "labrig-redirects" not in site.hits[0].headers


async def test_a_replay_needs_no_permission_for_what_is_recorded(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then("there")
    async with client(tmp_path, site, mode="record") as web:
        await web.get(site.url("/x"))
    async with client(tmp_path, mode="replay", contact="") as web:
        assert (await web.get(site.url("/x"))).text == "there"
        for path, code in (("/y", "refused"), ("", "refused")):
            with pytest.raises(LabrigError) as caught:
                await web.get(site.url(path))
            assert caught.value.code == code


@pytest.mark.parametrize(
    "wrong",
    [
        *({"status": value} for value in ("200", None, True, 1.5)),
        *({"headers": value} for value in ([1], "x", {"content-type": 5})),
        *({"redirects": value} for value in ([[1, 2, 3]], [["a", "b", "c"]], "abc")),
        {"url": 5},
        {"retrieved_at": None},
    ],
)
async def test_a_ledger_from_elsewhere_with_answers_that_are_none(
    site: Imitation, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    site.on("/x").then("fine")
    async with client(tmp_path, site, mode="record") as web:
        await web.get(site.url("/x"))
    with sqlite3.connect(tmp_path / "ledger.sqlite") as db:
        answer = json.loads(db.execute("SELECT answer FROM exchanges").fetchone()[0])
        db.execute("UPDATE exchanges SET answer = ?", (json.dumps(answer | wrong),))
    db.close()
    async with client(tmp_path, site, mode="replay") as web:
        with pytest.raises(LabrigError, match="damaged"):
            await web.get(site.url("/x"))


async def test_a_refresh_without_the_service_loses_nothing(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then("there")
    async with client(tmp_path, site, mode="record") as web:
        await web.get(site.url("/x"))
    site.stop()
    async with client(tmp_path, site, mode="refresh") as web:
        with pytest.raises(LabrigError) as caught:
            await web.get(site.url("/x"), patience_s=0)
        assert caught.value.code == "unreachable"
    async with client(tmp_path, site, mode="replay") as web:
        assert (await web.get(site.url("/x"))).text == "there"


@pytest.mark.parametrize(
    "wrong",
    [
        *({"max_bytes": value} for value in ("9", None, -1, 10**40, float("nan"))),
        *({"timeout_s": value} for value in ("9", None, -1, float("inf"), float("nan"))),
        *({"headers": {"X-A": value}} for value in (1, ["a"], None)),
    ],
    ids=str,
)
async def test_arguments_of_a_wrong_type(site: Imitation, tmp_path: Path, wrong: dict[str, Any]) -> None:
    async with client(tmp_path, site, mode="record") as web:
        with pytest.raises(LabrigError) as caught:
            await web.get(site.url("/x"), **wrong)
        assert caught.value.code == "bad_input"
    assert not site.hits
