"""The imitation server misbehaves as it is told to, as a plain socket and the standard library's client see it."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import imitation as fake
from support.imitation import Imitation, imitation


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


def ask(
    site: Imitation, target: str = "/x", method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    try:
        connection.request(method, target, body, {k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def plug(
    site: Imitation, sent: bytes = b"GET /x HTTP/1.1\r\nHost: here\r\n\r\n", seconds: float = 20
) -> socket.socket:
    """Return a socket over which a request went."""
    made = socket.create_connection(("127.0.0.1", site.port), timeout=seconds)
    made.sendall(sent)
    return made


def wait_for(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


def everything(line: socket.socket) -> bytes:
    got = b""
    with line:
        while part := line.recv(1 << 16):
            got += part
    return got


def test_routes_match_path_method_query_and_body_and_the_last_declared_answers(site: Imitation) -> None:
    site.on("/tile/*").then("any tile")
    site.on("/tile/7", query={"scale": "2"}).then("that tile")
    site.on("/form", method="POST", body=lambda body: b"[out:json]" in body).then({"elements": []})
    assert ask(site, "/tile/7?scale=2&more=1")[2] == b"that tile"
    assert ask(site, "/tile/7?scale=3")[2] == ask(site, "/tile/")[2] == b"any tile"
    assert json.loads(ask(site, "/form", "POST", b"[out:json];")[2]) == {"elements": []}
    for target, method, body in (("/form", "POST", b"other"), ("/form", "GET", None), ("/tile", "GET", None)):
        status, _, said = ask(site, target, method, body)
        assert (status, said) == (404, f"No route for {method} {target}\n".encode())
    assert len(site.hits) == 7


def test_answers_come_in_order_and_the_last_stays(site: Imitation) -> None:
    site.on("/x").then(fake.status(429, retry_after=1), fake.status(503)).then("ok")
    got = [ask(site) for _ in range(4)]
    assert [status for status, _, _ in got] == [429, 503, 200, 200]
    assert [headers["Retry-After"] for _, headers, _ in got] == ["1", None, None, None]


def test_hits_hold_what_was_asked_and_echo_tells_it(site: Imitation) -> None:
    site.on("/e").then(fake.echo(403))
    status, _, said = ask(site, "/e?key=s%20cret&a=1&a=2", "POST", b"body", X_Api_Key="hush")
    hit, shown = site.hits[0], json.loads(said)
    assert (status, hit.method, hit.path, hit.query, hit.body) == (
        403,
        "POST",
        "/e",
        {"key": "s cret", "a": "2"},
        b"body",
    )
    assert hit.headers["x-api-key"] == shown["headers"]["x-api-key"] == "hush"
    assert shown["url"] == site.url("/e?key=s%20cret&a=1&a=2") and shown["body"] == "body"
    assert b"X-Api-Key: hush\r\n" in hit.head and time.monotonic() - hit.at < 60


def test_a_function_makes_the_answer_and_its_failure_is_the_test_s() -> None:
    with pytest.raises(AssertionError, match="no such tile"), imitation() as site:
        site.on("/x*").then(lambda hit: fake.text(hit.path, status=201))
        assert ask(site, "/xyz")[::2] == (201, b"/xyz")

        def refuse(hit: fake.Hit) -> str:
            raise AssertionError("no such tile")

        site.on("/x").then(refuse)
        assert ask(site)[0] == 500


def test_a_connection_is_kept_and_the_most_at_once_are_counted(site: Imitation) -> None:
    site.on("/x").then(lambda hit: fake.slow("ok", seconds=0.5))
    kept = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    for _ in range(2):
        kept.request("GET", "/x")
        assert kept.getresponse().read() == b"ok"
    kept.close()
    assert (site.connections, site.most_at_once) == (1, 1)
    assert [hit.connection for hit in site.hits] == [1, 1]
    assert site.hits[1].at - site.hits[0].at > 0.4
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda _: ask(site)[2], range(6))) == [b"ok"] * 6
    assert 2 <= site.most_at_once <= 6 and site.connections == 7
    site.forget()
    assert (site.hits, site.connections, site.most_at_once, site.sent) == ([], 0, 0, 0)


def test_who_gave_up_is_no_longer_counted(site: Imitation) -> None:
    site.on("/x").then(fake.silence(), "ok")
    plug(site).close()
    wait_for(lambda: len(site.hits) == 1 and not site._lines)
    assert ask(site)[2] == b"ok" and site.most_at_once == 1


def test_bodies_packed_in_chunks_for_head_and_not_again(site: Imitation) -> None:
    site.on("/x").then(
        fake.page(b"abcdefg" * 9, packed=True, chunks=10, etag='"1"', headers={"Cache-Control": "no-cache"})
    )
    status, headers, body = ask(site)
    assert (status, headers["Content-Encoding"], headers["Transfer-Encoding"]) == (200, "gzip", "chunked")
    assert gzip.decompress(body) == b"abcdefg" * 9
    assert ask(site, method="HEAD")[::2] == (200, b"")
    assert ask(site, If_None_Match='"1"')[::2] == (304, b"") and ask(site, If_None_Match='"2"')[0] == 200


def test_chunked_requests_are_read(site: Imitation) -> None:
    site.on("/x", method="POST").then(lambda hit: hit.body)
    start = b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    line = plug(site, start + b"3\r\nabc\r\n2;e=1\r\nde\r\n0\r\n\r\n")
    assert everything(line).endswith(b"\r\n\r\nabcde")


def test_redirects_cookies_charsets_and_headers_of_any_size(site: Imitation) -> None:
    site.on("/x").then(fake.redirect("/x", 307, headers=[("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]))
    status, headers, _ = ask(site)
    assert (status, headers["Location"], headers.get_all("Set-Cookie")) == (307, "/x", ["a=1", "b=2"])
    site.on("/é").then(fake.page("é".encode(), "text/plain; charset=iso-8859-1"))
    assert ask(site, "/%C3%A9")[2] == b"\xc3\xa9"
    site.on("/x").then(fake.text("", headers={"X": "x" * 10**6}))
    assert b"x" * 10**6 in everything(plug(site, b"GET /x HTTP/1.1\r\nConnection: close\r\n\r\n"))


def test_truncated_half_and_foreign_answers(site: Imitation) -> None:
    site.on("/x").then(fake.truncated(b"abc", missing=2), fake.truncated(b"abc", chunked=True))
    for _ in range(2):
        with pytest.raises(http.client.IncompleteRead) as caught:
            ask(site)
        assert caught.value.partial == b"abc"
    site.on("/x").then(fake.half_headers(), fake.garbage())
    assert everything(plug(site)) == b"HTTP/1.1 200 OK\r\nContent-Type: text/pl"
    with pytest.raises(http.client.BadStatusLine):
        ask(site)


def test_a_reset_is_rst_also_in_the_middle(site: Imitation) -> None:
    site.on("/x").then(fake.reset(), fake.raw(fake.head(200, {"Content-Length": "9"}) + b"abc", rst=True))
    with pytest.raises(ConnectionResetError):
        everything(plug(site))
    line = plug(site)
    assert line.recv(1 << 16)
    with pytest.raises(ConnectionResetError):
        everything(line)


@pytest.mark.parametrize(
    ("answer", "before"),
    [
        (fake.silence(), b""),
        (fake.half_headers(hang=True), b"HTTP/1.1 200 OK\r\nContent-Type: text/pl"),
        (fake.truncated(b"abc", hang=True), b"abc"),
    ],
    ids=["silence", "half headers", "half body"],
)
def test_what_hangs_says_no_more_and_stays_open(site: Imitation, answer: fake.Answer, before: bytes) -> None:
    site.on("/x").then(answer)
    got = b""
    with pytest.raises(TimeoutError), plug(site, seconds=1.5) as line:
        while part := line.recv(1 << 16):
            got += part
    assert got.endswith(before) and bool(got) == bool(before) and len(site.hits) == 1


@pytest.mark.parametrize("from_start", [False, True])
def test_drip_takes_its_time(site: Imitation, from_start: bool) -> None:
    site.on("/x").then(
        fake.drip(b"abcdef", every_s=0.1, size=1 if not from_start else 40, from_start=from_start)
    )
    began = time.monotonic()
    assert ask(site)[2] == b"abcdef"
    assert time.monotonic() - began > (0.4 if not from_start else 0.15)


@pytest.mark.parametrize("stated", [False, True])
def test_endless_sends_all_to_who_reads_and_stops_for_who_hangs_up(site: Imitation, stated: bool) -> None:
    site.on("/x").then(fake.endless(10_000_001, stated=stated), fake.endless(1 << 40, stated=stated))
    status, headers, body = ask(site)
    assert (status, len(body), headers["Content-Length"]) == (200, 10_000_001, "10000001" if stated else None)
    line = plug(site)
    line.recv(1000)
    line.close()
    wait_for(lambda: not site._lines)
    assert site.sent < 100_000_000


@pytest.mark.parametrize("layers", [1, 2])
def test_a_bomb_is_small_and_becomes_large(site: Imitation, layers: int) -> None:
    site.on("/x").then(fake.bomb(64 << 20, layers=layers))
    _, headers, body = ask(site)
    assert (
        headers["Content-Encoding"] == ", ".join(["gzip"] * layers)
        and len(body) < (100_000, 1_000)[layers - 1]
    )
    for _ in range(layers):
        body = zlib.decompress(body, wbits=31)
    assert body == bytes(64 << 20)


def test_a_stopped_site_refuses_ends_what_is_open_and_comes_back_on_its_port(site: Imitation) -> None:
    site.on("/x").then(fake.silence(), "ok")
    line, port = plug(site), site.port
    wait_for(lambda: len(site.hits) == 1)
    site.stop()
    with pytest.raises(ConnectionResetError):
        everything(line)
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            plug(site)
    with pytest.raises(OSError, match="in use"), socket.socket() as other:
        other.bind(("127.0.0.1", port))
    site.start()
    assert ask(site)[2] == b"ok" and site.port == port


def test_sites_are_many_at_once_and_leave_nothing_behind() -> None:
    before = threading.active_count()
    with imitation() as one, imitation() as two:
        one.on("/x").then("one")
        two.on("/x").then("two")
        assert (ask(one)[2], ask(two)[2], len(one.hits), len(two.hits)) == (b"one", b"two", 1, 1)
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        plug(one)
