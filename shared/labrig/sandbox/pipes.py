"""What a run prints: the first and the last of it, read from a pipe until that ends."""

from __future__ import annotations

import asyncio
import os


class Kept:
    """The first and the last of what comes through a pipe."""

    def __init__(self, limit: int) -> None:
        self._head_room, self._tail_room = limit - limit // 4, limit // 4
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take what was read; forget the middle."""
        self.total += len(data)
        fits = self._head_room - len(self._head)
        if fits > 0:
            self._head += data[:fits]
            data = data[fits:]
        if data:
            self._tail += data[-self._tail_room :] if self._tail_room else b""
            if len(self._tail) > self._tail_room:
                del self._tail[: -self._tail_room or None]

    @property
    def cut(self) -> int:
        """Bytes that were left out."""
        return self.total - len(self._head) - len(self._tail)

    def text(self) -> str:
        """What was kept, as text, with a line that says what was left out."""
        gap = f"\n[... {self.cut:,} bytes are left out ...]\n".encode() if self.cut else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", errors="backslashreplace")


class Pipe:
    """The reading end of a pipe, read until it ends."""

    def __init__(self, limit: int) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self._limit = limit
        self.kept = Kept(limit)
        self._loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self.read_end, self._read)

    def next(self) -> Kept:
        """Return what has come, all that waits in the pipe included, and begin anew."""
        for _ in range(8):  # a thread may write without end
            if self.closed.done() or not self._read():
                break
        kept, self.kept = self.kept, Kept(self._limit)
        return kept

    def _read(self) -> bool:
        try:
            data = os.read(self.read_end, 1 << 18)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self.kept.add(data)
        else:
            self.close()
        return bool(data)

    def close(self) -> None:
        """Read no more."""
        if not self.closed.done():
            self._loop.remove_reader(self.read_end)
            os.close(self.read_end)
            self.closed.set_result(None)
