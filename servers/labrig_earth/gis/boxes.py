"""Bounding boxes, and polygons that cross the antimeridian, in degrees on WGS 84 (lon, lat)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError

BOX = "(west, south, east, north) in degrees; west greater than east for a box across the antimeridian"
ROUND = 1e-6
"""Degrees by which the edge of the map may differ from 180: Natural Earth has one from -180 to 179.99999999999994."""


def check_box(box: Sequence[float], where: str = "bbox") -> tuple[float, float, float, float]:
    """Return a box of four numbers whose latitudes and longitudes can be.

    Raises
    ------
    LabrigError
        For another number of values, swapped coordinates, south above north, and a box without extent.
    """
    try:
        west, south, east, north = (float(value) for value in box)
    except (TypeError, ValueError):
        raise LabrigError("A box has four numbers", where=where, expected=BOX) from None
    if not all(-360 <= value <= 360 for value in (west, south, east, north)):
        raise LabrigError(f"{list(box)} is no box in degrees", where=where, expected=BOX)
    if max(abs(south), abs(north)) > 90:
        swapped = max(abs(west), abs(east)) <= 90
        raise LabrigError(
            f"A latitude of {south if abs(south) > 90 else north:g} cannot be",
            where=where,
            expected=BOX,
            try_=f"[{south:g}, {west:g}, {north:g}, {east:g}], if latitude and longitude are swapped"
            if swapped
            else "latitudes from -90 to 90",
        )
    if south > north:
        raise LabrigError(
            f"South ({south:g}) is above north ({north:g})",
            where=where,
            expected=BOX,
            try_=f"[{west:g}, {north:g}, {east:g}, {south:g}]",
        )
    if south == north or west == east:
        raise LabrigError(
            "The box has no extent", where=where, expected=BOX, try_="widen it by a cell on each side"
        )
    return west, south, east, north


def published_box(given: Sequence[float], where: str) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) of the published [north, west, south, east].

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid box, with the order that its numbers may be in.
    """
    if len(given) != 4:
        raise LabrigError(f"{len(given)} numbers", where=where, expected="[north, west, south, east]")
    north, west, south, east = map(float, given)
    if south > north or max(abs(north), abs(south)) > 90:
        raise LabrigError(
            f"South ({south:g}) is above north ({north:g})" if south > north else "A latitude beyond 90",
            where=where,
            expected="[north, west, south, east] in degrees",
            try_=_other_order(given),
        )
    if west >= east:
        raise LabrigError(
            f"West ({west:g}) is not below east ({east:g})",
            where=where,
            expected="[north, west, south, east] in degrees",
            try_="two boxes, for one across the antimeridian",
        )
    return check_box((west, south, east, north), where)


def _other_order(given: Sequence[float]) -> str:
    """Return the published order of numbers that were given in another: (south, west, ..) or (west, south, ..)."""
    one, two, three, four = map(float, given)
    for name, (north, west, south, east) in (
        ("[south, west, north, east]", (three, two, one, four)),
        ("[west, south, east, north]", (four, one, two, three)),
    ):
        if -90 <= south < north <= 90 and -360 <= west < east <= 360:
            return f"{[north, west, south, east]}, if these are {name}"
    return ""


def box_shape(box: Sequence[float]) -> Any:
    """Return a box as a shapely polygon, or two of them where it crosses the antimeridian."""
    from shapely import box as rectangle
    from shapely import union_all

    west, south, east, north = check_box(box)
    if east - west >= 360:
        return rectangle(-180, south, 180, north)
    west, east = wrapped(west), wrapped(east)
    east = 180.0 if east == -180 else east
    if west < east:
        return rectangle(west, south, east, north)
    parts = [rectangle(west, south, 180, north), rectangle(-180, south, east, north)]
    return union_all([each for each in parts if each.area])


def wrapped(longitude: float) -> float:
    """Return a longitude from -180 to 180; 180 stays."""
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180


