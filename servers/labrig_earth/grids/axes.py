"""Which axes a grid has, whatever they are called: time, latitude, longitude, level, or x and y of a projection.

Attributes decide first (CF: standard_name, units, axis, by cf_xarray), names second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.data.corners import CORNER, KINDS
from labrig_earth.data.projected import mapping_of
from labrig_earth.data.stations import places_of

LATITUDE_NAMES = ("latitude", "lat", "nav_lat", "rlat_true")
LONGITUDE_NAMES = ("longitude", "lon", "lng", "long", "nav_lon")
TIME_NAMES = ("time", "valid_time", "date", "t")
LEVEL_NAMES = (
    "level",
    "pressure_level",
    "isobaricinhpa",
    "plev",
    "lev",
    "height",
    "depth",
    "model_level",
    "z",
)
X_NAMES, Y_NAMES = ("x", "easting", "rlon", "grid_longitude"), ("y", "northing", "rlat", "grid_latitude")
MEMBER_NAMES = ("number", "member", "realization", "ensemble", "ensemble_member")
REGULAR_WITHIN = 1e-3
"""Steps of a regular axis differ by less than this part of a step: latitudes of float32 do by 1e-5."""

LOOKED_AT = 16
"""Rows, and columns, whose places of two dimensions are compared with those of their axes."""

WGS84 = "EPSG:4326"
ASSUMED_WGS84 = "no CRS is stated: coordinates are taken for WGS 84 (EPSG:4326)"

Longitudes = Literal["360", "180"]


@dataclass(frozen=True)
class Axes:
    """Names of the axes of a grid; empty for what it does not have.

    Attributes
    ----------
    y, x
        Of the horizontal grid: latitude and longitude in degrees, or northing and easting of a projection.
    geographic
        Whether y and x are latitude and longitude.
    rotated
        Whether y and x are latitude and longitude of a pole that is not the Earth's, as in CORDEX.
    latitude_2d, longitude_2d
        Of cells on a curvilinear grid; y and x are then its dimensions. Cells of a mesh have one, which is both.
    crs
        As ``EPSG:4326`` or WKT; empty where nothing says it and the axes are not geographic.
    """

    time: str = ""
    y: str = ""
    x: str = ""
    level: str = ""
    member: str = ""
    geographic: bool = False
    latitude_2d: str = ""
    longitude_2d: str = ""
    crs: str = ""
    assumed: tuple[str, ...] = ()
    rotated: bool = False

    @property
    def in_degrees(self) -> bool:
        """Whether y and x are degrees on a sphere, whose poles may be rotated."""
        return self.geographic or self.rotated

    @property
    def curvilinear(self) -> bool:
        """Whether cells have latitudes and longitudes of their own."""
        return bool(self.latitude_2d)

    @property
    def cell_dims(self) -> tuple[str, ...]:
        """Dimensions of the cells: y and x, or the one of a mesh."""
        return (self.y,) if self.y == self.x else (self.y, self.x)


def axes_of(data: Any) -> Axes:
    """Return the axes of an `xarray.Dataset` or `DataArray`."""
    import cf_xarray  # noqa: F401 - brings the accessor

    time = _found(data, "time", TIME_NAMES) or _found(data, "T", ())
    latitude = _found(data, "latitude", LATITUDE_NAMES)
    longitude = _found(data, "longitude", LONGITUDE_NAMES)
    latitude, longitude = _true_places(data, latitude, longitude)
    level = _found(data, "vertical", LEVEL_NAMES) or _found(data, "Z", ())
    member = _named(data, MEMBER_NAMES)
    crs, assumed = _crs(data)
    if latitude and longitude and data[latitude].ndim == 2 and crs and not _is_geographic(crs):
        y, x = _projection_axis(data, "y"), _projection_axis(data, "x")
        if y and x:  # the latitudes of two dimensions only repeat what the projection says
            return Axes(time, y, x, level, member, False, "", "", crs, assumed, _is_rotated(crs))
    mesh = _mesh(data)
    if mesh or (latitude and longitude and data[latitude].ndim == 2):
        latitude, longitude = mesh or (latitude, longitude)
        y, x = (str(data[latitude].dims[place]) for place in (0, -1))
        return Axes(
            time, y, x, level, member, False, latitude, longitude, crs or WGS84, (*assumed, *_guess(crs))
        )
    if places_of(data) is not None:
        level = level if level in data.dims else ""  # heights of the places are none
        return Axes(time, "", "", level, member, False, "", "", crs or WGS84, _guess(crs))
    if latitude and longitude and data[latitude].ndim <= 1 and data[longitude].ndim <= 1:
        return Axes(time, latitude, longitude, level, member, True, "", "", crs or WGS84, _guess(crs))
    y, x = (_projection_axis(data, letter) or _dimension(data, letter) for letter in "yx")
    if y and x and crs and _is_geographic(crs):
        return Axes(time, y, x, level, member, True, "", "", crs, assumed)
    return Axes(time, y, x, level, member, False, "", "", crs, assumed, _is_rotated(crs))


def _true_places(data: Any, latitude: str, longitude: str) -> tuple[str, str]:
    """Return latitudes and longitudes of two dimensions in place of axes that only name rows and columns, as those of
    tripolar oceans do (CMIP): where both are there and differ by more than half a cell."""
    rows, columns = (data[name] if name in data.dims else None for name in (latitude, longitude))
    if rows is None or columns is None or min(rows.size, columns.size) < 2:
        return latitude, longitude
    found = []
    for kind, axis in (("latitude", rows), ("longitude", columns)):
        names = [
            str(name)
            for name in data.coords
            if data[name].dims == (latitude, longitude) and data[name].attrs.get("standard_name") == kind
        ]
        if len(names) != 1:
            return latitude, longitude
        places = {
            str(each.name): np.unique(np.linspace(0, each.size - 1, min(each.size, LOOKED_AT)).astype(int))
            for each in (rows, columns)
        }
        there = data[names[0]].isel(places)
        apart = (
            np.abs((there - axis.isel({axis.name: places[str(axis.name)]})).values + 180.0) % 360.0 - 180.0
        )
        found.append((names[0], np.nanmax(np.abs(apart)) > np.abs(np.diff(axis.values)).max() / 2))
    return (found[0][0], found[1][0]) if any(differs for _, differs in found) else (latitude, longitude)


def _mesh(data: Any) -> tuple[str, str] | None:
    """Return latitude and longitude of the cells of a mesh, which share a dimension and have corners."""
    named = {str(data[name].attrs[CORNER]): str(name) for name in data.coords if CORNER in data[name].attrs}
    found = tuple(named.get(f"{kind} 0", "").removesuffix("_corner_0") for kind in KINDS)
    if not all(name in data.coords and data[name].ndim == 1 for name in found):
        return None
    return (found[0], found[1]) if data[found[0]].dims == data[found[1]].dims else None


def _projection_axis(data: Any, letter: str) -> str:
    """Return the axis of one dimension that CF knows as that of a projection or a rotated pole, else by its name."""
    standard = (f"projection_{letter}_coordinate", "grid_longitude" if letter == "x" else "grid_latitude")
    stated = [
        str(name)
        for name in data.coords
        if data[name].attrs.get("standard_name") in standard and data[name].ndim == 1
    ]
    found = stated[0] if stated else _named(data, X_NAMES if letter == "x" else Y_NAMES)
    return found if found in data.coords and data[found].ndim == 1 else ""


def _dimension(data: Any, letter: str) -> str:
    """Return the dimension that is y or x by its name, or by what CF says of its coordinate."""
    named = _named(data, X_NAMES if letter == "x" else Y_NAMES)
    return named if named in data.dims else _found(data, letter.upper(), ())


def _guess(crs: str) -> tuple[str, ...]:
    return () if crs else (ASSUMED_WGS84,)


def _found(data: Any, key: str, names: tuple[str, ...]) -> str:
    """Return the one coordinate that CF knows by a key, preferably a dimension, else one of these names."""
    try:
        known = [str(name) for name in data.cf.coordinates.get(key, [])]
        known += [str(name) for name in data.cf.axes.get(key, [])]
    except (KeyError, AttributeError):
        known = []
    known = [name for name in known if name in data.coords and not _is_of_other_pole(data[name], key)]
    for name in known:
        if name in data.dims:
            return name
    by_name = _named(data, names)
    if by_name and (not known or by_name in data.dims):
        return by_name
    return known[0] if known else by_name


def _is_of_other_pole(axis: Any, key: str) -> bool:
    """Tell whether an axis that has a unit of latitudes or longitudes says that it is none of the Earth's."""
    return bool(axis.attrs.get("standard_name") == f"grid_{key}")


def _named(data: Any, names: tuple[str, ...]) -> str:
    folded = {str(name).casefold(): str(name) for name in [*data.coords, *data.dims]}
    return next((folded[name] for name in names if name in folded), "")


def _crs(data: Any) -> tuple[str, tuple[str, ...]]:
    """Return what the data say of their CRS, and what was assumed."""
    import pyproj

    stated: Any = None
    try:
        import rioxarray  # noqa: F401 - brings the accessor

        stated = data.rio.crs
    except Exception:  # a grid mapping that is broken is none; rasterio, pyproj and rioxarray raise their own
        stated = None
    mapping = mapping_of(data)
    if stated is None and not mapping:
        return "", ()
    try:
        found = pyproj.CRS.from_cf(mapping) if stated is None else pyproj.CRS.from_user_input(stated)
    except (pyproj.exceptions.CRSError, KeyError, ValueError, TypeError):
        return "", ("the CRS that is stated cannot be read",)
    code = found.to_authority(min_confidence=70)
    return (":".join(code) if code else found.to_wkt()), ()


def _is_geographic(crs: str) -> bool:
    import pyproj

    found = pyproj.CRS.from_user_input(crs)
    return bool(found.is_geographic and not found.is_derived)


def _is_rotated(crs: str) -> bool:
    import pyproj

    found = pyproj.CRS.from_user_input(crs) if crs else None
    return found is not None and bool(found.is_geographic and found.is_derived)


def horizontal(data: Any) -> Axes:
    """Return the axes of data that must have a horizontal grid with one coordinate to a dimension.

    Raises
    ------
    LabrigError
        ``bad_input`` for data without such a grid.
    """
    axes = axes_of(data)
    if axes.curvilinear:
        raise LabrigError(
            "The grid is curvilinear: its latitudes and longitudes have two dimensions",
            where=f"{axes.latitude_2d}, {axes.longitude_2d}",
            expected="a latitude and a longitude axis, or x and y of a projection",
            try_="regrid_variable to a regular grid first",
        )
    if (places := places_of(data)) is not None:
        raise LabrigError(
            "The values are at places, not in cells of a grid",
            where=f"{places.latitude}, {places.longitude}" + (f" over {places.dim}" if places.dim else ""),
            expected="a grid, or a mesh with the corners of its cells",
            try_="sample_grid at a point for the nearest place, aggregate_grid over time for each, query_features",
        )
    if not axes.y or not axes.x or axes.y not in data.coords or axes.x not in data.coords:
        raise LabrigError(
            "The data have no horizontal grid",
            where=", ".join(f"{name} ({size})" for name, size in data.sizes.items()) or "a single value",
            expected="coordinates that are recognised as latitude and longitude, or x and y",
            try_="name them latitude and longitude, or give them units degrees_north and degrees_east",
        )
    if data[axes.y].ndim == 1 and axes.y not in data.dims:
        raise LabrigError(
            f"The values are at places along {data[axes.y].dims[0]}, such as edges or nodes of a mesh, not in cells",
            where=f"{axes.y}, {axes.x}",
            expected="a variable of cells: of a mesh, one of its faces",
        )
    for name in (axes.y, axes.x):
        if not np.isfinite(np.asarray(data[name].values, "f8")).all():
            raise LabrigError(
                f"The axis {name} has missing values", where=name, expected="a number for each cell"
            )
    beyond = [each for each in suspicious(data, axes) if "beyond the poles" in each]
    if beyond:
        raise LabrigError(
            beyond[0][0].upper() + beyond[0][1:],
            where=axes.y,
            expected="latitudes from -90 to 90 degree",
            try_="writing the file with its coordinates exchanged",
        )
    return axes


def variable_of(data: Any, name: str = "") -> Any:
    """Return one variable of a dataset: the one that is named, or the only one that is a field.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown name, ``bad_input`` where there are several and none is named.
    """
    fields = [str(each) for each in data.data_vars if is_field(data[each])]
    if name:
        if name not in data.data_vars:
            known = [*fields, *(_standard_names(data))]
            by_standard = _standard_names(data).get(name)
            if by_standard:
                return data[by_standard]
            raise unknown_name("variable", name, known, where="variable")
        return data[name]
    if len(fields) == 1:
        return data[fields[0]]
    if not fields:
        raise no_field(data, "variable")
    raise LabrigError(
        f"Which of {len(fields)} variables is meant?",
        where="variable",
        expected=", ".join(fields[:30]),
        try_=f'variable="{fields[0]}"',
    )


def is_field(variable: Any) -> bool:
    """Tell whether a variable holds numbers over dimensions: no bounds, no grid mapping, no text."""
    numeric = np.issubdtype(variable.dtype, np.number) or variable.dtype == bool
    name = str(variable.name or "")
    bounds = name.endswith(("_bnds", "_bounds")) or any(str(dim) in ("bnds", "nv") for dim in variable.dims)
    about_grid = "grid_mapping_name" in variable.attrs or "cf_role" in variable.attrs
    return bool(variable.ndim and numeric and not bounds and not about_grid)


def _standard_names(data: Any) -> dict[str, str]:
    """Return CF standard names that belong to one variable each."""
    found: dict[str, list[str]] = {}
    for name in data.data_vars:
        standard = data[name].attrs.get("standard_name")
        if standard:
            found.setdefault(str(standard), []).append(str(name))
    return {standard: names[0] for standard, names in found.items() if len(names) == 1}


def step_of(values: Any) -> float | None:
    """Return the step of an axis that is regular, signed; None for one that is not, or has one value."""
    numbers = np.asarray(values, dtype="f8")
    if numbers.size < 2:
        return None
    step = (numbers[-1] - numbers[0]) / (numbers.size - 1)
    if step == 0 or np.abs(np.diff(numbers) - step).max() > REGULAR_WITHIN * abs(step):
        return None
    return float(step)


def edges_of(values: Any, *, within: tuple[float, float] | None = None) -> Any:
    """Return the edges of the cells around centres: half-way between neighbours; one more than there are centres.

    Parameters
    ----------
    within
        Bounds that no edge passes: (-90, 90) of latitudes, since a cell at the pole ends there.
    """
    centres = np.asarray(values, dtype="f8")
    if centres.size == 1:
        raise LabrigError(
            "An axis with one value has no cell size",
            expected="two values or more along latitude and longitude",
        )
    steps = np.diff(centres)
    if not ((steps > 0).all() or (steps < 0).all()):
        raise LabrigError(
            "The axis neither rises nor falls throughout, so its cells have no edges",
            where=f"{centres[0]:g}, {centres[1]:g}, .. {centres[-1]:g}",
            try_="extract a box, whose longitudes rise without a break",
        )
    middle = (centres[1:] + centres[:-1]) / 2
    edges = np.concatenate(
        [[centres[0] - (middle[0] - centres[0])], middle, [centres[-1] + (centres[-1] - middle[-1])]]
    )
    return np.clip(edges, *within) if within else edges


def no_field(data: Any, where: str) -> LabrigError:
    """Return the error for data without fields, which groups of the file may hold."""
    groups = data.encoding.get("groups") or []
    return LabrigError(
        "The file has no variable that is a field",
        where=where,
        expected=f"one of its groups: {', '.join(groups[:20])}" if groups else "",
        try_=f'sample_grid with options={{"group": "{groups[0]}"}}, whose file any tool takes'
        if groups
        else "",
    )


