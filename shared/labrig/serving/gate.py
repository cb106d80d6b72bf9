"""Who may knock at an HTTP server: Host and Origin, compared whole, before the framework looks at them.

A browser sends what a foreign page has it send, under the name by which it reached us (DNS rebinding). Both headers are
read by the grammar of RFC 9110 (sections 4.2.3 and 7.2) and RFC 6454 (section 7) and nothing is taken out of them:
``http://evil.com@127.0.0.1`` is no origin, and ``127.0.0.1:8000,evil.com`` no host.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
OPENING_BYTES = 16_384
"""Of a request that opens a session: what a client says of itself is kept as long as the session."""
WRONG_TOKEN_S, LONGEST_S = 0.25, 5.0
"""Between the answers to two wrong tokens, and how long one waits at most, however many come."""

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}")

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


def of_host(host: str) -> tuple[str, str]:
    """Return name, in lower case and without brackets, and port of a Host header; two empty texts if it is none."""
    return _parts(_HOST.fullmatch(host))


def of_origin(origin: str) -> tuple[str, str]:
    """Return the same of an Origin header; two empty texts for ``null`` and for an invalid one."""
    return _parts(_ORIGIN.fullmatch(origin))


def _parts(found: re.Match[str] | None) -> tuple[str, str]:
    if found is None or int(found["port"] or 0) > 65535:
        return "", ""
    name, port = found["name"].lower(), found["port"] or ""
    if not name.startswith("["):
        return name, port
    try:
        return str(ipaddress.IPv6Address(name[1:-1])), port
    except ValueError:
        return "", ""


class Connection(Protocol):
    """What a request came by."""

    def known(self) -> None:
        """Count it as a stranger's no longer."""


CONNECTION: ContextVar[Connection | None] = ContextVar("labrig_connection", default=None)
"""That of the request which a task answers."""


def let_in() -> None:
    """Say that the request which is being answered has shown a right token, or needs none."""
    if connection := CONNECTION.get():
        connection.known()


class Gate:
    """ASGI middleware that lets in what names us, and nothing else.

    Parameters
    ----------
    app
        What is behind it.
    names
        Hosts by which the server may be called, beside those of the loopback: ``lab.example`` at any port, since a
        proxy may have another one, ``lab.example:8000`` at that port alone.
    tokens
        Whether a token is asked for behind it; else who comes this far is let in.
    """

    def __init__(self, app: App, names: Sequence[str] = (), *, tokens: bool = False) -> None:
        from mcp.server.transport_security import RequestBodyLimitMiddleware

        self._app, self._tokens = app, tokens
        self._opening = RequestBodyLimitMiddleware(app, OPENING_BYTES)
        self._ours = {(each, "") for each in LOOPBACK} | {of_host(each) for each in names} - {("", "")}

    def _lets_in(self, who: tuple[str, str]) -> bool:
        return who in self._ours or (who[0], "") in self._ours

    async def __call__(self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        """Pass a request on, or answer it: 421 for another Host, 403 for another Origin, 400 for two lengths."""
        if scope["type"] == "http":
            headers = [(key.lower(), value.decode("latin-1")) for key, value in scope["headers"]]
            hosts = [value for key, value in headers if key == b"host"]
            origins = [value for key, value in headers if key == b"origin"]
            if len(hosts) != 1 or not self._lets_in(of_host(hosts[0])):
                return await _refuse(
                    send, 421, "Misdirected Request: this Host is not one of ours (--allow-host)"
                )
            if len(origins) > 1 or (origins and not self._lets_in(of_origin(origins[0]))):
                return await _refuse(send, 403, "Forbidden: this Origin is not one of ours (--allow-host)")
            if {b"content-length", b"transfer-encoding"} <= {key for key, _ in headers}:
                # RFC 9112, 6.3: what a proxy takes for one request may be two for us.
                return await _refuse(send, 400, "Bad Request: Content-Length beside Transfer-Encoding")
            if not self._tokens:
                let_in()
            length = dict(headers).get(b"content-length", "")
            small = (
                len(length) <= 5 and length.isascii() and length.isdigit() and int(length) <= OPENING_BYTES
            )
            if scope.get("method") == "POST" and not small and _opens_a_session(headers):
                return await self._opening(scope, receive, send)  # reads the body before it passes it on
        await self._app(scope, receive, send)


def _opens_a_session(headers: Sequence[tuple[bytes, str]]) -> bool:
    """Tell whether a request can only be the first of a session: by its headers alone, as the SDK tells it."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    named = dict(reversed(headers))  # of two, the SDK looks at the first
    version = named.get(b"mcp-protocol-version")
    return b"mcp-session-id" not in named and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS)


async def _refuse(send: Any, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    if status == 400:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


class Slowed:
    """The wait before a wrong token is refused: one after the other, so that guessing in parallel gains nothing."""

    def __init__(self) -> None:
        self._next = 0.0

    async def wait(self) -> None:
        """Wait for this one's turn, `LONGEST_S` at most."""
        now = asyncio.get_running_loop().time()
        self._next = min(max(self._next, now) + WRONG_TOKEN_S, now + LONGEST_S)
        await asyncio.sleep(self._next - now)
