"""The streams between us and a supervised program, for asyncio: orders and reports, what it reads and writes."""

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Callable
from typing import Any


class Stream(asyncio.Protocol):
    """One that says when its other end has closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.closed: asyncio.Future[None] = loop.create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)


class Control(Stream):
    """Our end of the control socket."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.pid: int | None = None
        self.report: dict[str, Any] | None = None
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def order(self, message: dict[str, Any]) -> None:
        assert self._transport is not None
        data = marshal.dumps(message)
        self._transport.write(len(data).to_bytes(4, "big") + data)

    def kill(self) -> None:
        """Ask for the end, and still hear the report."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += data
        while len(self._received) >= 4:
            size = 4 + int.from_bytes(self._received[:4], "big")
            if len(self._received) < size:
                return
            message = marshal.loads(self._received[4:size])
            self._received = self._received[size:]
            if "pid" in message:
                self.pid = message["pid"]
            else:
                self.report = message


class Budget:
    """Bytes of output that are left to both streams."""

    def __init__(self, left: int, when_over: Callable[[], None]) -> None:
        self.left = left
        self.over = False
        self._when_over = when_over

    def take(self, wanted: int) -> int:
        """Return how many of the wanted bytes may be kept."""
        kept = min(wanted, self.left)
        self.left -= kept
        if kept < wanted and not self.over:
            self.over = True
            self._when_over()
        return kept


class Output(Stream):
    """Keep what comes out of one pipe, as far as the budget goes."""

    def __init__(self, loop: asyncio.AbstractEventLoop, budget: Budget) -> None:
        super().__init__(loop)
        self.data = bytearray()
        self.cut = False
        self._budget = budget

    def data_received(self, data: bytes) -> None:
        kept = self._budget.take(len(data))
        self.data += data[:kept]
        self.cut = self.cut or kept < len(data)


class Input(asyncio.BaseProtocol):
    """Feed standard input, and forget what is left of it when the program has ended."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def feed(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)
            self._transport.write_eof()

    def abort(self) -> None:
        if self._transport is not None:  # aborting a lost one is an error in asyncio
            self._transport.abort()
