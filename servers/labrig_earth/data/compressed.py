"""Files that archives hold compressed: unpacked into a scratch folder before anything reads them.

A zip archive with one file of data or one Zarr store, and what gzip and bzip2 compressed. A zipped Shapefile stays as
it is, since GDAL reads it there. What cannot be unpacked stays too: `formats.format_of` says what is wrong with it.
"""

from __future__ import annotations

import bz2
import gzip
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import IO, Any

from labrig_earth.data.formats import ZARR, Place

MOST_UNPACKED_BYTES = 1 << 30
MOST_MEMBERS = 100_000
_ASIDE = (".txt", ".md", ".pdf", ".xml", ".html", ".sha256", ".md5", ".json.sig")
"""Endings of what lies beside the data in an archive."""
_STREAMS: dict[bytes, Any] = {b"\x1f\x8b\x08": gzip.open, b"BZh": bz2.open}


def unpack(place: Place, folder: Path) -> Place:
    """Return where what a compressed file holds now lies, in a new folder in `folder`; else the place itself."""
    try:
        with Path(place.path).open("rb") as file:
            head = file.read(4)
        stream = next((act for start, act in _STREAMS.items() if head.startswith(start)), None)
        if stream is not None:
            with stream(place.path, "rb") as source:
                return Place(_copied(source, folder), place.name)
        if head == b"PK\x03\x04":
            return _of_zip(place, folder)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        pass  # broken, encrypted, too large, a folder: its reader says so
    return place


def _of_zip(place: Place, folder: Path) -> Place:
    with zipfile.ZipFile(place.path) as archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        if len(members) > MOST_MEMBERS or sum(each.file_size for each in members) > MOST_UNPACKED_BYTES:
            return place
        if stores := sorted(_stores(members), key=len):
            made = Path(mkdtemp(dir=folder))
            for each in members:
                archive.extract(each, made)  # which leaves out a root and what climbs up
            return Place(str(made / stores[0]), place.name)
        names = [each.filename.lower() for each in members]
        if any(name.endswith(".shp") for name in names):
            return place
        data = [
            each
            for each, name in zip(members, names, strict=True)
            if not name.endswith(_ASIDE) and not PurePosixPath(name).name.startswith((".", "_"))
        ]
        if len(data) != 1:
            return place
        with archive.open(data[0]) as source:
            return Place(_copied(source, folder), place.name)


def _stores(members: list[zipfile.ZipInfo]) -> Iterator[str]:
    """Yield the folders in an archive that are Zarr stores or groups of one; the outermost is the shortest."""
    for each in members:
        path = PurePosixPath(each.filename)
        if path.name in ZARR and ".." not in path.parts and not path.is_absolute():
            yield "" if str(path.parent) == "." else str(path.parent)


def _copied(source: IO[bytes], folder: Path) -> str:
    """Write what a stream gives into a new file; ValueError beyond `MOST_UNPACKED_BYTES`."""
    made = Path(mkdtemp(dir=folder)) / "data"
    try:
        with made.open("wb") as target:
            while block := source.read(1 << 20):
                if target.tell() + len(block) > MOST_UNPACKED_BYTES:
                    raise ValueError("too large")
                target.write(block)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile):
        shutil.rmtree(made.parent)
        raise
    return str(made)
