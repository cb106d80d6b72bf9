"""What every operation on Earth data gives back: numbers with units, and all that is needed to trust them.

An operation is a pure function over xarray or geopandas objects that returns a `Result`; objects that are to be kept as
files are written into the scratch folder that it is given, and named in `files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labrig.answer import Quantity

SYNTHETIC = "labrig_synthetic"
"""Global attribute of the files of the made world; its text says from which seed. No colon: GDAL would cut it there."""
OFFSET_LEFT_OUT = "labrig_offset_left_out"
"""Attribute of a fetched scene: which bands' offset its catalogue states and was not applied, and why."""


def said_of(label: str) -> str:
    """Return what a result says of data with this label."""
    text = " ".join(label.split())[:160]
    return f"These data are {text if text.startswith('synthetic') else 'synthetic: ' + text}"


@dataclass(frozen=True)
class Result:
    """The result of one operation.

    Attributes
    ----------
    method
        How the values were computed, in one sentence: "mean over time, then cos-latitude weights".
    values
        Numbers with units.
    data
        A small table or description; what is large is a file.
    assumed
        Conventions that were taken for granted since the data do not state them ("no CRS is stated: WGS 84").
    warnings
        What the caller should know before using the values.
    crs
        Such as ``EPSG:4326``; empty where nothing has coordinates.
    grid
        Such as ``0.25 x 0.25 degree, 41 x 41``.
    cells, valid_cells
        Cells that the values are made from, and those of them that are not missing.
    source
        Which data, as they name themselves; who opens them fills it.
    files
        Names, relative to the scratch folder, of files and folders (Zarr) to keep as artifacts.
    """

    method: str
    values: tuple[Quantity, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    crs: str = ""
    grid: str = ""
    cells: int | None = None
    valid_cells: int | None = None
    source: str = ""
    files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, all of it."""
        return {
            "method": self.method,
            "values": [each.to_dict() for each in self.values],
            "data": dict(self.data),
            "assumed": list(self.assumed),
            "warnings": list(self.warnings),
            "crs": self.crs,
            "grid": self.grid,
            "cells": self.cells,
            "valid_cells": self.valid_cells,
            "source": self.source,
            "files": list(self.files),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Result:
        """Rebuild a result from `to_dict`; TypeError or KeyError for anything else."""
        lists = {name: tuple(fields[name]) for name in ("assumed", "warnings", "files")}
        if not all(isinstance(each, str) for part in lists.values() for each in part):
            raise TypeError("a result of another shape")
        return cls(
            method=str(fields["method"]),
            values=tuple(Quantity(**each) for each in fields["values"]),
            data=dict(fields["data"]),
            crs=str(fields["crs"]),
            grid=str(fields["grid"]),
            cells=fields["cells"],
            valid_cells=fields["valid_cells"],
            source=str(fields["source"]),
            **lists,
        )

    def noting(self, *, assumed: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> Result:
        """Return the result with further notes, each once, those given before its own."""
        return replace(
            self,
            assumed=tuple(dict.fromkeys((*assumed, *self.assumed))),
            warnings=tuple(dict.fromkeys((*warnings, *self.warnings))),
        )
