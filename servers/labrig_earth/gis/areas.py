"""An area of interest as published sub-tools give it: a box, a polygon, or a centre with a radius.

`box_of` needs no library, since the half that serves asks it; `area_of` makes the shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.gis.boxes import check_box

WANTED = (
    "{'bbox': [south, west, north, east]}, {'polygon': GeoJSON} or {'center': {'lat', 'lon'}, 'radius_km'}"
)
MOST_RADIUS_KM = 500.0
KM_IN_DEGREE = 110.5
"""Of latitude, at least: 110.57 km at the equator."""


def box_of(geometry: Mapping[str, Any]) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) in degrees around an area.

    Raises
    ------
    LabrigError
        ``bad_input`` for another form, and for invalid latitudes and longitudes.
    """
    kind = _kind(geometry)
    if kind == "bbox":
        return _box(geometry["bbox"])
    if kind == "polygon":
        points = list(_points(geometry["polygon"]))
        if len(points) < 3:
            raise LabrigError("The polygon has no corners", where="geometry", expected=WANTED)
        x, y = zip(*points, strict=True)
        return check_box((min(x), min(y), max(x), max(y)), "geometry")
    lon, lat, radius = _circle(geometry)
    high = radius / KM_IN_DEGREE
    wide = high / max(math.cos(math.radians(min(abs(lat) + high, 89.9))), 1e-3)
    return check_box((lon - wide, max(lat - high, -90), lon + wide, min(lat + high, 90)), "geometry")


def area_of(geometry: Mapping[str, Any]) -> Any:
    """Return an area as a shapely polygon in degrees (lon, lat); a circle is one of 256 corners on the ellipsoid.

    Raises
    ------
    LabrigError
        As `box_of`; ``bad_input`` for an invalid polygon.
    """
    from shapely import Polygon, make_valid
    from shapely.geometry import box

    from labrig_earth.gis.collections import shape_of
    from labrig_earth.gis.measuring import ellipsoid

    kind = _kind(geometry)
    around = box_of(geometry)
    if kind == "bbox":
        return box(*around)
    if kind == "polygon":
        found = shape_of(geometry["polygon"], "geometry")
        if found.geom_type not in ("Polygon", "MultiPolygon"):
            raise LabrigError(f"The polygon is a {found.geom_type}", where="geometry", expected=WANTED)
        return found if found.is_valid else make_valid(found, method="structure", keep_collapsed=False)
    lon, lat, radius = _circle(geometry)
    corners = 256
    turns = [360 * number / corners for number in range(corners)]
    x, y, _ = ellipsoid().fwd([lon] * corners, [lat] * corners, turns, [1000 * radius] * corners)
    return Polygon(list(zip(x, y, strict=True)))


def _kind(geometry: Mapping[str, Any]) -> str:
    for kind in ("bbox", "polygon"):
        if kind in geometry:
            return kind
    if "center" in geometry and "radius_km" in geometry:
        return "circle"
    bare = "coordinates" in geometry
    raise LabrigError(
        "The area is bare GeoJSON" if bare else "The area has none of its three forms",
        where="geometry",
        expected=WANTED,
        try_="geometry={'polygon': ...}" if bare else "",
    )


def _box(given: Any) -> tuple[float, float, float, float]:
    if not isinstance(given, list | tuple) or len(given) != 4 or not all(map(_is_number, given)):
        raise LabrigError(
            "A box has four numbers", where="geometry, bbox", expected="[south, west, north, east]"
        )
    south, west, north, east = map(float, given)
    if max(abs(south), abs(north)) > 90 or south > north:
        raise LabrigError(
            f"South and north are {south:g} and {north:g}",
            where="geometry, bbox",
            expected="[south, west, north, east] in degrees",
            try_=f"{[west, south, east, north]}, if longitudes came first",
        )
    if west > east:
        raise LabrigError(
            f"West ({west:g}) is beyond east ({east:g})",
            where="geometry, bbox",
            expected="[south, west, north, east]",
            try_="two calls, for an area across the antimeridian",
        )
    return check_box((west, south, east, north), "geometry, bbox")


def _circle(geometry: Mapping[str, Any]) -> tuple[float, float, float]:
    centre, radius = geometry["center"], geometry["radius_km"]
    if not isinstance(centre, Mapping) or not all(_is_number(centre.get(name)) for name in ("lat", "lon")):
        raise LabrigError("The centre has no lat and lon", where="geometry, center", expected=WANTED)
    if not _is_number(radius) or not 0 < radius <= MOST_RADIUS_KM:
        raise LabrigError(
            f"A radius of {radius!r} km"[:80],
            where="geometry, radius_km",
            expected=f"above 0, up to {MOST_RADIUS_KM:g}",
        )
    lat, lon = float(centre["lat"]), float(centre["lon"])
    if abs(lat) > 89 or abs(lon) > 180:
        raise LabrigError(
            f"A centre at {lat:g} N, {lon:g} E",
            where="geometry, center",
            expected="within 89 degrees of latitude",
        )
    return lon, lat, float(radius)


def _points(value: Any, depth: int = 0) -> Iterator[tuple[float, float]]:
    """Yield the (lon, lat) that a GeoJSON object has, whatever its kind."""
    if isinstance(value, Mapping):
        for name in ("coordinates", "geometry", "geometries", "features"):
            if name in value and depth < 12:
                yield from _points(value[name], depth + 1)
    elif isinstance(value, list | tuple):
        if len(value) >= 2 and all(map(_is_number, value[:2])):
            yield float(value[0]), float(value[1])
        elif depth < 12:
            for each in value:
                yield from _points(each, depth + 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
