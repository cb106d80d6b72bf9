"""The fork server as the host sees it: its process, requests out, endings in."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from labrig.errors import LabrigError
from labrig.isolation.inside.forking import MOST_DESCRIPTORS, descriptors
from labrig.isolation.inside.mounts import FOLDER
from labrig.sandbox.inputs import Input
from labrig.sandbox.results import Limits

BOOT_S = 120.0
"""How long the imports may take; on a machine under load, a cold start has taken 12 s."""
TAIL_BYTES = 2_000


@dataclass(frozen=True)
class Ended:
    """How a run's process ended: exit code or minus a signal, why it was killed, what it used."""

    exit: int
    reason: str
    cpu_s: float = 0.0
    max_rss_bytes: int = 0


class ForkServer:
    """One running fork server.

    Attributes
    ----------
    scratch
        Descriptor of the folder that holds the scratch folders of the runs.
    imported
        Versions of the packages that are warm.
    unmounted
        Why a run's folder is no file system of its own, whose size the kernel keeps; empty where it is.
    dead
        Whether it has ended.
    """

    def __init__(self) -> None:
        self.dead = False
        self.scratch = -1
        self.imported: dict[str, str] = {}
        self.unmounted = ""
        self.runs: dict[int, asyncio.Future[Ended]] = {}
        self._folders: dict[int, int] = {}
        self._received: deque[int] = deque()
        self._numbers = itertools.count(1)
        self._pending = b""
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process

    async def start(
        self, command: Sequence[str], environment: Mapping[str, str], config: dict[str, Any]
    ) -> None:
        """Start the process and wait until its imports are done.

        Parameters
        ----------
        command
            With ``{control}`` where the number of the control socket belongs.
        config
            Its first message: see `labrig.sandbox.inside.zygote`.

        Raises
        ------
        LabrigError
            ``unavailable`` with its last words, if it does not get that far.
        """
        self._control, theirs = socket.socketpair()
        with theirs:
            number = str(theirs.fileno())
            try:
                self.process = subprocess.Popen(
                    [word.replace("{control}", number) for word in command],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._stderr,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    cwd="/",
                    env=dict(environment),
                )
            except OSError as error:
                self._control.close()
                raise LabrigError(
                    f"The sandbox could not be started: {error}", where=command[0], code="unavailable"
                ) from error
        self._control.setblocking(False)
        self._loop.add_reader(self._control, self._receive)
        try:
            await self._loop.sock_sendall(self._control, json.dumps(config).encode() + b"\n")
            await asyncio.wait_for(self._ready, BOOT_S)
        except (TimeoutError, OSError) as error:
            words = self.last_words()
            self.abandon()
            raise LabrigError(
                f"The sandbox did not start: {words or type(error).__name__}",
                where="sandbox",
                code="unavailable",
            ) from error
        except BaseException:
            self.abandon()
            raise

    def submit(
        self, number: int, descriptors: Sequence[int], inputs: Sequence[Input], limits: Limits
    ) -> asyncio.Future[Ended]:
        """Ask for a run on the descriptors of its socket, output and errors; return its ending."""
        request = {
            "op": "run",
            "id": number,
            "scratch": scratch_name(number),
            "inputs": {each.name: each.target for each in inputs},
            "limits": vars(limits),
        }
        ended: asyncio.Future[Ended] = self._loop.create_future()
        self.runs[number] = ended
        try:
            message = json.dumps(request).encode() + b"\n"
            given = [*descriptors, *(each.descriptor for each in inputs)]
            socket.send_fds(self._control, [message], given)
        except OSError:
            self.abandon("The sandbox is gone")
        return ended

    def next_number(self) -> int:
        """Return the number of a new run."""
        return next(self._numbers)

    def take_folder(self, number: int) -> tuple[int, bool]:
        """Return a descriptor of a run's folder, the caller's to close, and whether it is a file system of its own.

        Such a one is gone when the descriptor is closed. The descriptor is -1 where there is no folder.
        """
        if number in self._folders:
            return self._folders.pop(number), True
        with contextlib.suppress(OSError):
            if not self.dead:
                return os.open(scratch_name(number), FOLDER, dir_fd=self.scratch), False
        return -1, False

    def kill(self, number: int) -> None:
        """End one run, if it still runs."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"op": "kill", "id": number}).encode() + b"\n")

    async def close(self) -> None:
        """End the process and all its runs, and wait until it is gone."""
        self._die("The sandbox was closed")
        for _ in range(200):
            if self.process.poll() is not None:
                return
            await asyncio.sleep(0.01)
        self.abandon()

    def abandon(self, why: str = "The sandbox was stopped") -> None:
        """Kill the process outright; the kernel ends its children."""
        self._die(why)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def last_words(self) -> str:
        """Return the end of what it wrote on standard error."""
        if self._stderr.closed:
            return ""
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - TAIL_BYTES))
        return self._stderr.read().decode("utf-8", errors="replace").strip()

    def _receive(self) -> None:
        try:
            data, ancillary, _, _ = self._control.recvmsg(1 << 16, socket.CMSG_SPACE(4 * MOST_DESCRIPTORS))
        except BlockingIOError:
            return
        except OSError:
            data, ancillary = b"", []
        for descriptor in descriptors(ancillary):
            os.set_inheritable(descriptor, False)
            self._received.append(descriptor)
        if not data:
            self.abandon("The sandbox ended unexpectedly")
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, message: dict[str, Any]) -> None:
        event = message.pop("event")
        if event == "ready":
            self.scratch = self._received.popleft()
            self.imported = message["imported"]
            self.unmounted = message["unmounted"]
            if not self._ready.done():
                self._ready.set_result(None)
        elif event == "started":
            for _ in range(message["descriptors"]):
                self._folders[message["id"]] = self._received.popleft()
        elif event in ("ended", "refused"):
            ended = self.runs.pop(message.pop("id"), None)
            if ended is None or ended.done():
                return
            if event == "ended":
                ended.set_result(Ended(**message))
            else:
                ended.set_exception(_gone(f"The run could not be started: {message['reason']}", ""))
                ended.exception()

    def _die(self, what: str) -> None:
        if self.dead:
            return
        self.dead = True
        if not self._loop.is_closed():
            self._loop.remove_reader(self._control)
        self._control.close()
        error = _gone(what, self.last_words()[-300:])
        self._stderr.close()
        waiting: list[asyncio.Future[Any]] = [*self.runs.values(), self._ready]
        self.runs.clear()
        for future in waiting:
            if not future.done() and not self._loop.is_closed():
                future.set_exception(error)
                future.exception()  # a cancelled caller never asks for it
        for descriptor in (*([self.scratch] if self.scratch >= 0 else []), *self._received):
            os.close(descriptor)
        self.scratch = -1
        self._received.clear()


def scratch_name(number: int) -> str:
    """Return the name of a run's scratch folder."""
    return f"run-{number}"


def _gone(what: str, words: str) -> LabrigError:
    return LabrigError(what, where=words or "sandbox", try_="the same call again", code="engine")
