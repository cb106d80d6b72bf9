"""The polite cache: what a service said may be kept is not asked for again (RFC 9111), across processes.

hishel does it, above the transport that knows keys, so none get into its file. It is not a ledger: what it holds
expires, and a request that it does not hold goes out.
"""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

import httpx2
from hishel import AsyncSqliteStorage, CacheOptions
from hishel.httpx2 import AsyncCacheTransport

MOST_BYTES = 512 << 20
LARGEST_BYTES = 32 << 20

log = logging.getLogger(__name__)


def cached(transport: httpx2.AsyncBaseTransport, folder: Path) -> httpx2.AsyncBaseTransport:
    """Return a transport that asks `transport` for what the cache in `folder` does not hold.

    Where the folder cannot be made or written, it is `transport` itself.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):  # hishel would log it for every request
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        log.warning("Labrig keeps no answers of services for later: %s (%s)", error.strerror, folder)
        return transport
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
