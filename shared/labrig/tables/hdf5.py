"""An HDF5 file, NetCDF-4 among them, read with h5py: datasets with shapes, units and ranges."""

from __future__ import annotations

import math
import posixpath
from itertools import islice
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.netcdf import dimensions_shown, shown, variable
from labrig.tables.ranges import Array, Ranges
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MOST_BYTES = 256 << 20
MOST_DATASETS = 500
MOST_LINKS = 20_000
"""Names of groups and datasets that are looked at."""
DEEPEST = 64
"""Groups within each other."""
_BARE = "This is a netCDF dimension but not a netCDF variable"
_BOOK_KEEPING = frozenset(
    {
        "CLASS",
        "NAME",
        "REFERENCE_LIST",
        "DIMENSION_LIST",
        "_Netcdf4Dimid",
        "_NCProperties",
        "_Netcdf4Coordinates",
    }
)


def describe(files: Files, path: str, *, values: bool = True) -> Description:
    """Describe an HDF5 file by its datasets; links to other files are not followed.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not an HDF5 file, ``unavailable`` without h5py.
    """
    try:
        import h5py
    except ImportError:
        raise missing_package("h5py", "An HDF5 or NetCDF-4 file") from None
    window = Window(files, path, MOST_BYTES)
    try:
        with h5py.File(window, "r") as file:
            found, notes = _datasets(file)
            kept = [(name, item) for name, item in found[:MOST_DATASETS] if not _is_bare(item)]
            ranges = Ranges() if values else None
            columns = [_variable(name, item, ranges) for name, item in kept]
            about = {
                "attributes": shown(_attributes(file)),
                "dimensions": dimensions_shown(_dimensions(found)),
            }
    except (OSError, RuntimeError, KeyError) as error:
        raise LabrigError(f"The HDF5 file cannot be read: {error}", where=path) from error
    return Description("HDF5", None, columns, notes, not notes, about)


def _datasets(file: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """Return the datasets of a file by their paths, each once, and what was left out.

    Not h5py's `visititems`: HDF5 makes the whole path of each object, which takes the square of the depth, and it
    follows as many groups as there are.
    """
    import h5py
    from h5py import h5l, h5o

    found: list[tuple[str, Any]] = []
    notes: list[str] = []
    seen = {_place(h5o.get_info(file.id))}
    left = MOST_LINKS
    pending = [(file, name, name, 1) for name in _names(file, left)]
    while pending:
        group, name, path, depth = pending.pop()
        if not left:
            notes.append(f"the first {MOST_LINKS:,} names of groups and datasets")
            break
        left -= 1
        link = name.encode("utf-8", "surrogateescape")
        if group.id.links.get_info(link).type != h5l.TYPE_HARD:
            continue
        about = h5o.get_info(group.id, link)
        if _place(about) in seen:
            continue
        seen.add(_place(about))
        if about.type == h5o.TYPE_DATASET:
            if len(found) == MOST_DATASETS:
                notes.append(f"the first {MOST_DATASETS:,} datasets")
                break
            found.append((path, h5py.Dataset(h5o.open(group.id, link))))
        elif about.type == h5o.TYPE_GROUP and depth == DEEPEST:
            notes.append(f"groups down to {DEEPEST} within each other")
        elif about.type == h5o.TYPE_GROUP:
            inner = h5py.Group(h5o.open(group.id, link))
            pending += [
                (inner, each, f"{path}/{each}", depth + 1) for each in _names(inner, left - len(pending))
            ]
    return found, list(dict.fromkeys(notes))


def _place(about: Any) -> tuple[int, int]:
    """Return what tells an object from others: it may have several names, and a group hold itself."""
    return about.fileno, about.addr


def _names(group: Any, most: int) -> list[str]:
    """Return the first names in a group, the last of them first."""
    return list(islice(group, max(0, most) + 1))[::-1]


def _variable(name: str, dataset: Any, ranges: Ranges | None) -> dict[str, Any]:
    attributes = _attributes(dataset)
    over = [_dimension(dataset, place) for place in range(len(dataset.shape or ()))]
    kind = "text" if dataset.dtype.kind in "OSU" else str(dataset.dtype)
    found = variable(name, kind, over, attributes)
    found["shape"] = list(dataset.shape or ())
    if ranges is None:
        return found
    if dataset.is_virtual or dataset.external:
        found["notes"] = ["its values lie in other files, which are not read"]
    elif dataset.dtype.kind in "iuf" and dataset.shape is not None:
        try:
            ranges.add(found, _array(dataset), attributes)
        except (
            OSError,
            RuntimeError,
            ValueError,
        ) as error:  # a filter that is not there, a chunk that is damaged
            found["notes"] = [f"its values cannot be read: {short(str(error))}"]
    return found


def _array(dataset: Any) -> Array:
    length = (dataset.chunks or (1,))[0]
    row = math.prod(dataset.shape[1:]) * dataset.dtype.itemsize
    read = (lambda start, stop: dataset[start:stop]) if dataset.shape else (lambda _start, _stop: dataset[()])
    return Array(dataset.shape, row, length, read)


def _dimension(dataset: Any, place: int) -> str:
    """Return the name of a dataset's dimension: that of its scale, as NetCDF-4 has them."""
    if dataset.is_scale and len(dataset.shape) == 1:
        return str(posixpath.basename(dataset.name))
    scales = [
        ("" if name.startswith(_BARE) else name, scale.name) for name, scale in dataset.dims[place].items()
    ]
    return str(scales[0][0] or posixpath.basename(scales[0][1] or "")) if scales else ""


def _is_bare(dataset: Any) -> bool:
    """Tell whether a dataset is only there because NetCDF-4 keeps a dimension without coordinates in it."""
    name = dataset.attrs.get("NAME", b"") if dataset.attrs.get("CLASS") == b"DIMENSION_SCALE" else b""
    return isinstance(name, bytes) and name.startswith(_BARE.encode())


def _dimensions(found: list[Any]) -> dict[str, int]:
    """Return the dimension scales of a file with their lengths."""
    scales = {name: item for name, item in found if item.attrs.get("CLASS") == b"DIMENSION_SCALE"}
    return {name: int(item.shape[0]) for name, item in scales.items() if item.shape}


def _attributes(item: Any) -> dict[str, Any]:
    """Return the attributes that are text or numbers as plain values, those of HDF5's own book-keeping left out."""
    found: dict[str, Any] = {}
    for name in item.attrs:
        if name in _BOOK_KEEPING:
            continue
        try:
            value = item.attrs[name]
        except (OSError, TypeError):  # a type that h5py does not know
            continue
        if getattr(value, "dtype", None) == "float32":
            value = value.astype(str).astype(float)  # 0.01 stays 0.01
        value = value.tolist() if hasattr(value, "tolist") else value
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if isinstance(value, (str, int, float, list)):
            found[str(name)] = value
    return found
