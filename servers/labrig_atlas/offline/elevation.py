"""Elevations: exact where a table or an article has them, elsewhere interpolated between known points."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

from labrig.errors import LabrigError
from labrig_atlas.facts import Elevation
from labrig_atlas.offline.geodesy import check_point, distance_m
from labrig_atlas.offline.land import is_land
from labrig_atlas.world import sources
from labrig_atlas.world.cells import ranges, roughly_m
from labrig_atlas.world.database import World

EXACT_M = 50.0
"""A known point within this distance is the point that was asked for: coordinates are rounded."""
COAST_M = 5_000.0
"""A sea cell with a known point within this distance is taken for land, since cells are coarse."""
NEIGHBOURS = 10
FOOT_M = 8_000.0
"""How far from its summit a mountain rises above the land: made up, as slopes are."""
MOST_POINTS = 512
"""Of one question, as many as Google's service takes."""
KNOWN = "known elevation"
METHOD = (
    f"mean of the {NEIGHBOURS} nearest known elevations by distance (modified Shepard), raised near a summit"
)


def elevations(world: World, points: Sequence[tuple[float, float]]) -> tuple[Elevation, ...]:
    """Return the elevation of each of 1 to 512 points.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point, or too many of them.
    """
    if not 1 <= len(points) <= MOST_POINTS:
        raise LabrigError(
            f"Elevations of {len(points)} points were asked for",
            where="locations",
            expected=f"1 to {MOST_POINTS} points",
        )
    return tuple(elevation(world, *point) for point in points)


def elevation(world: World, latitude: float, longitude: float) -> Elevation:
    """Return metres above sea level at a point (degrees WGS 84), with the method.

    At a known point it is that of the table; at sea it is 0; elsewhere it is Shepard's interpolation as modified by
    Franke and Nielson (Int. J. Numer. Methods Eng. 15, 1980): weights fall to 0 at the first point that is not used,
    so that it is smooth. It is made up as far as hills between the known points go. A summit lifts the land within
    `FOOT_M` of it alone, the less the further away.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point.
    """
    latitude, longitude = check_point(latitude, longitude)
    known = _known(world, latitude, longitude)
    distance, row = known[0]
    if distance <= EXACT_M:
        return Elevation(
            latitude,
            longitude,
            row[2],
            KNOWN,
            row[4],
            world.fictional,
            row[3],
            round(distance, 1),
        )
    if not is_land(world, latitude, longitude) and distance > COAST_M:
        return Elevation(
            latitude,
            longitude,
            0.0,
            "sea level; the depth of the sea is not in the world",
            world.meta.get("source", sources.LAND),
            world.fictional,
            row[3],
            round(distance, 1),
        )
    usable = [each for each in known if each[1][5]]
    used, beyond = usable[:NEIGHBOURS], usable[NEIGHBOURS][0]
    weights = [((beyond - away + 1.0) / (beyond * away)) ** 2 for away, _ in used]  # + 1 m: one is never 0
    mean = fsum(weight * each[1][2] for weight, each in zip(weights, used, strict=True)) / fsum(weights)
    lifts = [
        (row[2] - mean) * (1 - away / FOOT_M) ** 2 for away, row in known if not row[5] and away < FOOT_M
    ]
    mean += max(lifts, default=0.0, key=abs)
    return Elevation(
        latitude,
        longitude,
        round(mean, 1),
        METHOD,
        world.meta.get("source", f"interpolated by Labrig; {sources.HEIGHTS}; {sources.ARTICLES}"),
        True,
        row[3],
        round(distance, 1),
    )


def _known(world: World, latitude: float, longitude: float) -> list[tuple[float, tuple[Any, ...]]]:
    """Return the nearest known points, with enough among them that speak for the land around: metres, row."""
    for reach in (60e3, 150e3, 400e3, 900e3, 1_800e3, 3_600e3, 20_100e3):
        rows = []
        for first, last in ranges(latitude, longitude, reach):
            rows += world.ask(
                "SELECT latitude, longitude, elevation, name, source, around FROM height WHERE cell BETWEEN ? AND ?",
                first,
                last,
            )
        near = [(roughly_m(latitude, longitude, row[0], row[1]), row) for row in rows]
        near = sorted((each for each in near if each[0] <= reach), key=lambda each: (each[0], each[1][3]))
        usable = [row for _, row in near if row[5]]
        if len(usable) > NEIGHBOURS:
            break
    chosen = usable[: 2 * NEIGHBOURS] + [row for _, row in near[:3] if not row[5]]
    told = [(distance_m(latitude, longitude, row[0], row[1]), row) for row in chosen]
    return sorted(told, key=lambda each: (each[0], each[1][3]))
