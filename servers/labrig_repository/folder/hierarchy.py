"""A folder that is one thing to its readers: a Zarr hierarchy, as a zip archive for a process that is given a file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import IO

from labrig.errors import LabrigError
from labrig.tables.zarr_zip import MARKS, is_metadata
from labrig_repository.folder.store import Repository

MOST_BYTES, MOST_FILES = 64 << 20, 20_000
"""Of a hierarchy whose values are looked at; of a larger one the metadata are."""


def gather(repository: Repository, folder: str, into: IO[bytes]) -> bool:
    """Write a hierarchy as a zip archive; return whether its values are there, and not its metadata alone.

    Raises
    ------
    LabrigError
        ``bad_input`` for a folder that is no Zarr hierarchy.
    """
    if not any(each.name in MARKS for each in repository.entries(folder)):
        raise LabrigError(
            "This is a folder, and no Zarr hierarchy", where=folder, expected="a table", try_="list_directory"
        )
    size, kept, whole = 0, list[str](), True
    for number, (path, bytes_) in enumerate(_files(repository, folder)):
        size += bytes_
        whole &= size <= MOST_BYTES and number < MOST_FILES
        if is_metadata(path) or whole:
            kept.append(path)
        if number == 50 * MOST_FILES or (not whole and len(kept) > MOST_FILES):
            break
    with zipfile.ZipFile(into, "w") as archive:
        for path in kept:
            if whole or is_metadata(path):
                archive.writestr(path.removeprefix(f"{folder}/"), repository.read(path, 0, MOST_BYTES))
    into.flush()
    return whole


def _files(repository: Repository, folder: str) -> Iterator[tuple[str, int]]:
    """Yield the files below a folder with their bytes; links are passed over."""
    pending = [folder]
    while pending:
        here = pending.pop()
        for each in repository.entries(here):
            path = f"{here}/{each.name}"
            if each.kind == "folder" and not each.link:
                pending.append(path)
            elif each.kind == "file" and not each.link:
                yield path, each.version.size if each.version else 0
