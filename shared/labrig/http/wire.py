"""One attempt: the request as it is sent, keys and all, and the response, unpacked, capped, without keys.

What is above this transport (retries, cache, ledger) never sees a key: it is given the redacted request, and the
real one comes along in its extensions.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2
import ssrfguard

from labrig import redaction
from labrig.errors import LabrigError
from labrig.http import hiding
from labrig.http.guard import Guard, GuardedBackend, refusal
from labrig.http.hosts import Limit
from labrig.http.messages import NOT_KEPT, Request, now
from labrig.http.receiving import Interrupted, Receiver, too_large
from labrig.http.unpacking import ASKED, CHUNK, NotUnpacked, Unpacker

EXTENSION = "labrig"
RETRIEVED = "labrig-retrieved"
"""A header of our own, so that the polite cache knows when the network gave what it holds."""
CONNECT_S = 10.0
MOST_IN_MEMORY = 64 << 20
"""Of the body of an error or a redirect, where a file was asked for."""


@dataclass(frozen=True)
class Terms:
    """How a request is made: limits on size and time, how long to wait for a turn, as whom, and where the body goes.

    With a `receiver`, which takes the body of a 2xx, `timeout_s` is how long nothing may come.
    """

    max_bytes: int
    timeout_s: float
    patience_s: float
    limit: Limit
    agent: str
    private: bool = False
    receiver: Receiver | None = None


class BrokeOff(LabrigError):
    """The network failed.

    Attributes
    ----------
    sent
        Whether the service may have got the request.
    """

    def __init__(self, what: str, *, where: str, sent: bool) -> None:
        super().__init__(what, where=where, try_="the same call later", code="unreachable")
        self.sent = sent


@cache
def _authorities() -> ssl.SSLContext:
    """Return whom we trust; read once a process, since reading the system's list takes tens of milliseconds."""
    return httpx2.create_ssl_context()


class WireTransport(httpx2.AsyncBaseTransport):
    """Sends what `messages.Request.wire` says and returns the whole response."""

    def __init__(self, guard: Guard) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_authorities(),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(guard),
        )
        self._closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make one attempt.

        Raises
        ------
        LabrigError
            ``refused``, `BrokeOff`, ``too_large`` or ``bad_input``.
        """
        if self._closed:  # the pool would open connections that nobody closes
            raise closed()
        ours, terms = request.extensions[EXTENSION]
        where = str(ours)
        sent = False
        try:
            async with asyncio.timeout(terms.timeout_s) as clock:
                answer, sent = await self._send(ours, request, terms), True
                try:
                    if terms.receiver is not None and _for_receiver(answer, terms.receiver):
                        response, body = await _receive(answer, ours, terms, terms.receiver, clock), b""
                    else:
                        response, body = answer, await _read(answer, ours, terms)
                finally:
                    await answer.aclose()
        except TimeoutError as error:
            if terms.receiver is not None and (late := terms.receiver.late(ours)):
                raise late from error
            what = "sent nothing more for" if sent else "did not answer within"
            raise BrokeOff(
                f"{ours.host} {what if terms.receiver else 'did not answer within'} {terms.timeout_s:g} s",
                where=where,
                sent=True,
            ) from error
        except ssrfguard.SSRFGuardError as error:
            raise refusal(error, ours.url) from error
        except httpcore2.LocalProtocolError as error:
            raise LabrigError(
                f"This request cannot be sent: {hiding.plain(str(error))}", where=where
            ) from error
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout, ssl.SSLError) as error:
            raise BrokeOff(
                f"No connection to {ours.host}: {hiding.plain(_words(error))}", where=where, sent=False
            ) from error
        except (
            httpcore2.TimeoutException,
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            NotUnpacked,
            Interrupted,
            OSError,
        ) as error:
            what = "broke off its answer" if sent else "broke off"
            raise BrokeOff(
                f"{ours.host} {what}: {hiding.plain(_words(error))}", where=where, sent=True
            ) from error
        headers = [
            (
                name.encode("latin-1"),
                _sayable(redaction.redact(value, () if terms.private else ours.wire.hidden)),
            )
            for name, value in response.headers.multi_items()
            if name not in NOT_KEPT and name != RETRIEVED
        ]
        if not terms.private:
            body = redaction.redact_bytes(body, ours.wire.hidden)
        return httpx2.Response(
            response.status_code,
            headers=[*headers, (RETRIEVED.encode(), now().encode())],
            content=body,
            request=request,
        )

    async def _send(self, ours: Request, request: httpx2.Request, terms: Terms) -> httpx2.Response:
        parts = urlsplit(ours.wire.url)
        url = httpx2.URL(ours.wire.url)
        target = url.raw_path
        headers = {
            "host": parts.netloc.rpartition("@")[2],
            "user-agent": terms.agent,
            "accept": "*/*",
            "accept-encoding": ASKED,
            # What the polite cache adds to ask whether it is still so.
            **{
                name: request.headers[name]
                for name in ("if-none-match", "if-modified-since")
                if name in request.headers
            },
            **dict(ours.wire.headers),
            **(await terms.receiver.wanted(ours.method) if terms.receiver else {}),
        }
        if ours.wire.body or ours.method == "POST":
            headers["content-length"] = str(len(ours.wire.body))
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                ours.method,
                httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=target),
                headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()],
                content=ours.wire.body or None,
                extensions={"timeout": {"connect": min(CONNECT_S, terms.timeout_s), "pool": terms.timeout_s}},
            )
        )
        stream: Any = answer.stream
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Stream(stream))

    async def aclose(self) -> None:
        """Close all connections; there will be no others."""
        self._closed = True
        await self._pool.aclose()


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> Any:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _read(response: httpx2.Response, request: Request, terms: Terms) -> bytes:
    """Read the body, unpacked, and not a byte more than may be."""
    most = terms.max_bytes if terms.receiver is None else min(terms.max_bytes, MOST_IN_MEMORY)
    stated = response.headers.get("content-length", "")
    if stated.isdigit() and int(stated) > most and request.method != "HEAD":
        raise too_large(request, most, int(stated))
    parts: list[bytes] = []
    size = 0
    unpacker = Unpacker(response.headers.get("content-encoding", "") if request.method != "HEAD" else "")
    async for piece in response.aiter_raw(CHUNK):
        for part in unpacker.feed(piece):
            size += len(part)
            if size > most:
                raise too_large(request, most)
            parts.append(part)
    unpacker.end()
    return b"".join(parts)


def _for_receiver(response: httpx2.Response, receiver: Receiver) -> bool:
    """Tell whether an answer is the file, or says something of the part of it that was asked for."""
    return response.is_success or (response.status_code == 416 and receiver.goes_on)


async def _receive(
    response: httpx2.Response, request: Request, terms: Terms, receiver: Receiver, clock: asyncio.Timeout
) -> httpx2.Response:
    """Read the body into its file, and return the answer that it began with."""
    clock.reschedule(receiver.until(terms.timeout_s))
    receiver.begin(response.status_code, response.headers, request, private=terms.private)
    unpacker = Unpacker(response.headers.get("content-encoding", ""))
    async for piece in response.aiter_raw():
        for part in unpacker.feed(piece):
            await receiver.take(part, request)
        clock.reschedule(receiver.until(terms.timeout_s))
    unpacker.end()
    clock.reschedule(None)  # it is all there; what is left to do is ours
    await receiver.end()
    return httpx2.Response(receiver.status, headers=receiver.headers)


def closed() -> LabrigError:
    """Return the error for requests that come too late."""
    return LabrigError("The client is closed", code="internal")


def _sayable(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
