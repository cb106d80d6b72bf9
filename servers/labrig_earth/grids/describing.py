"""What is in a grid: variables, axes, units, calendar, gaps, how it is stored, and what a user should know first."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.bounds import EDGE
from labrig_earth.data.corners import CORNER
from labrig_earth.data.opening import OF_BANDS, SCALED, WARPED
from labrig_earth.data.stations import Places, places_of
from labrig_earth.grids.axes import (
    Axes,
    axes_of,
    edges_of,
    goes_round,
    grid_text,
    is_field,
    longitudes_of,
    metres_of,
    suspicious,
    variable_of,
)
from labrig_earth.grids.cells import POLES, cell_areas
from labrig_earth.grids.conventions import accumulation_of
from labrig_earth.grids.doubts import stands_for_missing, undeclared_text
from labrig_earth.grids.mesh import odd_cells
from labrig_earth.grids.times import time_axis
from labrig_earth.grids.units import unit_of
from labrig_earth.results import SYNTHETIC, Result, said_of

MOST_VARIABLES = 20
MOST_NAMES = 12
MOST_GROUPS = 50
MOST_COUNTED_BYTES = 256 << 20
"""Missing cells are counted in all of a variable up to this size, else in its first time step."""


def describe_data(data: Any, *, variable: str = "") -> Result:
    """Describe a dataset.

    Parameters
    ----------
    data
        `xarray.Dataset`.
    variable
        Describe this one alone.

    Returns
    -------
    Result
        `data` has ``dimensions`` (sizes), ``axes`` (roles to names), ``time`` (first, last, step, calendar, gaps),
        ``extent`` (west, south, east, north of cell centres), ``variables`` (at most 20, each with dims, unit, range
        of valid values, missing cells, packing, chunks, what its values cover in time) and ``attributes``.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown variable.
    """
    axes = axes_of(data)
    names = [str(name) for name in data.data_vars if is_field(data[name])]
    if variable:
        names = [str(variable_of(data, variable).name)]
    warnings: list[str] = []
    assumed = list(axes.assumed)
    described: dict[str, Any] = {"dimensions": {str(name): int(size) for name, size in data.sizes.items()}}
    described["axes"] = _roles(axes)
    if axes.time:
        described["time"] = _time(data, axes, warnings)
    described |= _space(data, axes, warnings)
    if "expver" in data.dims or "expver" in data.coords:
        warnings.append(
            "expver tells final (1) from preliminary (5) data of ERA5; extract and aggregate splice them"
        )
    described["variables"] = {name: _variable(data[name], axes, warnings) for name in names[:MOST_VARIABLES]}
    if len(names) > MOST_VARIABLES:
        described["not_shown"] = names[MOST_VARIABLES : MOST_VARIABLES + 100]
        warnings.append(f"{len(names) - MOST_VARIABLES} more variables; variable=NAME describes one")
    others = [str(name) for name in data.variables if name not in names and name not in data.dims]
    others = [name for name in others if not {CORNER, EDGE} & data[name].attrs.keys()]
    if others and not variable:
        described["other"] = others[:30]
    described["attributes"] = _attributes(data.attrs)
    if SYNTHETIC in data.attrs:
        warnings.insert(0, said_of(str(data.attrs[SYNTHETIC])))
    if groups := data.encoding.get("groups"):
        described["groups"] = groups[:MOST_GROUPS]
        warnings.append(f"What there is lies in groups of the file: layer={groups[0]!r} describes one")
    elif not names:
        warnings.append("The file has no variable that is a field of numbers")
    return Result(
        method="read from the file; missing cells and ranges are counted in the values",
        data=described,
        assumed=tuple(assumed),
        warnings=tuple(dict.fromkeys(warnings)),
        crs=axes.crs,
        grid=grid_text(data, axes),
        source=str(data.encoding.get("source", "")),
    )


def _roles(axes: Axes) -> dict[str, str]:
    y, x = ("latitude", "longitude") if axes.geographic else ("y", "x")
    roles = {"time": axes.time, y: axes.y, x: axes.x, "level": axes.level, "member": axes.member}
    if axes.curvilinear:
        roles |= {"latitude": axes.latitude_2d, "longitude": axes.longitude_2d}
    return {role: name for role, name in roles.items() if name}


def _time(data: Any, axes: Axes, warnings: list[str]) -> dict[str, Any]:
    try:
        found = time_axis(data, axes.time)
    except LabrigError as error:
        warnings.append(str(error))
        return {"name": axes.time}
    if found.calendar not in ("proleptic_gregorian", "standard", "gregorian"):
        warnings.append(f"The calendar is {found.calendar}: days of the year differ from those of other data")
    if found.missing:
        warnings.append(f"{found.missing} time steps of {found.step} are missing")
    if found.unordered:
        warnings.append("Times do not rise throughout")
    if found.doubled:
        warnings.append(f"{found.doubled} times stand twice")
    fields: dict[str, Any] = {
        "first": found.first,
        "last": found.last,
        "count": found.count,
        "step": found.step,
        "calendar": found.calendar,
        "gaps": [{"after": after, "steps": steps} for after, steps in found.gaps],
        "missing_steps": found.missing,
    }
    return {name: value for name, value in fields.items() if value not in ("", [], 0)}


def _cell_edges(data: Any, axes: Axes) -> list[float]:
    """Return west, south, east and north of the outer edges; nothing where the axes say nothing of the cells' sizes."""
    if axes.curvilinear or min(data[axes.y].size, data[axes.x].size) < 2:
        return []
    try:
        x = edges_of(data[axes.x].values)
        y = edges_of(data[axes.y].values, within=POLES if axes.in_degrees else None)
    except LabrigError:  # an axis that turns back
        return []
    return [float(x.min()), float(y.min()), float(x.max()), float(y.max())]


