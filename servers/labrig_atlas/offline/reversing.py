"""From points to names: the nearest place within a stated distance, and what is said of sea, poles and empty land."""

from __future__ import annotations

from labrig.errors import LabrigError
from labrig_atlas.facts import Reverse
from labrig_atlas.offline.geodesy import check_point
from labrig_atlas.offline.land import is_land
from labrig_atlas.offline.places import around, nearest, place_of
from labrig_atlas.world import sources
from labrig_atlas.world.database import World

ON_LAND_M = 50_000.0
"""The nearest place on land is told as that of a point within this distance."""
AT_SEA_M = 10_000.0
"""At sea within this one, a coast that the cells of 0.1 degree miss."""


def reverse_geocode(world: World, latitude: float, longitude: float, reach_m: float = ON_LAND_M) -> Reverse:
    """Return the nearest city to a point, or none with the reason.

    Parameters
    ----------
    latitude, longitude
        Degrees WGS 84; a longitude beyond 180 is brought back.
    reach_m
        How far from the point a place on land may be, m; at sea it is 10 km at most.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point or a radius that is not positive.
    """
    latitude, longitude = check_point(latitude, longitude)
    if not 0 < reach_m <= 20_100e3:
        raise LabrigError(
            f"A radius of {reach_m} m cannot be searched",
            where="radius",
            expected="more than 0 m, at most 20,100 km",
        )
    land = is_land(world, latitude, longitude)
    reach = reach_m if land else min(reach_m, AT_SEA_M)
    close = around(world, latitude, longitude, reach)
    source = world.meta.get("source", f"{sources.CITIES}; {sources.LAND}")
    if close:
        distance, row = close[0]
        place = place_of(world, row, distance)
        note = f"the nearest city of the table, {distance / 1000:.1f} km away, within {reach / 1000:g} km"
        return Reverse(latitude, longitude, place, distance, place.country, note, place.source, place.made_up)
    far = nearest(world, latitude, longitude)
    told = ""
    if far is not None:
        told = f"; the nearest city of the table is {place_of(world, far[1]).address}, {far[0] / 1000:,.0f} km away"
    if abs(latitude) > 89.9:
        what = f"the {'North' if latitude > 0 else 'South'} Pole, where longitude has no meaning"
    elif land:
        what = f"land with no city of the table within {reach / 1000:g} km"
    else:
        what = "sea: there is no place here"
    return Reverse(
        latitude, longitude, None, far[0] if far else None, "", what + told, source, made_up=world.fictional
    )
