"""A Zarr hierarchy (2 and 3) in a zip archive, as zarr's own ZipStore has it: arrays with shapes and ranges."""

from __future__ import annotations

import base64
import json
import math
import struct
import zipfile
from collections.abc import Iterator, MutableMapping
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.codecs import keep_known, unknown_codec
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.netcdf import shown, variable
from labrig.tables.ranges import Array, Ranges
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MARKS = (".zgroup", ".zarray", "zarr.json")
"""Files that only a Zarr hierarchy has at its root (Zarr 2, "Metadata"; Zarr 3, "Metadata documents")."""
MOST_BYTES = 256 << 20
MOST_MEMBER = 64 << 20
"""Of a chunk, as it is packed; what it unpacks to is bounded by the memory of the process."""
MOST_ARRAYS = 500
_METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")


def is_metadata(path: str) -> bool:
    """Tell whether a file of a hierarchy says what it holds, and holds no values."""
    return path.rpartition("/")[2] in _METADATA


def describe(files: Files, path: str, *, values: bool = True) -> Description:
    """Describe a hierarchy by its arrays.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no such archive, ``refused`` for a codec that is not known, ``unavailable`` without
        zarr.
    """
    try:
        import zarr
    except ImportError:
        raise missing_package("zarr", "A Zarr hierarchy") from None
    keep_known()
    try:
        with zipfile.ZipFile(Window(files, path, MOST_BYTES)) as archive:
            held = _Held(archive)
            store = zarr.storage.MemoryStore(held, read_only=True)
            names = sorted(filter(None, map(held.array_at, held)))
            ranges = Ranges() if values else None
            columns = [
                _described(name, zarr.open_array(store, path=name, mode="r"), ranges)
                for name in dict.fromkeys(each.removeprefix("/") for each in names[:MOST_ARRAYS])
            ]
            about = {"attributes": shown(held.attributes())}
    except (zipfile.BadZipFile, NotImplementedError, OSError, KeyError, ValueError, TypeError) as error:
        refused = unknown_codec(error, path)
        raise refused or LabrigError(f"The Zarr hierarchy cannot be read: {error}", where=path) from error
    if not columns:
        raise LabrigError("There is no array in the Zarr hierarchy", where=path)
    notes = [f"the first {MOST_ARRAYS} arrays"] if len(names) > MOST_ARRAYS else []
    return Description("Zarr", None, columns, notes, not notes, about)


class _Held(MutableMapping[str, Any]):
    """The files of an archive, each read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = {each.filename: each for each in archive.infolist() if not each.is_dir()}

    def text(self, name: str) -> dict[str, Any]:
        """Return a JSON file of the hierarchy; nothing where there is none."""
        if name not in self._names or self._names[name].file_size > MOST_MEMBER:
            return {}
        found = json.loads(self._archive.read(name))
        return found if isinstance(found, dict) else {}

    def array_at(self, name: str) -> str:
        """Return the path of the array that a file says to be one, after a slash; empty for other files."""
        folder, _, file = name.rpartition("/")
        is_one = file == ".zarray" or (file == "zarr.json" and self.text(name).get("node_type") == "array")
        return f"/{folder}" if is_one else ""

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the root."""
        found = self.text(".zattrs") or self.text("zarr.json").get("attributes", {})
        return found if isinstance(found, dict) else {}

    def __getitem__(self, name: str) -> Any:
        from zarr.core.buffer import default_buffer_prototype

        if self._names[name].file_size > MOST_MEMBER:
            raise ValueError(f"a chunk of more than {MOST_MEMBER:,} bytes")
        return default_buffer_prototype().buffer.from_bytes(self._archive.read(name))

    def __setitem__(self, name: str, value: Any) -> None:
        raise TypeError("read-only")

    def __delitem__(self, name: str) -> None:
        raise TypeError("read-only")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _described(name: str, array: Any, ranges: Ranges | None) -> dict[str, Any]:
    attributes = _attributes(array)
    dimensions = attributes.pop("_ARRAY_DIMENSIONS", None) or getattr(array.metadata, "dimension_names", None)
    over = [str(each) for each in dimensions] if isinstance(dimensions, (list, tuple)) else []
    found = variable(name or "(array)", str(array.dtype), over, attributes)
    found["shape"] = list(array.shape)
    if ranges is None or array.dtype.kind not in "iuf":
        return found
    row = math.prod(array.shape[1:]) * array.dtype.itemsize
    layer = (array.chunks or (1,))[0]
    read = (lambda start, stop: array[start:stop]) if array.shape else (lambda _start, _stop: array[()])
    try:
        ranges.add(found, Array(tuple(array.shape), row, layer, read), attributes)
    except (ValueError, TypeError, RuntimeError, OSError, KeyError) as error:  # a codec, a damaged chunk
        found["notes"] = [f"its values cannot be read: {short(str(error))}"]
    return found


def _attributes(array: Any) -> dict[str, Any]:
    """Return the attributes as xarray means them: version 2 masks what is not filled, 3 has fills as Base64."""
    attributes = dict(array.attrs)
    fill = attributes.get("_FillValue")
    if isinstance(fill, str) and array.dtype.kind == "f":
        try:
            attributes["_FillValue"] = struct.unpack("<d", base64.b64decode(fill))[0]
        except (ValueError, struct.error):
            del attributes["_FillValue"]
    elif fill is None and array.metadata.zarr_format == 2 and array.fill_value is not None:
        value = array.fill_value
        attributes["_FillValue"] = value.item() if hasattr(value, "item") else value
    return attributes
