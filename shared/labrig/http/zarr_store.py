"""A Zarr hierarchy on the network, read through the client: what `zarr.open` takes as its store.

    with SyncClient() as client:
        array = zarr.open(zarr_store(client, "https://example.org/era5.zarr"), mode="r")

The server of Earth data reads its boxes of Zarr stores so. The store itself is `labrig.http.zarr_reading.ClientStore`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http.sync import SyncClient

if TYPE_CHECKING:
    from zarr.abc.store import Store

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
        Statuses that say a key is not there. S3 says 403 with the code AccessDenied where nobody may list, which is
        taken for that too.
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
        from labrig.http.zarr_reading import ClientStore
    except ImportError as error:
        raise LabrigError(
            "This needs zarr 3, which is not installed", try_="pip install 'zarr>=3'", code="unavailable"
        ) from error
    return ClientStore(client, url, absent=absent, max_bytes=max_bytes, **more)
