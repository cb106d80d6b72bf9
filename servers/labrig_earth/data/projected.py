"""Axes of a projection in metres, as its CRS has them, whatever unit the file gives them in.

CF (section 5.6) leaves the unit to the axes. Kilometres are usual for sea ice; a geostationary projection has scanning
angles in radians, which times the height of the satellite are its metres (PROJ's ``geos``).
"""

from __future__ import annotations

from typing import Any

_KILOMETRES = ("km", "kilometer", "kilometre", "kilometers", "kilometres")
_RADIANS = ("rad", "radian", "radians")


STATED = "GRIB_projString"
"""Attribute of a variable out of GRIB: the projection of its grid in PROJ's words (ecCodes)."""
WITHIN = 0.02
"""Of a cell, by which places that a projection gives may differ from rows and columns: GRIB rounds to 1e-6 degree."""


def with_plane(data: Any) -> Any:
    """Return a dataset out of GRIB with x and y of its projection, where its latitudes and longitudes lie on rows and
    columns there; else as it is."""
    import numpy as np
    import pyproj

    texts = {str(each.attrs[STATED]) for each in data.data_vars.values() if STATED in each.attrs}
    places = [data.coords.get(name) for name in ("longitude", "latitude")]
    if len(texts) != 1 or any(
        each is None or each.dims != ("y", "x") or min(each.shape) < 2 for each in places
    ):
        return data
    try:
        crs = pyproj.CRS.from_proj4(texts.pop())
    except pyproj.exceptions.CRSError:
        return data
    to_plane = pyproj.Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True)
    x, y = to_plane.transform(*(each.values for each in places))
    columns, rows = np.mean(x, axis=0), np.mean(y, axis=1)
    step = abs(columns[-1] - columns[0]) / (columns.size - 1)
    if not crs.is_projected or not max(abs(x - columns).max(), abs(y - rows[:, None]).max()) < WITHIN * step:
        return data
    axes = {
        name: (name, values, {"standard_name": f"projection_{name}_coordinate", "units": "m"})
        for name, values in (("x", columns), ("y", rows))
    }
    found = data.assign_coords(axes | {"projection": ((), 0, crs.to_cf())})
    for each in found.data_vars.values():
        each.encoding["grid_mapping"] = "projection"
    return found


def in_metres(data: Any) -> Any:
    """Return an `xarray.Dataset` whose axes of a projection are in metres; of an unknown one they stay."""
    axes = {name: str(data[name].attrs.get("units", "")).lower() for name in data.coords if name in data.dims}
    odd = {
        name: unit
        for name, unit in axes.items()
        if unit in (*_KILOMETRES, *_RADIANS) and _is_of_plane(data[name])
    }
    for name, unit in odd.items():
        mapping = mapping_of(data, name)
        factor = 1000.0 if unit in _KILOMETRES else float(mapping.get("perspective_point_height", 0.0))
        if factor and _is_in_metres(mapping):
            attrs = {**data[name].attrs, "units": "m"}
            data = data.assign_coords({name: (name, data[name].values.astype("f8") * factor, attrs)})
    return data


def mapping_of(data: Any, axis: str = "") -> dict[str, Any]:
    """Return the attributes of the grid mapping (CF, section 5.6) that fields over an axis name, else of the only one.

    Empty where fields name several, or none and there are several; by default fields are all of two dimensions or more.
    """
    variables = {**data.coords, **getattr(data, "data_vars", {"": data})}
    stated = {
        name
        for each in variables.values()
        if (axis in each.dims if axis else each.ndim > 1)
        for name in _names_in(str(each.attrs.get("grid_mapping") or each.encoding.get("grid_mapping") or ""))
    }
    known = {str(name): each.attrs for name, each in variables.items() if "grid_mapping_name" in each.attrs}
    found = [known[name] for name in stated if name in known] or list(known.values())
    if len(found) != 1:
        return {}
    return {str(key): getattr(each, "tolist", lambda each=each: each)() for key, each in found[0].items()}


def _names_in(stated: str) -> list[str]:
    """Return the names of grid mappings: the one of a field, or those before a colon where it names several."""
    return [each[:-1] for each in stated.split() if each.endswith(":")] or stated.split()


def _is_of_plane(axis: Any) -> bool:
    standard = ("projection_x_coordinate", "projection_y_coordinate")
    angular = ("projection_x_angular_coordinate", "projection_y_angular_coordinate")
    return axis.attrs.get("standard_name") in (*standard, *angular) or str(axis.name).lower() in ("x", "y")


def _is_in_metres(mapping: Any) -> bool:
    """Tell whether the axes of the CRS of a grid mapping are metres, as all are that do not state it (CF)."""
    import pyproj

    try:
        found = pyproj.CRS.from_cf(mapping)
    except (pyproj.exceptions.CRSError, KeyError, ValueError, TypeError):
        return False
    return bool(found.is_projected and found.axis_info and found.axis_info[0].unit_conversion_factor == 1.0)
