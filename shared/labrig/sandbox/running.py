"""One run as the host sees it: its pipes, its calls to functions of the host, its caps, its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import inspect
import json
import logging
import os
import re
import signal as signals
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.sandbox.forkserver import Ended, ForkServer, scratch_name
from labrig.sandbox.inputs import Input, Inputs, close
from labrig.sandbox.inside import tree
from labrig.sandbox.results import Limits, Result, Status
from labrig.sandbox.scratch import Collected, collect
from labrig.threads import in_thread

log = logging.getLogger(__name__)

HostFunction = Callable[..., Awaitable[Any]]
MAX_LINE = (1 << 20) + 4096
"""Bytes of one message of the code; above it the run is ended."""
MAX_ANSWER = 64 << 20
"""Bytes of one answer of a function of the host."""
MAX_KEPT = 80 << 20
"""Bytes of calls and answers that a run of a session may leave to be kept."""
MAX_MESSAGES = 200_000
"""Messages of one run; above it the run is ended."""
MAX_CPU_S = 30.0
"""Processor time of the host that reading one run's messages may take; above it the run is ended."""
FREE_CPU_S, SHARE = 0.25, 0.25
"""What it may take at once, and of each second from then on: the others are answered meanwhile."""
MESSAGE_CPU_S = 5e-5
"""What a message takes beyond its parsing: a turn of the loop, about."""
DRAIN_S = 2.0
GRACE_S = 60.0
"""Beyond its time limit, which the fork server keeps, a run that has not ended is not waited for."""
CRASH_FRAMES = re.compile(
    r'^  File "(<string>|.*/inside/\w+\.py)", line .*\n|^Extension modules: .*\n', re.MULTILINE
)
"""What a dump of the stack says of the sandbox itself, and of what is imported."""
LASTING_NOTES = 20
NO_SPACE = f"[Errno {errno.ENOSPC}]"


@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes
    ----------
    functions
        Functions of the host that the code can call, by the name it calls them by.
    inputs
        Files and folders that the code can read as ``inputs/NAME``.
    display
        ``last``: the value of a last expression is printed, where the code prints nothing by itself; ``always``;
        ``never``.
    keep_calls
        Whether to return the calls to the functions with what they were answered.
    history
        Cells to run first, silently: each its ``code``, and its ``calls`` with what they were answered.
    """

    code: str
    functions: Mapping[str, HostFunction] = field(default_factory=dict)
    inputs: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    display: str = "last"
    keep_calls: bool = False
    history: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Done:
    """A result, and the calls to functions of the host that it rests on."""

    result: Result
    calls: list[dict[str, Any]]


class Wall(Exception):
    """A wall could not be put up; nothing was run."""


class Kept:
    """The first and the last of what comes through a pipe."""

    def __init__(self, limit: int) -> None:
        self._head_room, self._tail_room = limit - limit // 4, limit // 4
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take what was read; forget the middle."""
        self.total += len(data)
        fits = self._head_room - len(self._head)
        if fits > 0:
            self._head += data[:fits]
            data = data[fits:]
        if data:
            self._tail += data[-self._tail_room :] if self._tail_room else b""
            if len(self._tail) > self._tail_room:
                del self._tail[: -self._tail_room or None]

    @property
    def cut(self) -> int:
        """Bytes that were left out."""
        return self.total - len(self._head) - len(self._tail)

    def text(self) -> str:
        """What was kept, as text, with a line that says what was left out."""
        gap = f"\n[... {self.cut:,} bytes are left out ...]\n".encode() if self.cut else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", errors="backslashreplace")


class Pipe:
    """The reading end of a pipe, read until it ends."""

    def __init__(self, limit: int) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.kept = Kept(limit)
        self._loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self.read_end, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self.read_end, 1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.kept.add(data)
        else:
            self.close()

    def close(self) -> None:
        """Read no more."""
        if not self.closed.done():
            self._loop.remove_reader(self.read_end)
            os.close(self.read_end)
            self.closed.set_result(None)


