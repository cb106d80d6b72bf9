"""Whether a file is a picture that can be shown to a model.

A service refuses a whole conversation for one image that it cannot decode, and the image stays in the conversation. So
a PNG is read as far as its pixels need (W3C, Portable Network Graphics, third edition: chunks with their checksums, the
length of the inflated scan lines), and of a JPEG the markers (ITU-T T.81, annex B).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from labrig.plotting.drawing import SIGNATURE

MAX_BYTES = 1 << 20
MAX_SIDE = 8000
"""Pixels; more is refused by the services of models."""
MAX_PIXELS = 20_000_000

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # colour type -> samples of a pixel
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# Adam7: first column and row of each pass, and the steps between them
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_FRAMES = {0xC0, 0xC1, 0xC2}


@dataclass(frozen=True)
class Look:
    """What a picture is: its media type, width and height in pixels."""

    media_type: str
    width: int
    height: int


def look(data: bytes) -> Look | str:
    """Return what a picture is, or why it cannot be shown."""
    if len(data) > MAX_BYTES:
        return f"{len(data):,} bytes, more than {MAX_BYTES:,}"
    try:
        if data.startswith(SIGNATURE):
            return _bounded(_png(data))
        if data.startswith(b"\xff\xd8\xff"):
            return _bounded(_jpeg(data))
    except (ValueError, IndexError, struct.error, zlib.error) as error:
        return f"it is broken: {error}"
    return "it is neither a PNG nor a JPEG file"


def _bounded(found: Look) -> Look | str:
    if max(found.width, found.height) > MAX_SIDE or found.width * found.height > MAX_PIXELS:
        return f"{found.width} x {found.height} pixels, more than {MAX_SIDE} a side or {MAX_PIXELS:,}"
    return found


def _png(data: bytes) -> Look:
    place, chunks = len(SIGNATURE), 0
    look, expected, palette, ended = Look("image/png", 0, 0), 0, False, False
    inflating, inflated = zlib.decompressobj(), 0
    while not ended:
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        if zlib.crc32(kind + body) != checksum:
            raise ValueError("a checksum is wrong")
        if (chunks == 0) != (kind == b"IHDR"):
            raise ValueError("it does not begin with its header")
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if not (width and height) or depth not in _DEPTHS.get(colour, ()) or interlaced > 1:
                raise ValueError("its header makes no sense")
            look = Look("image/png", width, height)
            if isinstance(_bounded(look), str):
                return look
            expected = _scan_bytes(width, height, depth * _CHANNELS[colour], bool(interlaced))
            palette = colour != 3
        elif kind == b"PLTE":
            palette = True
        elif kind == b"IDAT":
            rest = body
            while rest and not inflating.eof:
                inflated += len(inflating.decompress(rest, 1 << 20))
                if inflated > expected:
                    raise ValueError("it has more pixels than its header says")
                rest = inflating.unconsumed_tail
        place, chunks, ended = place + 12 + length, chunks + 1, kind == b"IEND"
    inflated += len(inflating.flush())
    if not inflating.eof or inflated != expected or not palette:
        raise ValueError("pixels are missing")
    return look


def _scan_bytes(width: int, height: int, bits: int, interlaced: bool) -> int:
    """Return the bytes of the scan lines, each with the byte of its filter."""
    passes = _PASSES if interlaced else ((0, 0, 1, 1),)
    total = 0
    for left, top, across, down in passes:
        columns, rows = -(-max(0, width - left) // across), -(-max(0, height - top) // down)
        total += rows * (1 + (columns * bits + 7) // 8) if columns else 0
    return total


def _jpeg(data: bytes) -> Look:
    if not data.rstrip(b"\0").endswith(b"\xff\xd9"):
        raise ValueError("its end is missing")
    place, look = 2, None
    while True:
        while data[place] == 0xFF and data[place + 1] == 0xFF:  # fill bytes
            place += 1
        if data[place] != 0xFF:
            raise ValueError("a marker is missing")
        marker = data[place + 1]
        (length,) = struct.unpack(">H", data[place + 2 : place + 4])
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            look = Look("image/jpeg", width, height)
        if marker == 0xDA:
            break
        place += 2 + length
    if look is None or not look.width or not look.height:
        raise ValueError("its size is missing")
    return look
