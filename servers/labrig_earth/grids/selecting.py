"""Parts of a grid: a box across any meridian, a point, a level.

Positions are in degrees of WGS 84. A bounding box is (west, south, east, north); where west is above east it crosses
the 180th meridian. Longitudes of data may run from 0 to 360 or from -180 to 180, and latitudes either way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.data.stations import nearest_place, places_of
from labrig_earth.grids.axes import Axes, edges_of, goes_round, short_crs, step_of
from labrig_earth.grids.mesh import cells_at, cells_axes, sheet_of

Box = tuple[float, float, float, float]
ROUND = 1e-9


@dataclass(frozen=True)
class Point:
    """Values at a place, and from where they are.

    Attributes
    ----------
    data
        Without horizontal axes.
    distance_km
        From the place to the centre of the cell that is taken, or of the nearest one where it is interpolated;
        geodesic.
    latitude, longitude
        Of that centre, degree.
    """

    data: Any
    distance_km: float
    latitude: float
    longitude: float
    method: str


def checked_box(box: Any) -> Box:
    """Return a bounding box in degrees.

    Raises
    ------
    LabrigError
        ``bad_input`` for latitudes beyond the poles, south above north, longitudes beyond 360, with what may have
        been exchanged.
    """
    expected = "(west, south, east, north) in degree"
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(np.isfinite(each) for each in box):
        raise LabrigError("The box has not four numbers", where="box", expected=expected)
    west, south, east, north = (float(each) for each in box)
    if not (-90 <= south <= 90 and -90 <= north <= 90):
        exchanged = -90 <= west <= 90 and -90 <= east <= 90
        raise LabrigError(
            f"Latitudes {south:g} and {north:g} are beyond the poles",
            where="box",
            expected=expected,
            try_=f"[{south:g}, {west:g}, {north:g}, {east:g}], if latitude and longitude were exchanged"
            if exchanged
            else "",
        )
    if south > north:
        raise LabrigError(
            f"South {south:g} is above north {north:g}",
            where="box",
            expected=expected,
            try_=f"[{west:g}, {north:g}, {east:g}, {south:g}]",
        )
    if not (-360 <= west <= 360 and -360 <= east <= 360):
        raise LabrigError(f"Longitudes {west:g} and {east:g} are beyond 360", where="box", expected=expected)
    return west, south, east, north


def select_box(data: Any, box: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the cells whose centres lie in a box, and what was done to longitudes.

    The result keeps the data's order of latitudes. Its longitudes rise without a break from the west of the box: where
    the box crosses the 180th meridian (or, in data from 0 to 360, the Greenwich meridian), in the convention that
    has no break there.

    Parameters
    ----------
    data
        Over latitude and longitude, or x and y of a projection.
    box
        (west, south, east, north) in degrees. Of a projected grid it may be in the unit of the grid; numbers that can
        be degrees and do not reach the grid are degrees, of which the smallest box around them is taken.

    Returns
    -------
    tuple
        The cells, and what was done, in words.

    Raises
    ------
    LabrigError
        ``bad_input`` as `checked_box`; ``not_found`` where no centre lies in the box, with the extent of the data.
    """
    axes = cells_axes(data)
    if axes.curvilinear:
        return _box_of_cells(data, axes, checked_box(box)), ()
    if not axes.geographic:
        return _projected_box(data, axes, box)
    west, south, east, north = checked_box(box)
    latitudes = np.asarray(data[axes.y].values, "f8")
    longitudes = np.asarray(data[axes.x].values, "f8")
    rows = np.flatnonzero((latitudes >= south - ROUND) & (latitudes <= north + ROUND))
    width = 360.0 if abs(east - west) >= 360.0 - ROUND else (east - west) % 360.0
    ahead = (longitudes - west) % 360.0
    ahead[ahead > 360.0 - ROUND] = 0.0
    columns = np.flatnonzero(ahead <= width + ROUND)
    if not rows.size or not columns.size:
        raise _no_centre(data, axes, (west, south, east, north))
    columns = columns[np.argsort(ahead[columns], kind="stable")]
    offsets = ahead[columns]
    keep = np.concatenate([[True], np.diff(offsets) > ROUND])  # data that hold both 0 and 360
    columns, offsets = columns[keep], offsets[keep]
    found = data.isel({axes.y: _slice(rows), axes.x: _slice(columns)})
    placed = west + offsets
    if placed.max() > 180.0 and placed.min() >= 180.0:
        placed = placed - 360.0
    if np.abs(placed - longitudes[columns]).max() < 1e-6 or _of_one_convention(longitudes[columns]):
        return found, ()
    attrs = data[axes.x].attrs
    said = f"longitudes run from {placed[0]:g} to {placed[-1]:g} without a break"
    return found.assign_coords({axes.x: (axes.x, placed, attrs)}), (said,)


