"""The fork server as its parent sees it: its process, requests out, endings in, and the socket of one run."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from labrig.errors import LabrigError
from labrig.isolation import boot, inside
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.engine import frames as wire
from labrig_phreeqc.engine.library import Library
from labrig_phreeqc.engine.results import Ended
from labrig_phreeqc.engine.run import Limits


class ForkServerProcess:
    """One running fork server."""

    def __init__(self, library: Library) -> None:
        self.dead = False
        self._numbers = itertools.count(1)
        self._runs: dict[int, tuple[asyncio.Future[Ended | str], socket.socket]] = {}
        self._pending = b""
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                command(str(theirs.fileno()), library),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd="/",
                env=environment(),
            )
        self._control.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._control, self._receive)

    def submit(
        self, ours: socket.socket, theirs: socket.socket, database: Database, limits: Limits
    ) -> tuple[int, asyncio.Future[Ended | str]]:
        """Ask for a run on a socket pair; the future gives how it ended, or why it was refused."""
        number = next(self._numbers)
        request = {"op": "run", "id": number, "database": str(database.path), "limits": vars(limits)}
        ended: asyncio.Future[Ended | str] = self._loop.create_future()
        self._runs[number] = ended, ours
        try:
            message = json.dumps(request).encode() + b"\n"
            socket.send_fds(self._control, [message], [theirs.fileno()])
        except OSError:
            self._die("The PHREEQC fork server is gone")
        return number, ended

    def kill(self, number: int) -> None:
        """End one run, if it still runs."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"op": "kill", "id": number}).encode() + b"\n")

    def close(self) -> None:
        """End the process and all its runs, which end as cancelled."""
        for ended, _ in self._runs.values():
            if not ended.done():
                ended.set_result(Ended(exit=-signal.SIGKILL, reason="cancelled"))
        self._die("The PHREEQC engine was closed")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)

    def abandon(self) -> None:
        """Kill the process outright, from any event loop; its children end with its socket."""
        self.process.kill()
        self._die("The PHREEQC fork server was stopped")

    def _receive(self) -> None:
        try:
            data = self._control.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._die("The PHREEQC fork server ended unexpectedly")
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, message: dict[str, Any]) -> None:
        event = message.pop("event")
        number = message.pop("id")
        if event == "started":
            return
        ended, _ = self._runs.pop(number, (None, None))
        if ended is not None and not ended.done():
            ended.set_result(message["reason"] if event == "refused" else Ended(**message))

    def _die(self, what: str) -> None:
        if self.dead:
            return
        self.dead = True
        if not self._loop.is_closed():
            self._loop.remove_reader(self._control)
        self._control.close()
        error = LabrigError(what, where=tail(self._stderr)[-300:], try_="the same call again", code="engine")
        self._stderr.close()
        for ended, ours in self._runs.values():
            with contextlib.suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
            if not ended.done() and not self._loop.is_closed():
                ended.set_exception(error)
                ended.exception()  # a cancelled caller never asks for it
        self._runs.clear()
        self.process.poll()


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
    """Return the environment of a solving process: nothing of ours but what Windows needs to start one."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def tail(file: IO[bytes]) -> str:
    """Return the end of a file as text."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - wire.TAIL_BYTES))
    return file.read().decode("utf-8", errors="replace").strip()


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
