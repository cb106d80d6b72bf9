"""What a run and its host say to one another: the job, calls to functions of the host and their answers, the report."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.sandbox.forkserver import Ended
from labrig.sandbox.inputs import Input, Standing
from labrig.sandbox.pipes import Kept
from labrig.sandbox.results import Limits

log = logging.getLogger(__name__)

HostFunction = Callable[..., Awaitable[Any]]
MAX_LINE = (1 << 20) + 4096
"""Bytes of one message of the code; above it the run is ended."""
MAX_ANSWER = 64 << 20
"""Bytes of one answer of a function of the host."""
MAX_MESSAGES = 200_000
"""Messages of one run; above it the run is ended."""
MAX_CPU_S = 30.0
"""Processor time of the host that reading one run's messages may take; above it the run is ended."""
FREE_CPU_S, SHARE = 0.25, 0.25
"""What it may take at once, and of each second from then on: the others are answered meanwhile."""
MESSAGE_CPU_S = 5e-5
"""What a message takes beyond its parsing: a turn of the loop, about."""


class Wall(Exception):
    """A wall could not be put up; nothing was run."""


@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes
    ----------
    functions
        Functions of the host that the code can call, by the name it calls them by.
    inputs
        Files and folders that the code can read as ``inputs/NAME``.
    folder
        A folder that the code stands in.
    display
        ``last``: the value of a last expression is printed, where the code prints nothing by itself; ``always``;
        ``never``.
    stays
        The process stays for another job, with all variables.
    """

    code: str
    functions: Mapping[str, HostFunction] = field(default_factory=dict)
    inputs: Mapping[str, Path] = field(default_factory=dict)
    folder: Standing | None = None
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    display: str = "last"
    stays: bool = False


class Conversation:
    """The host's end of a run's socket: the job goes out, calls are answered, the report comes in.

    One with a process that has `begun` starts with the job. `area` is the folder that ``inputs`` leads to, in place of
    a link for each input.

    Nothing that arrives is trusted. What is no message, or comes where it makes no sense, ends the run (`flood`). Other
    callers are served after each message: a socket that always has data would give nobody else a turn.
    """

    def __init__(
        self, wire: socket.socket, job: Job, inputs: Sequence[Input], *, area: str = "", begun: bool = False
    ) -> None:
        self._wire = wire
        folder = job.folder.told() if job.folder else {}
        links = {each.name: each.target for each in inputs}
        self._given = json.dumps({"links": links, "area": area, "folder": folder}).encode()
        self._job = job
        self._buffer = bytearray()
        self.begun = begun
        self.answering = False
        self.wall = ""
        self.flood = ""
        self.end: dict[str, Any] = {}
        self._began = time.monotonic()
        self._messages = 0
        self._cpu_s = 0.0

    async def hold(self, kill: Callable[[], None]) -> None:
        """Talk until the run has reported or closes its end, or says what cannot be understood."""
        loop = asyncio.get_running_loop()
        try:
            size = len(self._given).to_bytes(4, "big")
            await loop.sock_sendall(self._wire, self._opening() if self.begun else size + self._given)
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
            self.flood = short(str(error)) or type(error).__name__
            kill()

    def check_walls(self, ended: Ended, err: Kept) -> None:
        """Raise `Wall` where the code was not begun, though nobody has ended it."""
        if self.wall or (not self.begun and not ended.reason):
            raise Wall(self.wall or err.text().strip() or f"the child ended with {ended.exit}")

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
        if "end" in message:
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
            "stays": job.stays,
        }
        return _line(opening)

    async def _call(self, message: dict[str, Any]) -> bytes:
        name, args, kwargs = message["call"], message["args"], message["kwargs"]
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise ValueError("a call whose arguments are not a list and a dictionary")
        self.answering = True
        data = await self._answer(name, args, kwargs)
        self.answering = False
        return data

    async def _answer(self, name: Any, args: list[Any], kwargs: dict[str, Any]) -> bytes:
        """Return the line that answers a call: the function's result, or why there is none."""
        if not isinstance(name, str) or name not in self._job.functions:
            return _line({"error": f"there is no function {short(name)!r}"})
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


def short(value: object) -> str:
    """Something of the code's as a short text that can be written anywhere."""
    return str(value)[:300].encode("utf-8", "backslashreplace").decode()
