"""A program's output, copied into a log line by line while it runs: keys left out, long lines cut."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.isolation.streams import Stream
from labrig.redaction import redact_bytes
from labrig_harness.endings import (
    AgentFailed,
)

if TYPE_CHECKING:
    pass


LINE_BYTES = 16 << 20
"""A longer line of a log is cut."""


LOG_BYTES = 256 << 20
"""A program that writes more is ended."""


def keep_redacted(source: Path, kept: Path) -> bool:
    """Copy a file that a program wrote, keys left out; False when it is not a plain file or too long."""
    if source.is_symlink() or not source.is_file() or source.stat().st_size > LOG_BYTES:
        return False
    with source.open("rb") as lines, kept.open("wb") as file:
        file.writelines(map(redact_bytes, lines))
    return True


@contextlib.asynccontextmanager
async def streamed(
    pipe: Path, log: Path, seen: Callable[[bytes], None], end: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """Copy what comes out of a named pipe into a log, a line at a time, while the block runs.

    Parameters
    ----------
    seen
        Is given each line that was not cut.
    end
        Is given the reason when no more can be written: too much came, or the disk is full.
    """
    loop = asyncio.get_running_loop()
    reader = os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0)
    with contextlib.suppress(
        OSError, AttributeError
    ):  # Node may exit before a full pipe has taken all it wrote
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)
    with log.open("ab", buffering=0) as file:
        lines = _Lines(loop, file, seen, end)
        transport, _ = await loop.connect_read_pipe(lambda: lines, reader)
        try:
            yield
            await asyncio.wait([lines.closed], timeout=5)  # what is still in the pipe
        finally:
            transport.close()
            lines.finish()


class _Lines(Stream):
    """Writes a program's output line by line: keys left out, long lines cut, up to `LOG_BYTES`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        file: RawIOBase,
        seen: Callable[[bytes], None],
        end: Callable[[Exception], None],
    ) -> None:
        super().__init__(loop)
        self._file, self._seen, self._end = file, seen, end
        self._line = bytearray()
        self._cut = self._full = False
        self._left = LOG_BYTES

    def data_received(self, data: bytes) -> None:
        if self._full:
            return
        first, *others = data.split(b"\n")
        self._add_part(first)
        for part in others:
            self.finish()
            self._add_part(part)
        self._left -= len(data)
        if self._left < 0:
            self._stop_reading(AgentFailed(f"the program wrote more than {LOG_BYTES >> 20} MB"))

    def _add_part(self, part: bytes) -> None:
        room = LINE_BYTES - len(self._line)
        self._line += part[: max(0, room)]
        self._cut = self._cut or len(part) > room

    def finish(self) -> None:
        """Write the line; the last one may lack its end."""
        line, self._line, cut, self._cut = bytes(self._line), bytearray(), self._cut, False
        if self._full or not line:
            return
        try:
            self._file.write(redact_bytes(line) + b"\n")
        except OSError as error:
            self._stop_reading(error)
        else:
            if not cut:
                self._seen(line)

    def _stop_reading(self, why: Exception) -> None:
        if not self._full:
            self._full = True
            self._end(why)
