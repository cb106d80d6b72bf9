"""Cells that are no rectangles of a plane: of curvilinear grids, of meshes (UGRID), of projections seen on the sphere.

Cells become polygons on the plane of longitude and sine of latitude, which keeps areas (Lambert's cylindrical
projection). Their edges are great circles, in pieces of at most two degrees. What goes round a pole gets an edge along
it, and what crosses the 180th meridian is cut there: so all lies on one sheet, and areas and parts are exact on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig_earth.data.corners import CORNER
from labrig_earth.grids.axes import Axes, axes_of, edges_of, horizontal

MOST_CELLS = 2_000_000
"""Cells that are made polygons: some 2 kB and 10 microseconds each."""
MOST_PAIRS = 3_000_000
"""Pairs of cells whose common parts are computed: some 15 microseconds each."""
PIECE_DEGREES = 2.0
MOST_PIECES = 64
AT_POLE_DEGREES = 90.0 - 1e-7
ROUNDING = 1e-9
SAME_PLACE_DEGREES = 1e-4
"""Cells whose centres are nearer than this are one: global ocean grids hold their first columns and last row twice."""
MOST_UNEVEN = 20.0
"""Times that one corner of a cell may be further from its centre than another."""
ROW = "labrig_row"
RADIUS_KM = 6371.0088


@dataclass(frozen=True)
class Sheet:
    """Polygons on the sheet, and what each is a part of.

    Attributes
    ----------
    pieces
        Array of shapely polygons, x in radians from -pi to pi, y the sine of latitude.
    owners
        Which cell each is a part of.
    count
        Of cells.
    """

    pieces: Any
    owners: Any
    count: int

    @cached_property
    def areas(self) -> Any:
        """Areas of the cells, km2; 0 of those without corners."""
        import shapely

        return np.bincount(self.owners, shapely.area(self.pieces), self.count) * RADIUS_KM**2

    @cached_property
    def tree(self) -> Any:
        """Of the pieces."""
        import shapely

        return shapely.STRtree(self.pieces)


def cells_axes(data: Any) -> Axes:
    """Return the axes of a grid whose cells have areas: as `axes.horizontal`, and curvilinear grids and meshes too."""
    axes = axes_of(data)
    return axes if axes.curvilinear else horizontal(data)


def in_rows(variable: Any, axes: Axes) -> tuple[Any, Axes]:
    """Return a variable whose cells have two dimensions: those of a mesh become one row."""
    if axes.y != axes.x:
        return variable, axes
    return variable.expand_dims(ROW), replace(axes, y=ROW)


def sheet_of(data: Any, axes: Axes) -> Sheet:
    """Return the cells of a grid of any kind, in the order of its y and x.

    Raises
    ------
    LabrigError
        ``bad_input`` for cells without corners; ``limit`` for more than `MOST_CELLS`.
    """
    count = int(np.prod([data.sizes[dim] for dim in axes.cell_dims]))
    if count > MOST_CELLS:
        raise over_limit(
            f"The grid has {count:,} cells",
            MOST_CELLS,
            where="data",
            try_="a part of it by select.box, or a coarser grid by regrid_variable with crs and resolution",
        )
    if not axes.curvilinear:
        return sheet_of_rings(_corners_of_axes(data, axes))
    stated = corners_stated(data)
    corners = stated if stated is not None else _corners_between(data, axes)
    corners[_repeated(data, axes) | _strayed(data, axes, corners)] = np.nan
    return sheet_of_rings(corners)


def odd_cells(data: Any, axes: Axes) -> tuple[str, ...]:
    """Return what is odd about the corners of cells: those that take no part in means over space."""
    if not axes.curvilinear or (stated := corners_stated(data)) is None:
        return ()
    odd = {
        "have the place of another": _repeated(data, axes),
        "have corners far from their centre": _strayed(data, axes, stated),
    }
    return tuple(f"{each.sum()} cells {said} and are left out" for said, each in odd.items() if each.any())


def corners_stated(data: Any) -> Any:
    """Return the corners that the file states: array over cells, corners and (longitude, latitude), else None."""
    named = {str(data[name].attrs[CORNER]): data[name] for name in data.coords if CORNER in data[name].attrs}
    count = len(named) // 2
    if not count:
        return None
    both = [
        np.stack([np.asarray(named[f"{kind} {at}"].values, "f8").ravel() for at in range(count)], axis=1)
        for kind in ("longitude", "latitude")
    ]
    return np.stack(both, axis=-1)


def _corners_between(data: Any, axes: Axes) -> Any:
    """Return corners half-way between the centres of a curvilinear grid, on the sphere."""
    latitude, longitude = (
        np.asarray(data[name].values, "f8") for name in (axes.latitude_2d, axes.longitude_2d)
    )
    if latitude.ndim != 2 or min(latitude.shape) < 2:
        raise LabrigError(
            "The cells have neither corners nor neighbours both ways",
            where=f"{axes.latitude_2d}, {axes.longitude_2d}",
            expected="bounds of latitude and longitude, or two cells each way",
        )
    centres = on_sphere(longitude, latitude)
    for axis in (0, 1):
        first, last = (np.take(centres, each, axis=axis) for each in ([0, 1], [-1, -2]))
        before, after = (
            2 * np.take(each, [0], axis=axis) - np.take(each, [1], axis=axis) for each in (first, last)
        )
        centres = np.concatenate([before, centres, after], axis=axis)
    nodes = centres[:-1, :-1] + centres[1:, :-1] + centres[:-1, 1:] + centres[1:, 1:]
    return _rings_of_nodes(*off_sphere(nodes))


def _corners_of_axes(data: Any, axes: Axes) -> Any:
    """Return corners of the rectangles of a projection, or of latitudes and longitudes; beyond a limb they are NaN."""
    from pyproj import CRS, Transformer

    x = edges_of(data[axes.x].values)
    y = edges_of(data[axes.y].values, within=(-90.0, 90.0) if axes.in_degrees else None)
    nodes_x, nodes_y = np.meshgrid(x, y)
    if not axes.geographic:
        if not axes.crs:
            raise LabrigError("The grid states no CRS", where="data", try_="writing the file with one")
        crs = CRS.from_user_input(axes.crs)
        to_degrees = Transformer.from_crs(
            crs, crs.geodetic_crs if axes.rotated else "EPSG:4326", always_xy=True
        )
        nodes_x, nodes_y = to_degrees.transform(nodes_x, nodes_y)
    return _rings_of_nodes(nodes_x, nodes_y)


def _rings_of_nodes(longitude: Any, latitude: Any) -> Any:
    nodes = np.stack([longitude, latitude], axis=-1)
    nodes[~np.isfinite(nodes).all(axis=-1)] = np.nan
    rings = [nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, 1:], nodes[1:, :-1]]
    return np.stack([each.reshape(-1, 2) for each in rings], axis=1)


def _repeated(data: Any, axes: Axes) -> Any:
    """Return which cells have the centre of another before them."""
    centres = np.stack(
        [np.asarray(data[name].values, "f8").ravel() for name in (axes.latitude_2d, axes.longitude_2d)],
        axis=1,
    )
    centres[:, 1] %= 360.0
    rounded = np.round(centres / SAME_PLACE_DEGREES).astype("i8", casting="unsafe")
    _, first = np.unique(rounded, axis=0, return_index=True)
    found = np.ones(len(rounded), bool)
    found[first] = False
    return found & np.isfinite(centres).all(axis=1)


def _strayed(data: Any, axes: Axes, corners: Any) -> Any:
    """Return which cells have a corner far from their centre and another near it, as in halos of ocean models."""
    latitude, longitude = (
        np.asarray(data[name].values, "f8").ravel() for name in (axes.latitude_2d, axes.longitude_2d)
    )
    centres = on_sphere(longitude, latitude)
    apart = np.linalg.norm(on_sphere(corners[..., 0], corners[..., 1]) - centres[:, None], axis=-1)
    return apart.max(axis=1) > MOST_UNEVEN * np.maximum(apart.min(axis=1), 1e-9)


def on_sphere(longitude: Any, latitude: Any) -> Any:
    """Return unit vectors: array over the places and (x, y, z)."""
    lam, phi = np.deg2rad(longitude), np.deg2rad(latitude)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=-1)


def off_sphere(vectors: Any) -> tuple[Any, Any]:
    """Return longitude and latitude of vectors of any length."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.rad2deg(np.arctan2(y, x)), np.rad2deg(np.arctan2(z, np.hypot(x, y)))