def _space(data: Any, axes: Axes, warnings: list[str]) -> dict[str, Any]:
    if (places := places_of(data)) is not None:
        return _places(data, places)
    y, x = axes.latitude_2d or axes.y, axes.longitude_2d or axes.x
    if not y or not x or y not in data.coords or x not in data.coords or not data[y].size:
        if not axes.curvilinear and (axes.y or axes.x):
            warnings.append("The horizontal axes have no coordinates")
        return {}
    centres = [float(data[x].min()), float(data[y].min()), float(data[x].max()), float(data[y].max())]
    warnings += suspicious(data, axes)
    edges = _cell_edges(data, axes)
    space: dict[str, Any] = {
        "extent": {
            "west_south_east_north": [round(each, 6) for each in edges or centres],
            "of": "the edges of cells" if edges else "the centres of cells",
        }
    }
    if edges and (axes.in_degrees or axes.crs):
        ground = float(cell_areas(data, axes).sum()) * 1e6
        factor = 1.0 if axes.in_degrees else metres_of(axes.crs)
        space["extent"]["area_m2"] = float(f"{ground * factor**2:.9g}")
    if axes.geographic:
        space["extent"]["longitudes"] = (
            "0 to 360" if longitudes_of(data, axes) == "360" else "-180 to 180"
        ) + (", all round the Earth" if goes_round(data, axes) else "")
        if data.sizes.get(axes.y, 1) > 1:
            falling = float(data[y].values[0]) > float(data[y].values[-1])
            space["extent"]["latitudes"] = "from north to south" if falling else "from south to north"
        if space["extent"]["longitudes"].startswith("0"):
            warnings.append("Longitudes run from 0 to 360: a box may be given in either convention")
    elif not axes.crs:
        warnings.append("No CRS is stated: x and y have no place on the Earth until one is given")
    if axes.curvilinear:
        warnings += odd_cells(data, axes)
    return space


def _places(data: Any, places: Places) -> dict[str, Any]:
    """Return where the values are that make no grid: one place, or how many and within which bounds."""
    y, x = (np.asarray(data[name].values, "f8") for name in (places.latitude, places.longitude))
    if not places.dim:
        return {"place": {"latitude": float(y), "longitude": float(x)}}
    said: dict[str, Any] = {"count": int(y.size), "dimension": places.dim}
    if places.dim in data.coords and data[places.dim].dtype.kind in "OUT":
        said["names"] = [str(each) for each in data[places.dim].values[:MOST_NAMES]]
    bounds = [float(each) for each in (np.nanmin(x), np.nanmin(y), np.nanmax(x), np.nanmax(y))]
    return {
        "places": said,
        "extent": {"west_south_east_north": [round(each, 6) for each in bounds], "of": "the places"},
    }


