"""The fork server as its parent sees it: its process, requests out, endings in, and the socket of one run.

It is a `WarmServer`, as `Children` are, and not one of these: they answer in a file, and have loaded the same for every
question. A run of PHREEQC may write no file, so frames come by a socket, and it begins from a database of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from labrig.errors import LabrigError
from labrig.isolation import boot, inside
from labrig.isolation.warm import CONTROL, WarmServer
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.engine import frames as wire
from labrig_phreeqc.engine.library import Library
from labrig_phreeqc.engine.run import Limits

AFTER_S = 0.003
"""So long after a run the next child is forked: the processors are free when its call has been answered."""
AHEAD_S = 10.0
"""So long a child waits for a run."""


class Asked(NamedTuple):
    """A child: its number, our end of its socket, how it ends, and what it is for."""

    number: int
    ours: socket.socket
    ended: asyncio.Future[dict[str, Any]]
    like: tuple[Database, Limits]


class ForkServerProcess(WarmServer):
    """One running fork server."""

    def __init__(self, library: Library) -> None:
        super().__init__("The PHREEQC fork server")
        self._sockets: dict[int, socket.socket] = {}
        self._ahead: Asked | None = None
        self._timer = self._loop.call_later(0, int)
        self.launch(command(CONTROL, library), environment())

    def submit(self, database: Database, limits: Limits) -> Asked:
        """Ask for a run, or take the child that waits for one like it; the time of the run begins now."""
        ahead = self._ahead
        if ahead is None or ahead.like != (database, limits) or ahead.ended.done():
            self._let_end()
            asked = self._ask(database, limits, ahead=False)
        else:
            asked = ahead
            self._forget()
            self.go(asked.number, limits.wall_s, limits.cpu_s)
        self.begin(asked.number)
        return asked

    def fork_ahead(self, database: Database, limits: Limits) -> None:
        """Have one child wait, closed in, for the next run like this one: from `AFTER_S` on, for `AHEAD_S` at most.

        It is nobody's: it has no turn, no owner and no input.
        """
        if self._ahead is None and not self.dead:
            self._timer.cancel()
            self._timer = self._loop.call_later(AFTER_S, self._fork_ahead, database, limits)

    def _fork_ahead(self, database: Database, limits: Limits) -> None:
        if self._ahead is None and not self.dead:
            self._ahead = self._ask(database, limits, ahead=True)
            self._timer = self._loop.call_later(AHEAD_S, self._let_end)
            if self.dead:  # it was found out by asking
                self._let_end()

    def _forget(self) -> None:
        self._ahead = None
        self._timer.cancel()

    def _let_end(self) -> None:
        """End the child that waits: it reads that no input comes."""
        if self._ahead is not None:
            self._ahead.ours.close()
            self._forget()

    def _ask(self, database: Database, limits: Limits, *, ahead: bool) -> Asked:
        number = self.next_number()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._sockets[number] = ours
        with theirs:
            ended = self.ask_ahead(
                number, [theirs.fileno()], database=str(database.path), limits=vars(limits), ahead=ahead
            )
        ended.add_done_callback(lambda _: self._sockets.pop(number, None))
        return Asked(number, ours, ended, (database, limits))

    def cancel_all(self) -> None:
        """Let every run end as cancelled, whatever it does."""
        for ended in self.runs.values():
            if not ended.done():
                ended.set_result(
                    {
                        "exit": -signal.SIGKILL,
                        "reason": "cancelled",
                        "cpu_s": 0.0,
                        "max_rss_bytes": 0,
                        "stderr": "",
                    }
                )

    def died(self, error: LabrigError) -> None:
        """End the conversations of all runs."""
        self._let_end()
        for ours in self._sockets.values():
            with contextlib.suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
        self._sockets.clear()


def command(what: str, library: Library) -> list[str]:
    """Return the command of a solving process (`solver`): isolated, without site packages, and lean to start."""
    ours: dict[str, str | Path] = {
        **dict.fromkeys(("labrig", "labrig.isolation", "labrig_phreeqc"), "/nowhere"),
        "labrig.isolation.inside": Path(inside.__file__).resolve().parent,
        "labrig_phreeqc.engine": Path(__file__).resolve().parent,
    }
    program = boot.words("labrig_phreeqc.engine.solver", ours, [library.packages])
    return [sys.executable, "-I", "-S", *program, what, str(library.path)]


def closed_in(library: Library) -> tuple[dict[str, str], str]:
    """Return the walls that a run cannot have here, with the reasons, and why PEEK and POKE are not switched off."""
    done = subprocess.run(
        command("--closed", library), capture_output=True, env=environment(), timeout=60, check=True
    )
    said = json.loads(done.stdout)
    return said["missing"], said["basic"]


def environment() -> dict[str, str]:
    """Return the environment of a solving process: nothing of ours but where libraries are found."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def receive_limit(limits: Limits) -> int:
    """Return the bytes after which a child is not believed: its limits, with room for tables and JSON."""
    return 2 * limits.output_bytes + 40 * wire.MAX_CELLS


async def send(stream: socket.socket, text: bytes) -> None:
    """Send the input of a run."""
    with contextlib.suppress(ConnectionError):
        await asyncio.get_running_loop().sock_sendall(stream, wire.frame(wire.INPUT, text))


async def receive(stream: socket.socket, limits: Limits) -> bytearray:
    """Return all that the child answers until it closes its end."""
    loop = asyncio.get_running_loop()
    raw = bytearray()
    with contextlib.suppress(ConnectionError):
        while chunk := await loop.sock_recv(stream, 1 << 20):
            raw += chunk
            if len(raw) > receive_limit(limits):
                break
    return raw
