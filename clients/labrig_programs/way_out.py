"""The way out of a cell that has no network: a proxy of ours, which lets through what the arm allows and keeps a list.

In the cell, `shim` listens in the place of a proxy, and of a model's service on this machine, and joins each connection
to a socket of ours. In an arm in which a program keeps its own tools, it reaches its model's service alone; with its
tools for the web, any public address. Each request is a line of ``web.jsonl`` beside the record: what TLS hides, the
path and the content, is not in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import ssrfguard

from labrig.config import setting
from labrig.errors import LabrigError
from labrig.http.guard import Guard
from labrig.redaction import redact
from labrig_harness.recording.socket_folder import socket_folder

LOG = "web.jsonl"
PROXIES = range(3128, 3228)
"""Ports of the cell's own loopback, of which the proxy has the first that no service of this machine has."""

HEAD = 1 << 16
CHUNK = 1 << 16
LOOPBACK = ("127.0.0.1", "localhost")

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class WayOut:
    """What a program's cell is given: sockets by the port at which they stand, and the environment that names them."""

    doors: dict[int, Path]
    proxy: int

    @property
    def environment(self) -> dict[str, str]:
        """What leads a program's requests to the proxy."""
        there, here = f"http://127.0.0.1:{self.proxy}", ",".join(LOOPBACK)
        names = {"HTTP_PROXY": there, "HTTPS_PROXY": there, "NO_PROXY": here}
        return names | {name.lower(): value for name, value in names.items()}

    def words(self) -> list[str]:
        """Return what `shim` is told of the doors."""
        return [f"{port}={path}" for port, path in self.doors.items()]


@contextlib.asynccontextmanager
async def way_out(
    log: Path, hosts: Iterable[str], origins: Iterable[str], *, web: bool
) -> AsyncIterator[WayOut]:
    """Stand at the way out while a program runs.

    Parameters
    ----------
    log
        Where requests are listed.
    hosts
        Those of the model's service.
    origins
        Addresses of services that may lie on this machine or beside it, such as a model's.
    web
        Whether any public address may be reached.
    """
    known = [urlsplit(each) for each in origins if each]
    allowed = None if web else {*hosts, *(each.hostname or "" for each in known)}
    guard = Guard([f"{each.scheme}://{each.netloc}" for each in known])
    near = {(each.hostname or "", _find_port(each)) for each in known}
    proxy = _Proxy(log, allowed, guard, near)
    folder = socket_folder()
    near_ports = {_find_port(each) for each in known if each.hostname in LOOPBACK}
    at = next(port for port in PROXIES if port not in near_ports)
    doors = {port: folder / str(port) for port in (at, *near_ports)}
    servers: list[asyncio.Server] = []
    try:
        servers.append(await asyncio.start_unix_server(proxy.serve, doors[at], limit=HEAD))
        for port in near_ports:
            servers.append(await asyncio.start_unix_server(_lead_to(port), doors[port]))
        yield WayOut(doors, at)
    finally:
        for server in servers:
            server.close()
        for task in proxy.open:
            task.cancel()
        await asyncio.gather(*proxy.open, return_exceptions=True)
        shutil.rmtree(folder, ignore_errors=True)


def _find_port(origin: SplitResult) -> int:
    return origin.port or (443 if origin.scheme == "https" else 80)


def _lead_to(port: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]:
    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await _join((reader, writer), await asyncio.open_connection("127.0.0.1", port), {})
        writer.close()

    return lead


@dataclass
class _Proxy:
    log: Path
    allowed: set[str] | None
    guard: Guard
    near: set[tuple[str, int]]
    open: set[asyncio.Task[Any]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request of the cell, and close its connection when it is done."""
        began, about = time.time(), dict[str, Any]()
        task = asyncio.current_task()
        assert task is not None
        self.open.add(task)
        try:
            await self._pass((reader, writer), about)
        except asyncio.CancelledError:
            pass  # the program has ended; what was sent until then is listed
        except (
            *(OSError, ValueError, EOFError, asyncio.LimitOverrunError),
            *(ssrfguard.SSRFGuardError, LabrigError),
        ) as error:
            if isinstance(error, asyncio.IncompleteReadError) and not error.partial:
                return  # opened ahead, and never used
            about["refused"] = f"{type(error).__name__}: {error}"[:300]
            told = about["refused"].encode()
            with contextlib.suppress(OSError):
                head = (
                    f"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {len(told)}\r\n"
                )
                writer.write(head.encode() + b"Connection: close\r\n\r\n" + told)
                await writer.drain()
        finally:
            self.open.discard(task)
            writer.close()
            if about:
                line = {"at": began, "s": round(time.time() - began, 3), **about}
                with self.log.open("a") as file:
                    file.write(redact(json.dumps(line)) + "\n")

    async def _pass(self, cell: Streams, about: dict[str, Any]) -> None:
        head = (await cell[0].readuntil(b"\r\n\r\n")).decode("latin-1")
        first, _, rest = head.partition("\r\n")
        method, target, version = first.split(" ")
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        about |= {"method": method, "host": host, "port": port} | ({} if tunnel else {"url": target[:2_000]})
        if not host or not (tunnel or parts.scheme == "http"):
            raise ValueError("this is no request to a proxy")
        if self.allowed is not None and host not in self.allowed:
            raise PermissionError(f"{host} is not the model's service, and this arm has no web")
        above = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or "")
        if above.hostname and (host, port) not in self.near:
            named = f"[{host}]" if ":" in host else host
            self.guard.check(
                f"{'https' if tunnel else 'http'}://{named}:{port}/"
            )  # the proxy would look it up
            there = await asyncio.open_connection(above.hostname, above.port or 80)
            there[1].write((f"{first}\r\n{_name_user(above)}{rest}").encode("latin-1"))
        else:
            there = await self._connect(host, port)
            if tunnel:
                cell[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                lines = [
                    line
                    for line in rest.split("\r\n")
                    if not line.lower().startswith(("proxy-", "connection:"))
                ]
                there[1].write(f"{method} {path} {version}\r\nConnection: close\r\n".encode("latin-1"))
                there[1].write("\r\n".join(lines).encode("latin-1"))
        await _join(cell, there, about)

    async def _connect(self, host: str, port: int) -> Streams:
        failed: OSError | None = None
        for address in await self.guard.addresses(host, port):
            try:
                return await asyncio.open_connection(address, port)
            except OSError as error:
                failed = error
        raise failed or OSError(f"{host} has no address")


def _name_user(above: SplitResult) -> str:
    """Return the line by which a proxy of the user knows them."""
    if not above.username:
        return ""
    words = f"{unquote(above.username)}:{unquote(above.password or '')}"
    return f"Proxy-Authorization: Basic {b64encode(words.encode()).decode()}\r\n"


async def _join(one: Streams, other: Streams, count: dict[str, Any]) -> None:
    """Copy each to the other until both have ended; count the bytes that went from the first and to it."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        count[way] = 0
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                writer.write(data)
                await writer.drain()
                count[way] += len(data)
        with contextlib.suppress(OSError, RuntimeError):
            writer.write_eof()

    try:
        await asyncio.gather(copy(one[0], other[1], "sent"), copy(other[0], one[1], "received"))
    finally:
        other[1].close()


def trusted_origins() -> list[str]:
    """Return the origins that the operator lets lie at private addresses."""
    return [each.strip() for each in setting("http", "private_origins").split(",") if each.strip()]