def _variable(variable: Any, axes: Axes, warnings: list[str]) -> dict[str, Any]:
    name = str(variable.name)
    unit = str(variable.attrs.get("units", "")).strip()
    fields: dict[str, Any] = {
        "dims": [f"{dim}={size}" for dim, size in variable.sizes.items()],
        "unit": unit,
        "name": str(variable.attrs.get("long_name", ""))[:80],
        "standard_name": str(variable.attrs.get("standard_name", "")),
        "cell_methods": str(variable.attrs.get("cell_methods", "")),
    }
    if OF_BANDS in variable.attrs:
        warnings.append(f"The bands of {name} have units of their own: {variable.attrs[OF_BANDS]}")
    elif not unit:
        warnings.append(f"{name} has no unit")
    elif not _is_unit(unit):
        warnings.append(f"The unit of {name}, {unit[:40]!r}, is not known: it cannot be converted")
    if WARPED in variable.attrs:
        warnings.append(f"{name}: {variable.attrs[WARPED]}")
    fields |= _stored(variable)
    fields |= _values(variable, axes)
    if axes.time in variable.dims:
        covers = accumulation_of(variable, axes.time)
        if covers.covers != "instant":
            fields["covers"] = f"{_COVERS[covers.covers]} ({covers.why})"
        if covers.doubt:
            warnings.append(f"{name}: {covers.doubt}")
    doubtful = _doubtful(name, unit, fields)
    if doubtful:
        warnings.append(doubtful)
    return {key: value for key, value in fields.items() if value not in ("", None, 0, [])}


_COVERS = {
    "before": "the step that ends at each time",
    "after": "the step that begins at each time",
    "since_00": "all since 00 UTC of the day",
}


def _is_unit(text: str) -> bool:
    try:
        unit_of(text)
    except LabrigError:
        return False
    return True


def _stored(variable: Any) -> dict[str, Any]:
    """Return how a variable is stored: type, packing, pieces in the file."""
    encoding = variable.encoding
    kind = str(encoding.get("dtype", variable.dtype))
    fields: dict[str, Any] = {"type": kind, "bytes": int(variable.nbytes)}
    if "scale_factor" in encoding or "add_offset" in encoding:
        scale, offset = float(encoding.get("scale_factor", 1.0)), float(encoding.get("add_offset", 0.0))
        fields["packed"] = f"{kind} x {scale:.6g} + {offset:.6g}: steps of {abs(scale):.3g}"
    elif (variable.attrs.get("scale_factor", 1), variable.attrs.get("add_offset", 0)) != (1, 0):
        scale, offset = variable.attrs.get("scale_factor", 1), variable.attrs.get("add_offset", 0)
        fields["packed"] = f"scale {scale}, offset {offset} are stated and not applied"
    elif SCALED in variable.attrs:
        fields["packed"] = f"{variable.attrs[SCALED]}: applied"
    chunks = encoding.get("chunksizes") or encoding.get("chunks") or encoding.get("preferred_chunks")
    if chunks:
        sizes = chunks.values() if isinstance(chunks, dict) else chunks
        fields["chunks"] = " x ".join(str(each[0] if isinstance(each, tuple) else each) for each in sizes)
    return fields


def _values(variable: Any, axes: Axes) -> dict[str, Any]:
    """Return range and missing cells: of all values, or of the first step of a large variable."""
    part, of = variable, ""
    if variable.nbytes > MOST_COUNTED_BYTES and axes.time in variable.dims:
        part, of = variable.isel({axes.time: slice(0, 1)}), "first time step"
    if part.nbytes > MOST_COUNTED_BYTES:
        for dim in part.dims:
            part = part.isel({dim: slice(None, None, max(1, part.sizes[dim] // 1000))})
        of = (of + ", every so many cells").removeprefix(", ")
    values = np.asarray(part.values)
    if values.dtype.kind == "b" or not values.size:
        return {"counted_in": of}
    valid = np.isfinite(values) if values.dtype.kind == "f" else np.ones(values.shape, bool)
    count = int(valid.sum())
    if not count:
        return {"missing": f"all {values.size}", "counted_in": of}
    low, high = values[valid].min(), values[valid].max()
    missing = values.size - count
    return {
        "range": [_rounded(low), _rounded(high)],
        "missing": f"{missing} of {values.size}" if missing else "",
        "counted_in": of,
    }


def _rounded(value: Any) -> float:
    return float(f"{float(value):.6g}")


def _doubtful(name: str, unit: str, fields: dict[str, Any]) -> str:
    """Say where values cannot be in the unit that is stated."""
    if "range" not in fields:
        return ""
    low, high = fields["range"]
    if unit == "K" and high < 100:
        return f"{name} is said to be in K, and its highest value is {high:g}: it may be in degC"
    if unit in ("degC", "celsius", "degree_Celsius") and low > 150:
        return f"{name} is said to be in degC, and its lowest value is {low:g}: it may be in K"
    if found := stands_for_missing([low, high]):
        return undeclared_text(name, found)
    if abs(high) > 9e30 or abs(low) > 9e30:
        return f"{name} has values of {low:g} to {high:g}: a missing value may not be stated"
    return ""


def _attributes(attrs: Any) -> dict[str, str]:
    wanted = ("title", "institution", "source", "Conventions", "history", "license", "comment", SYNTHETIC)
    return {name: " ".join(str(attrs[name]).split())[:200] for name in wanted if name in attrs}
