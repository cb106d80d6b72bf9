"""Libraries on `requests` go through the client: what they get is what they would have got, and it replays."""

from __future__ import annotations

import contextvars
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests

from labrig.errors import LabrigError
from labrig.http import Client, Limit
from labrig.http.for_requests import Session, labrig_error
from labrig.http.ledger.ledger import Ledger
from labrig.http.robots import AGENT
from labrig.http.sync import SyncClient
from support.imitation import (
    Hit,
    Imitation,
    as_json,
    echo,
    endless,
    imitation,
    page,
    redirect,
    silence,
    slow,
    status,
)
from support.late import late

googlemaps = late("googlemaps")

KEY = "AIza" + "Fake0" * 7
FAST = Limit(100_000, 50)


@pytest.fixture
def site() -> Iterator[Imitation]:
    with imitation() as made:
        yield made


@pytest.fixture
def client(site: Imitation) -> Iterator[SyncClient]:
    with live(site) as made:
        yield made


def origin(site: Imitation) -> str:
    return site.url("").rstrip("/")


def live(*sites: Imitation) -> SyncClient:
    return SyncClient(lambda: Client(private_origins=[origin(each) for each in sites], limit=FAST))


def with_ledger(mode: str, ledger: Path, site: Imitation) -> SyncClient:
    return SyncClient(lambda: Client(mode=mode, ledger=ledger, private_origins=[origin(site)], limit=FAST))


def google(client: SyncClient, site: Imitation, **more: Any) -> googlemaps.Client:
    session = Session(client, **more)
    return googlemaps.Client(
        KEY, requests_session=session, base_url=origin(site), retry_over_query_limit=False
    )


# -------------------------------------------------------------------------------------------- the real library


def test_googlemaps_recorded_once_replays_without_the_network(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_GOOGLE_KEY", KEY)
    site.on("/maps/api/geocode/json").then(
        lambda hit: {"status": "OK", "results": [{"formatted_address": "Brocken", "you_sent": hit.target}]}
    )
    ledger = tmp_path / "ledger.sqlite"
    with with_ledger("record", ledger, site) as client:
        first = google(client, site).geocode("Brocken")
        assert google(client, site).geocode("Brocken") == first
    assert len(site.hits) == 1, "the second time the ledger answered"
    assert site.hits[0].query["key"] == KEY
    assert first[0]["you_sent"].endswith("key=[key]")

    site.stop()
    with with_ledger("replay", ledger, site) as client:
        assert google(client, site).geocode("Brocken") == first
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and KEY.encode() in each.read_bytes()]
    unpacked = [vars(each.request) | vars(each.outcome) for each in Ledger(ledger, write=False).exchanges()]
    assert len(unpacked) == 1 and KEY not in repr(unpacked)


def test_a_rate_limit_is_met_once_and_reaches_the_tool_as_itself(site: Imitation, client: SyncClient) -> None:
    """By itself googlemaps would ask for a minute."""
    site.on("/*").then(status(429, retry_after=77))
    for _attempt in range(2):
        with pytest.raises(googlemaps.exceptions.TransportError) as caught:
            google(client, site, patience_s=0).geocode("Brocken")
        error = labrig_error(caught.value)
        assert error is not None and error.code == "rate_limited"
        assert error.retry_after_s is not None and 40 < error.retry_after_s <= 77
    assert len(site.hits) == 1, "the second knew that it is of no use"


@pytest.mark.parametrize("code", [500, 503, 504])
def test_what_the_client_has_waited_for_googlemaps_does_not_ask_again(
    site: Imitation, client: SyncClient, code: int
) -> None:
    site.on("/*").then(status(code, "the map is being drawn"))
    with pytest.raises(googlemaps.exceptions.TransportError, match="the map is being drawn") as caught:
        google(client, site, patience_s=0).geocode("Brocken")
    assert getattr(labrig_error(caught.value), "code", "") == "unreachable" and len(site.hits) == 1


