"""A Zarr hierarchy on the network, read through the client: what `zarr.open` takes as its store.

    with SyncClient() as client:
        array = zarr.open(zarr_store(client, "https://example.org/era5.zarr"), mode="r")

Each key is a request: recorded, replayed, guarded, in turn. Nothing is kept in memory: Zarr reads a chunk once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from labrig.errors import LabrigError
from labrig.http.hiding import plain
from labrig.http.messages import Response
from labrig.http.receiving import another_part, stated_part
from labrig.http.sync import SyncClient

if TYPE_CHECKING:
    from zarr.abc.store import ByteRequest, Store
    from zarr.core.buffer import Buffer, BufferPrototype

ABSENT = (404, 410)
MOST = 256 << 20
"""Bytes of one key: Zarr holds a chunk in memory."""


def zarr_store(
    client: SyncClient, url: str, *, absent: Collection[int] = ABSENT, max_bytes: int = MOST, **more: Any
) -> Store:
    """Return a store for `zarr.open(store, mode="r")` and `xarray.open_zarr(store)`, of Zarr 3.

    A service cannot be asked what keys there are, so groups are opened by name or by their consolidated metadata.

    Parameters
    ----------
    client
        Sends the requests; it must outlive the store.
    url
        What keys are appended to.
    absent
        Statuses that say a key is not there; storage services say 403 where nobody may list.
    max_bytes
        Of one key, or of the part of it that is read.
    more
        For each request: ``headers``, ``params``, ``service``, ``timeout_s``, ``patience_s``.

    Raises
    ------
    LabrigError
        ``unavailable`` where zarr is not installed. From each read what the request says; ``unreachable`` where other
        bytes come than were asked for.
    """
    try:
        from zarr.abc import store as abc
    except ImportError as error:
        raise LabrigError(
            "This needs zarr 3, which is not installed", try_="pip install 'zarr>=3'", code="unavailable"
        ) from error

    base = url.rstrip("/")

    async def ask(key: str, part: str = "") -> Response:
        headers = dict(more.get("headers") or {})
        if part:
            headers |= {"Range": f"bytes={part}", "Accept-Encoding": "identity"}
        given = {**more, "headers": headers, "max_bytes": max_bytes, "accept": (*absent, 416)}
        return await asyncio.wrap_future(client.begin("GET", f"{base}/{quote(key)}", **given))

    async def bytes_of(key: str, wanted: ByteRequest | None) -> bytes | None:
        match wanted:
            case None:
                response = await ask(key)
            case abc.RangeByteRequest(start, end) if end <= start:
                return b""
            case abc.RangeByteRequest(start, end):
                response = await ask(key, f"{start}-{end - 1}")
            case abc.OffsetByteRequest(offset):
                response = await ask(key, f"{offset}-")
            case abc.SuffixByteRequest(suffix):
                response = await ask(key, f"-{suffix}")
        if response.status in absent:
            return None
        if response.status == 416 and wanted is not None:
            return b""  # all of it is before what was asked for
        if response.status == 416:
            raise _wrong(response, key)
        if wanted is None:
            return response.body
        if response.status != 206:  # a service without parts
            return _cut(response.body, wanted)
        first, last, total = _stated(response, key)
        match wanted:
            case abc.RangeByteRequest(start, end):
                right = first == start and (last == end - 1 or (last < end and last == total - 1))
            case abc.OffsetByteRequest(offset):
                right = first == offset and last == total - 1
            case abc.SuffixByteRequest(suffix):
                right = last == total - 1 and first == max(0, total - suffix)
        if not right:
            raise _wrong(response, key)
        return response.body

    def _cut(body: bytes, wanted: ByteRequest) -> bytes:
        match wanted:
            case abc.RangeByteRequest(start, end):
                return body[start:end]
            case abc.OffsetByteRequest(offset):
                return body[offset:]
            case abc.SuffixByteRequest(suffix):
                return body[max(0, len(body) - suffix) :]
        raise TypeError(f"no part of a key: {wanted!r}")

    class ClientStore(abc.Store):
        """The store; see `zarr_store`."""

        def __init__(self) -> None:
            super().__init__(read_only=True)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, ClientStore) and (base, client) == other.place

        def __repr__(self) -> str:
            return f"zarr_store({plain(base)!r})"

        @property
        def place(self) -> tuple[str, SyncClient]:
            """What makes two stores the same."""
            return base, client

        async def get(
            self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
        ) -> Buffer | None:
            data = await bytes_of(key, byte_range)
            return None if data is None else prototype.buffer.from_bytes(data)

        async def get_partial_values(
            self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
        ) -> list[Buffer | None]:
            return list(await asyncio.gather(*(self.get(key, prototype, part) for key, part in key_ranges)))

        async def exists(self, key: str) -> bool:
            return (await ask(key, "0-0")).status not in absent

        async def getsize(self, key: str) -> int:
            response = await ask(key, "0-0")
            if response.status in absent:
                raise FileNotFoundError(key)
            if response.status == 206:
                return _stated(response, key)[2]
            return 0 if response.status == 416 else response.size

        @property
        def supports_writes(self) -> bool:
            return False

        @property
        def supports_deletes(self) -> bool:
            return False

        @property
        def supports_listing(self) -> bool:
            return False

        async def set(self, key: str, value: Buffer) -> None:
            raise _read_only(base, key)

        async def delete(self, key: str) -> None:
            raise _read_only(base, key)

        def list(self) -> AsyncIterator[str]:
            raise _no_list(base)

        def list_prefix(self, prefix: str) -> AsyncIterator[str]:
            raise _no_list(base)

        def list_dir(self, prefix: str) -> AsyncIterator[str]:
            raise _no_list(base)

    return ClientStore()


def _stated(response: Response, key: str) -> tuple[int, int, int]:
    """Return first byte, last byte and size of the whole that a part states."""
    found = stated_part(response.headers)
    if found is None or found[2] is None or found[1] - found[0] + 1 != response.size:
        raise _wrong(response, key)
    return found[0], found[1], found[2]


def _wrong(response: Response, key: str) -> LabrigError:
    return another_part(response, key[:200], where=response.url)


def _read_only(base: str, key: str) -> LabrigError:
    return LabrigError("This store is only read", where=f"{plain(base)}/{key}"[:300], code="refused")


def _no_list(base: str) -> LabrigError:
    return LabrigError(
        "A service cannot be asked what a Zarr hierarchy holds",
        where=plain(base),
        expected="the name of an array or group, or consolidated metadata",
        code="refused",
    )
