"""A raster on the network, opened with rasterio: GDAL reads the blocks that it needs, and the client fetches them.

    with SyncClient() as client, open_raster(client, "https://example.org/dem.tif") as dem:
        dem.read(1, window=((0, 512), (0, 512)))

The server of Earth data reads boxes of rasters so. GDAL's own `/vsicurl/` goes round the client: it would not be
recorded, nor guarded, nor wait its turn.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from labrig.errors import LabrigError
from labrig.http.ranges import RemoteFile
from labrig.http.sync import SyncClient

DRIVER = "GTiff"
"""Reads the one file that it is given. Others, VRT first, are led by a file to what is on this computer or the network,
so GDAL is not left to choose."""
ALONE = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "GDAL_PAM_ENABLED": "NO"}
"""GDAL looks for no file beside it."""


@contextmanager
def open_raster(client: SyncClient, url: str, *, driver: str = DRIVER, **more: Any) -> Iterator[Any]:
    """Open a raster, such as a cloud-optimised GeoTIFF.

    Parameters
    ----------
    client
        Sends the requests.
    url
        Where the file is.
    driver
        That of GDAL which is to read it.
    more
        See `labrig.http.ranges.RemoteFile`.

    Yields
    ------
    rasterio.io.DatasetReader
        For this block.

    Raises
    ------
    LabrigError
        ``unavailable`` where rasterio is not installed, ``bad_input`` for what the driver does not read; inside the
        block those of `RemoteFile`, in place of what GDAL makes of them.
    """
    try:
        import rasterio
        from rasterio.errors import RasterioError
    except ImportError as error:
        raise LabrigError(
            "This needs rasterio, which is not installed",
            try_="pip install 'rasterio>=1.4'",
            code="unavailable",
        ) from error

    with RemoteFile(client, url, **more) as file:
        failures: list[LabrigError] = []
        name = f"labrig-{secrets.token_hex(8)}.tif"
        opener = _opener(name, file, failures)
        opened = False
        try:
            with rasterio.Env(**ALONE), rasterio.open(name, opener=opener, driver=driver) as dataset:
                opened = True
                yield dataset
        except RasterioError as error:
            if failures:
                raise failures[0] from error
            if opened:
                raise
            raise LabrigError(
                f"GDAL does not read this file: {str(error)[:200]}".replace(name, "it"),
                where=file.name,
                expected=f"a file for its driver {driver}",
            ) from error
        if failures:  # GDAL went on without what it could not read
            raise failures[0]


def _opener(name: str, file: RemoteFile, failures: list[LabrigError]) -> Any:
    from rasterio.abc import FileContainer

    class OneFile(FileContainer):  # type: ignore[misc]  # rasterio has no types
        """A file system that holds one file."""

        def isfile(self, path: str) -> bool:
            return path.rpartition("/")[2] == name

        def isdir(self, path: str) -> bool:
            return False

        def ls(self, path: str) -> list[str]:
            return []

        def mtime(self, path: str) -> int:
            return 0

        def size(self, path: str) -> int:
            return file.size

        def rm(self, path: str) -> None:
            raise io.UnsupportedOperation("rm")

        def open(self, path: str, mode: str = "r", **_: Any) -> Any:
            if not self.isfile(path) or set(mode) - set("rb"):
                raise FileNotFoundError(path)
            return _Noting(file.another(), failures)

    return OneFile()


class _Noting(io.RawIOBase):
    """A file whose failures are noted: GDAL sees no more than that bytes are missing."""

    def __init__(self, file: RemoteFile, failures: list[LabrigError]) -> None:
        super().__init__()
        self._file, self._failures = file, failures

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except LabrigError as error:
            self._failures.append(error)
            return b""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()
