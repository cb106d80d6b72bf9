"""PHREEQC for asyncio: one confined process per run, a typed result whatever happens in it.

`Engine.run` sends the input to a child of the warm fork server (`labrig_phreeqc.engine.forkserver`) and turns what
comes back into a `Run`. A calculation that fails, loops, crashes or eats memory is a `Run` with a status that says so;
`LabrigError` is for what kept it from starting.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Any

from labrig.commands import setup_command
from labrig.errors import LabrigError
from labrig.isolation.warm import RunRefused
from labrig.threads import in_thread
from labrig.turns import Turns
from labrig_phreeqc.database.databases import Database, find_database
from labrig_phreeqc.engine.forkclient import ForkServerProcess, receive, send
from labrig_phreeqc.engine.library import Library, find_library
from labrig_phreeqc.engine.results import Ended, Result, assemble, parse_frames
from labrig_phreeqc.engine.run import Limits, Run
from labrig_phreeqc.input.basic import check_database

MAX_INPUT_BYTES = 20_000_000
BIG_BYTES = 500_000
"""Input and output from which a result is put together beside the event loop."""
QUEUE_PER_CPU = 16
QUEUE_S = 20.0
"""Seconds that a run waits for a place before it is refused as busy."""
PATIENT_S = 3600.0
"""The same where nobody waits for an answer: a generator would lose what it has made."""
_GRACE_S = 10.0
_LEAVING_S = 1.0
"""So long a child that has sent its whole result may take to end."""


class Engine:
    """Runs PHREEQC inputs, several at a time, each in a process of its own.

    Use it as an async context manager, or call `close` at the end; processes start with the first run.

    Parameters
    ----------
    library
        The library to load; by default `find_library`.
    concurrency
        Runs at a time; by default the number of CPUs, and at least two. `QUEUE_PER_CPU` times as many may wait.
    queue_s
        Seconds that a run waits for a place, where `run` does not say it.
    """

    def __init__(
        self,
        *,
        library: Library | None = None,
        concurrency: int | None = None,
        queue_s: float = QUEUE_S,
    ) -> None:
        self._library = library
        self._queue_s = queue_s
        self.concurrency = concurrency or max(2, os.cpu_count() or 1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turns = self._new_turns()
        self._server: ForkServerProcess | None = None
        self._leaves: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def library(self) -> Library:
        """The library that runs use."""
        if self._library is None:
            self._library = find_library()
        return self._library

    async def close(self) -> None:
        """End the fork server and every run; runs in progress return ``cancelled``, and no other begins."""
        self._closed = True
        self._adopt_loop()
        if self._server is not None:
            server, self._server = self._server, None
            server.cancel_all()
            await server.close()
            await asyncio.gather(*self._leaves)

    async def run(
        self,
        input_text: str,
        database: str = "phreeqc.dat",
        limits: Limits | None = None,
        *,
        queue_s: float | None = None,
        begun: Callable[[], None] = lambda: None,
    ) -> Run:
        """Run one input on a freshly loaded database.

        Parameters
        ----------
        input_text
            PHREEQC input, screened and with includes resolved.
        database
            Name of an installed database.
        limits
            What the run may use.
        queue_s
            Seconds to wait for a place; by default those of the engine.
        begun
            Called when it has one.

        Raises
        ------
        LabrigError
            ``busy`` when the queue is full, ``unavailable`` when library and database do not load,
            ``bad_input`` for input that cannot be passed on, ``engine`` when the fork server died or the engine was
            closed.
        """
        limits = limits or Limits()
        text = _encoded(input_text)
        chosen = find_database(database)
        check_database(chosen)
        self._adopt_loop()
        async with contextlib.AsyncExitStack() as held:
            await held.enter_async_context(
                self._turns.turn(patience_s=self._queue_s if queue_s is None else queue_s)
            )
            begun()
            start = asyncio.get_running_loop().time()
            result, ended = await self._solve(text, chosen, limits, held)
            wall_s = asyncio.get_running_loop().time() - start
        parts = (input_text, result, ended, self.library, chosen, limits, wall_s)
        if len(input_text) + result.size < BIG_BYTES:
            return assemble(*parts)
        return await in_thread(assemble, *parts)  # it may take seconds, in which others are answered

    def _new_turns(self) -> Turns:
        return Turns("PHREEQC", self.concurrency, places=self.concurrency * QUEUE_PER_CPU)

    def _adopt_loop(self) -> None:
        """Start afresh when called from another event loop than before."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            if self._server is not None:
                self._server.abandon()
            self._loop, self._server, self._turns, self._leaves = loop, None, self._new_turns(), set()

    def _running_server(self) -> ForkServerProcess:
        if self._closed:  # a run that waited until then would start what nobody ends
            raise LabrigError("PHREEQC was closed", code="engine")
        if self._server is None or self._server.dead:
            self._server = ForkServerProcess(self.library)
        return self._server

    async def _solve(
        self, text: bytes, database: Database, limits: Limits, held: contextlib.AsyncExitStack
    ) -> tuple[Result, Ended]:
        """Return what came of a run, and how it ended; its turn, held here, lasts until its child is gone."""
        server = self._running_server()
        number, ours, ended, _ = server.submit(database, limits)
        with ours:
            try:
                async with server.within(number, limits.wall_s + _GRACE_S):
                    await send(ours, text)
                    raw = await receive(ours, limits)
                # What a child sends may be large, or made to be slow to read: others are answered meanwhile.
                parsed = parse_frames(raw) if len(raw) < BIG_BYTES else await in_thread(parse_frames, raw)
                server.fork_ahead(database, limits)
                if parsed.end is not None and not ended.done():  # it has nothing left to do but to end
                    self._leave(server, number, ended, held.pop_all())
                    return parsed, Ended(cpu_s=parsed.end["cpu_s"], max_rss_bytes=parsed.end["max_rss_bytes"])
                async with server.within(number, limits.wall_s + _GRACE_S):
                    return parsed, Ended(**await asyncio.shield(ended))
            except asyncio.CancelledError:
                server.kill(number)
                with contextlib.suppress(TimeoutError, LabrigError, RunRefused):
                    await asyncio.wait_for(asyncio.shield(ended), _GRACE_S)
                raise
            except RunRefused as refused:
                raise _refusal(self.library, database, str(refused)) from None
            except TimeoutError:
                server.abandon()
                raise LabrigError("The PHREEQC fork server does not answer", code="engine") from None

    def _leave(
        self,
        server: ForkServerProcess,
        number: int,
        ended: asyncio.Future[dict[str, Any]],
        held: contextlib.AsyncExitStack,
    ) -> None:
        """Give the turn of an answered run back when its child is gone; one that does not go is ended."""

        async def last() -> None:
            async with held:
                done, _ = await asyncio.wait([ended], timeout=_LEAVING_S)
                if not done:
                    server.kill(number)
                    await asyncio.wait([ended], timeout=_GRACE_S)

        task = asyncio.get_running_loop().create_task(last())
        self._leaves.add(task)
        task.add_done_callback(self._leaves.discard)


def _encoded(text: str) -> bytes:
    if "\0" in text:
        raise LabrigError("The input holds a NUL byte", expected="plain text", where="input")
    encoded = text.encode("utf-8", errors="surrogateescape")
    if len(encoded) > MAX_INPUT_BYTES:
        raise LabrigError(
            f"The input has {len(encoded)} bytes", expected=f"at most {MAX_INPUT_BYTES}", where="input"
        )
    return encoded


def _refusal(library: Library, database: Database, reason: str) -> LabrigError:
    first = [line.strip() for line in reason.splitlines() if line.strip()][:3]
    return LabrigError(
        f"{database.name} cannot be loaded by PHREEQC {library.distribution}",
        where="; ".join(first),
        expected="a database that this release of PHREEQC reads",
        try_=f"{setup_command('phreeqc')}, or another database",
        code="unavailable",
    )
