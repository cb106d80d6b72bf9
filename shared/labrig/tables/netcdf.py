"""A classic NetCDF file (CDF-1, CDF-2, CDF-5) without a library of its own: dimensions, variables, units, ranges.

The layout is that of the NetCDF User's Guide, "File Format Specifications": big-endian, names and values padded to
four bytes, lists behind a tag and a count. NetCDF-4 files are HDF5: `labrig.tables.hdf5`.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.ranges import Array, Ranges
from labrig.tools.reading import Files

MOST_BYTES = 8 << 20
"""Of a header."""

MOST_SHOWN = 20
"""Attributes, values of one, dimensions of a variable."""

MOST_NAME = 200
MOST_DIMENSIONS = 200
_TYPES = {
    1: ("int8", "b"),
    2: ("char", ""),
    3: ("int16", "h"),
    4: ("int32", "i"),
    5: ("float32", "f"),
    6: ("float64", "d"),
    7: ("uint8", "B"),
    8: ("uint16", "H"),
    9: ("uint32", "I"),
    10: ("int64", "q"),
    11: ("uint64", "Q"),
}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12


def describe(files: Files, path: str, *, values: bool = True) -> Description:
    """Describe a classic NetCDF file; LabrigError ``bad_input`` for a header that is broken."""
    data = files.read(path, 0, MOST_BYTES)
    try:
        return _Header(data).described(files, path, values)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError) as error:
        raise LabrigError("The header of the NetCDF file is broken or cut off", where=path) from error


@dataclass
class _Variable:
    """A variable as the header has it; a `record` one has a slice in each record of the file."""

    shown: dict[str, Any]
    attributes: dict[str, Any]
    kind: int
    shape: tuple[int, ...]
    begin: int
    record: bool

    @property
    def row(self) -> int:
        """Bytes of a slice along its first dimension."""
        return math.prod(self.shape[1:]) * struct.calcsize(_TYPES[self.kind][1] or "c")


class _Header:
    def __init__(self, data: bytes) -> None:
        version = data[3]
        self._data = data
        self._place = 4
        self._count = "q" if version == 5 else "i"
        self._offset = "i" if version == 1 else "q"
        self._version = version

    def described(self, files: Files, path: str, values: bool) -> Description:
        records = self._number(self._count)
        streaming = records == -1 or records == 2**32 - 1
        dimensions = self._dimensions()
        attributes = self._attributes()
        variables = [self._variable(dimensions, 0 if streaming else records) for _ in self._list(_VARIABLES)]
        sizes = {name: (None if streaming else records) if size == 0 else size for name, size in dimensions}
        about = {"dimensions": dimensions_shown(sizes), "attributes": shown(attributes)}
        in_record = [each.row for each in variables if each.record]
        # Of one record variable alone, slices are not padded (File Format Specifications, note on padding).
        record = in_record[0] if len(in_record) == 1 else sum(row + -row % 4 for row in in_record)
        ranges = Ranges()
        for each in variables:
            if values and _TYPES[each.kind][1]:
                ranges.add(each.shown, _array(files, path, each, record), each.attributes)
        columns = [each.shown for each in variables]
        return Description(f"NetCDF classic (CDF-{self._version})", None, columns, [], about=about)

    def _number(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self._data, self._place)
        self._place += struct.calcsize(form)
        return int(value)

    def _list(self, tag: int) -> range:
        """Return a range over the entries of a list that may be absent."""
        found, count = self._number("i"), self._number(self._count)
        if found not in (0, tag) or not 0 <= count <= len(self._data):
            raise struct.error
        return range(count)

    def _name(self) -> str:
        return self._padded(self._number(self._count)).decode("utf-8")

    def _padded(self, size: int) -> bytes:
        content = self._data[self._place : self._place + size]
        if len(content) != size or size < 0:
            raise struct.error
        self._place += size + -size % 4
        return content

    def _dimensions(self) -> list[tuple[str, int]]:
        found = [(self._name(), self._number(self._count)) for _ in self._list(_DIMENSIONS)]
        if any(size < 0 for _, size in found):
            raise struct.error
        return found

    def _attributes(self) -> dict[str, Any]:
        return {self._name(): self._values() for _ in self._list(_ATTRIBUTES)}

    def _values(self) -> Any:
        name, form = _TYPES[self._number("i")]
        count = self._number(self._count)
        if name == "char":
            return self._padded(count).decode("utf-8", "replace").rstrip("\0")
        if not 0 <= count <= len(self._data):
            raise struct.error
        values = struct.unpack(f">{count}{form}", self._padded(count * struct.calcsize(form)))
        if form == "f":
            values = tuple(map(_float32, values))
        return values[0] if count == 1 else list(values)

    def _variable(self, dimensions: list[tuple[str, int]], records: int) -> _Variable:
        name = self._name()
        count = self._number(self._count)
        if not 0 <= count <= 1024:
            raise struct.error
        over = [dimensions[self._number(self._count)] for _ in range(count)]
        attributes = self._attributes()
        kind = self._number("i")
        described = variable(name, _TYPES[kind][0], [each for each, _ in over], attributes)
        self._number(self._count)  # bytes of one record, which may be more than the number can say
        if (begin := self._number(self._offset)) < 0:
            raise struct.error
        shape = tuple(size or records for _, size in over)
        return _Variable(described, attributes, kind, shape, begin, bool(over) and over[0][1] == 0)


def _array(files: Files, path: str, of: _Variable, record: int) -> Array:
    """Return what must be read of a variable: a slice from each record, or one after another."""
    import numpy

    dtype = numpy.dtype(f">{_TYPES[of.kind][1]}")
    stride = record if of.record else of.row

    def read(start: int, stop: int) -> Any:
        data = files.read(path, of.begin + start * stride, (stop - start - 1) * stride + of.row)
        whole = max(0, len(data) - of.row) // max(1, stride) + (len(data) >= of.row)
        rows = numpy.ndarray((whole, of.row // dtype.itemsize), dtype, data, strides=(stride, dtype.itemsize))
        return rows.astype(dtype.newbyteorder("="))

    return Array(of.shape, stride, 1, read)


def _float32(value: float) -> float:
    """Return the shortest decimal that is the same single-precision number: 0.01 stays 0.01."""
    candidates = (float(f"{value:.{digits}g}") for digits in range(6, 9))
    return next((each for each in candidates if struct.pack(">f", each) == struct.pack(">f", value)), value)


def variable(name: str, kind: str, over: list[str], attributes: dict[str, Any]) -> dict[str, Any]:
    """Return a variable as it is described: unit, long name, what stands for missing values."""
    named = [short(each) for each in over[:MOST_SHOWN]]
    found: dict[str, Any] = {"name": short(name, MOST_NAME), "type": kind, "dimensions": named}
    for key, attribute in {"unit": "units", "about": "long_name", "standard_name": "standard_name"}.items():
        if isinstance(attributes.get(attribute), str) and attributes[attribute]:
            found[key] = short(attributes[attribute])
    for key, attribute in {
        "missing_as": "_FillValue",
        "scale": "scale_factor",
        "offset": "add_offset",
    }.items():
        if attribute in attributes:
            found[key] = brief(attributes[attribute])
    for key in ("valid_range", "actual_range"):
        if key in attributes:
            found[key] = brief(attributes[key])
    return found


def dimensions_shown(sizes: dict[str, Any]) -> dict[str, Any]:
    """Return the first dimensions of a file with their lengths."""
    return {short(name): size for name, size in list(sizes.items())[:MOST_DIMENSIONS]}


def brief(value: Any) -> Any:
    """Return an attribute as JSON can carry it: long texts and lists cut, what is not a finite number as text."""
    if isinstance(value, list):
        return [brief(each) for each in value[:MOST_SHOWN]] + ["..."] * (len(value) > MOST_SHOWN)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return short(str(value))


def shown(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the first attributes of a file, long texts and lists cut."""
    kept = list(attributes.items())[:MOST_SHOWN]
    return {short(name): brief(value) for name, value in kept}
