"""Operations by their names, as the rooms offer them, and what becomes of an error that a library raises."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.grids.axes import short_crs
from labrig_earth.work.calls import Call, Operation

ROOMS: tuple[str, ...] = (
    "labrig_earth.grids.operations",
    "labrig_earth.gis.operations",
    "labrig_earth.satellite.operations",
    "labrig_earth.plots.operations",
    "labrig_earth.catalogue.operations",
    "labrig_earth.impact.operations",
    "labrig_earth.terra.operations",
)
"""Modules with `OPERATIONS`; a room that is new adds itself here."""


@lru_cache(maxsize=1)
def operations() -> Mapping[str, Operation]:
    """Return all operations; RuntimeError where two rooms offer one of the same name."""
    found: dict[str, Operation] = {}
    for room in ROOMS:
        offered: Mapping[str, Operation] = importlib.import_module(room).OPERATIONS
        twice = found.keys() & offered.keys()
        if twice:
            raise RuntimeError(f"two rooms offer {', '.join(sorted(twice))}")
        found.update(offered)
    return found


def run(name: str, call: Call) -> bytes:
    """Run an operation in this process and return its result as JSON; `inside.work` does it behind walls.

    Raises
    ------
    LabrigError
        What the operation refuses; ``bad_input`` for values that cannot be read, ``limit`` for too little memory,
        ``engine`` for whatever else a library raises.
    """
    if name not in operations():
        raise unknown_name("operation", name, operations())
    names = {place.path: place.name for places in call.inputs.values() for place in places}
    try:
        result = operations()[name](call)
        result = replace(result, crs=short_crs(result.crs))
        return json.dumps(plain(result.to_dict()), allow_nan=False).encode()
    except LabrigError:
        raise
    except MemoryError:
        raise LabrigError(
            "This takes more memory than a call may have",
            try_="a smaller box, fewer variables or a shorter time",
            code="limit",
        ) from None
    except Exception as error:  # each library has its own, and a broken file finds others
        said = " ".join(str(error).split())
        for path, shown in names.items():
            said = said.replace(path, shown)
        if type(error).__name__ == "RasterioIOError" or said.startswith("NetCDF: HDF error"):
            raise LabrigError(
                f"A part of a file cannot be read: {said[:200]}",
                where=", ".join(names.values()),
                expected="a whole file, as it was written",
                try_="the file from its source once more",
            ) from error
        raise LabrigError(
            f"{name} failed: {type(error).__name__}: {said[:400]}",
            where=", ".join(names.values()),
            try_="describe_data, which says what is in the file",
            code="engine",
        ) from error


def plain(value: Any) -> Any:
    """Return a value as JSON has it: NumPy's numbers as Python's, None for what is not finite, times as ISO text."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
