"""Files whose values lie in other files: refused, since what is not there would be read as if it were a number.

HDF5 gives the fill value, and no error, for a part of a virtual or external dataset whose file it cannot open
(HDFGroup/hdf5#5088), and Zarr for a chunk that is not there; behind the walls no other file can be opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, over_limit
from labrig_earth.data.formats import Place

MOST_NAMES = 100_000
"""Of groups, datasets and files that are looked at."""


def check_file(place: Place) -> None:
    """Refuse a NetCDF-4 file with a dataset or link that leads into another file; NetCDF 3 has none.

    Raises
    ------
    LabrigError
        ``refused``; ``limit`` for more than `MOST_NAMES`.
    """
    import h5py

    if not h5py.is_hdf5(place.path):
        return
    with h5py.File(place.path, "r") as file:
        for number, (name, item) in enumerate(objects(file)):
            if number == MOST_NAMES:
                raise over_limit("The file has more groups and datasets", MOST_NAMES, where=place.name)
            if isinstance(item, h5py.ExternalLink) or (isinstance(item, h5py.Dataset) and _leads_out(item)):
                raise _refused(f"{name} of this file lies in another file", place)


def check_store(place: Place) -> None:
    """Refuse a Zarr store in which a file or folder is a link.

    Raises
    ------
    LabrigError
        As `check_file`.
    """
    seen = 0
    for top, folders, files in os.walk(place.path):
        seen += len(folders) + len(files)
        if seen > MOST_NAMES:
            raise over_limit("The store has more files", MOST_NAMES, where=place.name)
        for name in (*folders, *files):
            if Path(top, name).is_symlink():
                raise _refused(f"{name} of this Zarr store is a link", place)


def objects(file: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a file holds, each object once, by name; of links those into other files."""
    import h5py

    def place(item: Any) -> tuple[int, int]:
        about = h5py.h5o.get_info(item.id)
        return about.fileno, about.addr

    seen, pending = {place(file)}, [file]
    while pending:
        group = pending.pop()
        for name in group:
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                yield name, link
                continue
            item = group[name]
            if place(item) in seen:
                continue
            seen.add(place(item))
            if isinstance(item, h5py.Group):
                pending.append(item)
            yield name, item


def _leads_out(dataset: Any) -> bool:
    """Tell whether values of a dataset lie in another file; one that is put together of its own file's stays."""
    if dataset.external:
        return True
    return dataset.is_virtual and any(each.file_name != "." for each in dataset.virtual_sources())


def _refused(what: str, place: Place) -> LabrigError:
    return LabrigError(
        f"{what}: its values would be missing, and look like numbers",
        where=place.name,
        expected="one file that holds all of its values",
        try_="copy the data into one file (h5repack, nccopy, xarray.Dataset.to_netcdf), or name the other file itself",
        code="refused",
    )
