"""The client against a service that misbehaves: every end is typed, and none takes long."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.http import ANY, Client, Key, Limit, Service
from labrig.http.chat import complete
from labrig.http.retrying import retry_after
from labrig.serving.serve import add_serve_arguments, serve_options
from labrig.toolbox import ServeOptions
from support.imitation import (
    Imitation,
    as_json,
    bomb,
    drip,
    echo,
    endless,
    garbage,
    half_headers,
    html,
    imitation,
    page,
    raw,
    redirect,
    reset,
    silence,
    slow,
    status,
    text,
    truncated,
)
from support.web import client


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


@pytest.fixture
async def web(site: Imitation, tmp_path: Path) -> AsyncIterator[Client]:
    async with client(tmp_path, site) as made:
        yield made


async def refused(web: Client, url: str, **more: object) -> LabrigError:
    with pytest.raises(LabrigError) as caught:
        await web.get(url, **more)
    return caught.value


async def test_an_answer_says_where_it_is_from(web: Client, site: Imitation) -> None:
    site.on("/data", query={"q": "quartz sand", "n": "2"}).then({"rows": [1, 2]})
    answer = await web.get(site.url("/data"), params={"q": "quartz sand", "n": 2, "empty": None})
    assert answer.json() == {"rows": [1, 2]}
    assert answer.source()["url"] == site.url("/data?q=quartz+sand&n=2")
    assert answer.source()["retrieved_at"].endswith("Z")
    assert site.hits[0].headers["user-agent"].startswith("labrig/")
    assert "tests@example.org" in site.hits[0].headers["user-agent"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (400, "bad_input"),
        (401, "refused"),
        (403, "refused"),
        (404, "not_found"),
        (410, "not_found"),
        (418, "bad_input"),
        (429, "rate_limited"),
        (451, "refused"),
        (500, "unreachable"),
        (503, "unreachable"),
        (599, "unreachable"),
    ],
)
async def test_an_error_status_is_a_typed_error(
    web: Client, site: Imitation, code: int, expected: str
) -> None:
    site.on("/x").then(status(code, "the reason that the service gives"))
    error = await refused(web, site.url("/x"), patience_s=0.1)
    assert error.code == expected
    assert str(code) in error.what or expected in ("not_found", "rate_limited")
    assert (await web.get(site.url("/x"), accept=ANY, patience_s=0.1)).status == code


@pytest.mark.accept
async def test_what_is_over_soon_is_waited_for(web: Client, site: Imitation) -> None:
    site.on("/x").then(status(429, retry_after=1), status(503), reset(), "there")
    began = time.monotonic()
    assert (await web.get(site.url("/x"))).text == "there"
    assert len(site.hits) == 4
    assert site.hits[1].at - site.hits[0].at >= 0.95  # Retry-After
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("again", [60, "Wed, 21 Oct 2037 07:28:00 GMT"])
async def test_a_minute_of_429_ends_at_once(web: Client, site: Imitation, again: object) -> None:
    site.on("/x").then(status(429, retry_after=again))
    began = time.monotonic()
    error = await refused(web, site.url("/x"))
    assert error.code == "rate_limited"
    assert error.retry_after_s is not None
    assert error.retry_after_s >= 60
    other = await refused(web, site.url("/y"))  # the host is not asked again meanwhile
    assert other.code == "rate_limited"
    assert len(site.hits) == 1
    assert time.monotonic() - began < 50, "it does not wait for the minute"


@pytest.mark.accept
async def test_429_without_a_time_for_ever_ends(web: Client, site: Imitation) -> None:
    site.on("/x").then(status(429))
    began = time.monotonic()
    error = await refused(web, site.url("/x"), patience_s=3)
    assert (error.code, error.retry_after_s) == ("rate_limited", 60)
    assert 2 <= len(site.hits) <= 4
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "answer",
    [
        silence(),
        slow("late", seconds=30),
        drip(b"x" * 100, every_s=1),
        drip(b"x" * 100, every_s=1, from_start=True),
        half_headers(hang=True),
        truncated(b"x", hang=True),
    ],
    ids=["silence", "slow", "drip", "drip headers", "half headers", "stalled body"],
)
async def test_a_service_that_takes_its_time(web: Client, site: Imitation, answer: object) -> None:
    site.on("/x").then(answer)
    began = time.monotonic()
    error = await refused(web, site.url("/x"), timeout_s=0.5, patience_s=0.1)
    assert error.code == "unreachable"
    assert "0.5 s" in error.what
    assert time.monotonic() - began < 25, "it does not wait for the service"


@pytest.mark.parametrize(
    "answer",
    [
        truncated(b"x"),
        truncated(b"x", chunked=True),
        reset(),
        half_headers(),
        garbage(),
        raw(b""),
        raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"),
        page(gzip.compress(b"x" * 100_000)[:-20], headers={"Content-Encoding": "gzip"}),
        page(gzip.compress(b"x") + b"more", headers={"Content-Encoding": "gzip"}),
        page(zlib.compress(b"x" * 100_000)[:-4], headers={"Content-Encoding": "deflate"}),
        page(b"packed", headers={"Content-Encoding": "br"}),
        bomb(1000, layers=2),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"),
    ],
    ids=[
        "truncated",
        "no last chunk",
        "reset",
        "half headers",
        "garbage",
        "nothing",
        "no gzip",
        "gzip cut short",
        "gzip goes on",
        "deflate cut short",
        "not asked for",
        "packed twice",
        "odd length",
        "headers",
    ],
)
async def test_a_broken_answer(web: Client, site: Imitation, answer: object) -> None:
    site.on("/x").then(answer)
    error = await refused(web, site.url("/x"), timeout_s=10, patience_s=0.1)
    assert error.code == "unreachable"
    assert error.where == f"GET {site.url('/x')}"
    site.on("/x").then("well again")
    assert (await web.get(site.url("/x"))).text == "well again"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"ab" * 99_999) + gzip.compress(b"cd" * 99_999) + b"\0" * 512, "gzip"),
        (gzip.compress(b"ab" * 99_999 + b"cd" * 99_999), "X-GZip"),
        (zlib.compress(b"ab" * 99_999 + b"cd" * 99_999), "deflate"),
        (zlib.compress(b"ab" * 99_999 + b"cd" * 99_999)[2:-4], "deflate"),
        (b"ab" * 99_999 + b"cd" * 99_999, "identity"),
    ],
    ids=["members", "gzip", "zlib", "deflate", "identity"],
)
async def test_packed_bodies(web: Client, site: Imitation, body: bytes, encoding: str) -> None:
    site.on("/x").then(page(body, headers={"Content-Encoding": encoding}))
    assert (await web.get(site.url("/x"))).body == b"ab" * 99_999 + b"cd" * 99_999
    site.on("/x").then(page(body, headers={"Content-Encoding": encoding}, chunks=97))
    assert (await web.get(site.url("/x"))).body == b"ab" * 99_999 + b"cd" * 99_999


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("²", None),
        ("9" * 400, 86400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86400),
        ("soon", None),
        ("-5", None),
        ("1.5", 1.5),
    ],
)
def test_retry_after(said: str, read: float | None) -> None:
    assert retry_after({"retry-after": said}) == read


async def test_a_service_does_not_say_when_it_was_asked(web: Client, site: Imitation) -> None:
    site.on("/x").then(text("x", headers={"labrig-retrieved": "1999"}))
    assert (await web.get(site.url("/x"))).retrieved_at.startswith("20")


async def test_nobody_listens(web: Client, site: Imitation) -> None:
    site.stop()
    assert (await refused(web, site.url("/x"), patience_s=0.1)).code == "unreachable"


async def test_a_post_that_may_have_arrived_is_not_sent_twice(web: Client, site: Imitation) -> None:
    site.on("/x", method="POST").then(reset())
    with pytest.raises(LabrigError, match="broke off"):
        await web.request("POST", site.url("/x"), data={"a": 1})
    site.on("/y", method="POST").then(status(503), "taken")
    assert (await web.request("POST", site.url("/y"), body="text")).text == "taken"
    assert [hit.path for hit in site.hits] == ["/x", "/y", "/y"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(endless(), id="chunks"),
        pytest.param(endless(stated=True), id="stated"),
        pytest.param(lambda hit: bomb(1 << 30), id="gzip", marks=pytest.mark.accept),
    ],
)
async def test_a_gigabyte(web: Client, site: Imitation, answer: object) -> None:
    site.on("/x").then(answer)
    error = await refused(web, site.url("/x"), max_bytes=1 << 20)
    assert error.code == "too_large"
    assert "1,048,576" in error.what
    assert site.sent < 32 << 20
    assert len(site.hits) == 1


async def test_redirects_are_followed_and_told(web: Client, site: Imitation) -> None:
    site.on("/a").then(redirect("b?x=1", 301))
    site.on("/b").then(redirect(site.url("/c"), 308))
    site.on("/c").then("there")
    answer = await web.get(site.url("/a"))
    assert (answer.text, answer.url) == ("there", site.url("/c"))
    assert [(hop.status, hop.to) for hop in answer.redirects] == [
        (301, site.url("/b?x=1")),
        (308, site.url("/c")),
    ]
    assert (await web.get(site.url("/a"), follow=False, accept=ANY)).headers["location"] == "b?x=1"


@pytest.mark.parametrize(
    ("code", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_redirect_of_a_post(web: Client, site: Imitation, code: int, method: str) -> None:
    site.on("/a").then(redirect("/b", code))
    site.on("/b").then(echo())
    seen = (await web.request("POST", site.url("/a"), data={"n": 1})).json()
    assert (seen["method"], seen["body"]) == (method, '{"n":1}' if method == "POST" else "")
    assert ("content-type" in seen["headers"]) == (method == "POST")


async def test_redirects_without_end(web: Client, site: Imitation) -> None:
    site.on("/a").then(redirect("/a"))
    assert "circle" in (await refused(web, site.url("/a"))).what
    site.on("/n*").then(lambda hit: redirect(f"/n{len(hit.path)}{hit.path[2:]}"))
    error = await refused(web, site.url("/n"))
    assert (error.code, len(site.hits)) == ("unreachable", 10)


async def test_html_in_place_of_json(web: Client, site: Imitation) -> None:
    site.on("/x").then(
        html("<!doctype html><html><head><title>We are\n down</title>"),
        " ",
        "<b>[1, 2",
        page(b"\xff\xfe\x00"),
    )
    for said in (
        "an HTML page titled 'We are down'",
        "an empty body",
        "begins '<b>[1, 2'",
        "application/octet-stream",
    ):
        answer = await web.get(site.url("/x"))
        with pytest.raises(LabrigError, match="JSON") as caught:
            answer.json()
        assert said in caught.value.what


@pytest.mark.parametrize(
    ("body", "stated", "read"),
    [
        ("Zürich".encode(), "text/plain; charset=latin-1", "Zürich"),
        ("Zürich".encode("latin-1"), "text/plain; charset=utf-8", "Zürich"),
        ("Zürich – “x”".encode("cp1252"), "text/plain; charset=iso-8859-1", "Zürich – “x”"),
        ("Zürich".encode("utf-16"), "text/plain", "Zürich"),
        ("東京".encode("shift_jis"), "text/plain; charset=Shift_JIS", "東京"),
        ("東京".encode("euc_jp"), 'text/html; charset="euc-jp"', "東京"),
        ("東京".encode(), "text/plain; charset=shift_jis", "東京"),
        (b"\xef\xbb\xbfabc", "text/plain; charset=nonsense", "abc"),
        (b"abc", "text/plain; charset=rot13", "abc"),
        (b"abc", "text/plain; charset=", "abc"),
    ],
)
async def test_the_encoding_is_found(
    web: Client, site: Imitation, body: bytes, stated: str, read: str
) -> None:
    site.on("/x").then(page(body, stated))
    assert (await web.get(site.url("/x"))).text == read


async def test_the_polite_cache(site: Imitation, tmp_path: Path) -> None:
    site.on("/kept").then(text("one", headers={"Cache-Control": "max-age=600"}), "two")
    site.on("/asked").then(page(b"same", etag='"v1"', headers={"Cache-Control": "no-cache"}))
    site.on("/never").then(text("one", headers={"Cache-Control": "no-store"}), "two")
    for number in range(2):  # another process would find the same
        async with client(tmp_path, site) as web:
            kept = await web.get(site.url("/kept"))
            assert (kept.text, kept.origin) == ("one", ("network", "cache")[number])
            assert kept.retrieved_at
            assert (await web.get(site.url("/asked"))).body == b"same"
            assert (await web.get(site.url("/never"))).text == ("one", "two")[number]
    assert [hit.path for hit in site.hits].count("/kept") == 1
    assert [hit.headers.get("if-none-match") for hit in site.hits if hit.path == "/asked"] == [None, '"v1"']


async def test_a_spoiled_cache_is_no_obstacle(site: Imitation, tmp_path: Path) -> None:
    site.on("/x").then(text("there", headers={"Cache-Control": "max-age=600"}))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "responses.sqlite").write_bytes(b"this is not a database" * 1000)
    async with client(tmp_path, site) as web:
        assert (await web.get(site.url("/x"))).text == "there"


@pytest.mark.parametrize("folder", ["file/cache", "file", "/proc/version/cache"])
async def test_where_no_cache_can_be_there_is_none(
    site: Imitation, tmp_path: Path, caplog: pytest.LogCaptureFixture, folder: str
) -> None:
    (tmp_path / "file").touch()
    site.on("/x").then("there")
    async with client(tmp_path, site, cache=tmp_path / folder) as web:
        assert (await web.get(site.url("/x"))).text == "there"
        assert (await web.get(site.url("/x"))).origin == "network"
    assert [each.getMessage().split(":")[0] for each in caplog.records] == [
        "Labrig keeps no answers of services for later"
    ]


@pytest.mark.parametrize(
    ("file", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /private", "/private/x", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf.html", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: labrig\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow:\n\nUser-agent: Labrig\nDisallow: /", "/x", False),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("<html>not found</html>", "/x", True),
        ("", "/x", True),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ],
)
async def test_robots(web: Client, site: Imitation, file: str, path: str, allowed: bool) -> None:
    site.on("/*").then("page")
    site.on("/robots.txt").then(file)
    if allowed:
        assert (await web.get(site.url(path), robots=True)).ok
    else:
        error = await refused(web, site.url(path), robots=True)
        assert error.code == "refused"
        assert path not in [hit.path for hit in site.hits]
        assert (await web.get(site.url(path))).ok  # an interface made for programs is not a page


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (status(404), ""),
        (status(403), ""),
        (status(500), "unreachable"),
        (reset(), "unreachable"),
        (redirect("/there"), "refused"),
    ],
)
async def test_robots_that_are_not_there(web: Client, site: Imitation, answer: object, code: str) -> None:
    site.on("/*").then("page")
    site.on("/there").then("User-agent: *\nDisallow: /")
    site.on("/robots.txt").then(answer)
    if code:
        assert (await refused(web, site.url("/x"), robots=True, patience_s=0.1)).code == code
    else:
        assert (await web.get(site.url("/x"), robots=True)).ok
        assert (await web.get(site.url("/y"), robots=True)).ok
        assert [hit.path for hit in site.hits].count("/robots.txt") == 1


@pytest.mark.accept
async def test_robots_hold_after_a_redirect_and_slow_down(site: Imitation, tmp_path: Path) -> None:
    with imitation() as other:
        other.on("/robots.txt").then("User-agent: *\nDisallow: /secret")
        site.on("/robots.txt").then("User-agent: *\nCrawl-delay: 0.5")
        site.on("/a").then(redirect(other.url("/secret")))
        site.on("/b").then("b")
        async with client(tmp_path, site, other) as web:
            assert (await refused(web, site.url("/a"), robots=True)).code == "refused"
            await asyncio.gather(*(web.get(site.url(f"/b?{n}"), robots=True) for n in range(3)))
        times = [hit.at for hit in site.hits if hit.path == "/b"]
        assert min(after - before for before, after in pairwise(times)) >= 0.45
        assert [hit.path for hit in other.hits] == ["/robots.txt"]


@pytest.mark.accept
async def test_200_at_once_keep_the_limit_of_the_host(site: Imitation, tmp_path: Path) -> None:
    site.on("/*").then(lambda hit: slow("x", seconds=0.02))
    async with client(tmp_path, site, limit=Limit(per_second=100, concurrent=4)) as web:
        answers = await asyncio.gather(*(web.get(site.url(f"/{n}"), patience_s=60) for n in range(200)))
    assert all(answer.ok for answer in answers)
    assert site.most_at_once <= 4
    times = sorted(hit.at for hit in site.hits)
    assert len(times) == 200
    assert times[-1] - times[0] >= 1.9
    busiest = max(sum(start <= at < start + 1 for at in times) for start in times)
    assert busiest <= 125  # those that a busy machine held up arrive together


@pytest.mark.accept
async def test_who_does_not_want_to_wait_is_told_how_long(site: Imitation, tmp_path: Path) -> None:
    site.on("/*").then("x")
    async with client(tmp_path, site, limit=Limit(per_second=0.5, concurrent=1)) as web:
        ends = await asyncio.gather(
            *(web.get(site.url(f"/{n}"), patience_s=3) for n in range(10)), return_exceptions=True
        )
    told = [end for end in ends if isinstance(end, LabrigError)]
    assert 7 <= len(told) <= 9
    assert {error.code for error in told} == {"rate_limited"}
    assert all(error.retry_after_s and error.retry_after_s > 2 for error in told)


async def test_a_service_that_wants_to_know_who_asks(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HTTP_URL_ENCYCLOPEDIA", site.url("/w"))
    service = Service(
        "encyclopedia", "https://example.org/w", contact=True, key=Key("tests", "web_key", param="key")
    )
    site.on("/w/api").then(echo())
    async with client(tmp_path, contact="") as web:
        with pytest.raises(LabrigError) as caught:
            await web.ask(service, "api")
        assert (caught.value.code, caught.value.where) == ("unavailable", "LABRIG_TESTS_WEB_KEY")
        monkeypatch.setenv("LABRIG_TESTS_WEB_KEY", "planted-key-0123456789")
        with pytest.raises(LabrigError) as caught:
            await web.ask(service, "api")
        assert (caught.value.code, caught.value.where) == ("unavailable", "LABRIG_HTTP_CONTACT")
    async with client(tmp_path) as web:  # the operator's own address needs no other permission
        answer = await web.ask(service, "/api", params={"q": "x"})
    assert site.hits[0].query == {"q": "x", "key": "planted-key-0123456789"}
    assert answer.url == site.url("/w/api?q=x&key=[key]")
    assert "planted" not in repr(answer)


async def test_a_server_without_flags_uses_the_settings(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ServeOptions()
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    monkeypatch.delenv("LABRIG_HTTP_MODE", raising=False)
    async with Client.configured(mode=options.http_mode, ledger=options.ledger) as web:
        assert web.mode == "live"
    monkeypatch.setenv("LABRIG_HTTP_MODE", "record")
    async with Client.configured(mode=options.http_mode, ledger=options.ledger) as web:
        assert (web.mode, web.ledger_path) == ("record", tmp_path / "http" / "ledger.sqlite")


@pytest.mark.parametrize(
    "bad",
    [
        {"url": ""}, {"url": "example.org"}, {"url": "http://"}, {"url": "http://[::1"}, {"url": "http://a:b/"},
        {"url": "http://a:99999/"}, {"url": 7}, {"url": "http://" + "a" * 100_000}, {"method": "DELETE"},
        {"method": ""}, {"headers": {"a b": "c"}}, {"headers": {"X": "a\r\nHost: other"}},
        {"body": b"x", "data": 1}, {"body": b"x"}, {"data": float("nan"), "method": "POST"},
    ],
    ids=lambda bad: str(bad)[:40],
)  # fmt: skip
async def test_bad_requests(web: Client, site: Imitation, bad: dict[str, object]) -> None:
    given = {"method": "GET", "url": site.url("/x"), **bad}
    with pytest.raises(LabrigError) as caught:
        await web.request(**given)  # type: ignore[arg-type]
    assert caught.value.code in ("bad_input", "refused")
    assert not site.hits


@pytest.mark.parametrize("header", ["Authorization", "Cookie", "X-Api-Key"])
@pytest.mark.parametrize("vary", [{}, {"Vary": "Authorization, Cookie, X-Api-Key"}])
async def test_the_cache_does_not_give_one_persons_page_to_another(
    web: Client, site: Imitation, header: str, vary: dict[str, str]
) -> None:
    site.on("/me").then(
        *(text(who, headers={"Cache-Control": "max-age=99", **vary}) for who in ("ann", "bob", "-"))
    )
    for who in ("ann", "bob"):
        assert (await web.get(site.url("/me"), headers={header: f"{who}s-s3cret-of-hers"})).text == who
    assert [(await web.get(site.url("/me"))).text for _ in range(2)] == ["-", "-"]
    assert len(site.hits) == 3


@pytest.mark.parametrize("cache", [True, pytest.param(False, marks=pytest.mark.accept)])
@pytest.mark.parametrize("mode", [pytest.param("live", marks=pytest.mark.accept), "record"])
async def test_closing_ends_what_is_under_way(
    site: Imitation, tmp_path: Path, mode: str, cache: bool
) -> None:
    site.on("/*").then(lambda hit: slow("late", seconds=0.5))
    web = client(tmp_path, site, mode=mode, **({} if cache else {"cache": None}))
    under_way = [asyncio.create_task(refused(web, site.url(f"/{n}"))) for n in range(3)]
    await asyncio.sleep(0.2)
    await web.aclose()
    for error in await asyncio.wait_for(asyncio.gather(*under_way), 60):
        assert error.code in ("internal", "unreachable")
    if mode == "record":
        async with client(tmp_path, site, mode="replay") as again:
            assert (await refused(again, site.url("/0"))).code == "not_recorded"


async def test_a_second_event_loop_is_refused_by_name(web: Client, site: Imitation) -> None:
    site.on("/*").then("fine")
    assert (await web.get(site.url("/a"))).text == "fine"
    error = await asyncio.to_thread(lambda: asyncio.run(refused(web, site.url("/b"))))
    assert error.code == "internal" and "SyncClient" in error.try_
    assert (await web.get(site.url("/b"))).text == "fine"


def test_a_ledger_that_would_get_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LABRIG_HTTP_MODE", raising=False)
    parser = argparse.ArgumentParser()
    add_serve_arguments(parser)
    for words in (["--ledger", "l.sqlite"], ["--ledger", "l.sqlite", "--http-mode", "live"]):
        with pytest.raises(LabrigError, match="The mode live has no ledger"):
            serve_options(parser.parse_args(words))
    assert serve_options(parser.parse_args(["--ledger", "l.sqlite", "--http-mode", "record"])).ledger
    monkeypatch.setenv("LABRIG_HTTP_MODE", "replay")
    assert serve_options(parser.parse_args(["--ledger", "l.sqlite"])).ledger


@pytest.mark.parametrize(("said", "works"), [("", True), ("on", True), ("OFF", True), ("of", False)])
async def test_the_cache_is_on_or_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, works: bool
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    monkeypatch.setenv("LABRIG_HTTP_CACHE", said)
    if works:
        async with Client.configured():
            assert (tmp_path / "http" / "cache").exists() == (said != "OFF")
    else:
        with pytest.raises(LabrigError, match="neither on nor off"):
            Client.configured()


async def test_a_model_is_told_its_limit_by_the_name_that_its_service_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's newer models refuse ``max_tokens``, older servers of others know no other name."""
    said = {
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
        ]
    }
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refusal = {"error": {"message": words, "type": "invalid_request_error", "param": "max_tokens",
                         "code": "unsupported_parameter"}}  # fmt: skip
    asked = [{"role": "user", "content": "?"}]

    def sent(site: Imitation) -> list[list[str]]:
        return [[key for key in json.loads(hit.body) if key.startswith("max")] for hit in site.hits]

    with imitation() as site:
        site.on("/v1/chat/completions", method="POST").then(as_json(said))
        service = Service("toy_model", site.url("/v1"))
        async with client(tmp_path, site) as web:
            assert (await complete(web, service, "m", asked, most_tokens=9)).text == "Yes."
            assert sent(site) == [["max_completion_tokens"]]
            monkeypatch.setenv(service.moved_by, site.url("/own"))
            site.on("/own/chat/completions", method="POST").then(
                as_json(said),
                as_json(refusal, status=400),
                as_json(said),
                as_json({"error": "no such model"}, status=400),
            )
            for each in ("m", "n"):
                assert (await complete(web, service, each, asked, most_tokens=9)).text == "Yes."
            assert sent(site)[1:] == [["max_tokens"], ["max_tokens"], ["max_completion_tokens"]]
            with pytest.raises(LabrigError, match="no such model"):
                await complete(web, service, "o", asked, most_tokens=9)
            assert len(site.hits) == 5
