"""One run as the host sees it: what it is given, its caps, its end, and what is made of what it left."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import signal as signals
import socket
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.process import signal_name
from labrig.sandbox.conversation import Conversation, Job, short
from labrig.sandbox.forkserver import Ended, ForkServer, scratch_name
from labrig.sandbox.inputs import Input, Inputs, close
from labrig.sandbox.inside import tree
from labrig.sandbox.pipes import Kept, Pipe
from labrig.sandbox.results import Limits, Result, Status
from labrig.sandbox.scratch import Collected, collect
from labrig.threads import in_thread

DRAIN_S = 2.0
GRACE_S = 60.0
"""Beyond its time limit, which the fork server keeps, a run that has not ended is not waited for."""
CRASH_FRAMES = re.compile(
    r'^  File "(<string>|.*/inside/\w+\.py)", line .*\n|^Extension modules: .*\n', re.MULTILINE
)
"""What a dump of the stack says of the sandbox itself, and of what is imported."""
LASTING_NOTES = 20
MOST_COUNTED = 10_000
"""Figures; the program says how many it has left out."""
NO_SPACE = f"[Errno {errno.ENOSPC}]"


async def run(server: ForkServer, job: Job, backend: str, places: Inputs) -> Result:
    """Run a job, and leave nothing of it behind.

    Parameters
    ----------
    places
        Where its inputs are found.

    Raises
    ------
    LabrigError
        If the fork server is gone, or an input cannot be read.
    Wall
        If a wall could not be put up.
    """
    started = time.monotonic()
    talk: asyncio.Task[None] | None = None
    number = server.next_number()
    scratch = scratch_name(number)
    folder = -1
    child: Child | None = None
    try:
        inputs = await placed(places, job.inputs, scratch) if job.inputs else []
        try:
            child = Child(server, number, inputs, job.limits)
        finally:
            close(inputs)
        out, err = child.out, child.err
        conversation = Conversation(child.wire, job, inputs)
        talk = asyncio.create_task(conversation.hold(lambda: server.kill(number)))
        ended = await _ended(server, number, child.asked, job.limits.wall_s + GRACE_S)
        if ended.reason and conversation.answering:
            talk.cancel()  # nobody is there to take the answer
        await asyncio.wait([out.closed, err.closed, talk], timeout=DRAIN_S)
        conversation.check_walls(ended, err.kept)
        folder, own = server.take_folder(number)
        files = Collected()
        if folder >= 0:
            files = await in_thread(collect, folder, limit=job.limits.scratch_bytes)
        full = own and (files.full or NO_SPACE in err.kept.text()[-1000:])
        result = result_of(conversation, ended, out.kept, err.kept, files, job.limits, full)
        return Result(**result, backend=backend, wall_s=time.monotonic() - started)
    finally:
        if talk is not None:
            talk.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await talk
        if child is not None:
            child.close()
        folder = server.take_folder(number)[0] if folder < 0 else folder
        if folder >= 0:
            os.close(folder)
        if not server.dead:
            tree.remove(server.scratch, scratch)
        if job.inputs:
            places.remove(scratch)


class Child:
    """A child of the fork server that was asked for, with the host's ends of its socket and its pipes."""

    def __init__(self, server: ForkServer, number: int, inputs: Sequence[Input], limits: Limits) -> None:
        self.out, self.err = Pipe(limits.output_bytes), Pipe(limits.output_bytes)
        self.wire, theirs = socket.socketpair()
        self.wire.setblocking(False)
        try:
            descriptors = (theirs.fileno(), self.out.write_end, self.err.write_end)
            self.asked = server.submit(number, descriptors, inputs, limits)
        finally:
            theirs.close()
            os.close(self.out.write_end)
            os.close(self.err.write_end)

    def close(self) -> None:
        """Close the host's ends."""
        self.wire.close()
        self.out.close()
        self.err.close()


@contextlib.asynccontextmanager
async def answering(server: ForkServer) -> AsyncIterator[None]:
    """Give up a fork server that lets the time of a run pass and says nothing."""
    try:
        yield
    except TimeoutError:
        server.abandon("The sandbox does not answer")
        raise LabrigError(
            "The sandbox does not answer", where="sandbox", try_="the same call again", code="engine"
        ) from None


async def _ended(
    server: ForkServer, number: int, asked: asyncio.Future[dict[str, Any]], within_s: float
) -> Ended:
    """Wait for the end of a run; where nobody waits any longer, it is killed."""
    try:
        async with answering(server), server.within(number, within_s):
            return await server.ending(asked)
    except asyncio.CancelledError:
        server.kill(number)
        with contextlib.suppress(LabrigError):
            await server.ending(asked)
        raise


