"""Arrays that NumPy saved: shapes and types from the headers, ranges where the array is small; nothing is unpickled."""

from __future__ import annotations

import math
import zipfile
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MARK = b"\x93NUMPY"
MOST_BYTES = 64 << 20
MOST_ARRAYS = 200


def describe(files: Files, path: str) -> Description:
    """Describe an npy or npz file; its format is that of NumPy's NEP 1.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is damaged, ``unavailable`` without numpy.
    """
    try:
        import numpy
    except ImportError:
        raise missing_package("numpy", "A file of arrays") from None
    window = Window(files, path, 2 * MOST_BYTES)
    try:
        if not path.lower().endswith(".npz"):
            return Description("NumPy array", None, [_array(numpy, "", window, files.size(path))])
        with zipfile.ZipFile(window) as archive:
            listed = [each for each in archive.infolist() if each.filename.endswith(".npy")]
            columns = []
            for each in listed[:MOST_ARRAYS]:
                with archive.open(each) as file:
                    columns.append(_array(numpy, each.filename[:-4], file, each.file_size))
    except LabrigError:
        raise
    except Exception as error:  # zipfile and numpy raise many kinds
        raise LabrigError(f"The arrays cannot be read: {error}", where=path) from error
    notes = [f"the first {MOST_ARRAYS} of {len(listed)} arrays"] if len(listed) > MOST_ARRAYS else []
    return Description("NumPy arrays", None, columns, notes, complete=not notes)


def _array(numpy: Any, name: str, file: Any, size: int) -> dict[str, Any]:
    """Return one array as a column: dtype, shape, and the range of numbers that are not too many."""
    reads = {(1, 0): numpy.lib.format.read_array_header_1_0, (2, 0): numpy.lib.format.read_array_header_2_0}
    version = numpy.lib.format.read_magic(file)
    if version not in reads:
        raise ValueError(f"version {version[0]}.{version[1]} of the format, where 1.0 and 2.0 are read")
    shape, _, dtype = reads[version](file)
    found: dict[str, Any] = {"name": short(name) or "array", "type": short(str(dtype)), "shape": list(shape)}
    if dtype.hasobject:
        return found | {"notes": ["holds pickled objects, which are not read"]}
    bytes_ = math.prod(shape) * dtype.itemsize
    if bytes_ > size:
        return found | {"notes": ["the file ends before the array does"]}
    if not 0 < bytes_ <= MOST_BYTES or dtype.kind not in "biuf":
        return found
    values = numpy.frombuffer(file.read(bytes_), dtype=dtype)
    finite = values[numpy.isfinite(values)]
    if missing := values.size - finite.size:
        found["missing"] = int(missing)
    if finite.size:
        found |= {"min": finite.min().item(), "max": finite.max().item()}
    return found
