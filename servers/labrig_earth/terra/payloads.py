"""What a published tool answers: a payload of JSON in which the files that were written stand by marks.

The half that serves puts the files where the call wants them, and each mark becomes the path of its file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.grids.writing import write
from labrig_earth.results import Result
from labrig_earth.terra.marks import MARK
from labrig_earth.work.calls import Call

_NAME = re.compile(r"[A-Za-z0-9_][\w.+-]{0,79}", re.ASCII)


def write_netcdf(call: Call, fields: Mapping[str, Any], name: str, *, history: str, source: str) -> str:
    """Write fields as variables of one NetCDF file of float32, and return its mark.

    Parameters
    ----------
    fields
        `xarray.DataArray` by the names that their variables are to have.
    name
        Of the file, without its ending.

    Raises
    ------
    LabrigError
        ``bad_input`` for a field without any value, and for a name that a variable cannot have.
    """
    import xarray as xr

    for each, field in fields.items():
        if not _NAME.fullmatch(each):
            raise LabrigError(
                "This cannot be the name of a variable",
                where=f"output_variable {each[:80]!r}",
                expected="letters, digits, '_', '-' and '.', the first a letter or digit",
            )
        if not bool(field.notnull().any()):
            raise LabrigError(f"Every value of {each} would be missing", where=source)
    data = xr.Dataset({each: field.astype("f4").assign_attrs(field.attrs) for each, field in fields.items()})
    target = write(data, call.scratch, safe(name), "netcdf", history=history, source=source)
    return f"{MARK}{target}"


def safe(name: str) -> str:
    """Return a name for a file: letters, digits, ``_``, ``-`` and ``.``, at most 80."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "_" for each in name)
    return (kept.lstrip(".-") or "field")[:80]


def make_result(
    payload: Mapping[str, Any],
    *,
    method: str,
    files: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    assumed: tuple[str, ...] = (),
) -> Result:
    """Return a payload as the result of an operation; `files` are marks."""
    return Result(
        method=method,
        data=dict(payload),
        files=tuple(each.removeprefix(MARK) for each in files),
        warnings=tuple(dict.fromkeys(warnings)),
        assumed=tuple(dict.fromkeys(assumed)),
    )


def number(value: Any) -> float | None:
    """Return a number with nine digits; None for one that is not finite."""
    found = float(value)
    return float(f"{found:.9g}") if np.isfinite(found) else None


def ranges(field: Any) -> dict[str, Any]:
    """Return sizes along the axes, smallest and largest value, and how many cells are missing."""
    return {
        "dims": {str(dim): int(size) for dim, size in field.sizes.items()},
        "min": number(field.min()),
        "max": number(field.max()),
        "mean": number(field.mean()),
        "missing": int(field.isnull().sum()),
        "units": str(field.attrs.get("units", "")),
    }
