"""Connections that have shown no token yet: how long they may take, and how many there may be.

A connection costs a descriptor before anything is known of who made it. So a request has a time in which its head and
its body must have come, and of the connections that have not shown a right token (or, where there are no tokens, sent
a whole request) the oldest is closed for a new one beyond `MOST`: strangers displace strangers, and nobody else.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from labrig.serving.gate import CONNECTION

HEAD_S, BODY_S = 10.0, 60.0
"""Within which the head of a request must have come, from its first byte or the connection; and then its body."""
MOST = 128
"""Connections that have not shown a token. Each costs a descriptor, and a process may have 1,024 of them."""
BACKLOG = 64
"""Connections that the loop accepts before it looks at any of them."""


class Knocking(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with a deadline for each request and a bound on strangers."""

    strangers: dict[Knocking, None] = {}  # noqa: RUF012 - of the process, as descriptors are; oldest first

    def connection_made(self, transport: Any) -> None:
        """Count the connection as a stranger's."""
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: Any = None
        self.strangers[self] = None
        if len(self.strangers) > MOST:
            next(iter(self.strangers)).drop()
        self._look(began=True)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.known()
        self._wait_for(None, 0.0)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes, and see what of the request is still to come."""
        token = CONNECTION.set(self)  # the task that answers is made within, and has it in its context
        try:
            super().data_received(data)
        finally:
            CONNECTION.reset(token)
        self._look(began=True)

    def on_response_complete(self) -> None:
        """A request that came behind the last one begins now; else uvicorn's own time between requests runs."""
        super().on_response_complete()
        self._look(began=bool(self.conn.trailing_data[0]))

    def known(self) -> None:
        """Count the connection as a stranger's no longer."""
        self.strangers.pop(self, None)

    def drop(self) -> None:
        """Close the connection at once."""
        self.known()
        self.transport.abort()

    def _look(self, *, began: bool) -> None:
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._wait_for(state, BODY_S)
        else:
            self._wait_for(state if state is h11.IDLE and began else None, HEAD_S)

    def _wait_for(self, what: Any, seconds: float) -> None:
        """Have a deadline for a part of a request; the one that runs for it stays."""
        if what is self._awaited:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._awaited = what
        self._timer = None if what is None else self.loop.call_later(seconds, self.drop)
