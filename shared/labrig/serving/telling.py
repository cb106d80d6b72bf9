"""Telling a client how far its call is: MCP progress, where the client asked for it, a few times a second."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from labrig.progress import Progress

if TYPE_CHECKING:
    from fastmcp import Context

EVERY_S = 0.25
STEP = 1e-6
"""MCP wants each notice to be further on than the one before: so much, for a line that is new at the same fraction."""


class Telling:
    """The progress of one call, and what tells the client of it; nothing runs before the first note."""

    def __init__(self, context: Context | None) -> None:
        self.progress = Progress(self._begin)
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._ended = False

    def _begin(self) -> None:
        with contextlib.suppress(RuntimeError):  # a thread that outlives the loop
            self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if not self._ended and self._context is not None:
            self._task = self._loop.create_task(self._tell(self._context))

    async def _tell(self, context: Context) -> None:
        told = 0.0
        shown: tuple[float | None, str] = (None, "")
        while True:
            await asyncio.sleep(EVERY_S)  # a short call has nothing to tell
            fraction, message = now = self.progress.seen()
            if now != shown:
                told = max(told + STEP, fraction or 0.0)
                with contextlib.suppress(Exception):  # the client has gone: the call's own end says so
                    await context.report_progress(told, None if fraction is None else 1.0, message or None)
                shown = now

    async def end(self) -> None:
        """Tell no more."""
        self._ended = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
