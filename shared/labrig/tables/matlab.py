"""MATLAB's MAT-files of versions 4 to 7, read with SciPy: variables, their shapes and ranges; 7.3 is HDF5."""

from __future__ import annotations

from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.ranges import Array, Ranges
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MARK = b"MATLAB 5.0 MAT-f"
MOST_BYTES = 64 << 20
"""Of a file whose values are read; of a larger one the variables are listed."""
MOST_SHOWN = 500


def is_one(beginning: bytes, name: str) -> bool:
    """Tell whether a file is one, by its first bytes; those of version 4 have no mark, so the name must say so."""
    return beginning.startswith(MARK) or (name.endswith(".mat") and b"\0" in beginning)


def describe(files: Files, path: str, *, values: bool = True) -> Description:
    """Describe a MAT-file: numbers with ranges, texts, and the fields of structures.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is damaged, ``unavailable`` without SciPy.
    """
    try:
        from scipy.io import loadmat, whosmat
    except ImportError:
        raise missing_package("scipy", "A MATLAB file") from None
    small = values and files.size(path) <= MOST_BYTES
    try:
        listed = whosmat(Window(files, path, 4 * MOST_BYTES))
        held = loadmat(Window(files, path, 2 * MOST_BYTES), struct_as_record=True) if small else {}
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # SciPy raises many kinds
        raise LabrigError(f"The MATLAB file cannot be read: {error}", where=path) from error
    ranges = Ranges()
    columns = [
        _variable(name, shape, kind, held.get(name), ranges) for name, shape, kind in listed[:MOST_SHOWN]
    ]
    notes = [f"the first {MOST_SHOWN} of {len(listed)} variables"] if len(listed) > MOST_SHOWN else []
    if values and not small:
        notes.append(f"a file of more than {MOST_BYTES >> 20} MiB: its values are not read")
    return Description("MATLAB", None, columns, notes, not notes)


def _variable(
    name: str, shape: tuple[int, ...] | None, kind: str, value: Any, ranges: Ranges
) -> dict[str, Any]:
    found: dict[str, Any] = {"name": short(name), "type": kind, "shape": list(shape or ())}
    if value is None:
        return found
    if kind == "struct":
        found["fields"] = [short(each) for each in (value.dtype.names or ())[:MOST_SHOWN]]
    elif kind == "char" and value.size == 1:
        found["text"] = short(str(value.item()))
    elif kind == "sparse":
        found["stored"] = int(value.nnz)
        _add_range(found, value.data, ranges)
    elif getattr(value, "ndim", 0):
        _add_range(found, value, ranges)
    return found


def _add_range(found: dict[str, Any], values: Any, ranges: Ranges) -> None:
    if values.dtype.kind in "iuf":
        row = max(1, values[:1].nbytes)
        ranges.add(found, Array(values.shape, row, 1, lambda start, stop: values[start:stop]), {})