def test_a_service_that_is_silent_or_gone_is_what_the_library_calls_it(
    site: Imitation, client: SyncClient
) -> None:
    site.on("/*").then(silence())
    with pytest.raises(googlemaps.exceptions.Timeout) as too_slow:
        google(client, site, patience_s=0, timeout_s=0.3).geocode("Brocken")
    site.stop()
    with pytest.raises(googlemaps.exceptions.TransportError) as gone:
        google(client, site, patience_s=0).geocode("Brocken")
    for caught in (too_slow, gone):
        assert getattr(labrig_error(caught.value), "code", "") == "unreachable"


def test_an_error_of_a_library_alone_is_none_of_ours() -> None:
    with pytest.raises(ValueError, match="Invalid API key") as caught:
        googlemaps.Client("no key")
    assert labrig_error(caught.value) is None
    try:
        try:
            raise LabrigError("another matter")
        except LabrigError:
            raise ValueError from None
    except ValueError as error:
        assert labrig_error(error) is None


# ------------------------------------------------------------------------------------ beside requests by itself

CALLS: dict[str, Callable[[requests.Session, str], requests.Response]] = {
    "json": lambda s, u: s.get(u + "/json", params={"q": "a b&c", "n": [1, 2]}),
    "form": lambda s, u: s.post(u + "/echo", data={"q": "ä b"}),
    "post json": lambda s, u: s.post(u + "/echo", json={"q": "ä"}, headers={"X-Thing": "1"}),
    "file": lambda s, u: s.post(u + "/echo", data=io.BytesIO(b"\x00\xff")),
    "parts": lambda s, u: s.post(u + "/echo", data=(each for each in (b"a", b"b"))),
    "empty post": lambda s, u: s.post(u + "/echo"),
    "login": lambda s, u: s.get(u + "/json", auth=("user", "a-password-1")),
    "redirected": lambda s, u: s.get(u + "/moved"),
    "twice": lambda s, u: s.get(u + "/moved-twice"),
    "post redirected": lambda s, u: s.post(u + "/moved", data={"a": "b"}),
    "post kept": lambda s, u: s.post(u + "/kept", data={"a": "b"}),
    "not followed": lambda s, u: s.get(u + "/moved", allow_redirects=False),
    "head": lambda s, u: s.head(u + "/json"),
    "missing": lambda s, u: s.get(u + "/nothing"),
    "no content": lambda s, u: s.get(u + "/204"),
    "packed": lambda s, u: s.get(u + "/packed"),
    "latin": lambda s, u: s.get(u + "/latin"),
    "bytes": lambda s, u: s.get(u + "/bytes"),
    "stream": lambda s, u: s.get(u + "/lines", stream=True),
    "encoded path": lambda s, u: s.get(u + "/json/a%2Fb%20c?x=%C3%A4"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_response_is_as_requests_would_have_made_it(site: Imitation, client: SyncClient, name: str) -> None:
    site.on("/json*").then(as_json({"name": "Müller"}, headers={"X-Thing": "1"}))
    site.on("/echo").then(
        lambda hit: [hit.method, hit.body.decode("latin-1"), hit.headers.get("content-type")]
    )
    site.on("/moved").then(redirect("/json?moved=1"))
    site.on("/moved-twice").then(redirect("moved", 301))
    site.on("/kept").then(redirect("/echo", 307))
    site.on("/204").then(status(204))
    site.on("/packed").then(page(b"[1]", "application/json", packed=True))
    site.on("/latin").then(page("Müller".encode("latin-1"), "text/plain; charset=iso-8859-1"))
    site.on("/bytes").then(page(bytes(range(256)) * 100, "image/tiff", chunks=1000))
    site.on("/lines").then(page(b"one\ntwo\r\nthree"))
    with requests.Session() as plain:
        plain.trust_env = False
        expected, wanted = facts(CALLS[name](plain, site.url("")), name), sent(site)
    site.forget()
    with Session(client) as ours:
        assert facts(CALLS[name](ours, site.url("")), name) == expected
    assert sent(site) == wanted


def facts(made: requests.Response, name: str) -> dict[str, Any]:
    assert made.elapsed.total_seconds() > 0
    body: Any = (
        list(made.iter_lines(3))
        if name == "stream"
        else [made.content, made.text, b"".join(made.iter_content(7))]
    )
    kept = ("content-type", "location", "x-thing")
    return {
        "status": (
            made.status_code,
            made.reason,
            made.ok,
            made.is_redirect,
            made.raw.status,
            made.raw.reason,
        ),
        "url": made.url,
        "body": body,
        "json": made.json() if "json" in made.headers.get("Content-Type", "") and made.content else None,
        "headers": {each: made.headers[each] for each in kept if each in made.headers},
        "history": [
            (each.status_code, each.url, urljoin(each.url, each.headers["Location"])) for each in made.history
        ],
    }


def sent(site: Imitation) -> list[Any]:
    """What the service saw, but for the headers of the connection."""
    named = ("content-type", "accept", "authorization", "x-thing")
    return [
        (hit.method, hit.target, hit.body, [hit.headers.get(each) for each in named]) for hit in site.hits
    ]


def test_text_is_read_as_it_is_and_not_as_it_is_stated(site: Imitation, client: SyncClient) -> None:
    """`requests` reads this as Latin-1; nobody who sends UTF-8 means that."""
    site.on("/x").then(page("Müller".encode(), "text/plain"))
    assert Session(client).get(site.url("/x")).text == "Müller"


def test_errors_are_those_of_requests_and_ours(site: Imitation, tmp_path: Path, client: SyncClient) -> None:
    site.on("/silent").then(silence())
    site.on("/large").then(endless(1 << 22))
    site.on("/limited").then(status(429, retry_after=9))
    session = Session(client, patience_s=0, max_bytes=1 << 16)
    ledger = tmp_path / "ledger.sqlite"
    with with_ledger("record", ledger, site) as recording, pytest.raises(requests.Timeout):
        Session(recording, patience_s=0).get(site.url("/silent"), timeout=0.2)
    with with_ledger("replay", ledger, site) as replaying:
        cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
            (lambda: session.get(site.url("/silent"), timeout=(0.2, 0.2)), requests.Timeout, "unreachable"),
            (lambda: session.get(site.url("/large")), requests.RequestException, "too_large"),
            (lambda: session.get(site.url("/limited")), requests.RequestException, "rate_limited"),
            (lambda: session.get("http://127.0.0.1:9/"), requests.RequestException, "refused"),
            (lambda: session.put(site.url("/x"), data=b"1"), requests.RequestException, "bad_input"),
            (lambda: Session(replaying).get(site.url("/x")), requests.RequestException, "not_recorded"),
            (lambda: Session(replaying).get(site.url("/silent")), requests.Timeout, "unreachable"),
        ]
        for ask, kind, code in cases:
            with pytest.raises(kind) as caught:
                ask()
            error = caught.value
            ours = labrig_error(error)
            assert isinstance(error, LabrigError) and error.code == code
            assert ours is not None and type(error) is not type(ours) and str(error) == str(ours)
    site.stop()
    with live(site) as other, pytest.raises(requests.ConnectionError, match="No connection"):
        Session(other, patience_s=0).get(site.url("/x"))  # the first waits the nine seconds


def test_a_status_that_is_an_error_keeps_the_key_to_itself(
    site: Imitation, client: SyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_GOOGLE_KEY", KEY)
    site.on("/x").then(echo(403))
    made = Session(client).get(site.url("/x"), params={"key": KEY})
    assert site.hits[0].query == {"key": KEY}
    with pytest.raises(requests.HTTPError) as caught:
        made.raise_for_status()
    assert KEY not in str(caught.value) + made.text + made.url and "[key]" in str(caught.value)


# --------------------------------------------------------------------------------------------- no other way out


def test_nothing_weakens_or_goes_round(
    site: Imitation, client: SyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.on("/x").then("through", status(200, headers={"Set-Cookie": "a=b"}), "again")
    session = Session(client)
    for more in (
        {"verify": False},
        {"verify": "/some/authorities.pem"},
        {"cert": "/some/certificate.pem"},
        {"proxies": {"http": "http://127.0.0.1:9"}},
        {"cookies": {"a": "b"}},
    ):
        with pytest.raises(requests.RequestException, match=next(iter(more))) as caught:
            session.get(site.url("/x"), **more)
        assert getattr(labrig_error(caught.value), "code", "") == "refused"
    assert not site.hits

    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login somebody password a-password-1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    session.trust_env = True
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=3))
    session.mount(site.url(""), requests.adapters.HTTPAdapter())
    assert not any(isinstance(each, requests.adapters.HTTPAdapter) for each in session.adapters.values())
    session.adapters["http://127"] = requests.adapters.HTTPAdapter()
    made = [session.get(site.url("/x")) for _ in range(3)]
    assert made[0].text == "through" and made[2].text == "again"
    assert all("authorization" not in hit.headers and "cookie" not in hit.headers for hit in site.hits)
    assert {hit.headers["user-agent"].split("/")[0] for hit in site.hits} == {AGENT}


def test_keys_do_not_follow_a_redirect_to_another_origin(site: Imitation) -> None:
    with imitation() as other, live(site, other) as client:
        site.on("/x").then(redirect(other.url("/y")))
        headers = {"X-Goog-Api-Key": "a-secret-of-27-characters-1", "Accept-Language": "de"}
        made = Session(client).get(site.url("/x"), headers=headers, auth=("user", "a-password-1"))
        assert made.url == other.url("/y") and [each.status_code for each in made.history] == [302]
        assert "x-goog-api-key" in site.hits[0].headers and "authorization" in site.hits[0].headers
        assert other.hits[0].headers["accept-language"] == "de"
        assert not {"x-goog-api-key", "authorization"} & set(other.hits[0].headers)


# ------------------------------------------------------------------------------------------- the client itself


def test_many_threads_ask_at_once_each_in_its_own_context(site: Imitation) -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
    noted: dict[str, str] = {}

    class Noting(Client):
        async def request(self, method: str, url: str, **more: Any) -> Any:
            noted[url] = who.get()
            return await super().request(method, url, **more)

    def ask(number: int) -> str:
        who.set(str(number))
        return client.request("GET", site.url(f"/{number}")).text

    site.on("/*").then(lambda hit: slow(hit.path, seconds=0.1))
    making = SyncClient(lambda: Noting(private_origins=[origin(site)], limit=FAST))
    with making as client, ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(60))) == [f"/{number}" for number in range(60)]
    assert noted == {site.url(f"/{number}"): str(number) for number in range(60)}
    assert site.most_at_once > 1


