"""Requests over a socket: a child that is closed in decodes what another process fetches for it.

    await carry(line, client, exact=["https://example.org/a.tif"])    in the process that has the network
    SyncClient(lambda: Carried(line))                                 in the child, in place of a client

What decodes foreign bytes may be taken over by them. So it has no network: it names an address that it was given, or a
part of it, and gets the bytes. What carries them looks into none.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.http.client import Client
from labrig.http.messages import Response

AT_ONCE = 4
"""Requests that are carried at a time: bodies are in memory."""
MOST_BYTES = 256 << 20
"""Of one body: a chunk of Zarr, or a file of a service that sends no parts."""
MOST_HEAD_BYTES = 1 << 20
_PART = re.compile(r"bytes=\d{0,18}-\d{0,18}|")


async def carry(
    line: socket.socket, client: Client, *, exact: Collection[str] = (), below: Collection[str] = ()
) -> None:
    """Send the requests that come over a socket, and their answers back, until it ends.

    Parameters
    ----------
    exact, below
        Addresses that may be asked for, and beginnings of such; every other is refused.
    """
    reader, writer = await asyncio.open_connection(sock=line)
    _write(writer, {"replays": client.replays})
    turns, going = asyncio.Semaphore(AT_ONCE), set[asyncio.Task[None]]()

    async def send(asked: Mapping[str, Any]) -> None:
        async with turns:
            url = str(asked["url"])
            try:
                if url not in exact and (".." in url or not url.startswith(tuple(below))):
                    raise LabrigError("This address was not to be fetched", where=url[:300], code="refused")
                head, body = await _answer(asked, url, client)
            except LabrigError as error:
                head, body = {"error": error.to_dict()}, b""
            _write(writer, {"id": asked["id"], **head}, body)
            await writer.drain()

    while (message := await _read(reader)) is not None:
        task = asyncio.create_task(send(message[0]))
        going.add(task)
        task.add_done_callback(going.discard)


async def _answer(asked: Mapping[str, Any], url: str, client: Client) -> tuple[dict[str, Any], bytes]:
    if asked["do"] == "ranges":
        return {"ranges": await client.recorded_ranges(url)}, b""
    part = _PART.fullmatch(str(asked["part"]))
    headers = {"Range": part[0], "Accept-Encoding": "identity"} if part and part[0] else {}
    most, accept = min(int(asked["max_bytes"]), MOST_BYTES), [int(status) for status in asked["accept"]]
    found = await client.request("GET", url, headers=headers, accept=accept, max_bytes=most)
    return {"status": found.status, "url": found.url, "headers": dict(found.headers)}, found.body


class Carried:
    """A client whose requests another process sends: what `SyncClient` wants of one.

    Parameters
    ----------
    line
        The socket to that process.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], bytes]]] = {}
        self._count = 0
        self.replays = False

    async def __aenter__(self) -> Carried:
        self._reader, self._writer = await asyncio.open_connection(sock=self._line)
        first = await _read(self._reader)
        if first is None:
            raise _gone()
        self.replays = bool(first[0]["replays"])
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        self._writer.close()

    async def request(
        self,
        method: str,
        url: str,
        *,
        max_bytes: int = MOST_BYTES,
        accept: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
        params: None = None,
    ) -> Response:
        """Have a GET sent; of its headers the part that is wanted is carried, and nothing else."""
        assert method == "GET" and params is None
        part = {name.lower(): value for name, value in (headers or {}).items()}.get("range", "")
        more = {"part": part, "accept": sorted(accept), "max_bytes": int(max_bytes)}
        head, body = await self._ask("request", url, **more)
        return Response(head["status"], head["url"], head["headers"], body)

    async def download(self, url: str, to: Path, *, name: str, **more: Any) -> Response:
        """Have an address fetched whole into a file of a folder."""
        found = await self.request("GET", url, **more)
        await asyncio.to_thread((to / name).write_bytes, found.body)
        return found

    async def recorded_ranges(self, url: str, **more: Any) -> list[tuple[int, int]]:
        """Return first and last byte of the parts that the ledger holds."""
        head, _ = await self._ask("ranges", url)
        return [(int(first), int(last)) for first, last in head["ranges"]]

    async def _ask(self, do: str, url: str, **more: Any) -> tuple[dict[str, Any], bytes]:
        if self._reading.done():
            raise _gone()
        self._count += 1
        answer = self._waiting[self._count] = asyncio.get_running_loop().create_future()
        _write(self._writer, {"id": self._count, "do": do, "url": url, **more})
        head, body = await answer
        if "error" in head:
            raise LabrigError.from_dict(head["error"])
        return head, body

    async def _read(self) -> None:
        """Hand each answer to who waits for it; the end of the line is an error to all."""
        try:
            while (message := await _read(self._reader)) is not None:
                waiting = self._waiting.pop(message[0]["id"])
                if not waiting.done():
                    waiting.set_result(message)
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(_gone())


def _write(writer: asyncio.StreamWriter, head: Mapping[str, Any], body: bytes = b"") -> None:
    data = json.dumps(head).encode()
    writer.write(len(data).to_bytes(4, "big") + len(body).to_bytes(4, "big") + data)
    writer.write(body)


async def _read(reader: asyncio.StreamReader) -> tuple[dict[str, Any], bytes] | None:
    """Return the next head and its body, or None at the end of the line; another word than JSON ends it too."""
    try:
        sizes = await reader.readexactly(8)
        head, body = int.from_bytes(sizes[:4], "big"), int.from_bytes(sizes[4:], "big")
        if head > MOST_HEAD_BYTES or body > MOST_BYTES:
            return None
        found: dict[str, Any] = json.loads(await reader.readexactly(head))
        return found, await reader.readexactly(body)
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return None


def _gone() -> LabrigError:
    return LabrigError(
        "What fetches for this process has ended", try_="the same call again", code="unreachable"
    )
