"""JSON-RPC messages as lines: read strictly, whatever a peer sends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from labrig.redaction import redact

Message = dict[str, Any]

LONGEST_LINE = 128 * 2**20
"""Bytes of one message; a longer one is dropped with a note."""

NOTED = 200
"""Bytes of a bad line that a note shows."""

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, SERVER_DIED = -32700, -32600, -32602, -32000


async def lines(
    reader: asyncio.StreamReader,
    note: Callable[[str], None],
    too_long: Callable[[bytes], None] = lambda start: None,
) -> AsyncIterator[bytes]:
    """Yield lines with content; one that is longer than `LONGEST_LINE` is dropped with a note."""
    parts: list[bytes] = []
    size, dropping = 0, False
    while True:
        try:
            chunk = await reader.read(1 << 18)
        except ConnectionError:
            chunk = b""
        if not chunk:
            break
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            line = b"".join((*parts, piece)) if parts else piece
            parts, size = [], 0
            if dropping:
                dropping = False
            elif line.strip():
                yield line
        if rest and not dropping:
            parts.append(rest)
            size += len(rest)
            if size > LONGEST_LINE:
                start = b"".join(parts)[:4096]
                note(f"A line of more than {LONGEST_LINE} bytes was dropped: {start[:NOTED]!r}")
                too_long(start)
                parts, size, dropping = [], 0, True
    if parts and not dropping and b"".join(parts).strip():
        yield b"".join(parts)


def messages(line: bytes) -> list[Message | None]:
    """Return the messages of a line (several, where it is a batch); None stands for an invalid one."""
    try:
        value = _DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        return [None]
    parts = value if isinstance(value, list) and value else [value]
    return [each if isinstance(each, dict) and _has_plain_id(each) else None for each in parts]


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _read_finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large for a double")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_read_finite)
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _has_plain_id(message: Message) -> bool:
    """Return whether a message has no id, or one that is text, a number or null."""
    return isinstance(message.get("id"), str | int | float | None)


def id_key(id: Any) -> str:
    """Return what tells ids apart: 1 and "1" are two, 1 and 1.0 one."""
    return json.dumps(int(id) if isinstance(id, float) and id.is_integer() else id)


def answered(line: bytes, keys: Iterable[str]) -> list[str]:
    """Return which requests a line may answer that is no message: by its ids, else by how it begins.

    Parameters
    ----------
    keys
        Of `id_key`.
    """
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(line)  # takes NaN, Infinity and numbers too large for a double
        parts = value if isinstance(value, list) else [value]
        found = {id_key(each.get("id")) for each in parts if isinstance(each, dict) and _has_plain_id(each)}
        return [key for key in keys if key in found]
    start = line[:4096].replace(b" ", b"").decode("utf-8", "replace")
    return [key for key in keys if re.search(rf'"id":{re.escape(key)}(?![\w.])', start)]


def printable(text: str) -> str:
    """Return text of a program without sequences that move a cursor or colour a screen, and other controls."""
    return "".join(c for c in _SEQUENCE.sub("", text) if c.isprintable())


_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?")
"""ECMA-48: control sequences (colour, cursor), control strings (a window's title), and what else follows an escape."""


def to_line(message: Message) -> bytes:
    """Return a message as a line; half surrogate pairs are escaped."""
    return _ENCODER.encode(message).encode() + b"\n"


def error(id: Any, code: int, text: str) -> Message:
    """Return an error response."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": redact(text)}}


async def drained(writer: asyncio.StreamWriter) -> None:
    """Wait until the other side has taken what was written; one that has gone needs nothing."""
    with contextlib.suppress(ConnectionError):
        await writer.drain()


def is_modern(params: object) -> bool:
    """Return whether a request is of the protocol era without a handshake (2026-07-28)."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta


def error_result(text: str) -> Message:
    """Return a tool result that is an error, in wire form."""
    return {"content": [{"type": "text", "text": text}], "isError": True}
