"""Group core: describe_netcdf_variables, inspect_netcdf, read_netcdf_data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.axes import axes_of, variable_of
from labrig_earth.grids.reading import Field, opened, readable
from labrig_earth.grids.selecting import select_box
from labrig_earth.grids.times import iso, require_times, select_range
from labrig_earth.results import Result
from labrig_earth.terra.arguments import core as arguments
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.work.calls import Call

SELECTIONS = (
    *("time_indices", "start_time", "end_time", "years", "months", "days", "hours"),
    *("lat_range", "lon_range", "lat_indices", "lon_indices"),
)
MOST_TEXT = 300


def describe_netcdf_variables(call: Call, asked: arguments.DescribeNetcdfVariables) -> Result:
    """Say which variables files have: dimensions, types, attributes, coordinates; no value of a variable is read."""
    import xarray as xr

    places = call.inputs.get("netcdf_path", ())
    if not places:
        raise LabrigError("No file is given", where="netcdf_path", expected="a path or a handle")
    sets = [open_dataset(place) for place in places]
    try:
        data = sets[0] if len(sets) == 1 else xr.combine_by_coords(sets, combine_attrs="drop_conflicts")
    except ValueError as error:
        raise LabrigError(
            f"The files do not combine: {str(error)[:200]}",
            where=", ".join(place.name for place in places),
            expected="files of the same variables that follow each other along an axis",
        ) from None
    names = asked.variables or [str(name) for name in data.data_vars]
    keys, preview = asked.attr_keys, asked.coord_preview
    found: list[dict[str, Any]] = []
    for name in names:
        one = find_variable(data, name)
        about: dict[str, Any] = {
            "name": name,
            "dims": [str(dim) for dim in one.dims],
            "shape": [int(size) for size in one.shape],
            "dtype": str(one.dtype),
            "attrs": take_attributes(one.attrs, keys) or None,
            "coords": None,
        }
        if asked.include_coords:
            about["coords"] = [
                {
                    "name": str(dim),
                    "size": int(one.sizes[dim]),
                    "dtype": str(data[dim].dtype),
                    "attrs": take_attributes(data[dim].attrs, ("units", "long_name")),
                    "preview": list_values(data[dim].values[:preview]),
                }
                for dim in one.dims
                if dim in data.coords
            ] or None
        found.append(about)
    lines = [format_line(each) for each in found]
    attributes = take_attributes(data.attrs, list(data.attrs)) if asked.include_dataset_attrs else None
    payload = {
        "source_paths": [place.name for place in places],
        "variables": found,
        "dataset_attrs": attributes,
        "text_summary": "\n".join(lines),
    }
    return make_result(payload, method="metadata as they stand in the file")


def inspect_netcdf(call: Call, asked: arguments.InspectNetcdf) -> Result:
    """Say what is in a file, with the range, mean and standard deviation of each variable."""
    place = call.input("netcdf_path")
    source = opened(place)
    data = source.data
    names = asked.variables or [str(name) for name in data.data_vars]
    preview = asked.coord_preview
    variables = {}
    for name in names:
        one = readable(source.with_data(find_variable(data, name))).data
        variables[name] = {
            "dims": {str(dim): int(size) for dim, size in one.sizes.items()},
            "dtype": str(one.dtype),
            "attrs": take_attributes(one.attrs, list(one.attrs)),
            **compute_statistics(one),
        }
    payload = {
        "paths": [place.name],
        "dims": {str(dim): int(size) for dim, size in data.sizes.items()},
        "coords": {
            str(name): {
                "size": int(each.size),
                "dtype": str(each.dtype),
                "preview": list_values(np.ravel(each.values)[:preview]),
            }
            for name, each in data.coords.items()
        },
        "variables": variables,
        "global_attrs": take_attributes(data.attrs, list(data.attrs)),
    }
    method = "each value counts once, whatever area its cell has; missing values do not count"
    return make_result(payload, method=method, warnings=source.warnings, assumed=source.assumed)


def read_netcdf_data(call: Call, asked: arguments.ReadNetcdfData) -> Result:
    """Read a part of a variable: a summary of it, and the first values in the order of its axes.

    Ranges of latitude and longitude may be given in either order, whichever way the axis runs, and both ends count.
    """
    place = call.input("netcdf_path")
    source = opened(place)
    try:
        found = source.with_data(variable_of(source.data, asked.variable))
    except LabrigError as error:
        error.where = f"variable of {place.name}"
        raise
    data = select_times(asked, found)
    axes = axes_of(data)
    data = select_ranges(asked, data)
    data = select_places("lat_indices", asked.lat_indices, data, axes.y)
    data = select_places("lon_indices", asked.lon_indices, data, axes.x)
    part = readable(found.with_data(data))
    data = part.data.load()
    if not data.size:
        raise LabrigError("The selection holds nothing", where=place.name)
    numeric = data.dtype.kind in "fiub"
    payload = {
        "source": place.name,
        "variable": str(data.name),
        "units": str(data.attrs.get("units", "")),
        "dims": {str(dim): int(size) for dim, size in data.sizes.items()},
        "shape": [int(size) for size in data.shape],
        "coords": describe_coordinates(data) or None,
        "stats": compute_statistics(data) if asked.include_stats and numeric else None,
        "sample_values": list_values(np.ravel(data.values)[: asked.sample_limit]),
        "selection_applied": {name: getattr(asked, name) or None for name in SELECTIONS},
        "note": "sample_values are the first of the part, the last axis running fastest",
    }
    return make_result(
        payload,
        method="each value counts once, whatever area its cell has; missing values do not count",
        warnings=part.warnings,
        assumed=part.assumed,
    )


def select_times(asked: arguments.ReadNetcdfData, source: Field) -> Any:
    data, time = source.data, source.axes.time
    parts = [
        ("years", "year", asked.years),
        ("months", "month", asked.months),
        ("days", "day", asked.days),
        ("hours", "hour", asked.hours),
    ]
    given = [
        name
        for name, values in (("time_indices", asked.time_indices), *((n, v) for n, _, v in parts))
        if values
    ]
    start, end = asked.start_time, asked.end_time
    if not given and not start and not end:
        return data
    if not time or time not in data.dims:
        raise LabrigError("The variable has no time axis", where=(given or ["start_time"])[0])
    data = select_places("time_indices", asked.time_indices, data, time)
    if start or end:
        data = select_range(data, time, start, end)
    for name, part, wanted in parts:
        if wanted:
            axis = require_times(data, time)
            there = getattr(axis.dt, part).isin(wanted).values
            if not there.any():
                raise LabrigError(
                    f"There is no time of {name} {wanted[:12]}",
                    where=name,
                    expected=f"within {iso(axis.values[0])} to {iso(axis.values[-1])}",
                    code="not_found",
                )
            data = data.isel({time: np.flatnonzero(there)})
    return data


def select_ranges(asked: arguments.ReadNetcdfData, data: Any) -> Any:
    latitudes, longitudes = read_range("lat_range", asked.lat_range), read_range("lon_range", asked.lon_range)
    if latitudes is None and longitudes is None:
        return data
    axes = axes_of(data)
    if not axes.geographic:
        raise LabrigError(
            "The variable is on no axes of latitude and longitude", where="lat_range, lon_range"
        )
    south, north = latitudes or (-90.0, 90.0)
    if longitudes is not None:
        return select_box(data, [longitudes[0], south, longitudes[1], north])[0]
    values = data[axes.y].values
    there = (values >= south) & (values <= north)
    if not there.any():
        raise LabrigError(
            f"No cell has its centre in latitudes {south:g} to {north:g}",
            where="lat_range",
            expected=f"within {values.min():g} to {values.max():g}",
            code="not_found",
        )
    return data.isel({axes.y: np.flatnonzero(there)})


def read_range(name: str, given: Sequence[float]) -> tuple[float, float] | None:
    if not given:
        return None
    if len(given) != 2:
        raise LabrigError(f"{name} has {len(given)} numbers", where=name, expected="two, in degrees")
    low, high = sorted(map(float, given))
    return low, high


def select_places(name: str, wanted: Sequence[int], data: Any, axis: str) -> Any:
    if not wanted:
        return data
    if not axis or axis not in data.dims:
        raise LabrigError("The variable has no such axis", where=name)
    size = data.sizes[axis]
    if min(wanted) < -size or max(wanted) >= size:
        raise LabrigError(
            f"There are {size} steps",
            where=f"{name} {list(wanted)[:12]}",
            expected=f"0 to {size - 1}",
            code="not_found",
        )
    return data.isel({axis: sorted({each % size for each in wanted})})


def compute_statistics(data: Any) -> dict[str, Any]:
    if data.dtype.kind not in "fiub" or not data.size:
        return dict.fromkeys(("min", "max", "mean", "std"))
    values = data.astype("f8")
    return {name: number(getattr(values, name)()) for name in ("min", "max", "mean", "std")}


def describe_coordinates(data: Any) -> dict[str, Any]:
    axes = axes_of(data)
    found: dict[str, Any] = {}
    if axes.time and axes.time in data.coords:
        values = np.ravel(data[axes.time].values)
        found["time"] = {
            "name": axes.time,
            "count": int(values.size),
            "start": list_values(values[:1])[0],
            "end": list_values(values[-1:])[0],
        }
    for key, name in (("lat", axes.y), ("lon", axes.x)):
        if name and name in data.coords:
            values = data[name].values
            found[key] = {
                "name": name,
                "count": int(values.size),
                "min": number(values.min()),
                "max": number(values.max()),
            }
    return found


def find_variable(data: Any, name: str) -> Any:
    if name not in data.variables:
        raise unknown_name("variable", name, [str(each) for each in data.data_vars], where="variables")
    return data[name]


def take_attributes(attributes: Mapping[Any, Any], keys: Sequence[Any]) -> dict[str, str]:
    return {str(key): str(attributes[key])[:MOST_TEXT] for key in keys if key in attributes}


def list_values(values: Any) -> list[Any]:
    if values.dtype.kind in "fiub":
        return [number(each) if values.dtype.kind == "f" else each.item() for each in values]
    return [
        iso(each) if values.dtype.kind in "MO" and not isinstance(each, str) else str(each) for each in values
    ]


def format_line(about: Mapping[str, Any]) -> str:
    sizes = ", ".join(f"{dim}={size}" for dim, size in zip(about["dims"], about["shape"], strict=True))
    attributes = ", ".join(f"{key}={value}" for key, value in (about["attrs"] or {}).items())
    return f"{about['name']}: dtype={about['dtype']} dims[{sizes}]" + (
        f" ({attributes})" if attributes else ""
    )