def sheet_of_rings(corners: Any) -> Sheet:
    """Return cells as polygons on the sheet; those with corners that are missing have none.

    Parameters
    ----------
    corners
        Array over cells, corners and (longitude, latitude) in degrees.
    """
    import shapely

    count, owners = len(corners), np.flatnonzero(np.isfinite(corners).all(axis=(1, 2)))
    corners = corners[owners]
    polygons, steps = np.empty(len(corners), object), _steps_needed(corners)
    for each in np.unique(steps):
        chosen = np.flatnonzero(steps == each)
        longitude, latitude = _along_great_circles(corners[chosen], int(each))
        turns = _turns(longitude)
        before = np.cumsum(turns, axis=1) - turns
        rings = np.stack([np.deg2rad(longitude[:, :1] + before), np.sin(np.deg2rad(latitude))], axis=-1)
        at_pole = np.abs(latitude) > AT_POLE_DEGREES
        polar = at_pole.any(axis=1) | (np.abs(turns.sum(axis=1)) > 180.0)
        polygons[chosen[~polar]] = shapely.polygons(rings[~polar])
        for place in np.flatnonzero(polar):
            polygons[chosen[place]] = _around_pole(longitude[place], latitude[place], at_pole[place])
    return _on_one_sheet(polygons, owners, count)


