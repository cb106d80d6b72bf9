"""A warm PHREEQC that forks one confined child per run.

It keeps databases loaded, so a run pays a fork and its own solve. On the control socket
(`labrig.isolation.inside.forking`) a request ``{"op": "run", "id", "database", "limits", "ahead"}`` brings one end of a
fresh socket pair. The child reads the input from that socket and writes its result there (`frames`), so large output
never passes through this process. A child that is asked for ahead of its input puts up its walls and waits; its time
begins with ``go``. ``ended`` also tells the last words on stderr. A child whose fork server is killed is ended by the
kernel: on Linux by PR_SET_PDEATHSIG, elsewhere since it holds the reading end of a pipe and asked for SIGIO.

Standard library and phreeqpy only.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import tempfile
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from labrig.isolation.inside import forking
from labrig_phreeqc.engine import frames, touching
from labrig_phreeqc.engine.closing import Closing, Limits
from labrig_phreeqc.engine.iphreeqc import Instance
from labrig_phreeqc.engine.solving import load, open_status, solve

LIFELINE_FD, RUN_FD, STATUS_FD = 0, 3, 4
"""Where a child finds its lifeline, its socket and its own /proc status: all it has but stderr."""
LOADED_DATABASES = 6
"""Databases kept loaded; each more makes every fork a little slower."""
FAILED = 70
SMALL_RUN = b"""
SOLUTION 1
    pH 7; Na 1; K 1; Ca 1; Mg 1; Cl 1; S(6) 1; N(5) 0.01; Si 0.1; Fe 0.01; Alkalinity 1
END
"""


class Run(forking.Run):
    """One child, where its stderr is kept, and its lifeline."""

    def __init__(self, number: int, pid: int, deadline: float, stderr_fd: int, lifeline: int) -> None:
        super().__init__(number, pid, deadline)
        self.stderr_fd = stderr_fd
        self.lifeline = lifeline

    def last_words(self) -> str:
        """Return the end of what it wrote on standard error, and close what was kept for it."""
        size = os.fstat(self.stderr_fd).st_size
        tail = os.pread(self.stderr_fd, frames.TAIL_BYTES, max(0, size - frames.TAIL_BYTES))
        os.close(self.stderr_fd)
        os.close(self.lifeline)
        return tail.decode("utf-8", errors="replace")


class ForkServer(forking.ForkServer[Run]):
    """The fork server, with the databases that were asked for last."""

    def __init__(self, control: socket.socket, library: str, closing: Closing) -> None:
        super().__init__(control)
        self.library = library
        self.closing = closing
        self.instances: OrderedDict[tuple[str, int, int], Instance] = OrderedDict()
        self.touched: dict[Instance, touching.Ranges] = {}

    def brings(self, request: dict[str, Any]) -> int:
        """Return how many descriptors a request comes with: the run's socket."""
        return 1

    def start(self, request: dict[str, Any], received: Sequence[int]) -> Run:
        """Fork the child of a run, with its database loaded."""
        instance = self._instance(request["database"])
        ranges = self._touched(instance) if request["ahead"] else ()
        stderr_fd = _memory_file()
        lifeline, our_end = os.pipe()
        deadline = float("inf") if request["ahead"] else time.monotonic() + request["limits"]["wall_s"]
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._child(parent, instance, received[0], stderr_fd, lifeline, request["limits"], ranges)
        os.close(lifeline)
        return Run(request["id"], pid, deadline, stderr_fd, our_end)

    def last_of(self, run: Run) -> dict[str, Any]:
        """Return the last words of a run."""
        return {"stderr": run.last_words()}

    def _instance(self, path: str) -> Instance:
        """Return an instance with the database loaded."""
        stat = os.stat(path)  # noqa: PTH116 - pathlib would cost 10 ms of start-up
        key = (path, stat.st_mtime_ns, stat.st_size)
        if key in self.instances:
            self.instances.move_to_end(key)
            return self.instances[key]
        loaded = load(self.library, path)
        if isinstance(loaded, str):
            raise forking.Refused(loaded)
        while len(self.instances) >= LOADED_DATABASES:
            oldest = self.instances.popitem(last=False)[1]
            self.touched.pop(oldest, None)
            oldest.close()
        self.instances[key] = loaded
        return loaded

    def _touched(self, instance: Instance) -> touching.Ranges:
        """Return the memory that a small run writes to."""
        if instance not in self.touched:
            self.touched[instance] = touching.written(
                lambda: solve(instance, SMALL_RUN, len(SMALL_RUN) << 10, lambda *_: None)
            )
        return self.touched[instance]

    def _child(
        self,
        parent: int,
        instance: Instance,
        run_fd: int,
        stderr_fd: int,
        lifeline: int,
        allowed: Limits,
        ranges: touching.Ranges,
    ) -> None:
        """Solve one input and exit; never returns."""
        try:
            forking.become_child()
            forking.die_with(parent, FAILED)
            os.dup2(stderr_fd, 1)
            os.dup2(stderr_fd, 2)
            run_fd, lifeline, status_fd = (os.dup(run_fd), os.dup(lifeline), open_status())
            os.dup2(lifeline, LIFELINE_FD)
            os.dup2(run_fd, RUN_FD)
            if status_fd >= 0:
                status_fd = os.dup2(status_fd, STATUS_FD)
            os.closerange(STATUS_FD + 1 if status_fd >= 0 else STATUS_FD, os.sysconf("SC_OPEN_MAX"))
            end_when_closed(LIFELINE_FD)
            wire = socket.socket(fileno=RUN_FD)
            touching.copy(ranges)
            self.closing.close_in(allowed)
            _, text = frames.read(wire.recv)
            solve(instance, text, int(allowed["output_bytes"]), frames.writer(wire.sendall), status_fd)
            wire.close()  # the kernel does so after it has freed the memory, which takes longer
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(FAILED)
        os._exit(0)


def end_when_closed(descriptor: int) -> None:
    """Have the kernel send SIGIO, which ends a process, when the other end of a pipe closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([descriptor], [], [], 0)[0]:
        os._exit(75)


def _memory_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("stderr", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