def _box_of_cells(data: Any, axes: Axes, box: Box) -> Any:
    """Return cells of a mesh whose centres lie in a box, or the rows and columns of a curvilinear grid that hold them;
    other cells of these are missing."""
    import xarray as xr

    west, south, east, north = box
    latitude, longitude = (
        np.asarray(data[name].values, "f8") for name in (axes.latitude_2d, axes.longitude_2d)
    )
    width = 360.0 if abs(east - west) >= 360.0 - ROUND else (east - west) % 360.0
    inside = (latitude >= south) & (latitude <= north) & ((longitude - west) % 360.0 <= width)
    if not inside.any():
        raise LabrigError(f"The box {_shown_box(box)} holds no cell centre", where="box", code="not_found")
    kept = dict(zip(axes.cell_dims, (np.unique(each) for each in np.nonzero(inside)), strict=True))
    if len(kept) == 1:
        return data.isel(kept)
    rows, columns = (slice(int(each[0]), int(each[-1]) + 1) for each in kept.values())
    found = data.isel({axes.y: rows, axes.x: columns})
    seen = xr.DataArray(inside[rows, columns], dims=axes.cell_dims)
    if not hasattr(found, "data_vars"):
        return found.where(seen)
    of_cells = [name for name in found.data_vars if set(axes.cell_dims) <= set(found[name].dims)]
    return found.assign({name: found[name].where(seen) for name in of_cells})


def _of_one_convention(longitudes: Any) -> bool:
    return bool(longitudes.size < 2 or (np.diff(longitudes) > 0).all())