def _turns(longitude: Any) -> Any:
    """Return the degrees from each longitude of a ring to the next, the short way."""
    return (np.diff(longitude, axis=1, append=longitude[:, :1]) + 180.0) % 360.0 - 180.0


def _steps_needed(corners: Any) -> Any:
    """Return in how many pieces the edges of each cell are drawn: a power of two, many near the poles."""
    longest = np.abs(_turns(corners[..., 0])).max(axis=1, initial=0.0)
    longest = np.maximum(longest, np.abs(np.diff(corners[..., 1], axis=1)).max(axis=1, initial=0.0))
    longest[np.abs(corners[..., 1]).max(axis=1, initial=0.0) > AT_POLE_DEGREES] = 180.0
    pieces = np.clip(longest / PIECE_DEGREES, 1, MOST_PIECES)
    return 2 ** np.ceil(np.log2(pieces)).astype(int)


def _along_great_circles(corners: Any, steps: int) -> tuple[Any, Any]:
    """Return longitude and latitude along the edges of cells: arrays over cells and places."""
    vectors = on_sphere(corners[..., 0], corners[..., 1])
    ahead = np.roll(vectors, -1, axis=1)
    parts = (np.arange(steps) / steps)[:, None]
    between = vectors[:, :, None] * (1 - parts) + ahead[:, :, None] * parts
    return off_sphere(between.reshape(len(corners), -1, 3))


def _around_pole(longitude: Any, latitude: Any, at_pole: Any) -> Any:
    """Return a cell that has a pole inside or as a corner, with an edge along the pole."""
    import shapely

    if at_pole.all():
        return shapely.Polygon()
    start = (int(np.flatnonzero(at_pole)[-1]) + 1) if at_pole.any() else 0
    order = [each for each in np.roll(np.arange(longitude.size), -start) if not at_pole[each]]
    if not at_pole.any():
        order.append(order[0])
    x, y = np.unwrap(np.deg2rad(longitude[order])), np.sin(np.deg2rad(latitude[order]))
    pole = float(np.sign(y.mean()))
    ring = [(x[0], pole), *zip(x, y, strict=True), (x[-1], pole)]
    return shapely.Polygon(ring)


def sheet_of_shapes(shapes: Sequence[Any]) -> Sheet:
    """Return polygons of longitude and latitude on the sheet; their edges are straight in degrees."""
    import shapely

    def placed(places: Any) -> Any:
        return np.stack(
            [np.deg2rad(places[:, 0]), np.sin(np.deg2rad(np.clip(places[:, 1], -90, 90)))], axis=1
        )

    fine = np.empty(len(shapes), object)
    fine[:] = shapely.transform(shapely.segmentize(np.asarray(shapes, object), PIECE_DEGREES / 4), placed)
    return _on_one_sheet(fine, np.arange(len(shapes)), len(shapes))


