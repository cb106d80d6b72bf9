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
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation import boot, inside
from labrig.isolation.warm import CONTROL, WarmServer
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.engine import frames as wire
from labrig_phreeqc.engine.library import Library
from labrig_phreeqc.engine.run import Limits


class ForkServerProcess(WarmServer):
    """One running fork server."""

    def __init__(self, library: Library) -> None:
        super().__init__("The PHREEQC fork server")
        self._sockets: dict[int, socket.socket] = {}
        self.launch(command(CONTROL, library), environment())

    def submit(
        self, ours: socket.socket, theirs: socket.socket, database: Database, limits: Limits
    ) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Ask for a run on a socket pair; the future gives how it ended, or raises `RunRefused`."""
        number = self.next_number()
        self._sockets[number] = ours
        ended = self.ask(number, [theirs.fileno()], database=str(database.path), limits=vars(limits))
        ended.add_done_callback(lambda _: self._sockets.pop(number, None))
        return number, ended

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


async def exchange(stream: socket.socket, text: bytes, limits: Limits) -> bytearray:
    """Send the input and return all that the child answers until it closes its end."""
    loop = asyncio.get_running_loop()
    raw = bytearray()
    with contextlib.suppress(ConnectionError):
        await loop.sock_sendall(stream, wire.frame(wire.INPUT, text))
    with contextlib.suppress(ConnectionError):
        while chunk := await loop.sock_recv(stream, 1 << 20):
            raw += chunk
            if len(raw) > receive_limit(limits):
                break
    return raw
