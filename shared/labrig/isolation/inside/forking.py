"""What fork servers share: a process that has loaded what is slow to load, and forks one child for each run.

It is one process with one thread, so a fork copies nothing half done. On the control socket, lines of JSON go both
ways, with descriptors (SCM_RIGHTS). A request ``{"op": "run", "id", ...}`` brings as many as `ForkServer.brings` says;
it is answered by ``started`` or ``refused``, and once by ``ended`` (exit code or minus a signal, processor seconds,
peak memory, why it was killed). ``{"op": "kill", "id"}`` ends a run. The server kills a run at its deadline, and every
run when the control socket closes: nothing outlives the parent, however that ended.

``{"op": "share", "rest": [id, ..]}`` stops the runs that are named, lets all others go on, and is answered by
``shared``: of each run its processor seconds, and how many of its threads have or want a processor. A run that rests
has its time limit stand still. Without another word, all go on after `LEASE_S`.

``{"op": "pause", "id"}`` stops a run and its time; ``{"op": "go", "id", "wall_s", "cpu_s"}`` has it go on for so long.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Container, Sequence
from typing import Any, Generic, TypeVar

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
ORPHANS_S = 1.0
"""So long what a run left behind is waited for, once it has been killed."""
MOST_DESCRIPTORS = 253
"""In one message of the control socket (SCM_MAX_FD of Linux); a request with more comes in several."""
LEASE_S = 1.0
"""So long runs rest at most without another word of the host."""
MOST_PROCESSES = 64
"""Of one run that are looked at for what it uses."""


class Refused(Exception):
    """A run cannot be started, and why."""


class Run:
    """One child: who it is, when it must end, why it was killed, and the descriptors that ``started`` brings."""

    def __init__(self, number: int, pid: int, deadline: float, gives: Sequence[int] = ()) -> None:
        self.number = number
        self.pid = pid
        self.gives = gives
        self.deadline = deadline
        self.reason = ""
        self.left_s: float | None = None
        """Of its time, while it rests."""
        self.paused = False

    def pause(self) -> None:
        """Stop the child until it is told to go, without a time limit."""
        if not self.reason:
            self.paused, self.left_s, self.deadline = True, None, float("inf")
            self._signal(signal.SIGSTOP)

    def go(self, now: float, wall_s: float, cpu_s: float) -> None:
        """Let a child that was paused go on, for so many seconds of the clock."""
        self.paused, self.deadline = False, now + wall_s
        self._signal(signal.SIGCONT)

    def rest(self, now: float) -> None:
        """Stop the child and its time; one that is being killed is left alone."""
        if self.left_s is None and not self.reason and not self.paused:
            self.left_s, self.deadline = self.deadline - now, float("inf")
            self._signal(signal.SIGSTOP)

    def go_on(self, now: float) -> None:
        """Let a child that rests go on, with the time that it had left."""
        if self.left_s is not None:
            self.deadline, self.left_s = now + self.left_s, None
            self._signal(signal.SIGCONT)

    def kill(self, reason: str) -> None:
        """End the child and whatever is in its group; the first reason stays."""
        self.reason = self.reason or reason
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for send in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                send(self.pid, number)


R = TypeVar("R", bound=Run)


class ForkServer(Generic[R]):
    """The loop: requests, ended children and time in; forks, kills and reports out.

    Attributes
    ----------
    tick_s
        How often runs are looked at; None for never.
    """

    tick_s: float | None = None

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.runs: dict[int, R] = {}
        self._pending = b""
        self._descriptors: deque[int] = deque()
        self._lease = float("inf")
        self._wake, self._waker = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)

    def brings(self, request: dict[str, Any]) -> int:
        """Return how many descriptors a request comes with."""
        raise NotImplementedError

    def start(self, request: dict[str, Any], received: Sequence[int]) -> R:
        """Fork a child, which never returns; the descriptors are closed here afterwards.

        Raises
        ------
        Refused, OSError
            If there is none.
        """
        raise NotImplementedError

    def look(self, run: R) -> None:
        """Kill the child where it uses more than it may of what the kernel does not limit; called every `tick_s`."""

    def last_of(self, run: R) -> dict[str, Any]:
        """Return what else is told of a run that has ended, and let go of what was its."""
        return {}

    def serve(self) -> None:
        """Work until the control socket closes, then kill and reap every child."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        try:
            while True:
                ready = {descriptor for descriptor, _ in poll.poll(self._milliseconds_left())}
                if self._wake in ready:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._wake, 4096)
                self._reap()
                now = time.monotonic()
                if now >= self._lease:
                    self._rest((), now)
                for run in self.runs.values():
                    if now >= run.deadline:
                        run.deadline = float("inf")
                        run.kill("wall_limit")
                    elif not run.reason:
                        self.look(run)
                if self.control.fileno() in ready and not self._receive():
                    return
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:
            for run in self.runs.values():
                run.kill("cancelled")
            for run in self.runs.values():
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(run.pid, 0)

    def tell(self, **message: Any) -> None:
        """Send one message to the host."""
        self.control.sendall(json.dumps(message).encode() + b"\n")

    def _tell_started(self, run: R) -> None:
        message = {"event": "started", "id": run.number, "pid": run.pid, "descriptors": len(run.gives)}
        socket.send_fds(self.control, [json.dumps(message).encode() + b"\n"], run.gives)
        for descriptor in run.gives:
            os.close(descriptor)
        run.gives = ()

    def _milliseconds_left(self) -> float | None:
        if not self.runs:
            return None
        deadline = min(self._lease, *(run.deadline for run in self.runs.values()))
        left = max(0.0, deadline - time.monotonic()) * 1000 + 1
        if self.tick_s is not None:
            left = min(left, self.tick_s * 1000)
        return None if left == float("inf") else left

    def _reap(self) -> None:
        while self.runs:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            run = self.runs.pop(pid, None)
            if run is None:
                continue
            self.tell(
                event="ended",
                id=run.number,
                exit=os.waitstatus_to_exitcode(status),
                reason=run.reason,
                cpu_s=usage.ru_utime + usage.ru_stime,
                max_rss_bytes=usage.ru_maxrss * RSS_UNIT,
                **self.last_of(run),
            )

    def _receive(self) -> bool:
        data, ancillary, _, _ = self.control.recvmsg(
            1 << 16, socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
        )
        if not data:
            return False
        self._descriptors.extend(descriptors(ancillary))
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if request["op"] == "run":
                self._start(request)
            elif request["op"] == "share":
                self.tell(event="shared", used={run.number: used(run.pid) for run in self.runs.values()})
                self._rest(request["rest"], time.monotonic())
            else:
                for run in self.runs.values():
                    if run.number == request["id"]:
                        self._steer(run, request)
        return True

    def _steer(self, run: R, request: dict[str, Any]) -> None:
        """Do to one run what a request says."""
        if request["op"] == "pause":
            run.pause()
        elif request["op"] == "go":
            run.go(time.monotonic(), request["wall_s"], request["cpu_s"])
        else:
            run.kill("cancelled")

    def _rest(self, numbers: Sequence[int], now: float) -> None:
        """Have these runs rest, for a while, and no others."""
        for run in self.runs.values():
            if run.number in numbers:
                run.rest(now)
            else:
                run.go_on(now)
        self._lease = now + LEASE_S if numbers else float("inf")

    def _start(self, request: dict[str, Any]) -> None:
        received = [self._descriptors.popleft() for _ in range(self.brings(request))]
        try:
            run = self.start(request, received)
            self.runs[run.pid] = run
            self._tell_started(run)
        except (Refused, OSError) as error:
            said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self.tell(event="refused", id=request["id"], reason=said)
        finally:
            for descriptor in received:
                os.close(descriptor)