def _on_one_sheet(polygons: Any, owners: Any, count: int) -> Sheet:
    """Return polygons moved by whole turns onto the sheet, valid; those across its edge are cut in two."""
    import shapely

    bounds = shapely.bounds(polygons)
    turns = -2 * np.pi * np.round(np.nan_to_num((bounds[:, 0] + bounds[:, 2]) / 2) / (2 * np.pi))
    polygons = _moved(polygons, turns)
    broken = ~shapely.is_valid(polygons)
    polygons[broken] = shapely.make_valid(polygons[broken], method="structure", keep_collapsed=False)
    bounds[:, [0, 2]] += turns[:, None]
    across = (bounds[:, 0] < -np.pi - ROUNDING) | (bounds[:, 2] > np.pi + ROUNDING)
    sheet = shapely.box(-np.pi, -1.0, np.pi, 1.0)
    cut = [
        shapely.intersection(_moved(polygons[across], turn), sheet) for turn in (-2 * np.pi, 0.0, 2 * np.pi)
    ]
    pieces = np.concatenate([polygons[~across], *cut])
    of_pieces = np.concatenate([owners[~across], *[owners[across]] * 3])
    kept = ~shapely.is_empty(pieces)
    return Sheet(pieces[kept], of_pieces[kept], count)


def _moved(polygons: Any, turns: Any) -> Any:
    import shapely

    places, of_polygon = shapely.get_coordinates(polygons, return_index=True)
    places[:, 0] += np.broadcast_to(turns, len(polygons))[of_polygon]
    return shapely.set_coordinates(polygons.copy(), places)


def common_areas(cells: Sheet, others: Sheet) -> Any:
    """Return the areas that cells have in common with others: `scipy.sparse.csr_array` over others and cells, km2.

    Raises
    ------
    LabrigError
        ``limit`` for more than `MOST_PAIRS`.
    """
    import shapely
    from scipy.sparse import csr_array

    other, cell = cells.tree.query(others.pieces, predicate="intersects")
    if other.size > MOST_PAIRS:
        raise over_limit(
            f"The cells have {other.size:,} parts in common",
            MOST_PAIRS,
            try_="a coarser grid, or a smaller box",
        )
    within = np.zeros(other.size, bool)
    numbers = other.astype("i8") * len(cells.pieces) + cell
    covering, covered = cells.tree.query(others.pieces, predicate="covers")
    within[np.isin(numbers, covering.astype("i8") * len(cells.pieces) + covered)] = True
    areas = np.empty(other.size)
    areas[within] = shapely.area(cells.pieces[cell[within]])
    areas[~within] = shapely.area(
        shapely.intersection(others.pieces[other[~within]], cells.pieces[cell[~within]])
    )
    places = (others.owners[other], cells.owners[cell])
    return csr_array((areas * RADIUS_KM**2, places), shape=(others.count, cells.count))


def extent_of(cells: Sheet) -> tuple[float, float, float, float]:
    """Return west, south, east and north of cells in degrees; the widest gap lies outside: east may be beyond 180."""
    import shapely

    if not len(cells.pieces):
        raise LabrigError("No cell of the grid lies on the Earth", where="data")
    west, south, east, north = shapely.bounds(cells.pieces).T
    order = np.argsort(west)
    reached = np.maximum.accumulate(east[order])
    first = np.append(west[order][1:], west[order][0] + 2 * np.pi)
    gaps = first - reached
    widest = int(gaps.argmax())
    low, high = np.rad2deg(np.arcsin(np.clip([south.min(), north.max()], -1, 1)))
    if gaps[widest] < ROUNDING:
        return -180.0, float(low), 180.0, float(high)
    start, end = np.rad2deg(first[widest]), np.rad2deg(reached[widest])
    start = start - 360.0 if start >= 180.0 else start
    return float(start), float(low), float(end + 360.0 if end < start else end), float(high)


def cells_at(cells: Sheet, longitude: Any, latitude: Any) -> Any:
    """Return the number of the cell in which each place lies; -1 for none."""
    longitude, latitude = np.broadcast_arrays(np.asarray(longitude, "f8"), np.asarray(latitude, "f8"))
    place, piece = cells.tree.query(_points(longitude.ravel(), latitude.ravel()), predicate="intersects")
    found = np.full(longitude.size, -1)
    found[place] = cells.owners[piece]
    return found.reshape(longitude.shape)


def places_in(shapes: Sheet, longitude: Any, latitude: Any) -> Any:
    """Return which places lie in which shapes: array over shapes and places."""
    place, piece = shapes.tree.query(_points(longitude, latitude), predicate="intersects")
    found = np.zeros((shapes.count, longitude.size), bool)
    found[shapes.owners[piece], place] = True
    return found


def _points(longitude: Any, latitude: Any) -> Any:
    import shapely

    return shapely.points(np.deg2rad((longitude + 180.0) % 360.0 - 180.0), np.sin(np.deg2rad(latitude)))
