"""Cells of one degree, by which points are found: a number for each, and the ranges of numbers around a point."""

from __future__ import annotations

from math import asin, cos, floor, hypot, radians, sin

EARTH_M = 6_371_008.8
"""Mean radius of the Earth, m: for distances that choose candidates, never for those that are told."""
DEGREE_M = 110_000.0
"""Less than the length of a degree of latitude anywhere, m."""


def cell(latitude: float, longitude: float) -> int:
    """Return the number of the cell of a point."""
    row = min(floor(latitude) + 90, 179)
    return row * 360 + (floor(longitude) + 180) % 360


def ranges(latitude: float, longitude: float, reach_m: float) -> list[tuple[int, int]]:
    """Return ranges of cells, first and last, that hold every point within a distance.

    They go over the antimeridian, and around a pole where the distance reaches it.
    """
    up = reach_m / DEGREE_M
    south, north = floor(max(latitude - up, -90)), floor(min(latitude + up, 89.999))
    widest = cos(radians(min(max(abs(latitude - up), abs(latitude + up)), 90)))
    aside = 180.0 if widest < 1e-6 else up / widest
    if aside >= 179:
        return [((south + 90) * 360, (north + 90) * 360 + 359)]
    west, east = floor(longitude - aside) + 180, floor(longitude + aside) + 180
    found = []
    for row in range(south + 90, north + 91):
        first = row * 360
        if west < 0:
            found += [(first, first + east), (first + west + 360, first + 359)]
        elif east > 359:
            found += [(first, first + east - 360), (first + west, first + 359)]
        else:
            found.append((first + west, first + east))
    return found


def roughly_m(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """Return the great-circle distance on a sphere, m: within 0.6 % of the geodesic, for choosing candidates."""
    a, b = radians(latitude1), radians(latitude2)
    half = hypot(
        sin((b - a) / 2), sin(radians(longitude2 - longitude1) / 2) * (max(cos(a), 0) * max(cos(b), 0)) ** 0.5
    )
    return 2 * EARTH_M * asin(min(half, 1.0))