def _projected_box(data: Any, axes: Axes, box: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the cells of a projected grid in a box, which is in degrees where it cannot be in the unit of the grid."""
    if not isinstance(box, (list, tuple)) or len(box) != 4 or not all(np.isfinite(each) for each in box):
        raise LabrigError("The box has not four numbers", where="box", expected="(west, south, east, north)")
    west, south, east, north = (float(each) for each in box)
    xs, ys = np.asarray(data[axes.x].values, "f8"), np.asarray(data[axes.y].values, "f8")
    done: tuple[str, ...] = () if axes.crs else ("no CRS is stated: the box is one of x and y as they are",)
    if axes.crs and _meant_in_degrees(data, axes, (west, south, east, north)):
        import pyproj

        degrees = checked_box(box)
        if degrees[0] > degrees[2]:
            degrees = (degrees[0] - 360.0, *degrees[1:])
        to_grid = pyproj.Transformer.from_crs("EPSG:4326", axes.crs, always_xy=True)
        west, south, east, north = to_grid.transform_bounds(*degrees)
        if axes.rotated:
            turned = _into((west + east) / 2, xs) - (west + east) / 2
            west, east = west + turned, east + turned
        if not np.isfinite([west, south, east, north]).all():
            raise LabrigError(f"{short_crs(axes.crs)} does not reach {_shown_box(degrees)}", where="box")
        done = (
            f"the box in degrees reaches over {_shown_box((west, south, east, north))} of {short_crs(axes.crs)}",
        )
    columns, rows = np.flatnonzero((xs >= west) & (xs <= east)), np.flatnonzero((ys >= south) & (ys <= north))
    if not rows.size or not columns.size:
        raise _no_centre(data, axes, (west, south, east, north))
    return data.isel({axes.y: _slice(rows), axes.x: _slice(columns)}), done


def _meant_in_degrees(data: Any, axes: Axes, box: Box) -> bool:
    """Tell whether a box can be degrees alone: it could be, and it holds no cell's centre by the grid's numbers.

    The middle of a full disk is 0, 0 in metres too, where a box of some degrees would be smaller than a cell.
    """
    west, south, east, north = box
    could = abs(west) <= 360 and abs(east) <= 360 and abs(south) <= 90 and abs(north) <= 90
    if axes.rotated:  # whose own degrees nobody names
        return True
    x, y = (np.asarray(data[name].values, "f8") for name in (axes.x, axes.y))
    held = ((x >= west) & (x <= east)).any() and ((y >= south) & (y <= north)).any()
    return could and not held


def _slice(places: Any) -> Any:
    """Return places that follow one another as a slice, which readers take as one piece."""
    if places.size and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _shown_box(box: Box) -> str:
    return "(" + ", ".join(f"{each:.7g}" for each in box) + ")"


def _outside(data: Any, axes: Axes, what: str, where: str, try_: str = "") -> LabrigError:
    unit = " in degree" if axes.geographic else f" in {short_crs(axes.crs) or 'units of the grid'}"
    return LabrigError(
        what,
        where=where,
        expected=f"a place within {_shown_box(_extent(data, axes))} (west, south, east, north of cell centres{unit})",
        try_=try_,
        code="not_found",
    )


def _no_centre(data: Any, axes: Axes, box: Box) -> LabrigError:
    """Return the error of a box without a cell: it is narrow, or elsewhere, or its coordinates are exchanged."""
    west, south, east, north = box
    extent, turned = _extent(data, axes), (south, west, north, east)
    try_ = ""
    if _meet(extent, box, turns=axes.geographic):
        try_ = "for a box smaller than a cell: point=[latitude, longitude]"
    elif axes.geographic and abs(west) <= 90 and abs(east) <= 90 and _meet(extent, turned, turns=True):
        try_ = f"[{', '.join(f'{each:g}' for each in turned)}], if latitude and longitude were exchanged"
    return _outside(data, axes, f"The box {_shown_box(box)} holds no cell centre", "box", try_)


def _extent(data: Any, axes: Axes) -> Box:
    """Return west, south, east and north of the centres."""
    x, y = data[axes.x], data[axes.y]
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _meet(one: Box, other: Box, *, turns: bool) -> bool:
    """Tell whether two boxes have a place in common, their longitudes moved by whole turns where they are degrees."""
    if one[1] > other[3] or other[1] > one[3]:
        return False
    width = other[2] - other[0] + (360.0 if turns and other[2] < other[0] else 0.0)
    moves = (-360.0, 0.0, 360.0) if turns else (0.0,)
    return any(one[0] <= other[0] + move + width and other[0] + move <= one[2] for move in moves)


def checked_place(latitude: float, longitude: float) -> tuple[float, float]:
    """Return a place in degrees; LabrigError for a latitude beyond the poles or a longitude beyond 360."""
    expected = "latitude from -90 to 90, longitude from -180 to 360 degree"
    if not -90 <= latitude <= 90:
        exchanged = -90 <= longitude <= 90 and -360 <= latitude <= 360
        raise LabrigError(
            f"Latitude {latitude:g} is beyond the poles",
            where="latitude",
            expected=expected,
            try_=f"latitude={longitude:g}, longitude={latitude:g}, if they were exchanged"
            if exchanged
            else "",
        )
    if not -360 <= longitude <= 360:
        raise LabrigError(f"Longitude {longitude:g} is beyond 360", where="longitude", expected=expected)
    return float(latitude), float(longitude)


def select_point(data: Any, latitude: float, longitude: float, *, method: str = "nearest") -> Point:
    """Return the values at a place.

    Parameters
    ----------
    latitude, longitude
        Degree, WGS 84, whatever the projection of the data.
    method
        ``nearest``: those of the cell in which it lies. ``linear``: bilinear between the four centres around it,
        missing where one of them is.

    Raises
    ------
    LabrigError
        ``not_found`` for a place outside the grid, with its extent; ``bad_input`` for another method.
    """
    if method not in ("nearest", "linear"):
        raise LabrigError(f"There is no method {method!r}", where="method", expected="nearest or linear")
    latitude, longitude = checked_place(latitude, longitude)
    axes = cells_axes(data)
    if axes.curvilinear:
        return _point_in_cells(data, axes, latitude, longitude, method)
    data = unbroken(data, axes)
    y, x = (latitude, longitude) if axes.geographic else _projected(axes, latitude, longitude)
    centre_y, centre_x = data[axes.y].values.astype("f8"), data[axes.x].values.astype("f8")
    if axes.in_degrees:
        x = _into(x, centre_x)
    row, column = int(np.abs(centre_y - y).argmin()), int(np.abs(centre_x - x).argmin())
    wraps = axes.geographic and goes_round(data, axes)
    bounds_y = (
        edges_of(centre_y, within=(-90, 90) if axes.in_degrees else None) if centre_y.size > 1 else centre_y
    )
    bounds_x = edges_of(centre_x) if centre_x.size > 1 else centre_x
    inside = bounds_y.min() - ROUND <= y <= bounds_y.max() + ROUND and (
        wraps or bounds_x.min() - ROUND <= x <= bounds_x.max() + ROUND
    )
    if not inside:
        turned = (latitude, longitude, latitude, longitude)
        exchanged = (
            axes.geographic and abs(longitude) <= 90 and _meet(_extent(data, axes), turned, turns=True)
        )
        raise _outside(
            data,
            axes,
            f"The place {latitude:g}, {longitude:g} (latitude, longitude) is outside the grid",
            "latitude, longitude",
            f"[latitude, longitude] = [{longitude:g}, {latitude:g}], if they were exchanged"
            if exchanged
            else "",
        )
    if wraps:
        column = int(np.abs((centre_x - x + 180.0) % 360.0 - 180.0).argmin())
    centre = _place_of(axes, float(centre_y[row]), float(centre_x[column]))
    distance = _distance_km((latitude, longitude), centre)
    if method == "nearest":
        found = data.isel({axes.y: row, axes.x: column}, drop=True)
        return Point(found, distance, *centre, method)
    return Point(_linear(data, axes, y, x, wraps), distance, *centre, method)


def point_or_place(data: Any, latitude: float, longitude: float, *, method: str = "nearest") -> Point:
    """Return the values at a place of a grid (`select_point`), or at the nearest of places that make none."""
    places = places_of(data)
    if places is None:
        return select_point(data, latitude, longitude, method=method)
    latitude, longitude = checked_place(latitude, longitude)
    if method != "nearest":
        raise LabrigError(
            "Between places that make no grid nothing is interpolated", where="method", expected="nearest"
        )
    found, y, x, distance = nearest_place(data, places, latitude, longitude)
    return Point(found, distance, y, x, method)


def _point_in_cells(data: Any, axes: Axes, latitude: float, longitude: float, method: str) -> Point:
    if method != "nearest":
        raise LabrigError(
            "The grid is curvilinear", where="method", expected="nearest: the cell around the place"
        )
    cell = int(cells_at(sheet_of(data, axes), longitude, latitude))
    if cell < 0:
        raise LabrigError(
            f"The place {latitude:g}, {longitude:g} (latitude, longitude) is in no cell of the grid",
            where="latitude, longitude",
            code="not_found",
        )
    sizes = [data.sizes[dim] for dim in axes.cell_dims]
    found = data.isel(dict(zip(axes.cell_dims, map(int, np.unravel_index(cell, sizes)), strict=True)))
    centre = float(found[axes.latitude_2d]), (float(found[axes.longitude_2d]) + 180.0) % 360.0 - 180.0
    bare = found.drop_vars([name for name in found.coords if name not in found.dims and name != axes.time])
    return Point(bare, _distance_km((latitude, longitude), centre), *centre, method)


def _into(longitude: float, centres: Any) -> float:
    """Return a longitude in the convention of the data: by whole turns, nearest to their middle."""
    middle = (centres.min() + centres.max()) / 2
    return float(longitude + 360.0 * np.round((middle - longitude) / 360.0))


def _linear(data: Any, axes: Axes, y: float, x: float, wraps: bool) -> Any:
    """Interpolate between the four centres around a place."""
    rows, row_weights = _around(data[axes.y].values.astype("f8"), y, False)
    columns, column_weights = _around(data[axes.x].values.astype("f8"), x, wraps)
    if not rows or not columns:
        raise _outside(
            data,
            axes,
            "The place lies between the last centres and the edge of the grid, where nothing can be interpolated",
            "latitude, longitude",
        )
    total: Any = 0.0
    for row, of_row in zip(rows, row_weights, strict=True):
        for column, of_column in zip(columns, column_weights, strict=True):
            if of_row * of_column:
                total = total + data.isel({axes.y: row, axes.x: column}, drop=True) * (of_row * of_column)
    return _with_attributes(total, data)


def _with_attributes(result: Any, data: Any) -> Any:
    if hasattr(result, "data_vars"):
        return result.assign({name: result[name].assign_attrs(data[name].attrs) for name in result.data_vars})
    return result.assign_attrs(data.attrs)


def _around(centres: Any, value: float, wraps: bool) -> tuple[list[int], list[float]]:
    """Return the two places around a value and their weights; none where it lies beyond the last."""
    order = np.argsort(centres)
    ordered = centres[order]
    if wraps:
        value = ordered[0] + (value - ordered[0]) % 360.0
        ordered, order = np.append(ordered, ordered[0] + 360.0), np.append(order, order[0])
    if not ordered[0] - ROUND <= value <= ordered[-1] + ROUND:
        return [], []
    if ordered.size == 1:
        return [int(order[0])], [1.0]
    place = int(np.clip(np.searchsorted(ordered, value, side="right") - 1, 0, ordered.size - 2))
    part = float(np.clip((value - ordered[place]) / (ordered[place + 1] - ordered[place]), 0.0, 1.0))
    return [int(order[place]), int(order[place + 1])], [1.0 - part, part]


def _projected(axes: Axes, latitude: float, longitude: float) -> tuple[float, float]:
    import pyproj

    if not axes.crs:
        raise LabrigError(
            "The data state no CRS, so that a latitude and a longitude have no place in them",
            where="latitude, longitude",
            try_="state the CRS with regrid_variable (crs=...)",
        )
    forward = pyproj.Transformer.from_crs("EPSG:4326", axes.crs, always_xy=True)
    x, y = forward.transform(longitude, latitude)
    if not (np.isfinite(x) and np.isfinite(y)):
        raise LabrigError(
            f"{short_crs(axes.crs)} does not reach {latitude:g}, {longitude:g}", where="latitude, longitude"
        )
    return float(y), float(x)


def _place_of(axes: Axes, y: float, x: float) -> tuple[float, float]:
    """Return latitude and longitude of a centre, longitude from -180 to 180."""
    if not axes.geographic:
        import pyproj

        x, y = pyproj.Transformer.from_crs(axes.crs, "EPSG:4326", always_xy=True).transform(x, y)
    return float(y), float((x + 180.0) % 360.0 - 180.0)


def _distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    import pyproj

    return float(pyproj.Geod(ellps="WGS84").inv(one[1], one[0], other[1], other[0])[2]) / 1000.0


def select_level(data: Any, axes: Axes, level: float) -> Any:
    """Return the data at a level, in the unit of its axis.

    Raises
    ------
    LabrigError
        ``bad_input`` for data without levels; ``not_found`` for a level that they do not have, with those they have.
    """
    if not axes.level or axes.level not in data.dims:
        raise LabrigError("The data have no levels", where="level", expected="no level")
    values = np.asarray(data[axes.level].values, "f8")
    unit = str(data[axes.level].attrs.get("units", ""))
    place = int(np.abs(values - level).argmin())
    if abs(values[place] - level) > 1e-6 * max(1.0, abs(level)):
        raise LabrigError(
            f"There is no level {level:g}",
            where="level",
            expected=f"one of {', '.join(f'{each:g}' for each in values[:40])} {unit}".strip(),
            code="not_found",
        )
    return data.isel({axes.level: place})


def unbroken(data: Any, axes: Axes) -> Any:
    """Return a grid whose longitudes rise without a break, if they can.

    A region around Greenwich in data from 0 to 360 has longitudes 0..10 and 350..359; they become -10..10.
    """
    if not axes.geographic or data.sizes.get(axes.x, 0) < 3 or step_of(data[axes.x].values) is not None:
        return data
    longitudes = np.asarray(data[axes.x].values, "f8")
    order = np.argsort(longitudes % 360.0)
    round_again = (longitudes % 360.0)[order]
    gaps = np.diff(np.append(round_again, round_again[0] + 360.0))
    first = (int(gaps.argmax()) + 1) % longitudes.size
    order = np.roll(order, -first)
    placed = longitudes[order[0]] + (longitudes[order] - longitudes[order[0]]) % 360.0
    placed -= 360.0 * np.floor((placed.mean() + 180.0) / 360.0)
    if step_of(placed) is None:
        return data
    return data.isel({axes.x: order}).assign_coords({axes.x: (axes.x, placed, data[axes.x].attrs)})