class Conversation:
    """The host's end of a run's socket: the job goes out, calls are answered, the report comes in.

    Nothing that arrives is trusted. What is no message, or comes where it makes no sense, ends the run (`flood`). Other
    callers are served after each message: a socket that always has data would give nobody else a turn.
    """

    def __init__(self, wire: socket.socket, job: Job, inputs: Sequence[Input]) -> None:
        self._wire = wire
        self._links = json.dumps({each.name: each.target for each in inputs}).encode()
        self._job = job
        self._buffer = bytearray()
        self.begun = False
        self.answering = False
        self.wall = ""
        self.flood = ""
        self.end: dict[str, Any] = {}
        self.replayed: dict[str, list[int]] = {}
        self.anew = 0
        self._replayed = False
        self._kept = 0
        self.calls: list[dict[str, Any]] = []
        self._began = time.monotonic()
        self._messages = 0
        self._cpu_s = 0.0

    async def hold(self, kill: Callable[[], None]) -> None:
        """Talk until the run has reported or closes its end, or says what cannot be understood."""
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._wire, len(self._links).to_bytes(4, "big") + self._links)
            while line := await self._line(loop):
                began = time.thread_time()
                message = json.loads(line)
                self._count(time.thread_time() - began)
                answer = await self._handle(message)
                if answer is not None:
                    await loop.sock_sendall(self._wire, answer)
                if self.end:  # whatever a thread may still say, the report is there
                    return
                await self._give_way()
        except (ConnectionError, BrokenPipeError):
            return
        except (
            Exception
        ) as error:  # whatever a message can be made to do here, it ends its own run and no more
            self.flood = _text(str(error)) or type(error).__name__
            kill()

    def _count(self, cpu_s: float) -> None:
        """Charge a message to the run."""
        self._messages += 1
        self._cpu_s += cpu_s + MESSAGE_CPU_S
        if self._messages > MAX_MESSAGES:
            raise ValueError(f"more than {MAX_MESSAGES:,} messages")
        if self._cpu_s > MAX_CPU_S:
            raise ValueError(f"messages that take more than {MAX_CPU_S:g} s to read")

    async def _give_way(self) -> None:
        """Let the others have their turn, and wait where this run has had more than its share."""
        over = self._cpu_s - FREE_CPU_S - SHARE * (time.monotonic() - self._began)
        await asyncio.sleep(max(0.0, over) / SHARE)

    async def _line(self, loop: asyncio.AbstractEventLoop) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_LINE:
                raise ValueError(f"a message of more than {MAX_LINE:,} bytes")
            data = await loop.sock_recv(self._wire, 1 << 16)
            if not data:
                return b""
            self._buffer += data
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    async def _handle(self, message: dict[str, Any]) -> bytes | None:
        """Return what is to be sent back, if anything."""
        if not self.begun:
            if "wall" in message:
                self.wall = str(message["wall"])
                return None
            self.begun = bool(message["ready"])
            return self._opening()
        if "call" in message:
            return await self._call(message)
        if "replayed" in message and self._job.history and not self._replayed:
            self._replayed = True
            self.replayed = {
                str(name): [int(size), int(time)] for name, (size, time) in message["replayed"].items()
            }
            self.anew = int(message["anew"])
        elif "end" in message:
            self.end = dict(message["end"]) or {"ended": ""}
        else:
            raise ValueError("a message of no known kind")
        return None

    def _opening(self) -> bytes:
        job = self._job
        opening = {
            "code": job.code,
            "functions": {name: function.__doc__ or "" for name, function in job.functions.items()},
            "seed": job.seed,
            "display": job.display,
            "history": job.history,
        }
        return _line(opening)

    async def _call(self, message: dict[str, Any]) -> bytes:
        name, args, kwargs = message["call"], message["args"], message["kwargs"]
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise ValueError("a call whose arguments are not a list and a dictionary")
        self.answering = True
        data = await self._answer(name, args, kwargs)
        self.answering = False
        if self._job.keep_calls:
            asked = {"call": name, "args": args, "kwargs": kwargs}
            self._kept += len(json.dumps(asked)) + len(data)
            if self._kept > MAX_KEPT:
                raise ValueError(
                    f"calls and answers of more than {MAX_KEPT:,} bytes, in a session that keeps them"
                )
            self.calls.append({"asked": asked, "answer": json.loads(data)})
        return data

    async def _answer(self, name: Any, args: list[Any], kwargs: dict[str, Any]) -> bytes:
        """Return the line that answers a call: the function's result, or why there is none."""
        if not isinstance(name, str) or name not in self._job.functions:
            return _line({"error": f"there is no function {_text(name)!r}"})
        task = asyncio.current_task()
        try:
            answering = self._job.functions[name](*args, **kwargs)
            if not inspect.isawaitable(answering):
                log.error("a function of the host is not async: %s", name)
                return _line({"error": f"{name} failed: this is a defect of Labrig"})
            data = _line({"result": await answering})
        except asyncio.CancelledError:
            if task is None or task.cancelling():
                raise
            return _line({"error": f"{name} was cancelled"})  # something that it waited for, not this run
        except LabrigError as error:
            return _line({"error": str(error)})
        except Exception as error:
            trace = error.__traceback__
            if isinstance(error, TypeError) and trace is not None and trace.tb_next is None:
                return _line({"error": str(error)})  # the call does not fit the function
            log.exception("a function of the host failed: %s", name)
            return _line({"error": f"{name} failed: this is a defect of Labrig"})
        if len(data) > MAX_ANSWER:
            return _line(
                {
                    "error": f"the answer of {name} has {len(data):,} bytes; at most {MAX_ANSWER:,} can be handed over"
                }
            )
        return data


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


