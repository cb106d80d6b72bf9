"""What goes over a run's socket: frames of one byte of kind, eight of length (big endian), and the payload.

Standard library only: this module also runs in the fork server.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

FRAME = struct.Struct(">BQ")
INPUT, META, OUTPUT, TEXT, ROWS, DUMP, END = range(1, 8)
MAX_CELLS = 4_000_000
"""Cells of all SELECTED_OUTPUT tables that a run returns; above it rows are cut, and said to be."""
ROWS_CELLS, ROWS_BYTES = 20_000, 8 << 20
"""Of one frame of rows: what is read of JSON takes up to thirty times its bytes in memory (``[[],[],..]``)."""
TAIL_BYTES = 4000
"""Of a child's last words."""

Bytes = bytes | memoryview
Send = Callable[[int, Bytes], None]


def frame(kind: int, payload: bytes) -> bytes:
    """Return one frame."""
    return FRAME.pack(kind, len(payload)) + payload


def writer(write: Callable[[Bytes], Any]) -> Send:
    """Return what sends frames by `write`."""

    def send(kind: int, payload: Bytes) -> None:
        write(FRAME.pack(kind, memoryview(payload).nbytes))
        write(payload)

    return send


def read(receive: Callable[[int], bytes]) -> tuple[int, bytes]:
    """Return the kind and the payload of the next frame.

    Raises
    ------
    EOFError
        If the other side went away.
    """
    kind, length = FRAME.unpack(_exactly(receive, FRAME.size))
    return kind, _exactly(receive, length)


def _exactly(receive: Callable[[int], bytes], length: int) -> bytes:
    parts: list[bytes] = []
    while length:
        part = receive(min(length, 1 << 20))
        if not part:
            raise EOFError("the parent went away")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
