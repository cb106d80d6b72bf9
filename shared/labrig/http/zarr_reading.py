"""The store that `labrig.http.zarr_store` gives: each key is a request, recorded, replayed, guarded and in turn.

Nothing is kept in memory: Zarr reads a chunk once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype

from labrig.errors import LabrigError
from labrig.http.hiding import plain
from labrig.http.messages import Response
from labrig.http.receiving import another_part, stated_part
from labrig.http.statuses import unwelcome
from labrig.http.sync import SyncClient

DENIED = b"<Code>AccessDenied</Code>"
"""What S3 says with status 403 of a key that is not there, in a bucket that anybody may read and nobody list."""


class ClientStore(Store):
    """The store; `labrig.http.zarr_store.zarr_store` says what it takes.

    Attributes
    ----------
    given, denied
        Whether any key was there; whether one was refused as S3 refuses one that is not there, and is taken for that.
    """

    def __init__(self, client: SyncClient, url: str, *, absent: Collection[int], **more: Any) -> None:
        super().__init__(read_only=True)
        self._client, self._base, self._absent, self._more = client, url.rstrip("/"), absent, more
        self.given, self.denied = False, False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClientStore) and (self._base, self._client) == (other._base, other._client)

    def __repr__(self) -> str:
        return f"zarr_store({plain(self._base)!r})"

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        data = await (self._whole(key) if byte_range is None else self._part(key, byte_range))
        return None if data is None else prototype.buffer.from_bytes(data)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        return list(await asyncio.gather(*(self.get(key, prototype, part) for key, part in key_ranges)))

    async def exists(self, key: str) -> bool:
        return (await self._ask(key, "0-0")).status not in self._absent

    async def getsize(self, key: str) -> int:
        response = await self._ask(key, "0-0")
        if response.status in self._absent:
            raise FileNotFoundError(key)
        if response.status == 206:
            return _stated(response, key)[2]
        return 0 if response.status == 416 else response.size

    async def _ask(self, key: str, part: str = "") -> Response:
        headers = dict(self._more.get("headers") or {})
        if part:
            headers |= {"Range": f"bytes={part}", "Accept-Encoding": "identity"}
        given = {**self._more, "headers": headers, "accept": (*self._absent, 403, 416)}
        response = await asyncio.wrap_future(self._client.begin("GET", f"{self._base}/{quote(key)}", **given))
        if response.status == 403 and 403 not in self._absent:
            if DENIED not in response.body[:2_000]:
                raise unwelcome(response)
            self.denied = True
            return replace(response, status=next(iter(self._absent)))
        self.given = self.given or response.ok
        return response

    async def _whole(self, key: str) -> bytes | None:
        response = await self._ask(key)
        if response.status in self._absent:
            return None
        if response.status == 416:
            raise _wrong(response, key)
        return response.body

    async def _part(self, key: str, wanted: ByteRequest) -> bytes | None:
        match wanted:
            case RangeByteRequest(start, end):
                span, asked = slice(start, end), f"{start}-{end - 1}"
            case OffsetByteRequest(offset):
                span, asked = slice(offset, None), f"{offset}-"
            case SuffixByteRequest(suffix):
                span, asked = slice(-suffix, None), f"-{suffix}"
            case _:
                raise TypeError(f"no part of a key: {wanted!r}")
        if wanted == SuffixByteRequest(0) or (span.stop is not None and span.stop <= span.start):
            return b""
        response = await self._ask(key, asked)
        if response.status in self._absent:
            return None
        if response.status == 416:
            return b""  # all of it is before what was asked for
        if response.status != 206:  # a service without parts
            return response.body[span]
        first, last, total = _stated(response, key)
        if (first, last + 1) != span.indices(total)[:2]:
            raise _wrong(response, key)
        return response.body

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
        raise self._only_read(key)

    async def delete(self, key: str) -> None:
        raise self._only_read(key)

    def list(self) -> AsyncIterator[str]:
        raise self._no_list()

    def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        raise self._no_list()

    def list_dir(self, prefix: str) -> AsyncIterator[str]:
        raise self._no_list()

    def _only_read(self, key: str) -> LabrigError:
        return LabrigError(
            "This store is only read", where=f"{plain(self._base)}/{key}"[:300], code="refused"
        )

    def _no_list(self) -> LabrigError:
        return LabrigError(
            "A service cannot be asked what a Zarr hierarchy holds",
            where=plain(self._base),
            expected="the name of an array or group, or consolidated metadata",
            code="refused",
        )


def _stated(response: Response, key: str) -> tuple[int, int, int]:
    """Return first byte, last byte and size of the whole that a part states."""
    found = stated_part(response.headers)
    if found is None or found[2] is None or found[1] - found[0] + 1 != response.size:
        raise _wrong(response, key)
    return found[0], found[1], found[2]


def _wrong(response: Response, key: str) -> LabrigError:
    return another_part(response, key[:200], where=response.url)
