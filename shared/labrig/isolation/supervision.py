"""Run one program under limits, and outlive neither it nor the caller.

This file is a program, not a module: `labrig.isolation.process` executes it as ``python -I -S`` with the number
of an open socket, the control. Descriptors 0, 1 and 2 are the program's. Messages on the control
are a length (4 bytes, big endian) and a marshalled dictionary:

- in: ``argv``, ``cwd`` or None, ``env``, ``wall_s`` or None, ``limits`` as pairs of a
  ``resource.RLIMIT_*`` number and a value;
- out: ``{"pid"}`` before the program starts; ``{"status", "killed", "failure", "cpu_s", "wall_s",
  "max_rss"}`` after it and everything it left behind have ended. ``status`` is a wait status, ``killed``
  is "", "wall" or "control", ``failure`` is empty or (errno, text) of a program that never started,
  ``max_rss`` is in the unit of ``getrusage``.

The end of the control means "kill it": the asker wants that, or has died. Waiting on a socket is used
in place of PR_SET_PDEATHSIG because that signal comes when the asking *thread* ends.

`labrig.serving.warm` uses the same code without a program: its child goes on in the memory that it was forked from.
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import sys
import time

TYPE_CHECKING = False  # importing typing would double the start-up time
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SWEEP_S = 5.0  # how long to wait for killed leftovers to be gone
PR_SET_CHILD_SUBREAPER = 36


def receive(control: int) -> dict[str, Any]:
    """Read one message; end this process when the control ends."""

    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = os.read(control, count - len(data))
            if not piece:
                sys.exit(0)
            data += piece
        return data

    message: dict[str, Any] = marshal.loads(exactly(int.from_bytes(exactly(4), "big")))
    return message


def send(control: int, message: dict[str, Any]) -> None:
    """Write one message; nobody listening is not an error."""
    data = marshal.dumps(message)
    data = len(data).to_bytes(4, "big") + data
    try:
        while data:
            data = data[os.write(control, data) :]
    except (BrokenPipeError, ConnectionResetError):
        pass


def adopt_orphans() -> None:
    """Become the parent of every process that the program leaves behind (Linux only)."""
    if os.path.exists(children_path()):  # noqa: PTH110 - pathlib would double the start-up time
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_path() -> str:
    """Return the file in which Linux lists the children of this process."""
    return f"/proc/self/task/{os.getpid()}/children"


def kill_all(group: int) -> None:
    """Send SIGKILL to the group of the program and to every child of this process."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # macOS says "permission" of a group of zombies
        pass
    try:
        with open(children_path()) as file:  # noqa: PTH123
            children = file.read().split()
    except OSError:
        return
    for child in children:
        try:
            os.kill(int(child), signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def sweep(group: int, wake: int) -> None:
    """End what the program left behind: kill, reap, and adopt and kill what that orphaned."""
    deadline = time.monotonic() + SWEEP_S
    kill_all(group)
    while time.monotonic() < deadline:
        try:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not reaped:
            kill_all(group)
            if select.select([wake], [], [], 0.02)[0]:
                os.read(wake, 4096)


def execute(order: dict[str, Any]) -> None:
    """Become the program."""
    os.execvpe(order["argv"][0], order["argv"], order["env"])


def become(order: dict[str, Any], go: int, failure: int, work: Callable[[dict[str, Any]], None]) -> None:
    """In the child: start a session, wait for the word, take the limits, do the work. Never return."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # what is ignored stays ignored across exec
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if os.read(go, 1) != b"g":
            os._exit(127)
        if order["cwd"] is not None:
            os.chdir(order["cwd"])
        for which, value in order["limits"]:
            hard = resource.getrlimit(which)[1]
            most = value + 1 if which == resource.RLIMIT_CPU else value  # SIGXCPU, and SIGKILL a second later
            if hard != resource.RLIM_INFINITY:
                value, most = min(value, hard), min(most, hard)
            resource.setrlimit(which, (value, most))
        work(order)
    except BaseException as error:
        errno = (error.errno or 0) if isinstance(error, OSError) else 0
        text = error.strerror if isinstance(error, OSError) and error.strerror else repr(error)
        where = f": {error.filename}" if isinstance(error, OSError) and error.filename else ""
        os.write(failure, marshal.dumps((errno, f"{text}{where}"[:500])))
    finally:
        os._exit(127)


def supervise(control: int, work: Callable[[dict[str, Any]], None] = execute) -> None:
    """Run what the control orders, wait for it or for the control to end, and report.

    `work` is what the child does with the order; it never returns.
    """
    os.set_inheritable(control, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a Ctrl-C is the asker's to handle
    order = receive(control)
    adopt_orphans()
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    go_read, go = os.pipe()
    failure, failure_write = os.pipe()

    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(go)  # or the child would wait for itself
        become(order, go_read, failure_write, work)
    os.close(go_read)
    os.close(failure_write)
    # The asker learns the process id before the program starts, and can kill it if this process dies.
    send(control, {"pid": pid})
    os.write(go, b"g")

    killed = ""
    deadline = None if order["wall_s"] is None else started + order["wall_s"]
    while True:
        reaped, status, usage = os.wait4(pid, os.WNOHANG)
        if reaped:
            break
        left = None if killed or deadline is None else max(0.0, deadline - time.monotonic())
        ready = select.select([wake] if killed else [wake, control], [], [], left)[0]
        if wake in ready:
            os.read(wake, 4096)
        elif not killed:
            killed = "control" if ready else "wall"
            kill_all(pid)
    wall_s = time.monotonic() - started
    sweep(pid, wake)
    reason = os.read(failure, 4096)
    report = {
        "status": status,
        "killed": killed,
        "failure": marshal.loads(reason) if reason else (),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": wall_s,
        "max_rss": usage.ru_maxrss,
    }
    send(control, report)


if __name__ == "__main__":
    supervise(int(sys.argv[1]))
