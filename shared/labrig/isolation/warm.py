"""A fork server as its host sees it: its process, requests out, endings in; the other half is `inside.forking`."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from labrig.errors import LabrigError
from labrig.isolation.inside.forking import MOST_DESCRIPTORS, descriptors
from labrig.isolation.sharing import sharing_here

CONTROL = "{control}"
"""Stands in a command for the number of the control socket."""
TAIL_BYTES = 4_000
CLOSE_S = 2.0
LOAD_S = 120.0
"""Seconds that loading may take; on a machine under load, a cold start of the sandbox has taken 12 s."""


class RunRefused(Exception):
    """The fork server did not start a run, and why."""


class Begun(NamedTuple):
    """The process of a fork server that no loop listens to yet."""

    control: socket.socket
    process: subprocess.Popen[bytes]
    stderr: IO[bytes]


def begin(
    what: str, command: Sequence[str], environment: Mapping[str, str], *, cwd: str | Path = "/"
) -> Begun:
    """Start the process of a fork server; `CONTROL` in a word of the command becomes the number of its socket.

    Raises
    ------
    LabrigError
        ``unavailable`` if the program cannot be started.
    """
    stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    control, theirs = socket.socketpair()
    with theirs:
        number = str(theirs.fileno())
        try:
            process = subprocess.Popen(
                [word.replace(CONTROL, number) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd=cwd,
                env=dict(environment),
            )
        except OSError as error:
            control.close()
            stderr.close()
            raise LabrigError(
                f"{what} could not be started: {error}", where=command[0], code="unavailable"
            ) from error
    return Begun(control, process, stderr)


class WarmServer:
    """One running fork server, of the event loop that it was started in.

    Parameters
    ----------
    what
        Its name in errors, such as "The sandbox".

    Attributes
    ----------
    dead
        Whether it was not launched, has ended, or is not spoken to any more.
    runs
        What waits for the end of each run: ``ended`` as it was told, without event and id.
    received
        Descriptors that came and that nobody has taken yet.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.dead = True
        self.runs: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.received: deque[int] = deque()
        self._numbers = itertools.count(1)
        self._pending = b""
        self._outgoing: deque[tuple[bytes, list[int]]] = deque()
        self._loop = asyncio.get_running_loop()
        self._sharing = sharing_here()
        self._clocks: dict[int, set[asyncio.Timeout]] = {}
        self._left: dict[asyncio.Timeout, float] = {}

    def launch(
        self, command: Sequence[str], environment: Mapping[str, str], *, cwd: str | Path = "/"
    ) -> None:
        """Start the process and listen to it; see `begin`."""
        self.take(begin(self.what, command, environment, cwd=cwd))

    def take(self, begun: Begun) -> None:
        """Listen to a process that has been started."""
        self.control, self.process, self._stderr = begun
        self.dead = False
        self.control.setblocking(False)
        self._loop.add_reader(self.control, self._receive)

    def next_number(self) -> int:
        """Return the number of a new run."""
        return next(self._numbers)

    def ask(self, number: int, given: Sequence[int], **request: Any) -> asyncio.Future[dict[str, Any]]:
        """Ask for a run with descriptors; the future gives how it ended, or raises `RunRefused`."""
        ended = self.ask_ahead(number, given, **request)
        self.begin(number)
        return ended

    def ask_ahead(self, number: int, given: Sequence[int], **request: Any) -> asyncio.Future[dict[str, Any]]:
        """Ask for a run that is nobody's until it begins."""
        ended: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        if self.dead:  # since the caller looked
            ended.set_exception(
                LabrigError(f"{self.what} is gone", try_="the same call again", code="engine")
            )
            return ended
        self.runs[number] = ended
        ended.add_done_callback(functools.partial(self._let_go, number))
        self._send({"op": "run", "id": number, **request}, given)
        return ended

    def begin(self, number: int) -> None:
        """Count a run as one of this call's owner, if it has not ended."""
        if number in self.runs:
            self._sharing.begin(self, number)

    def kill(self, number: int) -> None:
        """End one run, if it still runs."""
        self._send({"op": "kill", "id": number})

    def pause(self, number: int) -> None:
        """Stop a run, and its time, until `go`."""
        self._send({"op": "pause", "id": number})

    def go(self, number: int, wall_s: float, cpu_s: float) -> None:
        """Have a paused run go on, for at most so many seconds of the clock and of processor time."""
        self._send({"op": "go", "id": number, "wall_s": wall_s, "cpu_s": cpu_s})

    def share(self, rest: Sequence[int]) -> None:
        """Have these runs rest for a while and all others go on; their clocks (`within`) stand still meanwhile."""
        self._send({"op": "share", "rest": list(rest)})
        now = self._loop.time()
        for number, clocks in self._clocks.items():
            for clock in clocks:
                self._keep(clock, now, rests=number in rest)

    @contextlib.asynccontextmanager
    async def within(self, number: int, seconds: float | None) -> AsyncIterator[None]:
        """Raise TimeoutError where the body takes longer than this, without the time in which the run rests."""
        async with asyncio.timeout(seconds) as clock:
            self._clocks.setdefault(number, set()).add(clock)
            try:
                yield
            finally:
                self._left.pop(clock, None)
                self._clocks[number].discard(clock)
                if not self._clocks[number]:
                    del self._clocks[number]

    def _keep(self, clock: asyncio.Timeout, now: float, *, rests: bool) -> None:
        if rests and (when := clock.when()) is not None and not clock.expired():
            self._left[clock] = when - now
            clock.reschedule(None)
        elif not rests and clock in self._left:
            clock.reschedule(now + self._left.pop(clock))

    def _let_go(self, number: int, ended: asyncio.Future[dict[str, Any]]) -> None:
        """Have a run that has ended counted, and its clocks go on."""
        failed = ended.cancelled() or ended.exception() is not None
        self._sharing.end(self, number, 0.0 if failed else ended.result().get("cpu_s", 0.0))
        for clock in self._clocks.get(number, ()):
            self._keep(clock, self._loop.time(), rests=False)

    async def close(self) -> None:
        """End the process and all its runs, and wait until it is gone."""
        self._die(f"{self.what} was closed")
        deadline = self._loop.time() + CLOSE_S
        while self.process.poll() is None:
            if self._loop.time() > deadline:
                self.abandon()
                return
            await asyncio.sleep(0.01)

    def abandon(self, why: str = "") -> None:
        """Kill the process outright, from any event loop; the kernel ends its children."""
        self._die(why or f"{self.what} was stopped")
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def last_words(self) -> str:
        """Return the end of what it wrote on standard error."""
        return "" if self._stderr.closed else tail(self._stderr)

    def heard(self, event: str, message: dict[str, Any]) -> None:
        """Take a message that is not about the end of a run."""

    def died(self, error: LabrigError) -> None:
        """Let go of what depends on the process."""

    def _send(self, message: dict[str, Any], given: Sequence[int] = ()) -> None:
        """Send a message whole, behind those that wait; descriptors go with its first byte, as copies until then."""
        if self.dead:
            return
        data = json.dumps(message).encode() + b"\n"
        self._outgoing.append((data, [os.dup(descriptor) for descriptor in given]))
        self._flush()

    def _flush(self) -> None:
        while self._outgoing:
            data, given = self._outgoing[0]
            try:
                now, later = given[:MOST_DESCRIPTORS], given[MOST_DESCRIPTORS:]
                part = data[:1] if later else data  # each byte may carry so many
                sent = socket.send_fds(self.control, [part], now) if now else self.control.send(data)
            except BlockingIOError:
                self._loop.add_writer(self.control, self._flush)
                return
            except OSError:
                self.abandon(f"{self.what} is gone")
                return
            for descriptor in now:
                os.close(descriptor)
            self._outgoing[0] = (data[sent:], later)
            if sent == len(data):
                self._outgoing.popleft()
        self._loop.remove_writer(self.control)

    def _receive(self) -> None:
        try:
            data, ancillary, _, _ = self.control.recvmsg(1 << 16, socket.CMSG_SPACE(4 * MOST_DESCRIPTORS))
        except BlockingIOError:
            return
        except OSError:
            data, ancillary = b"", []
        for descriptor in descriptors(ancillary):
            os.set_inheritable(descriptor, False)
            self.received.append(descriptor)
        if not data:
            self.abandon(f"{self.what} ended unexpectedly")
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, message: dict[str, Any]) -> None:
        event = message.pop("event")
        if event == "shared":
            self._sharing.told(self, message["used"])
            return
        if event not in ("ended", "refused"):
            self.heard(event, message)
            return
        ended = self.runs.pop(message.pop("id"), None)
        if ended is None or ended.done():
            return
        if event == "ended":
            ended.set_result(message)
        else:
            ended.set_exception(RunRefused(message["reason"]))
            ended.exception()  # a cancelled caller never asks for it

    def _die(self, what: str) -> None:
        if self.dead:
            return
        self.dead = True
        if not self._loop.is_closed():
            self._loop.remove_reader(self.control)
            self._loop.remove_writer(self.control)
        self.control.close()
        for _, given in self._outgoing:
            for descriptor in given:
                os.close(descriptor)
        self._outgoing.clear()
        words = self.last_words()[-300:]
        self._stderr.close()
        error = LabrigError(what, where=words, try_="the same call again", code="engine")
        waiting = list(self.runs.values())
        self.runs.clear()
        for future in waiting:
            if not future.done() and not self._loop.is_closed():
                future.set_exception(error)
                future.exception()
        self.died(error)
        for descriptor in self.received:
            os.close(descriptor)
        self.received.clear()


