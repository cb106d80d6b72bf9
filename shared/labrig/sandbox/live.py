"""A session: one process that keeps its variables, imports and open figures from cell to cell.

It is stopped between its cells, so it takes no processor and holds nobody up. The limits of time are those of each
cell, the others those of the first. A cell that meets one, or whose caller goes away, ends the process: what it held
cannot be waited for. The next cell then begins in a new one, and says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.sandbox.conversation import Conversation, Job
from labrig.sandbox.forkserver import Ended, ForkServer, scratch_name
from labrig.sandbox.inputs import Input, Inputs, close
from labrig.sandbox.inside import tree
from labrig.sandbox.results import Limits, Result
from labrig.sandbox.running import DRAIN_S, GRACE_S, NO_SPACE, Child, answering, placed, result_of
from labrig.sandbox.scratch import collect
from labrig.threads import in_thread

IDLE_S = 1_800.0
"""A session that is not used for so long ends."""
PROCESS_CPU_S = 36_000
"""Of the process, by the kernel; that of each cell is looked at by the fork server."""
ANEW = "the session was begun anew, so what earlier cells defined is not there: {why}"


class Live:
    """A session; its process starts with the first cell.

    Attributes
    ----------
    calls
        How many use it or wait for it.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._turn = asyncio.Lock()
        self._area = Path()
        self._server: ForkServer | None = None
        self._child: Child | None = None
        self._number = 0
        self._folder = -1
        self._seen: dict[str, list[int]] = {}
        self._lost = ""
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def going(self) -> bool:
        """Whether there is a process."""
        return self._child is not None and not self._child.asked.done()

    @property
    def taken(self) -> bool:
        """Whether there is a process, or a call that is about to start one."""
        return self.going or self.calls > 0

    @contextlib.asynccontextmanager
    async def turn(self, places: int) -> AsyncIterator[None]:
        """Have the session for one call, where no more than `places` wait for it."""
        if self.calls > places:
            raise LabrigError(
                f"The session is busy: {places} calls wait for it already",
                where="session",
                try_="the same call later",
                code="busy",
            )
        self.calls += 1
        try:
            async with self._turn:
                yield
        finally:
            self.calls -= 1

    async def run(self, server: ForkServer, job: Job, backend: str, inputs: Path) -> Result:
        """Run one cell; the caller holds its turn.

        Parameters
        ----------
        inputs
            A folder that the code can see; in it is one for the inputs of each session.

        Raises
        ------
        LabrigError
            If the fork server is gone, an input cannot be read, or no session can be had here.
        Wall
            If a wall could not be put up.
        """
        if self._expiry is not None:
            self._expiry.cancel()
        if self._child is not None and (self._child.asked.done() or self._server is not server):
            self.close("its process has ended")
        if self._child is not None and job.inputs:
            await in_thread(self._places.require_room, self._area.name)
        notes = (ANEW.format(why=self._lost),) if self._lost else ()
        try:
            result = await self._run(server, replace(job, stays=True), backend, inputs)
        except asyncio.CancelledError:
            self.close("a call was cancelled")
            raise
        except BaseException as error:
            self.close(str(error))
            raise
        return replace(result, notes=(*notes, *result.notes))

    def stop(self, why: str) -> None:
        """End the session; a cell that is running is cancelled, and its call lets go of the process."""
        if not self._turn.locked():
            self.close(why)
        elif self._server is not None:
            self._server.kill(self._number)

    def close(self, why: str) -> None:
        """End the process, if there is one; `why` is said with the next cell."""
        self._lost = why
        if self._expiry is not None:
            self._expiry.cancel()
        if self._child is not None:
            if self._server is not None:
                self._server.kill(self._number)
            self._child.close()
            if self._server is not None and not self._server.dead:
                tree.remove(self._server.scratch, scratch_name(self._number))
            shutil.rmtree(self._area, ignore_errors=True)
        if self._folder >= 0:
            os.close(self._folder)
        self._child, self._folder, self._seen = None, -1, {}

    async def _run(self, server: ForkServer, job: Job, backend: str, inputs: Path) -> Result:
        started = time.monotonic()
        begun = self._child is not None
        child = self._child or self._start(server, job.limits, inputs)
        await in_thread(self._clear, job.inputs)
        close(await placed(self._places, job.inputs, self._area.name))
        server.go(self._number, job.limits.wall_s, job.limits.cpu_s)
        conversation = Conversation(child.wire, job, (), area=os.fspath(self._area), begun=begun)
        talk = asyncio.create_task(conversation.hold(lambda: server.kill(self._number)))
        try:
            ended = await self._ended(child, conversation, talk, job.limits)
        finally:
            talk.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await talk
        conversation.check_walls(ended, child.err.kept)
        if self._folder < 0:
            await server.started(self._number)
            self._take_folder(server)
        out, err = (pipe.next() for pipe in (child.out, child.err))
        files = await in_thread(collect, self._folder, limit=job.limits.scratch_bytes, unchanged=self._seen)
        self._seen = files.seen
        full = files.full or NO_SPACE in err.text()[-1000:]
        result = Result(
            **result_of(conversation, ended, out, err, files, job.limits, full),
            backend=backend,
            wall_s=time.monotonic() - started,
        )
        if child.asked.done():
            self.close(f"a cell ended with {result.status}")
        else:
            wait = f"it was not used for {IDLE_S / 60:g} minutes"
            self._expiry = asyncio.get_running_loop().call_later(IDLE_S, self.close, wait)
        return result

    def _start(self, server: ForkServer, limits: Limits, inputs: Path) -> Child:
        """Ask for the process; its first cell has the time limits of the run."""
        self._server, self._number = server, server.next_number()
        self._area = inputs / f"session-{self._number}"
        self._area.mkdir(mode=0o700)
        area = Input("inputs", os.fspath(self._area), os.open(self._area, os.O_RDONLY | os.O_CLOEXEC))
        try:
            self._child = Child(server, self._number, [area], replace(limits, cpu_s=PROCESS_CPU_S))
        finally:
            close([area])
        return self._child

    @property
    def _places(self) -> Inputs:
        """Where inputs are found: in no root, so that each gets a copy or a second name in the area."""
        return Inputs((), self._area.parent)

    def _clear(self, names: Iterable[str]) -> None:
        """Take away earlier inputs whose names are to be used again."""
        for name in names:
            shutil.rmtree(self._area / name, ignore_errors=True)
            (self._area / name).unlink(missing_ok=True)

    async def _ended(
        self, child: Child, conversation: Conversation, talk: asyncio.Task[None], limits: Limits
    ) -> Ended:
        """Wait for the report of a cell, and stop the process then; or for the end of the process."""
        assert self._server is not None
        async with answering(self._server), self._server.within(self._number, limits.wall_s + GRACE_S):
            first: tuple[asyncio.Future[Any], ...] = (child.asked, talk)
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if conversation.end and not child.asked.done():
                self._server.pause(self._number)
                code = conversation.end.get("code", 0)
                return Ended(exit=code & 255 if isinstance(code, int) else 1, reason="")
            ended = await self._server.ending(child.asked)
        await asyncio.wait([child.out.closed, child.err.closed, talk], timeout=DRAIN_S)
        return ended

    def _take_folder(self, server: ForkServer) -> None:
        self._folder, own = server.take_folder(self._number)
        if not own:
            raise LabrigError(
                f"A session needs a file system of its own, which cannot be had here: {server.unmounted}",
                where="session",
                try_="the same code without a session",
                code="unavailable",
            )
