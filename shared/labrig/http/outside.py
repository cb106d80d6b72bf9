"""Libraries that bring their own HTTP, which nobody can lead through the client.

A tool that uses one says so with `outside`: its result is labelled, and in a replay the call ends with an error instead
of a request that nobody recorded. `seal` has a process keep to that.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from labrig.config import setting
from labrig.errors import LabrigError

KNOWN = {
    "yfinance": "it sends through curl_cffi, a build of libcurl that imitates browsers",
    "ddgs": "it sends through primp, a client written in Rust",
    "gdal": "its /vsicurl/ file system sends through libcurl",
    "netCDF4": "the netCDF library reads OPeNDAP addresses through libcurl",
}
"""Libraries that go round the HTTP layer, and why they must."""

_noted: ContextVar[list[str] | None] = ContextVar("labrig_http_outside", default=None)


@contextmanager
def collecting() -> Iterator[list[str]]:
    """Note the names of libraries that are used in this block, its tasks and its ``asyncio.to_thread``."""
    names: list[str] = []
    token = _noted.set(names)
    try:
        yield names
    finally:
        _noted.reset(token)


@contextmanager
def outside(name: str, why: str = "", *, mode: str | None = None) -> Iterator[None]:
    """Use a library that goes round the HTTP layer.

    Parameters
    ----------
    name
        The library; one of `KNOWN`, or another with a reason.
    why
        Why it cannot be led through the client; default from `KNOWN`.
    mode
        The client's mode; default the setting ``LABRIG_HTTP_MODE``.

    Raises
    ------
    LabrigError
        ``not_recorded`` in the mode replay.
    """
    why = why or KNOWN.get(name, "")
    if not why:
        raise ValueError(f"say why {name} goes round the HTTP layer")
    if (mode or setting("http", "mode", "live")) == "replay":
        raise LabrigError(
            f"{name} goes round the HTTP layer, so its answers are not in the ledger: {why}",
            where="LABRIG_HTTP_MODE=replay",
            try_="replay it at tool level, with the results of whole calls: labrig run --calls replay",
            code="not_recorded",
        )
    names = _noted.get()
    if names is not None:
        names.append(name)
    yield


# -------------------------------------------------------------------------------------------------------- seal


@dataclass
class Seal:
    """The switch of `seal`.

    Attributes
    ----------
    closed
        Whether connections are refused. The hook itself stays: Python has no way to take one away.
    """

    closed: bool = False


_seal = Seal()
_installed: list[Seal] = []
_ADDRESSED = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_BY_NAME = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_BY_NUMBER = frozenset({"socket.gethostbyaddr", "socket.getnameinfo"})


def seal() -> Seal:
    """Refuse every connection of this process to the network, for the mode replay, and return the switch.

    Refused are connecting and sending to anything but a Unix socket, loopback included, since a proxy may listen there,
    and looking up names. Listening stays possible, with the look-ups that it takes: servers are connected to, and
    asyncio's own pipes are pairs of sockets. Children by fork inherit it, other programs do not.

    This finds what was forgotten; it is no wall. Python tells of its own sockets only (PEP 578): native code such as
    libcurl, primp or a simulator is not seen, and code in this process can open the switch.
    """
    if not _installed:
        sys.addaudithook(_hook)
        _installed.append(_seal)
    _seal.closed = True
    return _seal


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Runs at every audit event of the process, so it looks at the name first."""
    if not event.startswith("socket.") or not _seal.closed:
        return
    if event in _ADDRESSED:
        sock, address = arguments[:2]
        if address is not None and sock.family != socket.AF_UNIX:
            raise _sealed(address)
    elif event in _BY_NAME and not (_number(arguments[0]) or _own(arguments[0])):
        raise _sealed(arguments[0])
    elif event in _BY_NUMBER:
        host = arguments[0][0] if isinstance(arguments[0], tuple) else arguments[0]
        number = _number(host)
        if not (_own(host) if number is None else number.is_loopback or number.is_unspecified):
            raise _sealed(host)


def _number(host: object) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a host that is an address."""
    try:
        return ipaddress.ip_address(_text(host).partition("%")[0])
    except ValueError:
        return None


def _own(host: object) -> bool:
    """Tell whether a name is this machine's, such as a server listens at."""
    return _text(host) in ("", "localhost", socket.gethostname())


def _text(host: object) -> str:
    return "" if host is None else host.decode("latin-1") if isinstance(host, bytes) else str(host)


def _sealed(address: object) -> LabrigError:
    return LabrigError(
        "This process replays, and something in it reaches for the network beside the HTTP client",
        where=":".join(map(str, address[:2])) if isinstance(address, tuple) else str(address),
        expected="requests that go through labrig.http, which answers them from the ledger",
        try_="the mode record (LABRIG_HTTP_MODE=record), or replay at tool level: labrig run --calls replay",
        code="not_recorded",
    )