def test_closing_ends_those_who_wait(site: Imitation, client: SyncClient) -> None:
    site.on("/x").then(silence())
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(client.request, "GET", site.url("/x"), timeout_s=200) for _ in range(3)]
        await_hits(site, 3)
        client.close()
        errors = [each.exception(30) for each in waiting]
    client.close()
    with pytest.raises(LabrigError) as late:
        client.request("GET", site.url("/x"))
    assert [getattr(each, "code", each) for each in [*errors, late.value]] == ["unavailable"] * 4
    assert not [each for each in threading.enumerate() if each.name == "labrig-http"]


def test_an_interrupt_ends_the_request_too(site: Imitation, client: SyncClient) -> None:
    ended = threading.Event()

    def hung_up(hit: Hit) -> Any:
        answer = silence()

        async def play(hit: Hit, line: Any) -> bool:
            try:
                return await answer.play(hit, line)
            finally:
                ended.set()

        return type(answer)(play)

    def interrupt() -> None:
        await_hits(site, 1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    site.on("/x").then(hung_up)
    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            client.request("GET", site.url("/x"), timeout_s=60, patience_s=0)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.wait(30), "the connection was closed, not left behind"
    site.on("/y").then("on")
    assert client.request("GET", site.url("/y")).text == "on"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_is_told_to_make_its_own(site: Imitation, client: SyncClient) -> None:
    site.on("/x").then("here")
    assert client.request("GET", site.url("/x")).text == "here"
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.alarm(60)  # whatever happens, it does not stay
            client.request("GET", site.url("/x"))
        except LabrigError as error:
            client.close()
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    os.close(write)
    with open(read, "rb") as pipe:
        assert b"after the fork" in pipe.read()
    assert client.request("GET", site.url("/x")).text == "here"


def test_a_client_that_cannot_be_made_says_why_at_once() -> None:
    with pytest.raises(LabrigError, match="needs a ledger"):
        SyncClient(lambda: Client(mode="replay"))


def await_hits(site: Imitation, number: int) -> None:
    until = time.monotonic() + 60
    while len(site.hits) < number and time.monotonic() < until:
        time.sleep(0.01)
    assert len(site.hits) >= number
