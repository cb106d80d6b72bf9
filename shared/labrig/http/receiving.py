"""A body on its way into a file: counted, hashed, looked through for keys, and gone on with where it broke off.

It is gone on with by RFC 9110, section 14.2 (Range) and 13.1.5 (If-Range), where the first answer had a strong ETag or
a Last-Modified that is as good as one. What the service then sends must begin where we are, in a file of the same size,
ETag and date; else all of it is asked for again. Where the service states what the file hashes to, the file is compared
with that at its end: an ETag is a promise, and files are replaced under services that keep it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime

import httpx2

from labrig.errors import LabrigError
from labrig.http import digests
from labrig.http.hiding import KeyWatch
from labrig.http.messages import Request, Response
from labrig.http.parts import NotStored, Part
from labrig.http.stored import PIECE, Stored

Progress = Callable[[int, int | None], object]
"""Told the bytes that are there, and how many there will be, where that is known."""
VALIDATORS = ("etag", "last-modified")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


class Interrupted(Exception):
    """The service did not go on as it was asked to; from the start it may."""


class CallersError(Exception):
    """What the caller's own function raised, which is the cause of this."""


class Receiver:
    """Takes one body.

    Parameters
    ----------
    part
        The file.
    max_bytes
        Of the body, unpacked.
    total_s
        Seconds from now until it must be there, all attempts and waiting included.
    settle
        Called with address, headers and size, if stated, when a body begins: raises where it cannot be kept.
    progress
        Called from the event loop as it grows.
    """

    def __init__(
        self,
        part: Part,
        *,
        max_bytes: int,
        total_s: float,
        settle: Callable[[str, Mapping[str, str], int | None], object],
        progress: Progress | None = None,
    ) -> None:
        self._part, self._max_bytes, self._settle, self._progress = part, max_bytes, settle, progress
        self._total_s = total_s
        self._deadline = asyncio.get_running_loop().time() + total_s
        self._buffer = bytearray()
        self._watch: KeyWatch | None = None
        self._writing: asyncio.Future[None] | None = None
        self._asked_from = 0
        self._validator = ""
        self._digest: digests.Digest | None = None
        self.status, self.headers = 0, httpx2.Headers()
        self.total: int | None = None
        self.furthest = 0
        self.whole = False

    # --------------------------------------------------------------------------------------------- one attempt

    async def wanted(self, method: str) -> dict[str, str]:
        """Return the headers of the next attempt: all of the body, or what is missing."""
        await self._flush()
        self._asked_from = self._part.size if self._validator and method == "GET" else 0
        # Not packed on the way: parts of a packed body cannot be told from another packing.
        headers = {"accept-encoding": "identity"}
        if self._asked_from:
            headers |= {"range": f"bytes={self._asked_from}-", "if-range": self._validator}
        return headers

    @property
    def goes_on(self) -> bool:
        """Whether this attempt asks for a part."""
        return self._asked_from > 0

    def begin(self, status: int, headers: httpx2.Headers, request: Request, *, private: bool) -> None:
        """Take the head of an answer; nothing is kept of what came before unless this goes on with it.

        Raises
        ------
        Interrupted
            For another part than the one that was asked for.
        LabrigError
            ``too_large`` by the size stated; ``unreachable`` for a part where all was asked for.
        """
        if status == 206 and self._asked_from:
            if self._goes_on(headers):
                return
            self._forget()
            raise Interrupted("it sends another part of the file than was asked for")
        self._forget()
        if status in (206, 416):
            if self._asked_from:
                raise Interrupted("it does not know the part of the file that was asked for")
            raise LabrigError(
                f"{request.host} sends a part of the file ({headers.get('content-range', '')[:60]}) "
                "where all of it was asked for",
                where=str(request),
                code="unreachable",
            )
        packed = headers.get("content-encoding", "").strip().lower() not in ("", "identity")
        stated = headers.get("content-length", "")
        size = int(stated) if stated.isdigit() and len(stated) < 20 else None
        if size is not None and size > self._max_bytes:
            raise too_large(request, self._max_bytes, size)
        self.status, self.headers = status, headers
        self.total = None if packed else size
        resumable = not packed and headers.get("accept-ranges", "").lower() != "none"
        self._validator = validator(headers) if resumable else ""
        self._digest = None if packed else digests.stated(headers)
        self._watch = None if private else KeyWatch(request.wire.hidden)
        self._settle(request.url, headers, self.total)

    def _goes_on(self, headers: httpx2.Headers) -> bool:
        found = stated_part(headers)
        return (
            found is not None
            and found[0] == self._asked_from
            and found[2] in (None, self.total)
            and all(
                headers.get(name, self.headers.get(name)) == self.headers.get(name) for name in VALIDATORS
            )
            and (digests.stated(headers) or self._digest) == self._digest
            and not headers.get("content-encoding")
        )

    def _forget(self) -> None:
        self._buffer.clear()
        if self._part.size:
            self._part.clear()
        self._validator, self.total, self._digest = "", None, None

    async def take(self, piece: bytes, request: Request) -> None:
        """Take what has arrived, unpacked.

        Raises
        ------
        LabrigError
            ``too_large``.
        NotStored
            ``limit`` for a full disk; ``refused`` for a body with a key in it.
        CallersError
            For what the caller's `progress` raised.
        """
        self._buffer += piece
        if self._part.size + len(self._buffer) > self._max_bytes:
            raise too_large(request, self._max_bytes)
        if len(self._buffer) >= PIECE:
            await self._flush()

    async def _flush(self) -> None:
        if self._writing is not None:  # an attempt that ran out of time while the disk was slow
            await asyncio.shield(self._writing)
        if not self._buffer:
            return
        data, self._buffer = bytes(self._buffer), bytearray()
        self._writing = asyncio.ensure_future(asyncio.to_thread(self._keep, data))
        self._writing.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(self._writing)
        self._writing = None
        self.furthest = max(self.furthest, self._part.size)
        self.tell(self._part.size, self.total)

    def _keep(self, data: bytes) -> None:
        if self._watch is not None and self._watch.found(data):
            raise NotStored(
                "This file holds a key that is kept out of all that is written",
                where=str(self._part.path.parent),
                expected="a file without keys: a download is kept byte for byte",
                try_="Client.get, for a small body: it puts [key] in the place of keys",
                code="refused",
            )
        self._part.write(data)

    def tell(self, done: int, total: int | None) -> None:
        """Call `progress`."""
        if self._progress is not None:
            try:
                self._progress(done, total)
            except Exception as error:
                raise CallersError from error

    async def end(self) -> None:
        """Say that the body has ended.

        Raises
        ------
        Interrupted
            If it is not as long as was stated at first, or does not hash to what was.
        """
        await self._flush()
        if self.total is not None and self._part.size != self.total:
            size = self._part.size
            self._forget()
            raise Interrupted(f"it sent {size:,} bytes")
        await asyncio.to_thread(self._part.finish)
        if self._digest is not None and not await asyncio.to_thread(self._as_stated, self._digest):
            algorithm = self._digest.algorithm
            self._forget()
            raise Interrupted(f"it sent bytes of another {algorithm} than it states of the file")
        self.whole = True

    def _as_stated(self, digest: digests.Digest) -> bool:
        return self._part.sha256 == digest.hex if digest.algorithm == "sha256" else digest.of(self._part.path)

    async def copy(self, response: Response) -> None:
        """Take the body of a response that is there already: one that the ledger holds."""
        await asyncio.to_thread(self._part.clear)
        pieces = response.stored.pieces() if response.stored else iter((response.body,))
        while piece := await asyncio.to_thread(next, pieces, b""):
            await asyncio.to_thread(self._part.write, piece)
            self.tell(self._part.size, response.size)
        await asyncio.to_thread(self._part.finish)

    # ----------------------------------------------------------------------------------------------------- time

    def until(self, timeout_s: float) -> float:
        """Return the time of the event loop at which this attempt is over if nothing more comes."""
        return min(asyncio.get_running_loop().time() + timeout_s, self._deadline)

    def late(self, request: Request, wait_s: float = 0.0) -> LabrigError | None:
        """Return the error of a body that takes too long, once it does, or will after a wait."""
        if asyncio.get_running_loop().time() + wait_s < self._deadline:
            return None
        return LabrigError(
            f"{request.host} has not sent this file within {self._total_s:g} s: {self._part.size:,} bytes came",
            where=str(request),
            try_="the same call with more time (total_s), or later",
            code="unreachable",
        )

    def stored(self, request: Request) -> Stored:
        """Return the body, once it is whole."""
        return Stored(self._part.size, self._part.sha256, self._part.path, str(request))


