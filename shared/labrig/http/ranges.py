"""A file on the network as a file object: only what is read is fetched, in blocks, by Range requests of the client.

    with SyncClient() as client, RemoteFile(client, "https://example.org/dem.tif") as file:
        h5py.File(file), h5netcdf.File(file), pyarrow.parquet.ParquetFile(file), zipfile.ZipFile(file)

For rasterio, which would read such an object as a whole, there is `labrig.http.rasters`. Each request is one of
`SyncClient`: guarded, in turn, recorded and replayed. A replay asks for the very parts that the ledger holds, so it may
read in another order, from other threads or with other blocks than the recording did.
"""

from __future__ import annotations

import io
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from labrig.errors import LabrigError
from labrig.http.hiding import plain
from labrig.http.messages import Response
from labrig.http.receiving import another_part, stated_part
from labrig.http.sync import SyncClient

BLOCK = 256 << 10
CACHE = 64 << 20
MOST_AT_ONCE = 16 << 20
"""Bytes of neighbouring blocks that one request asks for."""
WHOLE = 256 << 20
"""What is fetched as a whole at most where a service has no parts."""


class RemoteFile(io.RawIOBase):
    """One file, to be read and sought in, from any thread.

    Parameters
    ----------
    client
        Sends the requests; it must outlive the file.
    url
        Where the file is. A redirect is followed for each request.
    block_bytes
        Of a block, from 4096. By size, requests and megabytes for a window of 600 x 500 and an overview of a
        GeoTIFF of 246 MB: 64 KiB 10 and 8.7, 256 KiB 10 and 9.4, 1 MiB 7 and 13.6, 4 MiB 5 and 29.4; for a series in
        time from an HDF5 file of 89 MB: 24 and 9.0, 24 and 13.9, 11 and 33.6, 8 and 41.9. Where reading goes straight
        on, each request asks for twice as many blocks as the one before.
    cache_bytes
        Of the blocks that are kept in memory, those read last.
    whole_bytes
        Where the service does not send parts, the file is downloaded to a temporary one if it is no larger; 0 to
        refuse that.
    more
        For each request: ``headers``, ``params``, ``service``, ``timeout_s``, ``patience_s``, ``robots``.

    Raises
    ------
    LabrigError
        Of the requests. From any read ``unreachable`` where the file has changed since it was opened, or where other
        bytes come than were asked for; ``refused`` for a service without parts and a file beyond `whole_bytes`.
    """

    def __init__(
        self,
        client: SyncClient,
        url: str,
        *,
        block_bytes: int = BLOCK,
        cache_bytes: int = CACHE,
        whole_bytes: int = WHOLE,
        headers: Mapping[str, str] | None = None,
        params: Any = None,
        **more: Any,
    ) -> None:
        super().__init__()
        if not (4096 <= block_bytes <= cache_bytes):
            raise LabrigError(
                "This is no size of a block",
                where=f"block_bytes={block_bytes!r}, cache_bytes={cache_bytes!r}",
                expected="at least 4096 bytes, and no more than are kept",
            )
        self.url, self.name = url, plain(url)
        self._client, self._more = client, more
        self._question: dict[str, Any] = {"headers": dict(headers or {}), "params": params}
        self._block, self._most, self._whole = block_bytes, cache_bytes, whole_bytes
        self._lock = threading.RLock()
        self._at = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._parts: OrderedDict[tuple[int, int], bytes] = OrderedDict()  # in a replay, in place of blocks
        self._next = self._run = 0
        self._local: BinaryIO | None = None
        self._kept = ExitStack()  # the local file, and the folder that it lies in
        self._held = client.recorded_ranges(url, **self._question)
        self._tag: tuple[str, str] | None = None
        self.size = 0
        self._open()

    # ---------------------------------------------------------------------------------------------- a file object

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, which may be behind the end."""
        with self._lock:
            base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}.get(whence)
            if base is None or base + offset < 0:
                raise ValueError(f"no such position: {offset} from {whence}")
            self._at = base + offset
            return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, all of them but at the end of the file."""
        with self._lock:
            rest = max(0, self.size - self._at)
            data = self.read_at(self._at, rest if size is None or size < 0 else min(size, rest))
            self._at += len(data)
            return data

    def readall(self) -> bytes:
        """Return all that follows."""
        return self.read()

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer, and return how many there were."""
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def read_at(self, start: int, size: int) -> bytes:
        """Return bytes from a place, whatever the position is."""
        with self._lock:
            if self.closed:
                raise ValueError("read of a closed file")
            stop = min(start + size, self.size)
            if self._local is not None:
                self._local.seek(start)
                return self._local.read(max(0, stop - start))
            parts = []
            while start < stop:
                if self._client.replays:
                    offset, data = self._recorded(start)
                else:
                    number, offset = divmod(start, self._block)
                    data = self._get(number, -(-stop // self._block))
                parts.append(data[offset : offset + stop - start])
                start += len(parts[-1])
            return b"".join(parts)

    def another(self) -> RemoteFile:
        """Return the same file with a position of its own, for those who open a file several times.

        It has no blocks of its own, and may be closed before this one, not after.
        """
        return _Another(self)

    def close(self) -> None:
        """Let go of what is kept."""
        with self._lock:
            self._blocks.clear()
            self._parts.clear()
            self._kept.close()
        super().close()

    # ------------------------------------------------------------------------------------------------- the blocks

    def _recorded(self, at: int) -> tuple[int, bytes]:
        """Return the longest part that the ledger holds of a place, and where the place is in it."""
        first, last = self._held_at(at) or (at, min(at + self._block, self.size) - 1)
        if (first, last) not in self._parts:
            self._parts[first, last] = self._fetch(first, last)
        self._parts.move_to_end((first, last))
        while len(self._parts) > 1 and sum(map(len, self._parts.values())) > self._most:
            self._parts.popitem(last=False)
        return at - first, self._parts[first, last]

    def _held_at(self, at: int) -> tuple[int, int] | None:
        return max((each for each in self._held if each[0] <= at <= each[1]), key=_last, default=None)

    def _get(self, number: int, stop: int) -> bytes:
        """Return a block; fetch it, where it is not kept, with those before `stop` that are not kept either."""
        if number in self._blocks:
            self._blocks.move_to_end(number)
            return self._blocks[number]
        last = number + 1
        room = max(1, min(MOST_AT_ONCE, self._most) // self._block)
        self._run = min(2 * self._run, room) if number == self._next else 1
        while last < min(max(stop, number + self._run), number + room, -(-self.size // self._block)):
            if last in self._blocks:
                break
            last += 1
        self._next = last
        start, end = number * self._block, min(last * self._block, self.size)
        self._keep(number, self._part(start, end))
        return self._blocks[number]

    def _keep(self, number: int, data: bytes) -> None:
        for offset in range(0, len(data), self._block):
            self._blocks[number + offset // self._block] = data[offset : offset + self._block]
        # The first is wanted now, the others soon.
        self._blocks.move_to_end(number)
        while len(self._blocks) > max(1, self._most // self._block):
            self._blocks.popitem(last=False)

    def _part(self, start: int, end: int) -> bytes:
        """Return bytes: by requests that the ledger holds, or else by one."""
        found = bytearray()
        while start + len(found) < end:
            at = start + len(found)
            first, last = self._held_at(at) or (
                at,
                min([end, *(each[0] for each in self._held if each[0] > at)]) - 1,
            )
            data = self._fetch(first, last)
            found += data[at - first : end - first]
        return bytes(found)

    def _fetch(self, first: int, last: int) -> bytes:
        response = self._ask(first, last)
        if response.status != 206:
            raise self._changed("it no longer sends parts")
        expected = min(last, self.size - 1) - first + 1
        return self._checked(response, first, expected)

    def _ask(self, first: int, last: int) -> Response:
        # Parts of a packed body would be of no use.
        headers = {
            **self._question["headers"],
            "Range": f"bytes={first}-{last}",
            "Accept-Encoding": "identity",
        }
        given = {**self._more, "params": self._question["params"], "headers": headers}
        response = self._client.request("GET", self.url, max_bytes=last - first + 1, accept=(416,), **given)
        if response.status == 206 and (first, last) not in self._held:
            self._held.append((first, last))
        return response

    def _checked(self, response: Response, first: int, expected: int) -> bytes:
        """Return the body of a part, if it is the one that was asked for, of the same file as before."""
        stated = stated_part(response.headers)
        if stated is None or stated[0] != first or stated[1] - first + 1 != len(response.body):
            raise self._wrong(response)
        if stated[2] not in (None, self.size):
            raise self._changed(f"it has {stated[2]:,} bytes, and had {self.size:,}")
        if self._tag is not None and _tag(response) != self._tag:
            raise self._changed(f"it is {_named(_tag(response))}, and was {_named(self._tag)}")
        if len(response.body) != expected:
            raise self._wrong(response)
        return response.body

    # -------------------------------------------------------------------------------------------------- the opening

    def _open(self) -> None:
        first = max((each for each in self._held if each[0] == 0), key=_last, default=(0, self._block - 1))
        try:
            response = self._ask(*first)
        except LabrigError as error:
            if error.code != "too_large":
                raise
            return self._download(error)  # the whole of it was on its way
        stated = stated_part(response.headers)
        if response.status == 416 and response.headers.get("content-range", "").strip() == "bytes */0":
            return None
        if response.status == 200:  # no parts, and no need for any
            self._local, self.size = io.BytesIO(response.body), len(response.body)
            return None
        if stated is None or stated[2] is None:
            raise self._wrong(response)
        self.size, self._tag = stated[2], _tag(response)
        data = self._checked(response, 0, min(first[1] + 1, self.size))
        whole = len(data) if len(data) == self.size else len(data) // self._block * self._block
        if self._client.replays:
            self._parts[first] = data
        elif whole:
            self._keep(0, data[:whole])
        return None

    def _download(self, why: LabrigError) -> None:
        refusal = LabrigError(
            f"This service does not send parts of a file, and the whole of it is not taken: {why.what}",
            where=self.name,
            expected=f"a service that knows Range requests, or a file of at most {self._whole:,} bytes",
            try_="Client.download, and read the file",
            code="refused",
        )
        if not self._whole:
            raise refusal from why
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="labrig-file-")))
            more = {**self._more, **self._question, "max_bytes": self._whole}
            try:
                self.size = self._client.download(self.url, folder, name="file", **more).size
            except LabrigError as error:
                if error.code != "too_large":
                    raise
                raise refusal from error
            self._local = stack.enter_context(Path(folder, "file").open("rb"))
            self._kept = stack.pop_all()

    # -------------------------------------------------------------------------------------------------- refusals

    def _changed(self, how: str) -> LabrigError:
        return LabrigError(
            f"This file has changed since it was opened: {how}",
            where=self.name,
            try_="open it anew, or Client.download, which takes one state of it",
            code="unreachable",
        )

    def _wrong(self, response: Response) -> LabrigError:
        return another_part(response, "this file", where=self.name, try_="Client.download")


class _Another(RemoteFile):
    def __init__(self, first: RemoteFile) -> None:
        io.RawIOBase.__init__(self)
        self._first, self._lock, self._at = first, threading.RLock(), 0
        self.url, self.name, self.size = first.url, first.name, first.size

    def read_at(self, start: int, size: int) -> bytes:
        return self._first.read_at(start, size)

    def close(self) -> None:
        io.RawIOBase.close(self)


def _last(part: tuple[int, int]) -> int:
    return part[1]


def _tag(response: Response) -> tuple[str, str]:
    """Return what a service says of a file's state."""
    return response.headers.get("etag", ""), response.headers.get("last-modified", "")


def _named(tag: tuple[str, str]) -> str:
    return " of ".join(each for each in tag if each) or "of no stated state"
