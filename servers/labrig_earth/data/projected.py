"""Axes of a projection in metres, as its CRS has them, whatever unit the file gives them in.

CF (section 5.6) leaves the unit to the axes. Kilometres are usual for sea ice; a geostationary projection has scanning
angles in radians, which times the height of the satellite are its metres (PROJ's ``geos``).
"""

from __future__ import annotations

from typing import Any

_KILOMETRES = ("km", "kilometer", "kilometre", "kilometers", "kilometres")
_RADIANS = ("rad", "radian", "radians")


def in_metres(data: Any) -> Any:
    """Return an `xarray.Dataset` whose axes of a projection are in metres; one with several projections as it is."""
    mappings = [each.attrs for each in data.variables.values() if "grid_mapping_name" in each.attrs]
    axes = {name: str(data[name].attrs.get("units", "")).lower() for name in data.coords if name in data.dims}
    odd = {
        name: unit
        for name, unit in axes.items()
        if unit in (*_KILOMETRES, *_RADIANS) and _is_of_plane(data[name])
    }
    if not odd or len(mappings) != 1 or not _is_in_metres(mappings[0]):
        return data
    height = float(mappings[0].get("perspective_point_height", 0.0))
    for name, unit in odd.items():
        factor = 1000.0 if unit in _KILOMETRES else height
        if factor:
            attrs = {**data[name].attrs, "units": "m"}
            data = data.assign_coords({name: (name, data[name].values.astype("f8") * factor, attrs)})
    return data


def _is_of_plane(axis: Any) -> bool:
    standard = ("projection_x_coordinate", "projection_y_coordinate")
    angular = ("projection_x_angular_coordinate", "projection_y_angular_coordinate")
    return axis.attrs.get("standard_name") in (*standard, *angular) or str(axis.name).lower() in ("x", "y")


def _is_in_metres(mapping: Any) -> bool:
    """Tell whether the axes of the CRS of a grid mapping are metres, as all are that do not state it (CF)."""
    import pyproj

    try:
        found = pyproj.CRS.from_cf(
            {key: getattr(each, "tolist", lambda each=each: each)() for key, each in mapping.items()}
        )
    except (pyproj.exceptions.CRSError, KeyError, ValueError, TypeError):
        return False
    return bool(found.is_projected and found.axis_info and found.axis_info[0].unit_conversion_factor == 1.0)