def stated_part(headers: Mapping[str, str]) -> tuple[int, int, int | None] | None:
    """Return first byte, last byte and size of the whole, None where it is not told, as Content-Range has them."""
    found = _CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
    return (int(found[1]), int(found[2]), None if found[3] == "*" else int(found[3])) if found else None


def another_part(response: Response, what: str, *, where: str, try_: str = "") -> LabrigError:
    """Return the error for a part that is not the one that was asked for."""
    part = response.headers.get("content-range", "no Content-Range")[:80]
    return LabrigError(
        f"The service sends another part of {what} than was asked for: status {response.status}, {part}, "
        f"{response.size:,} bytes",
        where=where,
        try_=try_,
        code="unreachable",
    )


def validator(headers: httpx2.Headers) -> str:
    """Return what If-Range takes: a strong ETag, or a date that is strong by RFC 9110, section 8.8.2.2; or nothing."""
    etag = headers.get("etag", "")
    if etag:
        return etag if re.fullmatch(r'"[\x21\x23-\x7e]*"', etag) else ""
    try:
        changed = parsedate_to_datetime(headers.get("last-modified", ""))
        sent = parsedate_to_datetime(headers.get("date", ""))
        return headers["last-modified"] if sent - changed >= timedelta(seconds=1) else ""
    except (ValueError, TypeError, IndexError):
        return ""


def too_large(request: Request, limit: int, stated: int = 0) -> LabrigError:
    """Return the error for a body beyond the limit."""
    size = f"{stated:,} bytes" if stated else "more"
    return LabrigError(
        f"{request.host} sends {size}, and {limit:,} bytes are taken at most",
        where=str(request),
        try_="a smaller part of it",
        code="too_large",
    )
