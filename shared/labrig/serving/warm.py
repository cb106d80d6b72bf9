"""A server that is imported once and forked for each client.

``python -m labrig.serving.warm ENTRY MAIN LISTENER FLAGS``: ENTRY is where the toolbox is
(``package.server:toolbox``), MAIN the package whose ``__main__`` is the server (empty: the toolbox is served), LISTENER
the number of a socket that listens in a folder of its own, FLAGS those of ``labrig serve`` with which the server is
rehearsed. Standard input is the caller's life: when it ends, this process removes socket and folder and ends.

It loads the server, serves one session in memory, so that all is there which a session loads or makes, and then forks
for each connection a supervisor (`labrig.isolation.supervision`) and that one the server. What connects is
`labrig.serving.stand_in`. A server that runs hangs on its supervisor and the connection alone: it ends with them, and
outlives this process.

A fork copies one thread and shares every open file, so this process has one thread, no event loop, and nothing open
but what is named here; where a server leaves more behind when it is loaded, there is no warm one. All forks share the
seed of hashes and the layout of memory; `random` is seeded anew by the fork.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import contextlib
import gc
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation import supervision
from labrig.serving.serve import add_serve_arguments, quiet_environment, serve_options
from labrig.serving.serve import main as serve_main
from labrig.toolbox import ServeOptions, Toolbox

READY_S = 60
"""Seconds that loading and rehearsing may take: who waits for it starts a server of its own afterwards."""

LIFE = 0
"""The descriptor whose end is the caller's."""

STREAMS = 3
"""Descriptors that come with an order: the server's standard input, output and error."""


async def rehearse(toolbox: Toolbox, options: ServeOptions) -> None:
    """Serve one session in memory, with a call that no tool is run for."""
    import mcp.server.stdio  # noqa: F401 - what the session in memory does not need
    from fastmcp import Client

    from labrig.serving.builder import build

    async with Client(build(toolbox, options)) as client:
        await client.list_tools()
        await client.call_tool_mcp("", {})


def load(entry: str, options: ServeOptions, folder: Path) -> Toolbox:
    """Import a toolbox and rehearse it, without a log or a ledger, in a workspace that is made in a folder."""
    quiet_environment()
    toolbox = pkgutil.resolve_name(entry)
    if not isinstance(toolbox, Toolbox):
        raise LabrigError("This is not a Toolbox", where=entry)
    with tempfile.TemporaryDirectory(dir=folder) as workspace:
        options = replace(options, workspace=Path(workspace), log_calls=None, http_mode="", ledger=None)
        asyncio.run(rehearse(toolbox, options))
    return toolbox


def check_alone(*known: int) -> None:
    """Raise a LabrigError unless this process has one thread, and nothing open but the known descriptors."""
    tasks = Path("/proc/self/task")
    threads = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    if threads != 1:
        raise LabrigError(f"A server that is loaded has {threads} threads, and only one can be forked")
    listed = {int(each.name) for each in Path("/dev/fd").iterdir()}
    still = {each for each in listed - set(known) if _is_open(each)}  # that of the listing is closed
    if still:
        raise LabrigError(
            f"A server that is loaded keeps {len(still)} files open, and forks would share them"
        )


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def serve(run: Callable[[Sequence[str]], int], listener: socket.socket) -> None:
    """Fork a supervisor for each connection until the caller's life ends; the kernel lets go of those that end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a supervisor has a handler of its own before it forks
    poll = select.poll()
    poll.register(LIFE, select.POLLIN)
    poll.register(listener, select.POLLIN)
    while LIFE not in {descriptor for descriptor, _ in poll.poll()}:
        with contextlib.suppress(OSError):  # who was to be served serves itself when the connection closes
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    _supervise(run, connection)


def run_main(package: str, argv: Sequence[str]) -> int:
    """Run a package as ``python -m`` does, which may serve something else than its toolbox."""
    runpy.run_module(package, run_name="__main__", alter_sys=True)
    return 0


def _supervise(run: Callable[[Sequence[str]], int], connection: socket.socket) -> None:
    """Be the supervisor of one server; never return."""
    try:
        os.setsid()
        connection.sendall(b"+")  # before this is heard, nothing is handed over
        _, streams, _, _ = socket.recv_fds(connection, 1, STREAMS)
        if len(streams) == STREAMS:
            for wanted, given in enumerate(streams):
                os.dup2(given, wanted)
                os.close(given)
            supervision.supervise(connection.fileno(), partial(_be_the_server, run))
    finally:
        os._exit(1)


def _be_the_server(run: Callable[[Sequence[str]], int], order: dict[str, Any]) -> None:
    """Be a server as if it had been started with the order's words, environment, umask and limits; never return.

    The supervisor's half has begun a session, changed to the folder and reset the signals.
    """
    os.closerange(STREAMS, os.sysconf("SC_OPEN_MAX"))
    for number, action in (
        (signal.SIGCHLD, signal.SIG_DFL),
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGPIPE, signal.SIG_IGN),
        (signal.SIGXFSZ, signal.SIG_IGN),
    ):
        signal.signal(number, action)  # as a Python begins
    os.umask(order["umask"])
    for which, asked in order["own_limits"].items():
        _limit(which, asked)
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv[1:] = order["argv"]
    _open_streams()
    atexit._clear()  # what this process would do at its own end
    code = 1
    try:
        code = run(order["argv"])
    except SystemExit as ended:
        code = _exit_code(ended.code)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        _end(code)


def _limit(which: int, asked: tuple[int, int]) -> None:
    """Take a limit of who asks; only the superuser can have more than this process could."""
    had = resource.getrlimit(which)
    if had == tuple(asked):
        return
    try:
        resource.setrlimit(which, asked)
    except (OSError, ValueError):
        most = had[1]
        least = [min(each, most) if most >= 0 and each >= 0 else max(each, most) for each in asked]
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (least[0], least[1]))


def _open_streams() -> None:
    """Make new objects of the standard streams: the old ones know what the descriptors were."""
    was = (sys.stdin, sys.stdout, sys.stderr)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering, each.encoding, each.errors, closefd=False)
        for number, (each, mode, buffering) in enumerate(zip(was, "rww", (-1, -1, 1), strict=True))
    )
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)


def _exit_code(code: object) -> int:
    """Return the exit code that a SystemExit stands for, as the interpreter reads it."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _end(code: int) -> None:
    """End as an interpreter does: threads that others wait for, functions of `atexit`, streams."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter calls; it has no public name
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Load, rehearse, and serve until the caller ends."""
    parser = argparse.ArgumentParser(prog="labrig.serving.warm")
    parser.add_argument("entry")
    parser.add_argument("main")
    parser.add_argument("listener", type=int)
    add_serve_arguments(parser)
    arguments = parser.parse_args(argv)
    signal.alarm(READY_S)
    with socket.socket(fileno=arguments.listener) as listener:
        path = Path(listener.getsockname())
        os.set_inheritable(listener.fileno(), False)
        toolbox = load(arguments.entry, serve_options(arguments), path.parent)
        gc.collect()
        check_alone(0, 1, 2, listener.fileno())
        gc.freeze()  # a collection in a fork leaves these pages alone, which it therefore shares
        signal.alarm(0)
        run = partial(run_main, arguments.main) if arguments.main else partial(serve_main, toolbox)
        serve(run, listener)
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabrigError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
