"""A local HTTP server of which a test writes down every answer and every misbehaviour.

    with imitation() as site:
        site.on("/w/api.php", query={"action": "query"}).then({"query": {"pages": []}})
        site.on("/x").then(status(429, retry_after=1), status(503), "ok")  # in this order; the last one stays
        site.on("/tile/*").then(lambda hit: slow(hit.path, seconds=2))
        ...  # ask site.url("/x")
        assert [hit.path for hit in site.hits] == ["/x", "/x", "/x"]

It is raw HTTP/1.1 in a thread of its own on 127.0.0.1 and a free port, so that it can break every rule. Any number of
them run at once. As a fixture: `yield` the site from inside the `with`. An answer is what one of the functions below
makes, or text, bytes, or a list or dict (sent as JSON), or a function of the `Hit` that returns one of these.
What needs no function of its own: a wrong charset is ``page("é".encode(), "text/plain; charset=latin-1")``, a huge
header ``text("", headers={"X": "x" * 10**6})``, a loop of redirects ``site.on("/a").then(redirect("/a"))``.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
BLOCK = 64 << 10


@dataclass(frozen=True)
class Hit:
    """One request as it came.

    `target` is what stands in the request line, `head` all that was sent before the body. `path` is unquoted, `query`
    has the last of equal parameters, `headers` have names in lower case. `at` is by `time.monotonic`; requests with the
    same `connection` came over one.
    """

    method: str
    target: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    at: float
    connection: int
    head: bytes


class Line:
    """One connection, as an answer uses it."""

    def __init__(self, site: Imitation, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._site, self._reader, self._writer = site, reader, writer
        self.number, self.task = site.connections, asyncio.current_task()

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
        self._site.sent += len(data)

    async def wait(self, seconds: float | None) -> None:
        """Wait, for good if no time is given; the other side's hanging up ends it with a ConnectionError."""
        try:
            async with asyncio.timeout(seconds):
                while await self._reader.read(BLOCK):
                    pass
        except TimeoutError:
            return
        raise ConnectionResetError

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        option = struct.pack("ii", 1, 0)
        with suppress(OSError):  # already closed
            self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def request(self) -> Hit:
        """Read a request; ends with EOFError (IncompleteReadError) when no more come."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target = [*first.split(" "), "", ""][:2]
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            headers[name] = f"{headers[name]}, {value.strip()}" if name in headers else value.strip()
        body = b""
        if "chunked" in headers.get("transfer-encoding", ""):
            while size := int((await self._reader.readline()).split(b";")[0], 16):
                body += (await self._reader.readexactly(size + 2))[:-2]
            await self._reader.readuntil(b"\r\n")
        elif length := int(headers.get("content-length", 0)):
            body = await self._reader.readexactly(length)
        path, _, asked = re.sub(r"^\w+://[^/?]*", "", target).partition("?")  # a proxy is sent whole URLs
        query = {name: values[-1] for name, values in parse_qs(asked, keep_blank_values=True).items()}
        return Hit(method, target, unquote(path), query, headers, body, time.monotonic(), self.number, head)


@dataclass(frozen=True)
class Answer:
    """What is done to a connection in answer to a request; `play` says whether another may come over it."""

    play: Callable[[Hit, Line], Awaitable[bool]]


Given = Answer | str | bytes | list[Any] | dict[str, Any] | Callable[[Hit], Any]


def as_answer(given: Given, hit: Hit) -> Answer:
    while callable(given):
        given = given(hit)
    if isinstance(given, Answer):
        return given
    return (
        text(given) if isinstance(given, str) else page(given) if isinstance(given, bytes) else as_json(given)
    )


# ----------------------------------------------------------------------------------------------- good answers


def page(
    body: bytes = b"",
    media: str = "application/octet-stream",
    *,
    status: int = 200,
    headers: Headers = (),
    etag: str = "",
    packed: bool = False,
    chunks: int = 0,
) -> Answer:
    """Answer with bytes: 304 where the request has the `etag`; `packed` with gzip; in `chunks` of a size."""
    content = gzip.compress(body) if packed else body
    more = [
        *_pairs(headers),
        *([("ETag", etag)] if etag else []),
        *([("Content-Encoding", "gzip")] if packed else []),
    ]

    async def play(hit: Hit, line: Line) -> bool:
        if etag and hit.headers.get("if-none-match") == etag:
            await line.write(head(304, more))
        elif not chunks or hit.method == "HEAD":
            whole = head(status, [("Content-Type", media), ("Content-Length", str(len(content))), *more])
            await line.write(whole if hit.method == "HEAD" else whole + content)
        else:
            await line.write(head(status, [("Content-Type", media), ("Transfer-Encoding", "chunked"), *more]))
            for start in range(0, len(content), chunks):
                await line.write(chunk(content[start : start + chunks]))
            await line.write(chunk(b""))
        return True

    return Answer(play)


def parts(
    body: bytes, *, etag: str = '"1"', media: str = "application/octet-stream"
) -> Callable[[Hit], Answer]:
    """Answer with the part of the bytes that Range asks for, 206 or 416, and with all where it asks for none."""

    def answer(hit: Hit) -> Answer:
        tag = {"ETag": etag} if etag else {}
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", hit.headers.get("range", ""))
        if found is None:
            return page(body, media, headers=tag)
        first = int(found[1]) if found[1] else max(0, len(body) - int(found[2]))
        last = min(int(found[2]) if found[1] and found[2] else len(body) - 1, len(body) - 1)
        if first > last:
            return page(b"", media, status=416, headers={**tag, "Content-Range": f"bytes */{len(body)}"})
        stated = {**tag, "Content-Range": f"bytes {first}-{last}/{len(body)}"}
        return page(body[first : last + 1], media, status=206, headers=stated)

    return answer


def text(body: str, **more: Any) -> Answer:
    return page(body.encode(), "text/plain; charset=utf-8", **more)


def html(body: str, **more: Any) -> Answer:
    return page(body.encode(), "text/html; charset=utf-8", **more)


def as_json(data: Any, **more: Any) -> Answer:
    return page(json.dumps(data).encode(), "application/json", **more)


def status(code: int, body: str = "", *, retry_after: object = None, headers: Headers = ()) -> Answer:
    """Answer with a status, and Retry-After where it is given: seconds or a date."""
    more = [] if retry_after is None else [("Retry-After", str(retry_after))]
    return text(body or f"{code} {_phrase(code)}\n", status=code, headers=[*_pairs(headers), *more])


def redirect(to: str, code: int = 302, *, headers: Headers = ()) -> Answer:
    """Point to another place, which may be the same: a loop."""
    return status(code, headers=[("Location", to), *_pairs(headers)])


def echo(code: int = 200) -> Callable[[Hit], Answer]:
    """Answer with the request as JSON, keys and all, as careless services do."""

    def answer(hit: Hit) -> Answer:
        url = f"http://{hit.headers.get('host', '')}{hit.target}"
        body = hit.body.decode("utf-8", "replace")
        shown = {"method": hit.method, "url": url, "args": hit.query, "headers": hit.headers, "body": body}
        return as_json(shown, status=code)

    return answer


# ------------------------------------------------------------------------------------------------------ faults


def slow(then: Given, *, seconds: float) -> Answer:
    """Wait before the answer."""

    async def play(hit: Hit, line: Line) -> bool:
        await line.wait(seconds)
        return await as_answer(then, hit).play(hit, line)

    return Answer(play)


def drip(body: bytes, *, every_s: float, size: int = 1, from_start: bool = False) -> Answer:
    """Send a body a few bytes at a time; with `from_start` the headers too."""

    async def play(hit: Hit, line: Line) -> bool:
        rest = body
        start = head(200, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
        if from_start:
            rest = start + body
        else:
            await line.write(start)
        for at in range(0, len(rest), size):
            await line.write(rest[at : at + size])
            await line.wait(every_s)
        return True

    return Answer(play)


def raw(data: bytes, *, hang: bool = False, rst: bool = False) -> Answer:
    """Send these very bytes, then close; or leave the connection open without a word; or reset it."""

    async def play(hit: Hit, line: Line) -> bool:
        if data:
            await line.write(data)
        if hang:
            await line.wait(None)
        if rst:
            await line.wait(0.1 if data else 0)  # what has not been read by then is lost with the connection
            line.reset()
        return False

    return Answer(play)


def truncated(body: bytes, *, missing: int = 1, chunked: bool = False, hang: bool = False) -> Answer:
    """State a longer body than comes, or no last chunk, then close; or leave the connection open."""
    length = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body) + missing))
    return raw(
        head(200, [("Content-Type", "text/plain"), length]) + (chunk(body) if chunked else body), hang=hang
    )


def reset() -> Answer:
    return raw(b"", rst=True)


def silence() -> Answer:
    """Take the request, and never answer."""
    return raw(b"", hang=True)


def half_headers(*, hang: bool = False) -> Answer:
    return raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/pl", hang=hang)


def garbage() -> Answer:
    """Answer in another protocol."""
    return raw(b"SSH-2.0-OpenSSH_9.6\r\n\x00\x00\x05\xdc\n\n\xff\xfe")


def endless(size: int = 1 << 30, *, stated: bool = False, media: str = "text/plain") -> Answer:
    """Send very many bytes in chunks, or with their number stated before."""

    async def play(hit: Hit, line: Line) -> bool:
        length = ("Content-Length", str(size)) if stated else ("Transfer-Encoding", "chunked")
        await line.write(head(200, [("Content-Type", media), length]))
        for start in range(0, size, BLOCK):
            block = b"x" * min(BLOCK, size - start)
            await line.write(block if stated else chunk(block))
        await line.write(b"" if stated else chunk(b""))
        return True

    return Answer(play)


def bomb(size: int = 256 << 20, *, layers: int = 1, media: str = "text/plain") -> Answer:
    """Send a small body that gzip blows up to `size` bytes; with more layers, a smaller one."""
    body = _zeros(size)
    for _ in range(layers - 1):
        body = gzip.compress(body)
    return page(body, media, headers={"Content-Encoding": ", ".join(["gzip"] * layers)})


def head(code: int, headers: Headers) -> bytes:
    """Return a status line and headers."""
    lines = [f"HTTP/1.1 {code} {_phrase(code)}", f"Date: {formatdate(usegmt=True)}"]
    lines += [f"{name}: {value}" for name, value in _pairs(headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _pairs(headers: Headers) -> list[tuple[str, str]]:
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _phrase(code: int) -> str:
    return HTTPStatus(code).phrase if code in HTTPStatus._value2member_map_ else "Odd"


@lru_cache(maxsize=4)
def _zeros(size: int) -> bytes:
    """Return so many zeros packed; a mebibyte is packed once and stands again and again, which a full flush allows."""
    count, rest = divmod(size, 1 << 20)
    mebibyte = bytes(1 << 20)
    packer = zlib.compressobj(9, wbits=-15)
    piece = packer.compress(mebibyte) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.compress(bytes(rest)) + packer.flush()
    check = 0
    for _ in range(count):
        check = zlib.crc32(mebibyte, check)
    ends = struct.pack("<II", zlib.crc32(bytes(rest), check), size & 0xFFFFFFFF)
    return b"\x1f\x8b\x08" + bytes(7) + piece * count + last + ends


# ---------------------------------------------------------------------------------------------------- the site


@dataclass(eq=False)
class Route:
    """The requests that get certain answers."""

    path: str
    method: str
    query: Mapping[str, str]
    body: Callable[[bytes], bool] | None
    answers: list[Given] = field(default_factory=list)
    count: int = 0

    def then(self, *answers: Given) -> Route:
        """Give these answers, in this order, after those given before; the last stays."""
        self.answers += answers
        return self

    def matches(self, hit: Hit) -> bool:
        start = self.path.removesuffix("*")
        right = hit.path.startswith(start) if self.path.endswith("*") else hit.path == start
        right = right and self.method in ("", hit.method) and self.query.items() <= hit.query.items()
        return right and (self.body is None or self.body(hit.body))

    def next(self) -> Given:
        self.count += 1
        return self.answers[min(self.count, len(self.answers)) - 1] if self.answers else text("")


class Imitation:
    """A server; see the module.

    `connections` counts also those over which no request came; `most_at_once` is how many requests were in work at the
    same moment at most; `sent` counts bytes.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host, self._lock = host, threading.RLock()
        self._routes: list[Route] = []
        self._lines: set[Line] = set()
        self._server: asyncio.Server | None = None
        self._failure: BaseException | None = None
        self._busy = 0
        self.forget()
        self._socket = self._bound(0)
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"imitation-{self.port}", daemon=True
        )
        self._thread.start()
        self.start()

    def on(
        self,
        path: str,
        *,
        method: str = "",
        query: Mapping[str, str] | None = None,
        body: Callable[[bytes], bool] | None = None,
    ) -> Route:
        """Declare a route; of those that fit a request the one declared last answers.

        A path ends in ``*`` where only its start must fit; a query may have more parameters than those given.
        """
        route = Route(path, method, query or {}, body)
        with self._lock:
            self._routes.insert(0, route)
        return route

    def url(self, path: str = "/", *, host: str = "") -> str:
        """Return the address of a path; under another name of the host where one is given."""
        host = host or self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{path}"

    @property
    def hits(self) -> list[Hit]:
        """The requests so far, in order of arrival."""
        with self._lock:
            return list(self._hits)

    def forget(self) -> None:
        """Count from nothing again."""
        with self._lock:
            self._hits: list[Hit] = []
            self.connections = self.most_at_once = self.sent = 0

    def start(self) -> None:
        """Take connections, on the same port as before."""
        if self._server is None:
            opening = asyncio.start_server(self._connected, sock=self._socket, limit=4 << 20, backlog=512)
            self._server = self._run(opening)

    def stop(self) -> None:
        """End all connections; new ones are refused. The port stays ours: it is bound, and nobody listens."""
        if self._server is not None:
            self._run(self._end())

    def close(self) -> None:
        """Stop for good; raises what a function of the test's raised while it made an answer."""
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._socket.close()
        if self._failure is not None:
            raise self._failure

    def _bound(self, port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET6 if ":" in self._host else socket.AF_INET)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((self._host, port))
        return made

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        self._server = None
        samples = [line.task for line in self._lines if line.task is not None]
        for line in self._lines:
            line.reset()
        for sample in samples:
            sample.cancel()
        await asyncio.gather(*samples, return_exceptions=True)
        self._socket = self._bound(self.port)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None:  # stopped just now
            return writer.transport.abort()
        self.connections += 1
        line = Line(self, reader, writer)
        self._lines.add(line)
        try:
            while await self._answered(line):
                pass
            await line.close()
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.CancelledError):
            writer.transport.abort()  # they hung up, sent what is not HTTP, or the site was stopped
        finally:
            self._lines.discard(line)

    async def _answered(self, line: Line) -> bool:
        """Answer one request and tell whether another may come."""
        hit = await line.request()
        with self._lock:
            self._hits.append(hit)
            self._busy += 1
            self.most_at_once = max(self.most_at_once, self._busy)
            route = next((each for each in self._routes if each.matches(hit)), None)
            given = (
                status(404, f"No route for {hit.method} {hit.target}\n") if route is None else route.next()
            )
        try:
            try:
                answer = as_answer(given, hit)
            except BaseException as error:  # of the test's; pytest.fail is not an Exception
                self._failure = self._failure or error
                answer = status(500, f"{type(error).__name__}: {error}")
            return await answer.play(hit, line) and hit.headers.get("connection", "").lower() != "close"
        finally:
            with self._lock:
                self._busy -= 1


@contextmanager
def imitation(host: str = "127.0.0.1") -> Iterator[Imitation]:
    """Run a site; ``host="::1"`` for one on IPv6."""
    site = Imitation(host)
    try:
        yield site
    except BaseException:
        site._failure = None  # the test's own error says more
        raise
    finally:
        site.close()
