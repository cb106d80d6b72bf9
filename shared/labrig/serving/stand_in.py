"""What a client starts in place of a server: it is given a forked one, or becomes a fresh one.

This file is a program of its own, the standard library alone: ``python -I -S stand_in.py SOCKET SKIP COMMAND...``. The
socket is that of `labrig.serving.warm`. COMMAND starts the same server afresh; its words after the first SKIP are the
flags. The forked server gets this process's standard streams, environment, working folder, umask and limits, and this
process ends as the server does: with its exit code, or by its signal.

Nothing is handed over before the other side has answered, and the server reads nothing before this side was told of it.
So where there is no answer, or the other side goes away, the command is executed here, and nothing is lost.
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import socket
import sys
import time

PATIENCE_S = 90.0
"""Longer than a warm process may take to be ready, after which it ends."""

GONE_S = 10.0
"""Seconds a server may go on when nobody writes to it any more; an orderly client gives it less."""

TYPE_CHECKING = False  # importing typing would double the start-up time
if TYPE_CHECKING:
    from typing import Any


def hand_over(path: str, flags: list[str]) -> socket.socket | None:
    """Have a server forked that has our streams; None where there is none, and nothing was handed over."""
    line = socket.socket(socket.AF_UNIX)
    try:
        line.settimeout(PATIENCE_S)
        line.connect(path)
        if line.recv(1) != b"+":
            return None
        line.settimeout(None)
        here = os.getcwd()  # noqa: PTH109 - pathlib would double the start-up time
        order: dict[str, Any] = {
            **{"argv": flags, "cwd": here, "env": dict(os.environ), "wall_s": None, "limits": []},
            **{"umask": umask(), "own_limits": limits()},
        }
        data = marshal.dumps(order)
        socket.send_fds(line, [b"s"], [0, 1, 2])
        line.sendall(len(data).to_bytes(4, "big") + data)
    except (OSError, ValueError):
        return None
    return line


def umask() -> int:
    """Return the umask of this process, which can be read by setting it alone."""
    mask = os.umask(0o77)
    os.umask(mask)
    return mask


def limits() -> dict[int, tuple[int, int]]:
    """Return the limits of this process, soft and hard, by the numbers of ``resource.RLIMIT_*``."""
    numbers = {getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}
    return {number: resource.getrlimit(number) for number in numbers}


def message(line: socket.socket) -> dict[str, Any]:
    """Read one message of the supervisor; an empty one when there is none."""

    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = line.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    try:
        size = int.from_bytes(exactly(4), "big")
        said: dict[str, Any] = marshal.loads(exactly(size))
    except (OSError, EOFError):
        return {}
    return said


def wait(line: socket.socket) -> None:
    """Wait until the supervisor says something, or our standard input has had no writer for a while."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    poll.register(0, 0)  # its end is told without being asked for
    deadline = None
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        ready = {descriptor for descriptor, _ in poll.poll(left)}
        if line.fileno() in ready:
            return
        if 0 in ready:
            poll.unregister(0)
            deadline = time.monotonic() + GONE_S
        elif deadline is not None:
            sys.exit(1)  # the supervisor sees it and kills the server


def end_like(status: int) -> None:
    """End as a process with a wait status did."""
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def main() -> None:
    """Run as a program."""
    path, skip, *command = sys.argv[1:]
    line = hand_over(path, command[int(skip) :])
    if line is not None and "pid" in message(line):
        wait(line)
        report = message(line)
        if not report.get("failure"):
            end_like(report.get("status", signal.SIGKILL))  # a supervisor that says nothing was killed
    os.execvpe(command[0], command, os.environ)


if __name__ == "__main__":
    main()
