"""Ranges of the arrays of NetCDF and HDF5 files: of all values, or of slices along the first dimension of a large one.

Values are as the CF conventions (section 8.1) unpack them: what stands for missing ones is left out, then scale and
offset are applied. Times come as dates, in the calendar of their array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 16 << 20
"""Of an array that is read whole; of a larger one, in pieces at equal distances."""

PIECES = 32

ALTOGETHER = 128 << 20
"""Bytes of all arrays of a file, unpacked: some two seconds."""

DEFAULT_FILL = 9.969209968386869e36
"""What the NetCDF library writes where nothing was written to an array of numbers with a point (netcdf.h)."""


@dataclass
class Array:
    """An array of a file.

    Attributes
    ----------
    shape
        Lengths of its dimensions; empty for a single value.
    row
        Bytes that a slice along the first dimension takes in the file, or unpacked.
    layer
        Slices that are unpacked together.
    read
        The slices from one number to another, as an array of numpy's; fewer where the file ends.
    """

    shape: tuple[int, ...]
    row: int
    layer: int
    read: Callable[[int, int], Any]

    def parts(self) -> list[tuple[int, int]]:
        """Return what is to be read: all of it, or pieces of it, the first and the last among them."""
        rows = self.shape[0] if self.shape else 1
        if rows * self.row <= MOST_BYTES:
            return [(0, rows)]
        layers = max(1, MOST_BYTES // PIECES // (self.row * self.layer))
        step = layers * self.layer
        pieces = min(PIECES, max(2, MOST_BYTES // (step * self.row)), -(-rows // step))
        last = (rows - 1) // step
        starts = dict.fromkeys(step * round(last * number / max(1, pieces - 1)) for number in range(pieces))
        return [(start, min(start + step, rows)) for start in starts]


class Ranges:
    """Adds ranges to the descriptions of arrays, until enough of a file was read."""

    def __init__(self) -> None:
        self._left = ALTOGETHER

    def add(self, found: dict[str, Any], array: Array, attributes: dict[str, Any]) -> None:
        """Add ``min`` and ``max``, ``missing`` values, and ``looked_at`` where only pieces were read."""
        if not math.prod(array.shape):
            return
        parts = array.parts()
        slices = sum(stop - start for start, stop in parts)
        if (cost := slices * array.row) > self._left:
            found["notes"] = ["too large for its range to be read here"]
            return
        self._left -= cost
        range_ = _Range(attributes)
        for start, stop in parts:
            range_.take(array.read(start, stop))
        if range_.values < slices * math.prod(array.shape[1:]):
            found["notes"] = ["the file ends before its values do"]
        if len(parts) > 1:
            found["looked_at"] = f"{slices:,} of {array.shape[0]:,} slices along the first dimension"
        range_.add_to(found)


class _Range:
    """The range of values as a file has them."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        self._attributes = attributes
        self.values = self._missing = 0
        self._ends: list[Any] = []
        self._single = False
        self._outside = 0
        low, high = (self._numbers(name) for name in ("valid_min", "valid_max"))
        both = self._numbers("valid_range")
        self._valid = tuple(both) if len(both) == 2 else ((low or [-math.inf])[0], (high or [math.inf])[0])

    def take(self, values: Any) -> None:
        """Look at more values."""
        import numpy

        values = numpy.ravel(values)
        kept = numpy.ones(values.shape, bool)
        if values.dtype.kind == "f":
            kept &= numpy.isfinite(values) & (values != values.dtype.type(DEFAULT_FILL))
        for name in ("_FillValue", "missing_value"):
            for code in self._numbers(name):
                kept &= values != (values.dtype.type(code) if values.dtype.kind == "f" else code)
        self._single = values.dtype == "float32"
        self.values += values.size
        held = values[kept]
        self._missing += values.size - held.size
        low, high = self._valid
        self._outside += int(((held < low) | (held > high)).sum())
        if held.size:
            ends = [*self._ends, held.min().item(), held.max().item()]
            self._ends = [min(ends), max(ends)]

    def _numbers(self, name: str) -> list[float]:
        stated = self._attributes.get(name)
        listed = stated if isinstance(stated, list) else [stated]
        return [each for each in listed if isinstance(each, (int, float)) and not isinstance(each, bool)]

    def add_to(self, found: dict[str, Any]) -> None:
        """Say what was found."""
        if self._missing:
            found["missing"] = int(self._missing)
        if self._outside:
            found.setdefault("notes", []).append(
                f"{self._outside} values lie outside the valid range that the file states: netCDF4 leaves them out, "
                "xarray does not"
            )
        if not self._ends:
            return
        ends = self._ends
        scale, offset = self._numbers("scale_factor")[:1], self._numbers("add_offset")[:1]
        if scale or offset:
            ends = sorted(end * (scale or [1])[0] + (offset or [0])[0] for end in ends)
        if scale or offset or self._single:  # the digits of a single-precision number
            ends = [float(f"{end:.7g}") for end in ends]
        found["min"], found["max"] = self._as_dates(ends) or ends

    def _as_dates(self, ends: list[float]) -> list[str]:
        units = self._attributes.get("units")
        if not isinstance(units, str) or " since " not in units:
            return []
        import cftime

        calendar = self._attributes.get("calendar", "standard")
        try:
            return [date.isoformat(" ") for date in cftime.num2date(ends, units, calendar=calendar)]
        except (ValueError, OverflowError, TypeError, AttributeError):  # another kind of "since", or no date
            return []
