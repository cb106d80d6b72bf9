"""Bodies that come packed: gzip and deflate, the two that are asked for, a piece at a time.

An end that is missing is an error, as a body cut short looks whole otherwise; so is what follows an end. Python's own
`gzip` and httpx2 read a part of such a body without a word (httpx2: one member, whatever follows).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

ASKED = "gzip, deflate"
CHUNK = 1 << 16


class NotUnpacked(Exception):
    """The body is not packed as it says."""


class Unpacker:
    """Unpacks one body.

    Parameters
    ----------
    encoding
        The header Content-Encoding; empty for a body that is not packed.

    Raises
    ------
    NotUnpacked
        For an encoding that was not asked for.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding.strip().lower().replace("x-gzip", "gzip")
        if self._encoding not in ("", "identity", "gzip", "deflate"):
            raise NotUnpacked(f"its body is packed as {encoding[:40]!r}, which was not asked for")
        self._packed = self._encoding in ("gzip", "deflate")
        self._reader = zlib.decompressobj(wbits=31 if self._encoding == "gzip" else 15)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what a piece unpacks to, in pieces."""
        if not self._packed:
            yield data
            return
        while data:
            if self._reader.eof:
                data = self._next_member(data)
                continue
            try:
                part = self._reader.decompress(data, CHUNK)
            except zlib.error as error:
                if self._encoding != "deflate" or self._begun:
                    raise NotUnpacked(f"its body is not packed as it says ({error})") from error
                self._reader = zlib.decompressobj(wbits=-15)  # without the two bytes before: many do it so
                self._begun = True
                continue
            self._begun = True
            if part:
                yield part
            data = self._reader.unused_data if self._reader.eof else self._reader.unconsumed_tail

    def _next_member(self, data: bytes) -> bytes:
        """Return what begins another member of a gzip body; zeros may fill up."""
        if self._encoding == "gzip" and data.startswith(b"\x1f"):
            self._reader = zlib.decompressobj(wbits=31)
            return data
        if data.strip(b"\0"):
            raise NotUnpacked("its packed body has an end, and goes on after it")
        return b""

    def end(self) -> None:
        """Say that the body has ended."""
        if self._packed and self._begun and not self._reader.eof:
            raise NotUnpacked("its packed body is cut short")
