"""Corners of cells that are no rectangles, kept as coordinates: they stay with a variable, cut, stored or read again.

CF (section 7.1) has them as bounds of latitudes and longitudes of two dimensions, or of one that both share; UGRID 1.0
as the nodes of each face. Both become a latitude and a longitude of each cell and of each of its corners.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CORNER = "labrig_corner"
"""Attribute of a coordinate: ``latitude 0`` is the latitude of the first corner of each cell."""

PARTS = ("_coordinates", "_connectivity")
"""Endings of the attributes of a mesh that name what it is made of, none of which is a field."""

KINDS = ("latitude", "longitude")


def note_corners(data: Any) -> Any:
    """Return an `xarray.Dataset` with the corners of its cells as coordinates, where it states any."""
    for name in [str(name) for name in data.variables if data[name].attrs.get("cf_role") == "mesh_topology"]:
        mesh = data[name].attrs
        data = _of_mesh(data, mesh)
        parts = [each for key, named in mesh.items() if key.endswith(PARTS) for each in str(named).split()]
        data = data.set_coords([each for each in (name, *parts) if each in data.data_vars])
    return _of_bounds(data)


def _of_bounds(data: Any) -> Any:
    has_plane = any("grid_mapping_name" in each.attrs for each in data.variables.values())
    for name in [str(name) for name in data.variables]:
        centre = data[name]
        kind = next((each for each in KINDS if _is_of_kind(centre, each)), "")
        bounds = str(centre.attrs.get("bounds") or centre.encoding.get("bounds") or "")
        if not kind or bounds not in data.variables or data[bounds].ndim != centre.ndim + 1:
            continue
        if data[bounds].dims[:-1] != centre.dims or data[bounds].shape[-1] < 3:
            continue
        if has_plane and all(dim in data.coords for dim in centre.dims):
            data = data.drop_vars(bounds)  # cells are rectangles on the plane of the grid mapping
            continue
        factor = 180.0 / np.pi if _is_in_radians(centre) else 1.0
        edge = str(data[bounds].dims[-1])
        corners = [data[bounds].isel({edge: at}, drop=True) * factor for at in range(data[bounds].shape[-1])]
        if factor != 1.0:
            unit = "degrees_north" if kind == "latitude" else "degrees_east"
            data = data.assign_coords({name: (centre * factor).assign_attrs(centre.attrs | {"units": unit})})
        data = _with_corners(data.set_coords(name), name, kind, corners).drop_vars(bounds)
        data[name].attrs.pop("bounds", None)
        data[name].encoding.pop("bounds", None)
    return data


def _of_mesh(data: Any, mesh: Any) -> Any:
    """Return data with the faces of a mesh of UGRID as cells; a mesh without faces as it is."""
    table, nodes = str(mesh.get("face_node_connectivity", "")), str(mesh.get("node_coordinates", "")).split()
    by_kind = {
        each: name
        for name in nodes
        if name in data.variables
        for each in KINDS
        if _is_of_kind(data[name], each)
    }
    if table not in data.variables or set(by_kind) != set(KINDS) or data[table].ndim != 2:
        return data
    given = data[table]
    face = str(mesh.get("face_dimension") or given.dims[0])
    if given.dims[1] == face:
        given = given.transpose()
    face = str(given.dims[0])
    numbers = np.asarray(given.values, "f8") - float(given.attrs.get("start_index", 0))
    known = np.isfinite(numbers) & (numbers >= 0) & (numbers < data[by_kind["latitude"]].size)
    # A face with fewer corners than others has its last one again.
    last = np.maximum(known.sum(axis=1) - 1, 0)
    at = np.where(known, np.arange(numbers.shape[1]), last[:, None])
    filled = np.take_along_axis(np.where(known, numbers, 0).astype(int), at, axis=1)
    places = {kind: np.asarray(data[name].values, "f8")[filled] for kind, name in by_kind.items()}
    for each in places.values():
        each[~known.any(axis=1)] = np.nan
    centres = str(mesh.get("face_coordinates", "")).split()
    for kind in KINDS:
        stated = [name for name in centres if name in data.variables and _is_of_kind(data[name], kind)]
        name = stated[0] if stated else f"{face}_{kind}"
        if not stated:
            unit = "degrees_north" if kind == "latitude" else "degrees_east"
            attrs = {"standard_name": kind, "units": unit}
            data = data.assign_coords({name: (face, _middles(places, known)[kind], attrs)})
        corners = [_of_faces(face, places[kind][:, at]) for at in range(numbers.shape[1])]
        data = _with_corners(data.set_coords(name), name, kind, corners)
    return data


def _of_faces(face: str, values: Any) -> Any:
    import xarray as xr

    return xr.DataArray(values, dims=face)


def _middles(places: Any, known: Any) -> dict[str, Any]:
    """Return the means of the corners that each face has, on the sphere, in degrees."""
    phi, lam = (np.deg2rad(places[kind]) for kind in KINDS)
    x, y, z = (
        np.where(known, each, 0.0).sum(axis=1)
        for each in (np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi))
    )
    return {"latitude": np.rad2deg(np.arctan2(z, np.hypot(x, y))), "longitude": np.rad2deg(np.arctan2(y, x))}


def _with_corners(data: Any, name: str, kind: str, corners: list[Any]) -> Any:
    """Return data with the corners of a coordinate beside it, without a unit: by that they would be axes."""
    named = {}
    for number, corner in enumerate(corners):
        bare = corner.drop_vars(list(corner.coords))
        bare.attrs = {CORNER: f"{kind} {number}"}
        named[f"{name}_corner_{number}"] = bare
    return data.assign_coords(named)


def _is_of_kind(variable: Any, kind: str) -> bool:
    unit = str(variable.attrs.get("units", "")).lower()
    ending = ("north", "_n") if kind == "latitude" else ("east", "_e")
    return variable.attrs.get("standard_name") == kind or (
        unit.startswith("degree") and unit.endswith(ending)
    )


def _is_in_radians(variable: Any) -> bool:
    return str(variable.attrs.get("units", "")).lower() in ("radian", "radians", "rad")
