"""The shortest way between two points of the ellipsoid WGS 84, by GeographicLib (Karney, J. Geodesy 87, 2013)."""

from __future__ import annotations

from math import isfinite, remainder

from geographiclib.geodesic import Geodesic as Ellipsoid  # type: ignore[import-untyped]

from labrig.errors import LabrigError
from labrig_atlas.facts import Geodesic

WGS84 = Ellipsoid.WGS84


def check_point(latitude: float, longitude: float, where: str = "latitude, longitude") -> tuple[float, float]:
    """Return a point with its longitude in (-180, 180].

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no number, a latitude beyond 90 degrees, a longitude beyond 360.
    """
    if not (isfinite(latitude) and isfinite(longitude)) or abs(latitude) > 90 or abs(longitude) > 360:
        raise LabrigError(
            f"There is no point at latitude {latitude}, longitude {longitude}",
            where=where,
            expected="latitude from -90 to 90, longitude from -180 to 180, degrees WGS 84",
            try_="swap the two" if abs(latitude) <= 180 and abs(longitude) <= 90 else "",
        )
    longitude = remainder(longitude, 360)
    return latitude, 180.0 if longitude == -180 else longitude


def geodesic(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> Geodesic:
    """Return distance and bearings of the shortest way from point 1 to point 2.

    Parameters
    ----------
    latitude1, longitude1, latitude2, longitude2
        Degrees WGS 84.

    Returns
    -------
    Geodesic
        Metres, right to some nanometres; the bearings are 0 where the points coincide.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point.
    """
    latitude1, longitude1 = check_point(latitude1, longitude1)
    latitude2, longitude2 = check_point(latitude2, longitude2)
    found = WGS84.Inverse(latitude1, longitude1, latitude2, longitude2)
    if not found["s12"]:
        return Geodesic(0.0, 0.0, 0.0)
    return Geodesic(found["s12"], found["azi1"] % 360, found["azi2"] % 360)


def distance_m(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """Return the length of the shortest way between two points, m."""
    return geodesic(latitude1, longitude1, latitude2, longitude2).distance_m