def descriptors(ancillary: Sequence[tuple[int, int, bytes]]) -> list[int]:
    """Return the descriptors that came with a message."""
    received = array.array("i")
    for level, kind, payload in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            received.frombytes(payload[: len(payload) - len(payload) % received.itemsize])
    return received.tolist()


def become_child() -> None:
    """Give up, in a child, what belongs to the fork server: its signals and its session.

    What leaves its parent below the child stays below it, so that no other run's end is taken for its own.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    adopt_orphans()


def die_with(parent: int, code: int) -> None:
    """Have the kernel kill this process when its parent ends; end with `code` where it has ended already."""
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        os._exit(code)


def adopt_orphans() -> None:
    """Have the kernel give this process the children of its descendants that end before them (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans(kept: Container[int]) -> None:
    """End the children of this process except those kept, and their descendants.

    They left the group of a child that has ended (setsid), so that no signal to the group reached them. Whoever loses
    its parent here is adopted and found in the next round.
    """
    until = time.monotonic() + ORPHANS_S
    while orphans := [pid for pid in children() if pid not in kept]:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() >= until:
            return
        time.sleep(0.001)


def children() -> list[int]:
    """Return the children of this process, which has one thread; none where the system does not tell (proc(5))."""
    try:
        place = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    with os.fdopen(place, encoding="ascii") as file:
        return [int(each) for each in file.read().split()]


def configuration(control: socket.socket) -> dict[str, Any]:
    """Return the first line of the control socket; nothing follows it before the answer."""
    line = b""
    while not line.endswith(b"\n"):
        data = control.recv(1 << 16)
        if not data:
            sys.exit(0)
        line += data
    config: dict[str, Any] = json.loads(line)
    return config


def exactly(descriptor: int, size: int) -> bytes | None:
    """Return so many bytes; None where the other side has closed before them."""
    data = bytearray()
    while len(data) < size:
        piece = os.read(descriptor, min(1 << 20, size - len(data)))
        if not piece:
            return None
        data += piece
    return bytes(data)


def threads(pid: int) -> int:
    """Return how many threads a process has; 0 when it is gone or the system does not tell."""
    fields = _stat(f"/proc/{pid}/stat")
    return int(fields[17]) if fields else 0


def used(pid: int) -> tuple[float, int]:
    """Return the processor seconds of a process and what it has started, and how many threads have or want a processor.

    Zeros when it is gone or the system does not tell.
    """
    ticks = wanting = looked = 0
    pending = [pid]
    while pending and looked < MOST_PROCESSES:
        each = pending.pop()
        looked += 1
        fields = _stat(f"/proc/{each}/stat")
        if not fields:
            continue
        ticks += sum(map(int, fields[11:15]))  # its own, and of what it has waited for
        tasks = [str(each)]
        if int(fields[17]) > 1:
            with contextlib.suppress(OSError):
                tasks = os.listdir(f"/proc/{each}/task")  # noqa: PTH208
        for task in tasks:
            wanting += _stat(f"/proc/{each}/task/{task}/stat")[:1] == [b"R"]
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{each}/task/{task}/children", "rb") as file,  # noqa: PTH123
            ):
                pending += map(int, file.read().split())
    return ticks / os.sysconf("SC_CLK_TCK"), wanting


def _stat(path: str) -> list[bytes]:
    """Return the fields of a file ``stat`` of proc(5) behind the name, from the state on; none when it is gone."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs start-up
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []
