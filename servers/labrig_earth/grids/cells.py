"""Cells of a rectilinear grid: their areas, those that a shape reaches, and the parts of them that lie in it.

exactextract wants cells of one size. Rows and columns of different sizes, as Gaussian latitudes have them, are of one
size in their own numbers: a shape is put there, with a corner wherever its edge passes from one row or column to the
next.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from labrig_earth.data.bounds import edges_stated
from labrig_earth.grids.axes import Axes, edges_of, step_of

EARTH_KM = 6371.0088
"""Mean radius of the GRS 80 ellipsoid (IUGG)."""

POLES = (-90.0, 90.0)


def cell_areas(data: Any, axes: Axes) -> Any:
    """Return the areas of cells as an `xarray.DataArray` over y and x, km2.

    On latitudes and longitudes: radius squared times the width in longitude times the difference of sin latitude, on a
    sphere of 6,371.0088 km; cells end at the poles. On a projection: width times height in its plane.
    """
    import xarray as xr

    low, high = _edges(data, axes.x)
    width = np.abs(high - low)
    low, high = _edges(data, axes.y, within=POLES if axes.in_degrees else None)
    if axes.in_degrees:
        heights = np.abs(np.sin(np.deg2rad(high)) - np.sin(np.deg2rad(low)))
        areas = heights[:, None] * np.deg2rad(width)[None, :] * EARTH_KM**2
    else:
        areas = np.abs(high - low)[:, None] * width[None, :] / 1e6
    return xr.DataArray(
        areas,
        dims=(axes.y, axes.x),
        coords={axes.y: data[axes.y], axes.x: data[axes.x]},
        attrs={"units": "km2"},
    )


def _edges(data: Any, name: str, within: tuple[float, float] | None = None) -> tuple[Any, Any]:
    """Return both edges of each cell along an axis: as the file states them, else the middles between centres."""
    if (stated := edges_stated(data, name)) is not None:
        low, high = (each if within is None else np.clip(each, *within) for each in stated)
        return low, high
    edges = edges_of(np.asarray(data[name].values, "f8"), within=within)
    return edges[:-1], edges[1:]


EVEN_WITHIN = 1e-3
"""Scales of area of a projection that differ by less than this part are taken for one: all of a UTM zone's scene."""
FIRST_NODES, NODES = 16, 64
"""Rows, and columns, at which scales are computed: to see whether they differ, and for a spline between them."""
MOST_SCALES = 1_000_000
"""Cells whose scales are computed where no spline can pass, at the limb of a full disk; lines go between them."""


def is_uneven(data: Any, axes: Axes) -> bool:
    """Tell whether cells of one size in the plane of their projection are of several on the ground."""
    if axes.in_degrees or not axes.crs:
        return False
    y, x = (np.asarray(data[name].values, "f8") for name in (axes.y, axes.x))
    seen = _scales_at(y[_nodes(y, FIRST_NODES)], x[_nodes(x, FIRST_NODES)], axes.crs)
    known = seen[np.isfinite(seen) & (seen > 0)]
    return bool(known.size and known.max() / known.min() - 1.0 >= EVEN_WITHIN)


def ground_areas(data: Any, axes: Axes) -> Any:
    """Return the areas by which cells count in a mean, km2: `xarray.DataArray` over y and x.

    Mercator, stereographic and perspective projections enlarge what is far from their middle: there each cell's area in
    the plane is divided by the areal scale at its centre (PROJ, `pyproj.Proj.get_factors`). Cells that the projection
    puts nowhere, as beyond the limb of a full disk, count nothing.
    """
    areas = cell_areas(data, axes)
    if not is_uneven(data, axes):
        return areas
    y, x = (np.asarray(data[name].values, "f8") for name in (axes.y, axes.x))
    scales = _areal_scales(y, x, axes.crs)
    return areas.copy(data=np.where(scales > 0, areas.values / scales, 0.0))


def _areal_scales(y: Any, x: Any, crs: Any) -> Any:
    """Return how much larger each cell is in the plane than on the ground: array over y, x; NaN off the Earth."""
    rows, columns = _nodes(y, NODES), _nodes(x, NODES)
    scales = _scales_at(y[rows], x[columns], crs)
    if scales.size == y.size * x.size:
        return scales
    if not np.isfinite(scales).all():
        return _scales_of_a_disk(y, x, crs)
    from scipy.interpolate import RectBivariateSpline

    north, east = (np.sign(axis[-1] - axis[0]) for axis in (y, x))
    spline = RectBivariateSpline(
        north * y[rows], east * x[columns], scales, kx=min(3, rows.size - 1), ky=min(3, columns.size - 1)
    )
    return spline(north * y, east * x)


def _scales_of_a_disk(y: Any, x: Any, crs: Any) -> Any:
    """Return scales where some places lie off the Earth: along lines between places that are on it, else each alone."""
    part = min(1.0, (MOST_SCALES / (y.size * x.size)) ** 0.5)
    rows, columns = (_nodes(axis, max(2, int(axis.size * part))) for axis in (y, x))
    known = _scales_at(y[rows], x[columns], crs)
    (low_y, part_y), (low_x, part_x) = _between(rows), _between(columns)
    lines = known[low_y] * (1 - part_y[:, None]) + known[low_y + 1] * part_y[:, None]
    scales = lines[:, low_x] * (1 - part_x) + lines[:, low_x + 1] * part_x
    on_earth = np.isfinite(known)
    reached = on_earth[:-1, :-1] | on_earth[1:, :-1] | on_earth[:-1, 1:] | on_earth[1:, 1:]
    row, column = np.nonzero(np.isnan(scales) & reached[np.ix_(low_y, low_x)])
    if row.size:
        scales[row, column] = _scales_of(y[row], x[column], crs)
    return scales


def _between(nodes: Any) -> tuple[Any, Any]:
    """Return for each place of an axis the node before it, and which part of the way to the next it is."""
    places = np.arange(nodes[-1] + 1)
    low = np.clip(np.searchsorted(nodes, places, side="right") - 1, 0, nodes.size - 2)
    return low, (places - nodes[low]) / (nodes[low + 1] - nodes[low])


def _nodes(axis: Any, most: int) -> Any:
    """Return numbers of cells of an axis, from its first to its last."""
    return np.unique(np.linspace(0, axis.size - 1, min(axis.size, most)).round().astype(int))


def _scales_at(y: Any, x: Any, crs: Any) -> Any:
    """Return the areal scale at these rows and columns: array over y, x; NaN off the Earth."""
    rows, columns = np.meshgrid(y, x, indexing="ij")
    return _scales_of(rows, columns, crs)


def _scales_of(y: Any, x: Any, crs: Any) -> Any:
    """Return the areal scale at each of these places; NaN off the Earth."""
    import pyproj

    crs = pyproj.CRS.from_user_input(crs)
    to_degrees = pyproj.Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True)
    longitude, latitude = to_degrees.transform(x, y)
    on_earth = np.isfinite(longitude) & np.isfinite(latitude)
    factors = pyproj.Proj(crs).get_factors(
        np.where(on_earth, longitude, 0.0), np.where(on_earth, latitude, 0.0), errcheck=False
    )
    scales = np.where(on_earth, factors.areal_scale, np.nan)
    scales[~np.isfinite(scales)] = np.nan
    return scales


def reached(data: Any, axes: Axes, bounds: tuple[float, float, float, float]) -> Any:
    """Return the rows and columns of data whose cells touch bounds (west, south, east, north); two of each at least."""
    west, south, east, north = bounds
    return data.isel(
        {
            axes.y: reach_of(data[axes.y].values, south, north),
            axes.x: reach_of(data[axes.x].values, west, east),
        }
    )


def reach_of(centres: Any, low: float, high: float) -> slice:
    """Return which cells of an axis touch what lies from `low` to `high`; two at least."""
    edges = edges_of(centres)
    lower, upper = np.minimum(edges[:-1], edges[1:]), np.maximum(edges[:-1], edges[1:])
    places = np.flatnonzero((upper >= low) & (lower <= high))
    first, last = int(places[0]), int(places[-1]) + 1
    if step_of(centres) is None:  # the edge between two rows of different heights needs both
        first, last = max(first - 1, 0), min(last + 1, lower.size)
    if last - first == 1:  # the distance of two is the size of a cell
        first, last = (first - 1, last) if first else (first, last + 1)
    return slice(first, last)


def raster_source(values: Any, y: Any, x: Any, name: str = "") -> Any:
    """Return an array over y and x as exactextract takes it, from the north-west."""
    from exactextract.raster import NumPyRasterSource

    array = values[::-1] if y[0] < y[-1] else values
    array = array[:, ::-1] if x[0] > x[-1] else array
    edges_y, edges_x = edges_of(y), edges_of(x)
    return NumPyRasterSource(
        np.ascontiguousarray(array),
        xmin=float(edges_x.min()),
        ymin=float(edges_y.min()),
        xmax=float(edges_x.max()),
        ymax=float(edges_y.max()),
        name=name or None,
    )


def feature_of(shape: Any) -> dict[str, Any]:
    """Return a shape as exactextract takes it; without properties, of which one named id would be replaced."""
    return {"type": "Feature", "properties": {}, "geometry": shape.__geo_interface__}


def numbered(shape: Any, y: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return a shape, y and x as they are on a regular grid, else in numbers of rows and columns, counted from 0."""
    if step_of(y) is not None and step_of(x) is not None:
        return shape, y, x
    import shapely

    edges = [np.sort(edges_of(axis)) for axis in (x, y)]

    def numbers(places: Any) -> Any:
        return np.stack(
            [np.interp(places[:, each], edges[each], np.arange(edges[each].size)) for each in (0, 1)], axis=1
        )

    def centres(axis: Any) -> Any:
        middle = np.arange(axis.size) + 0.5
        return middle if axis[0] < axis[-1] else middle[::-1]

    return shapely.transform(_with_corners(shape, *edges), numbers), centres(y), centres(x)


def _with_corners(shape: Any, edges_x: Any, edges_y: Any) -> Any:
    """Return polygons with a corner wherever an edge of theirs crosses one of these lines."""
    import shapely

    def ring(places: Any) -> Any:
        found = []
        for start, end in pairwise(places):
            parts = [0.0]
            for place, lines in enumerate((edges_x, edges_y)):
                low, high = sorted((start[place], end[place]))
                crossed = lines[(lines > low) & (lines < high)]
                parts += ((crossed - start[place]) / (end[place] - start[place])).tolist()
            found.append(start + np.unique(parts)[:, None] * (end - start))
        return np.concatenate([*found, places[-1:]])

    polygons = [
        shapely.Polygon(
            ring(shapely.get_coordinates(each.exterior)),
            [ring(shapely.get_coordinates(hole)) for hole in each.interiors],
        )
        for each in getattr(shape, "geoms", [shape])
        if each.geom_type == "Polygon"
    ]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)


def parts_inside(shape: Any, y: Any, x: Any) -> Any:
    """Return the part of each cell that lies in a shape, computed exactly on the plane: array over y, x."""
    from exactextract import exact_extract

    shape, y, x = numbered(shape, y, x)
    raster = raster_source(np.zeros((y.size, x.size)), y, x)
    found = exact_extract(raster, [feature_of(shape)], ["cell_id", "coverage"])[0]["properties"]
    parts = np.zeros(y.size * x.size)
    parts[np.asarray(found["cell_id"], dtype=int)] = found["coverage"]
    parts = parts.reshape(y.size, x.size)
    parts = parts[::-1] if y[0] < y[-1] else parts
    return parts[:, ::-1] if x[0] > x[-1] else parts


def heights_inside_poles(y: Any) -> Any:
    """Return which part of the height of each row of latitudes lies between the poles: 0.5 of a row at 90 degree."""
    full = np.abs(np.diff(edges_of(y)))
    return np.abs(np.diff(edges_of(y, within=POLES))) / full
