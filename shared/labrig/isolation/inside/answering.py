"""A warm child: a process that has imported a module, and forks one process for each question to it.

The module has a function ``work``, from a question (any JSON value) to the bytes of its answer. A refusal is an
exception with ``to_dict``, such as `labrig.errors.LabrigError`; where nothing of Labrig can be imported, `Refused` of
this file.

See `labrig.isolation.inside.forking` for the control socket. Its first line configures the process: ``module`` and what
to import before it (``preload``; what is not installed is passed over). It answers ``ready``, or ``failed`` and why. A
request ``{"op": "run", "id", "files", "rlimits", "wall_s", "threads", "stays"}`` brings the descriptors of standard
input, output and error, and of files, which the child finds from `FIRST_FILE` on.

- A child for one question reads it from standard input, to its end, and writes the answer to standard output. It exits
  with 0, or with `REFUSED` and the refusal as the last line of standard error.
- A child that stays (``stays``) has a socket as input and output. Of each question comes the length (8 bytes) and
  the JSON; of each answer a byte (0, or `REFUSED`), the length and the bytes, or the refusal. It ends with the socket.

Standard library only: it also runs in the Python of another environment.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import random
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from labrig.isolation.inside import forking, limits

REFUSED, FAILED = 2, 1
FIRST_FILE = 3
TICK_S = 0.05
THREADS_END_S = 2.0
"""Within which threads of an import must have ended: matplotlib's has a timer."""

Work = Callable[[Any], bytes]


class Refused(Exception):
    """What is asked cannot be had; the fields are those of `labrig.errors.LabrigError`."""

    def __init__(self, what: str, code: str = "bad_input", **more: str) -> None:
        super().__init__(what)
        self._fields = {"code": code, "what": what, **more}

    def to_dict(self) -> dict[str, str]:
        """Return the refusal as the host reads it."""
        return self._fields


class Run(forking.Run):
    """One child, and how many threads it may have."""

    def __init__(self, number: int, pid: int, deadline: float, threads: int) -> None:
        super().__init__(number, pid, deadline)
        self.threads = threads


class Answering(forking.ForkServer[Run]):
    """The fork server, with the module imported."""

    tick_s = TICK_S

    def __init__(self, control: socket.socket, work: Work) -> None:
        super().__init__(control)
        forking.adopt_orphans()
        self.work = work
        gc.collect()
        gc.freeze()  # a collection in a child would copy the pages that it shares
        gc.enable()

    def brings(self, request: dict[str, Any]) -> int:
        """Return how many descriptors a request comes with: input, output, errors, files."""
        return 3 + int(request["files"])

    def start(self, request: dict[str, Any], received: Sequence[int]) -> Run:
        """Fork the child of a question."""
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._child(parent, request, received)
        wall_s = request["wall_s"]
        deadline = time.monotonic() + wall_s if wall_s is not None else float("inf")
        return Run(request["id"], pid, deadline, request["threads"])

    def look(self, run: Run) -> None:
        """Look at the threads, of which the kernel keeps no limit that binds root."""
        if forking.threads(run.pid) > run.threads:
            run.kill("thread_limit")

    def last_of(self, run: Run) -> dict[str, Any]:
        """End what a child has left behind, in its group and out of it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(run.pid, signal.SIGKILL)
        forking.end_orphans(self.runs)
        return {}

    def _child(self, parent: int, request: dict[str, Any], received: Sequence[int]) -> None:
        """Answer, and exit; never returns."""
        code = FAILED
        try:
            forking.become_child()
            forking.die_with(parent, FAILED)
            # First above all their places, so that none is put over one that is still to be moved.
            above = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, len(received)) for each in received]
            for place, descriptor in enumerate(above):
                os.dup2(descriptor, place)
            os.closerange(len(received), os.sysconf("SC_OPEN_MAX"))
            # At the hard limit of processor time comes SIGKILL, which says nothing; SIGXCPU a second before.
            limits.put_up(
                {
                    which: (value, value + 1 if which == resource.RLIMIT_CPU else value)
                    for which, value in request["rlimits"]
                }
            )
            random.seed()
            code = stay(self.work) if request["stays"] else answer(self.work)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(code)


def answer(work: Work) -> int:
    """Read the question, write the answer, and return the exit code; whatever is printed goes to standard error."""
    with os.fdopen(os.dup(0), "rb") as file:
        question = json.load(file)
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        made = work(question)
    except Exception as error:
        refusal = refusal_of(error)
        if refusal is None:
            raise
        sys.stderr.flush()
        os.write(2, b"\n" + refusal + b"\n")
        return REFUSED
    _write_all(out, made)
    return 0


def stay(work: Work) -> int:
    """Answer questions until the socket ends, and return the exit code."""
    line = os.dup(0)
    os.dup2(2, 0)
    os.dup2(2, 1)
    while (size := forking.exactly(line, 8)) is not None:
        question = forking.exactly(line, int.from_bytes(size, "big"))
        if question is None:
            break
        try:
            status, made = 0, work(json.loads(question))
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            status, made = REFUSED, refusal
        _write_all(line, bytes([status]) + len(made).to_bytes(8, "big"))
        _write_all(line, made)
    return 0


def refusal_of(error: Exception) -> bytes | None:
    """Return an exception that is a refusal as JSON, or None."""
    fields = getattr(error, "to_dict", None)
    return json.dumps(fields()).encode() if fields is not None else None


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def imported(module: str, preload: Sequence[str]) -> Work:
    """Import what children are to find warm, and return the module's `work`.

    Raises
    ------
    Exception
        Whatever the module raises; RuntimeError where a fork would not be safe afterwards.
    """
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    work: Work = importlib.import_module(module).work
    deadline = time.monotonic() + THREADS_END_S
    while (count := forking.threads(os.getpid())) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    if count > 1:
        raise RuntimeError(f"{module} has started {count - 1} threads, which a fork would leave behind")
    return work


def main() -> None:
    """``DESCRIPTOR``: the control socket's number."""
    control = socket.socket(fileno=int(sys.argv.pop(1)))
    config = forking.configuration(control)
    gc.disable()  # what is imported stays: to look for what may go takes a sixth of the time
    try:
        work = imported(config["module"], config["preload"])
    except Exception as error:
        said = {"event": "failed", "what": f"{type(error).__name__}: {error}"}
        control.sendall(json.dumps(said).encode() + b"\n")
        return
    serving = Answering(control, work)
    serving.tell(event="ready")
    serving.serve()


if __name__ == "__main__":
    main()
