"""The polite cache: what a service said may be kept is not asked for again (RFC 9111), across processes.

hishel does it, above the transport that knows keys, so none get into its file. It is no ledger: what it holds
expires, and a request that it does not hold goes out.
"""

from __future__ import annotations

from pathlib import Path

import httpx2
from hishel import AsyncSqliteStorage, CacheOptions
from hishel.httpx2 import AsyncCacheTransport

from labrig.errors import LabrigError

MOST_BYTES = 512 << 20
LARGEST_BYTES = 32 << 20


def cached(transport: httpx2.AsyncBaseTransport, folder: Path) -> AsyncCacheTransport:
    """Return a transport that asks `transport` for what the cache in `folder` does not hold.

    Raises
    ------
    LabrigError
        ``unavailable`` where there can be no such folder.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LabrigError(
            f"There is no place for the cache: {error.strerror}",
            where=str(folder),
            try_="another LABRIG_HOME, or LABRIG_HTTP_CACHE=off",
            code="unavailable",
        ) from error
    storage = AsyncSqliteStorage(
        database_path=folder.resolve() / "responses.sqlite",
        max_size=MOST_BYTES,
        max_stream_size=LARGEST_BYTES,
    )
    return AsyncCacheTransport(transport, storage=storage, rfc=CacheOptions(shared=False))


def from_cache(response: httpx2.Response) -> bool:
    """Tell whether the cache answered."""
    status = response.extensions.get("caching")
    return bool(status is not None and status["from_cache"])