class LoadingServer(WarmServer):
    """A fork server that is told with its first line what to load, and says when it has done so."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self._loaded: asyncio.Future[None] = self._loop.create_future()

    async def start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        config: dict[str, Any],
        *,
        cwd: str | Path = "/",
        begun: Begun | None = None,
    ) -> None:
        """Start the process and wait until all is loaded.

        Parameters
        ----------
        config
            Its first line.
        begun
            The process, where it was started before and has been told its first line.

        Raises
        ------
        LabrigError
            `unstarted` where it does not get that far, and what `failed` was given.
        """
        if begun is None:
            self.launch(command, environment, cwd=cwd)
        else:
            self.take(begun)
        try:
            if begun is None:
                await self._loop.sock_sendall(self.control, first_line(config))
            await asyncio.wait_for(self._loaded, LOAD_S)
        except (TimeoutError, OSError) as error:
            words = self.last_words()
            self.abandon()
            raise self.unstarted(words or type(error).__name__) from error
        except BaseException:
            self.abandon()
            raise

    def unstarted(self, why: str) -> LabrigError:
        """Return the error for a start that failed; `why` may be the process's last words."""
        return LabrigError(f"{self.what} could not start: {why[-1000:]}", code="internal")

    def loaded(self) -> None:
        """Note that all is loaded."""
        if not self._loaded.done():
            self._loaded.set_result(None)

    def failed(self, error: LabrigError) -> None:
        """Tell who waits for the start, if anybody does, what came of it."""
        if not self._loaded.done() and not self._loop.is_closed():
            self._loaded.set_exception(error)
            self._loaded.exception()  # a cancelled caller never asks for it

    def died(self, error: LabrigError) -> None:
        """Tell who waits for the start."""
        self.failed(error)


def first_line(config: dict[str, Any]) -> bytes:
    """Return what tells a fork server what to load."""
    return json.dumps(config).encode() + b"\n"


def tail(file: IO[bytes]) -> str:
    """Return the end of a file as text."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - TAIL_BYTES))
    return file.read().decode("utf-8", errors="replace").strip()