async def placed(places: Inputs, inputs: Mapping[str, Path], scratch: str) -> list[Input]:
    """Place the inputs of a run; where it is cancelled meanwhile, what is placed yet goes away again."""
    placing = asyncio.ensure_future(in_thread(places.place, inputs, scratch))

    def take_back(done: asyncio.Future[list[Input]]) -> None:
        if not done.cancelled() and done.exception() is None:
            close(done.result())
        places.remove(scratch)

    try:
        return await asyncio.shield(placing)
    except asyncio.CancelledError:
        placing.add_done_callback(take_back)
        raise


def result_of(
    talk: Conversation,
    ended: Ended,
    out: Kept,
    err: Kept,
    left: Collected,
    limits: Limits,
    full: bool,
) -> dict[str, Any]:
    """Put together what the child says, what the kernel says of it and what came out of the pipes."""
    status, detail = _status(talk, ended, limits, full)
    end = talk.end
    names = _texts(end.get("figures"))
    captions = dict(zip_longest(names, _texts(end.get("captions"))[: len(names)], fillvalue=""))
    figures = {name: caption for name, caption in captions.items() if name in left.files}
    figures_left = end.get("figures_cut", 0)
    cut = {
        "output": out.cut,
        "error": err.cut,
        "files": left.left,
        "figures": min(max(0, figures_left), MOST_COUNTED) if isinstance(figures_left, int) else 0,
    }
    notes = list(_texts(end.get("notes")))
    if status == "ok" and not end:
        notes.append("the process ended by itself, without a report: open figures and files may be lost")
    return {
        "status": status,
        "output": out.text(),
        "error": CRASH_FRAMES.sub("", err.text()) if status == "crashed" else err.text(),
        "cut": {name: count for name, count in cut.items() if count},
        "files": left.files,
        "figures": figures,
        "detail": detail,
        "notes": tuple(notes),
        "exit_code": ended.exit if ended.exit >= 0 else None,
        "signal": signal_name(-ended.exit) if ended.exit < 0 else "",
        "cpu_s": ended.cpu_s,
        "max_rss_bytes": ended.max_rss_bytes,
    }


def _texts(value: Any) -> list[str]:
    """The short texts of a list that may be anything."""
    if not isinstance(value, list):
        return []
    return [short(each) for each in value if isinstance(each, str)][:LASTING_NOTES]


def _status(talk: Conversation, ended: Ended, limits: Limits, full: bool) -> tuple[Status, str]:
    """How a run ended, and why, for people; `full` where its files had no room left."""
    if talk.flood:
        return "flood", f"it wrote what is not a message to the socket of the host's functions: {talk.flood}"
    if ended.reason == "wall_limit":
        return "wall_limit", f"it took longer than {limits.wall_s:g} s; what it printed until then is kept"
    if ended.reason == "thread_limit":
        return "thread_limit", f"it started more than {limits.threads} threads"
    raised = talk.end.get("ended") == "raised"
    if ended.reason == "scratch_limit" or (
        full and not ended.reason and (raised or ended.exit > 0 or ended.exit == -signals.SIGBUS)
    ):
        return "scratch_limit", (
            f"its files needed more than {limits.scratch_bytes:,} bytes together, or there were more than 5,000 of them"
        )
    if ended.reason not in ("", "cpu_limit"):
        return "cancelled", "it was cancelled"
    if (
        ended.reason
        or ended.exit == -signals.SIGXCPU
        or (ended.exit == -signals.SIGKILL and ended.cpu_s > 0.9 * limits.cpu_s)
    ):
        return "cpu_limit", f"it used more than {limits.cpu_s:g} s of processor time"
    if ended.exit < 0:
        name = signal_name(-ended.exit)
        why = {
            "SIGSEGV": ": often recursion in C code, or a defect of a library",
            "SIGBUS": ": most likely a mapped file that had no room left in its folder",
            "SIGKILL": ": most likely the system ran out of memory",
            "SIGSYS": ": it made a system call of a kind that a program here has no use for",
        }.get(name, "")
        return "crashed", f"it was killed by {name}{why}"
    kind, what = talk.end.get("ended"), short(talk.end.get("what", ""))
    if kind == "raised" and what == "MemoryError":
        return (
            "memory_limit",
            f"it needed more than {limits.memory_bytes >> 20} MiB above what its packages take",
        )
    if kind == "raised":
        return "error", f"it raised {what}"
    if ended.exit:
        return "exit", f"it ended with exit code {ended.exit}"
    return "ok", ""