def grid_text(data: Any, axes: Axes) -> str:
    """Return a grid in words: ``0.25 x 0.25 degree, 41 x 41``; latitude (y) first."""
    if not axes.y or axes.y not in data.dims or axes.x not in data.dims:
        return ""
    size = f"{data.sizes[axes.y]} x {data.sizes[axes.x]}"
    if axes.y == axes.x:
        return f"mesh, {data.sizes[axes.x]} cells"
    if axes.curvilinear:
        return f"curvilinear, {size}"
    steps = [step_of(data[name].values) if name in data.coords else None for name in (axes.y, axes.x)]
    if None in steps:
        return f"irregular, {size}"
    unit = "degree" if axes.in_degrees else str(data[axes.x].attrs.get("units") or ("m" if axes.crs else ""))
    unit = "m" if unit in ("metre", "meter", "metres", "meters") else unit
    step = f"{abs(steps[0] or 0):.6g} x {abs(steps[1] or 0):.6g} {unit}".strip()
    return f"{step}, {size}"


def longitudes_of(data: Any, axes: Axes) -> Longitudes:
    """Return which convention longitudes have: ``360`` where any is above 180, else ``180``."""
    return "360" if float(data[axes.x].max()) > 180.0 + 1e-9 else "180"


def goes_round(data: Any, axes: Axes) -> bool:
    """Tell whether the longitudes go round the Earth: the last cell touches the first."""
    step = step_of(data[axes.x].values)
    return bool(axes.geographic and step and abs(abs(step) * data.sizes[axes.x] - 360.0) < abs(step) / 2)


def suspicious(data: Any, axes: Axes) -> tuple[str, ...]:
    """Return what is odd about the coordinates: latitudes beyond the poles, latitude and longitude exchanged."""
    said: list[str] = []
    if not axes.geographic or axes.y not in data.coords or not data[axes.y].size or not data[axes.x].size:
        return ()
    south, north = float(data[axes.y].min()), float(data[axes.y].max())
    west, east = float(data[axes.x].min()), float(data[axes.x].max())
    if south < -90.001 or north > 90.001:
        swapped = west >= -90.001 and east <= 90.001
        said.append(
            f"latitudes reach from {south:g} to {north:g} degree, beyond the poles"
            + (": latitude and longitude seem to be exchanged" if swapped else "")
        )
    elif data[axes.y].ndim == 1 and {str(data[axes.y].attrs.get("units", "")).lower()} & _EAST:
        said.append(f"{axes.y} has units of a longitude: latitude and longitude seem to be exchanged")
    if east - west > 360.001 or east > 540 or west < -360:
        said.append(f"longitudes reach from {west:g} to {east:g} degree")
    for name in (axes.y, axes.x):
        steps = np.diff(np.asarray(data[name].values, dtype="f8"))
        if steps.size and not ((steps > 0).all() or (steps < 0).all()):
            said.append(f"{name} neither rises nor falls throughout")
    return tuple(said)


_EAST = {"degrees_east", "degree_east", "degrees_e", "degreee"}


def metres_of(crs: str) -> float:
    """Return the metres of the unit of a projected system; 1 of one that is not stated."""
    from pyproj import CRS

    return float(CRS.from_user_input(crs).axis_info[0].unit_conversion_factor) if crs else 1.0


def short_crs(crs: str) -> str:
    """Return a reference system in a few words: its code, else its name, else its method and where its middle lies."""
    from pyproj import CRS

    if len(crs) < 40:
        return crs
    found = CRS.from_user_input(crs)
    if found.name not in ("undefined", "unknown", "unnamed"):
        return str(found.name)[:60]
    operation = found.coordinate_operation
    if operation is None:
        return crs[:40] + ".."
    shown = [f"{each.value:g}" for each in operation.params[:2]]
    return f"{operation.method_name[:50]} ({', '.join(shown)})"
