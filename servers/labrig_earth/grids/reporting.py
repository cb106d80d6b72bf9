"""From a computed field to a result: a few values as they are, many as a file and its range."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig_earth.grids.areas import area_mean
from labrig_earth.grids.axes import axes_of, grid_text
from labrig_earth.grids.reading import Field
from labrig_earth.grids.times import iso
from labrig_earth.grids.units import shown
from labrig_earth.grids.writing import write
from labrig_earth.results import Result

MOST_VALUES = 24
"""Values that are told one by one; more are a file with its range."""

HELD_BYTES = 512 << 20
"""A field up to this size is computed once and kept in memory; a larger one goes into its file and is read again."""


def result_of(
    source: Field,
    field: Any,
    method: str,
    folder: Path,
    *,
    name: str,
    kind: str = "",
    notes: str = "",
) -> Result:
    """Return a field as a result; it is written where it has more than 24 values, or where a format is asked for.

    Parameters
    ----------
    field
        `xarray.DataArray`, or `xarray.Dataset` of some.
    name
        Of the file, without an ending.
    kind
        A format of `writing.FORMATS`; by default CSV for what has one axis, or a region and another, else NetCDF.
    """
    if "region" in field.dims:
        field = field.transpose("region", ...)
    fields = [field[each] for each in field.data_vars] if hasattr(field, "data_vars") else [field]
    most = max(each.size for each in fields)
    many = most * len(fields) > MOST_VALUES
    files: tuple[str, ...] = ()
    history = "; ".join([*source.done, method])
    if field.nbytes <= HELD_BYTES:
        field = field.compute()
    if many or kind:
        target = write(field, folder, name, kind or _format(fields[0]), history=history, source=source.source)
        files = (target,)
        if field.nbytes > HELD_BYTES:
            field = _again(folder / target, field)
    fields = [field[each] for each in field.data_vars] if hasattr(field, "data_vars") else [field]
    values = [value for each in fields for value in (_ranges(each) if many else _each(each))]
    axes = axes_of(fields[0])
    horizontal = axes if axes.x in fields[0].dims else source.axes
    cells = sum(int(each.size) for each in fields)
    valid = sum(int(each.notnull().sum()) for each in fields)
    data: dict[str, Any] = (
        {"axes": {str(dim): int(size) for dim, size in fields[0].sizes.items()}} if many else {}
    )
    if notes:
        data["notes"] = notes
    warnings = () if valid else ("Every value is missing",)
    return Result(
        method=history,
        values=tuple(values),
        data=data,
        crs=horizontal.crs,
        grid=grid_text(fields[0], axes) if axes.x in fields[0].dims else source.grid,
        cells=cells if source.cells is None else source.cells,
        valid_cells=valid if source.cells is None else source.valid_cells,
        source=source.source,
        files=files,
    ).noting(assumed=source.assumed, warnings=(*source.warnings, *warnings))


def _format(field: Any) -> str:
    return "csv" if field.ndim <= 1 or "region" in field.dims else "netcdf"


def _again(path: Path, field: Any) -> Any:
    """Return a field that was written, read in pieces."""
    from labrig_earth.data.opening import open_dataset

    if path.suffix not in (".nc", ".zarr"):
        return field
    found = open_dataset(path)
    return found if hasattr(field, "data_vars") else found[str(field.name or "value")]


def _each(field: Any) -> list[Quantity]:
    """Return the values of a small field, each with where it holds."""
    unit, name = shown(field.attrs.get("units", "")), str(field.name or "value")
    found = []
    for place in np.ndindex(field.shape):
        value = field.values[place]
        note = ", ".join(_label(field, dim, index) for dim, index in zip(field.dims, place, strict=True))
        known = bool(np.isfinite(value)) if field.dtype.kind == "f" else True
        number = _number(value) if known else None
        found.append(Quantity(name, number, unit, note if known else f"{note}, missing".removeprefix(", ")))
    return found


def _label(field: Any, dim: Any, index: int) -> str:
    if dim not in field.coords:
        return f"{dim} {index}"
    value = field[dim].values[index]
    kind = field[dim].dtype.kind
    if kind == "M" or hasattr(value, "calendar"):
        return iso(value)
    return f"{dim} {value:.9g}" if kind in "iuf" else str(value)


def _ranges(field: Any) -> list[Quantity]:
    """Return mean, smallest and largest value of a field, the mean weighted by area where it has one."""
    unit, name = shown(field.attrs.get("units", "")), str(field.name or "value")
    axes = axes_of(field)
    on_grid = axes.x in field.dims and axes.y in field.dims and (axes.curvilinear or axes.x in field.coords)
    on_grid = on_grid and field.sizes[axes.x] > 1 and field.sizes[axes.y] > 1
    if field.dtype.kind not in "fiub":
        return []
    over = area_mean(field).mean() if on_grid and field.dtype.kind == "f" else field.mean()
    how = "area-weighted" if on_grid and field.dtype.kind == "f" else ""
    found = [Quantity(f"{name} mean", _number(over), unit, how)]
    found += [Quantity(f"{name} {act}", _number(getattr(field, act)()), unit) for act in ("min", "max")]
    return [replace(each, note="every value is missing") if each.value is None else each for each in found]


def _number(value: Any) -> float | int | None:
    """Return a number with seven digits, which float32 has."""
    number = (
        value.values.item() if hasattr(value, "values") else value.item() if hasattr(value, "item") else value
    )
    if isinstance(number, (bool, int)):
        return int(number)
    return float(f"{number:.7g}") if np.isfinite(number) else None
