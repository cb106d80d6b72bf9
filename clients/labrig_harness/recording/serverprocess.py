"""A server as a child process that ends with us, however we end.

It runs under `labrig.isolation.supervision`: when our end of a socket closes (an orderly end, or ``kill -9``), the
server and all it started are killed. A server that reads the end of its input ends by itself before.
"""

from __future__ import annotations

import asyncio
import contextlib
import marshal
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from labrig.isolation.process import SUPERVISOR
from labrig.redaction import redact
from labrig_harness.recording.wire import printable

TAIL = 2_000
"""Bytes of a server's standard error that are kept, for the message when it dies."""


class ServerProcess:
    """A running server."""

    GRACE_S = 5.0
    """Seconds a server has to end by itself once its input has ended."""

    def __init__(
        self, process: asyncio.subprocess.Process, control: socket.socket, shown: Sequence[str]
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.output = process.stdout
        self._process = process
        self._input = process.stdin
        self._control = control
        words = [word for word in shown if word != "-P"]
        self._name = " ".join([Path(words[0]).name, *(words[1:3] if len(words) >= 3 else ())])
        self._tail = b""
        self._said: tuple[int | None, str] = (None, "")
        self._heard = b""
        self._draining = asyncio.create_task(self._drain_errors(process.stderr))

    @classmethod
    @asynccontextmanager
    async def started(
        cls, argv: Sequence[str], *, shown: Sequence[str] = (), cwd: Path | None = None
    ) -> AsyncIterator[ServerProcess]:
        """Start a server; at the end of the context it is gone.

        Parameters
        ----------
        shown
            The command that errors name, where it is not the one that is executed.
        cwd
            The folder in which it is started; None for that of this process.
        """
        control, theirs = socket.socketpair()
        with control:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-I",
                    "-S",
                    str(SUPERVISOR),
                    str(theirs.fileno()),
                    stdin=-1,
                    stdout=-1,
                    stderr=-1,
                    pass_fds=(theirs.fileno(),),
                    limit=1 << 20,
                )
            folder = str(cwd) if cwd else None
            order = {"argv": list(argv), "cwd": folder, "env": dict(os.environ), "wall_s": None, "limits": []}
            data = marshal.dumps(order)
            control.sendall(len(data).to_bytes(4, "big") + data)
            server = cls(process, control, shown or argv)
            try:
                yield server
            finally:
                await asyncio.shield(server._end_process())

    async def send(self, data: bytes) -> None:
        """Write to the server's input; one that has gone reads nothing."""
        with contextlib.suppress(ConnectionError):
            self._input.write(data)
            await self._input.drain()

    def end_input(self) -> None:
        """Tell the server that nothing more will come."""
        self._input.close()

    async def how_it_ended(self) -> str:
        """Wait for the end of a server that has closed its output, and say how it went, in one line."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), self.GRACE_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._draining), 1)
        status, failure = self._read_report()
        if failure:
            how = f"did not start: {failure}"
        elif status is None:
            how = "closed its output"
        elif os.WIFSIGNALED(status):
            how = f"was killed by signal {os.WTERMSIG(status)}"
        else:
            how = f"ended with exit code {os.waitstatus_to_exitcode(status)}"
        tail = map(printable, self._tail.decode(errors="replace").splitlines())
        said = [line.strip() for line in tail if line.strip()]
        return redact(f"The server ({self._name}) {how}" + (f": {said[-1][:300]}" if said else ""))

    def never_started(self) -> bool:
        """Return whether it is known that the program could not be executed."""
        return bool(self._read_report()[1])

    def _read_report(self) -> tuple[int | None, str]:
        """Read the supervisor's words so far: the wait status, and why the program never started."""
        self._control.setblocking(False)
        with contextlib.suppress(OSError):
            while piece := self._control.recv(65536):
                self._heard += piece
        while len(self._heard) >= 4:
            size = int.from_bytes(self._heard[:4], "big")
            message = marshal.loads(self._heard[4 : 4 + size])  # from our own supervisor
            self._heard = self._heard[4 + size :]
            if "status" in message:
                self._said = message["status"], str(message["failure"][1]) if message["failure"] else ""
        return self._said

    async def _drain_errors(self, errors: asyncio.StreamReader) -> None:
        while piece := await errors.read(65536):
            self._tail = (self._tail + piece)[-TAIL:]

    async def _end_process(self) -> None:
        """End input, wait a little, and let the supervisor kill what is left."""
        if self._process.returncode is None:
            self.end_input()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), self.GRACE_S)
        self._control.close()
        await self._process.wait()
        self._draining.cancel()
        self._input.close()