def cut_at_antimeridian(shape: Any) -> tuple[Any, bool]:
    """Return a geometry within -180 to 180 degrees, and whether it had to be cut or moved.

    An edge between two points more than 180 degrees apart is taken for the short way round (RFC 7946, 3.1.9 asks for
    shapes that are cut already), unless it spans the whole 360 degrees. Longitudes from 180 to 360 are moved.
    """
    import numpy as np
    from shapely import get_coordinates

    x = get_coordinates(shape)[:, 0]
    if not len(x):
        return shape, False
    if x.min() >= -180 and x.max() <= 180 and not _jumps(shape):
        return shape, False
    parts: list[Any] = []
    for part in getattr(shape, "geoms", [shape]):
        parts.extend(_cut(part))
    from shapely import union_all
    from shapely.geometry import MultiPoint, MultiPolygon

    flat = [each for part in parts for each in getattr(part, "geoms", [part]) if not each.is_empty]
    if len(flat) == 1:
        return flat[0], True
    kind = {each.geom_type for each in flat}
    if kind == {"Polygon"}:
        return MultiPolygon(flat), True
    if kind == {"Point"}:
        return MultiPoint(flat), True
    return union_all(np.array(flat)), True


def _jumps(shape: Any) -> bool:
    import numpy as np

    for line in _lines(shape):
        x = np.asarray(line.coords)[:, 0]
        if bool(_are_jumps(np.diff(x)).any()):
            return True
    return False


def _are_jumps(steps: Any) -> Any:
    """Tell which steps of longitude take the short way round; along the edge of the map one is all 360 degrees."""
    return (abs(steps) > 180) & (abs(steps) < 360 - ROUND)


def _lines(shape: Any) -> list[Any]:
    """Return the lines that a geometry consists of."""
    found: list[Any] = []
    for part in getattr(shape, "geoms", [shape]):
        if part.geom_type == "Polygon":
            found += [part.exterior, *part.interiors]
        elif part.geom_type in ("LineString", "LinearRing"):
            found.append(part)
        elif hasattr(part, "geoms"):
            found += _lines(part)
    return found


def _cut(part: Any) -> list[Any]:
    """Return the pieces of one geometry between -180 and 180."""
    import numpy as np
    from shapely import LineString, Polygon, box, make_valid
    from shapely.affinity import translate

    def straight(line: Any) -> Any:
        points = np.asarray(line.coords)[:, :2].copy()
        steps = np.diff(points[:, 0])
        turns = np.where(_are_jumps(steps), -np.sign(steps), 0)
        points[1:, 0] += 360 * np.cumsum(turns)
        return points

    if part.geom_type == "Point":
        return [type(part)(wrapped(part.x), part.y)]
    if part.geom_type == "Polygon":
        shell = straight(part.exterior)
        if abs(shell[-1, 0] - shell[0, 0]) > 1:
            raise LabrigError(
                "A polygon goes once round the Earth, so it encloses a pole and has no inside in degrees",
                where="polygons",
                try_="give it in a polar projection (EPSG:3031, EPSG:3413), or with corners at the pole",
            )
        middle = shell[:, 0].mean()
        holes = []
        for ring in part.interiors:
            points = straight(ring)
            points[:, 0] += 360 * round((middle - points[:, 0].mean()) / 360)
            holes.append(points)
        whole = Polygon(shell, holes)
        if not whole.is_valid:
            whole = make_valid(whole, method="structure", keep_collapsed=False)
    else:
        whole = LineString(straight(part))
    frame = box(-180, -90, 180, 90)
    moved = (translate(whole, 360 * turn).intersection(frame) for turn in (-2, -1, 0, 1, 2))
    kinds = ("Polygon", "MultiPolygon") if part.geom_type == "Polygon" else ("LineString", "MultiLineString")
    return [each for each in moved if not each.is_empty and each.geom_type in kinds]
