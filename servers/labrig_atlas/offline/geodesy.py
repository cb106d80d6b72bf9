"""The shortest way between two points of the ellipsoid WGS 84.

Vincenty's series (Survey Review 23, 1975) converges quickly except near the antipode; there the azimuth at the start is
found by bisection, with the integrals for length and longitude of Karney (J. Geodesy 87, 2013, equations 7 and 8) by
Gauss-Legendre quadrature.
"""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, inf, isfinite, pi, radians, remainder, sin, sqrt, tan

from labrig.errors import LabrigError
from labrig_atlas.facts import Geodesic

A = 6_378_137.0
"""Equatorial radius of WGS 84, m."""
F = 1 / 298.257223563
"""Its flattening."""
B = A * (1 - F)

_HALF = (
    (0.0950125098376374, 0.1894506104550685),
    (0.2816035507792589, 0.1826034150449236),
    (0.4580167776572274, 0.1691565193950025),
    (0.6178762444026438, 0.1495959888165767),
    (0.7554044083550030, 0.1246289712555339),
    (0.8656312023878318, 0.0951585116824928),
    (0.9445750230732326, 0.0622535239386479),
    (0.9894009349916499, 0.0271524594117541),
)
NODES = tuple((sign * node, weight) for node, weight in _HALF for sign in (-1, 1))
"""Nodes and weights of Gauss-Legendre quadrature with 16 points on (-1, 1): Abramowitz and Stegun, table 25.4."""


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
        Metres, right to 0.1 mm (near the antipode to 1 mm); the bearings are 0 where the points coincide.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point.
    """
    latitude1, longitude1 = check_point(latitude1, longitude1)
    latitude2, longitude2 = check_point(latitude2, longitude2)
    difference = radians(remainder(longitude2 - longitude1, 360))
    if latitude1 == latitude2 and (difference == 0 or abs(latitude1) == 90):
        return Geodesic(0.0, 0.0, 0.0)
    beta1, beta2 = (_reduced(latitude) for latitude in (latitude1, latitude2))
    found = _vincenty(beta1, beta2, difference) or _near_antipode(beta1, beta2, difference)
    distance, azimuth1, azimuth2 = found
    return Geodesic(distance, degrees(azimuth1) % 360, degrees(azimuth2) % 360)


def distance_m(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """Return the length of the shortest way between two points, m."""
    return geodesic(latitude1, longitude1, latitude2, longitude2).distance_m


def _reduced(latitude: float) -> float:
    if abs(latitude) == 90:
        return radians(latitude)
    return atan2((1 - F) * tan(radians(latitude)), 1.0)


def _vincenty(beta1: float, beta2: float, difference: float) -> tuple[float, float, float] | None:
    """Return metres and both azimuths (radians), or None where the series does not converge."""
    s1, c1, s2, c2 = sin(beta1), cos(beta1), sin(beta2), cos(beta2)
    on_sphere, before = difference, inf
    for _ in range(60):
        s, c = sin(on_sphere), cos(on_sphere)
        sin_sigma = hypot(c2 * s, c1 * s2 - s1 * c2 * c)
        cos_sigma = s1 * s2 + c1 * c2 * c
        if sin_sigma == 0:
            return (0.0, 0.0, 0.0) if cos_sigma > 0 else None
        sigma = atan2(sin_sigma, cos_sigma)
        sin_alpha = c1 * c2 * s / sin_sigma
        cos2_alpha = max(1 - sin_alpha**2, 0.0)
        middle = cos_sigma - 2 * s1 * s2 / cos2_alpha if cos2_alpha > 1e-15 else 0.0
        third = F / 16 * cos2_alpha * (4 + F * (4 - 3 * cos2_alpha))
        before, on_sphere = (
            on_sphere,
            difference
            + (1 - third)
            * F
            * sin_alpha
            * (sigma + third * sin_sigma * (middle + third * cos_sigma * (2 * middle**2 - 1))),
        )
        if abs(on_sphere) > pi or sigma > 3.0:  # the series loses digits long before it fails to converge
            return None
        if abs(on_sphere - before) < 1e-14:
            break
    else:
        return None
    u2 = cos2_alpha * (A**2 - B**2) / B**2
    first = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    second = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    turned = second * sin_sigma
    turned *= middle + second / 4 * (
        cos_sigma * (2 * middle**2 - 1) - second / 6 * middle * (4 * sin_sigma**2 - 3) * (4 * middle**2 - 3)
    )
    s, c = sin(on_sphere), cos(on_sphere)
    return (
        B * first * (sigma - turned),
        atan2(c2 * s, c1 * s2 - s1 * c2 * c),
        atan2(c1 * s, -s1 * c2 + c1 * s2 * c),
    )


def _near_antipode(beta1: float, beta2: float, difference: float) -> tuple[float, float, float]:
    """Return what `_vincenty` does, by bisection over the azimuth at the point that is farther from the equator.

    Karney puts that point first, in the south, and the other east of it: then the longitude reached grows with the
    azimuth.
    """
    swapped = abs(beta1) < abs(beta2)
    first, other = (beta2, beta1) if swapped else (beta1, beta2)
    mirrored = first > 0
    if mirrored:
        first, other = -first, -other
    wanted = abs(difference)
    if first == other == 0 and wanted <= (1 - F) * pi:  # along the equator, whose neighbours reach no farther
        azimuth = pi / 2 if difference > 0 else -pi / 2
        return A * wanted, azimuth, azimuth
    low, high = 0.0, pi
    for _ in range(70):
        azimuth = (low + high) / 2
        if _reached(first, other, azimuth)[0] < wanted:
            low = azimuth
        else:
            high = azimuth
    azimuth1 = (low + high) / 2
    _, length, azimuth2 = _reached(first, other, azimuth1)
    if mirrored:
        azimuth1, azimuth2 = pi - azimuth1, pi - azimuth2
    if swapped:
        azimuth1, azimuth2 = pi - azimuth2, pi - azimuth1
    if difference < 0:
        azimuth1, azimuth2 = -azimuth1, -azimuth2
    return length, azimuth1, azimuth2


def _reached(beta1: float, beta2: float, azimuth1: float) -> tuple[float, float, float]:
    """Return the longitude gained (radians), the metres and the azimuth where a geodesic comes to latitude `beta2`.

    `beta1` is not north of the equator and at least as far from it as `beta2`.
    """
    s1, c1, s2, c2 = min(sin(beta1), -1e-300), cos(beta1), sin(beta2), cos(beta2)
    sin_a1, cos_a1 = sin(azimuth1), cos(azimuth1)
    sin_a0 = sin_a1 * c1
    cos_a0 = hypot(cos_a1, sin_a1 * s1)
    cos_a2 = sqrt(max((cos_a1 * c1) ** 2 + (c2 - c1) * (c2 + c1), 0.0)) / c2 if c2 > 1e-300 else 1.0
    azimuth2 = atan2(sin_a0 / c2 if c2 > 1e-300 else 0.0, cos_a2)
    sigma1, sigma2 = atan2(s1, cos_a1 * c1), atan2(s2, cos_a2 * c2)
    omega1, omega2 = atan2(sin_a0 * s1, cos_a1 * c1), atan2(sin_a0 * s2, cos_a2 * c2)
    if sigma2 < sigma1:
        sigma2 += 2 * pi
    gained = (omega2 - omega1) % (2 * pi)
    k2 = (A**2 - B**2) / B**2 * cos_a0**2
    centre, half = (sigma1 + sigma2) / 2, (sigma2 - sigma1) / 2
    length = turned = 0.0
    for node, weight in NODES:
        root = sqrt(1 + k2 * sin(centre + half * node) ** 2)
        length += weight * root
        turned += weight * (2 - F) / (1 + (1 - F) * root)
    return gained - F * sin_a0 * half * turned, B * half * length, azimuth2