async def run(server: ForkServer, job: Job, backend: str, places: Inputs) -> Done:
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
    out, err = Pipe(job.limits.output_bytes), Pipe(job.limits.output_bytes)
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    talk: asyncio.Task[None] | None = None
    number = server.next_number()
    scratch = scratch_name(number)
    folder = -1
    try:
        try:
            inputs = await _placed(places, job.inputs, scratch) if job.inputs else []
            descriptors = (theirs.fileno(), out.write_end, err.write_end)
            try:
                asked = server.submit(number, descriptors, inputs, job.limits)
            finally:
                close(inputs)
        finally:
            theirs.close()
            os.close(out.write_end)
            os.close(err.write_end)
        conversation = Conversation(ours, job, inputs)
        talk = asyncio.create_task(conversation.hold(lambda: server.kill(number)))
        try:
            async with server.within(number, job.limits.wall_s + GRACE_S):
                ended = await server.ending(asked)
        except TimeoutError:
            server.abandon("The sandbox does not answer")
            raise LabrigError(
                "The sandbox does not answer", where="sandbox", try_="the same call again", code="engine"
            ) from None
        except asyncio.CancelledError:
            server.kill(number)
            with contextlib.suppress(LabrigError):
                await server.ending(asked)
            raise
        if ended.reason and conversation.answering:
            talk.cancel()  # nobody is there to take the answer
        await asyncio.wait([out.closed, err.closed, talk], timeout=DRAIN_S)
        if conversation.wall or (not conversation.begun and not ended.reason):
            raise Wall(conversation.wall or err.kept.text().strip() or f"the child ended with {ended.exit}")
        folder, own = server.take_folder(number)
        files = Collected()
        if folder >= 0:
            files = await in_thread(
                collect, folder, limit=job.limits.scratch_bytes, unchanged=conversation.replayed
            )
        full = own and (files.full or NO_SPACE in err.kept.text()[-1000:])
        result = _result(conversation, ended, out.kept, err.kept, files, job.limits, full)
        return Done(Result(**result, backend=backend, wall_s=time.monotonic() - started), conversation.calls)
    finally:
        if talk is not None:
            talk.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await talk
        ours.close()
        out.close()
        err.close()
        folder = server.take_folder(number)[0] if folder < 0 else folder
        if folder >= 0:
            os.close(folder)
        if not server.dead:
            tree.remove(server.scratch, scratch)
        if job.inputs:
            places.remove(scratch)


async def _placed(places: Inputs, inputs: Mapping[str, Path], scratch: str) -> list[Input]:
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


def _result(
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
    figures = tuple(name for name in _texts(end.get("figures")) if name in left.files)
    figures_left = end.get("figures_cut", 0)
    cut = {
        "output": out.cut,
        "error": err.cut,
        "files": left.left,
        "figures": max(0, figures_left) if isinstance(figures_left, int) else 0,
    }
    notes = list(_texts(end.get("notes")))
    if talk.anew:
        notes.append(
            f"{talk.anew} calls in cells before this one were not the same when they were run again, and were made anew"
        )
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
        "signal": _signal_name(-ended.exit) if ended.exit < 0 else "",
        "cpu_s": ended.cpu_s,
        "max_rss_bytes": ended.max_rss_bytes,
    }


def _texts(value: Any) -> list[str]:
    """The short texts of a list that may be anything."""
    if not isinstance(value, list):
        return []
    return [_text(each) for each in value if isinstance(each, str)][:LASTING_NOTES]


def _text(value: object) -> str:
    """Something of the code's as a short text that can be written anywhere."""
    return str(value)[:300].encode("utf-8", "backslashreplace").decode()


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
    if ended.reason:
        return "cancelled", "it was cancelled"
    if ended.exit == -signals.SIGXCPU or (
        ended.exit == -signals.SIGKILL and ended.cpu_s > 0.9 * limits.cpu_s
    ):
        return "cpu_limit", f"it used more than {limits.cpu_s:g} s of processor time"
    if ended.exit < 0:
        name = _signal_name(-ended.exit)
        why = {
            "SIGSEGV": ": often recursion in C code, or a defect of a library",
            "SIGBUS": ": most likely a mapped file that had no room left in its folder",
            "SIGKILL": ": most likely the system ran out of memory",
            "SIGSYS": ": it made a system call of a kind that a program here has no use for",
        }.get(name, "")
        return "crashed", f"it was killed by {name}{why}"
    kind, what = talk.end.get("ended"), _text(talk.end.get("what", ""))
    if kind == "replay":
        return "error", f"the session could not be brought back: {what}"
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


def _signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
