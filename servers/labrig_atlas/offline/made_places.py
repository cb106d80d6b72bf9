"""Museums, restaurants and other small places of a city: made up from the world's seed, and labelled so.

How many there are grows with the city; names, points, ratings and addresses are drawn by address, so that a place can
be had by its id alone.
"""

from __future__ import annotations

from math import cos, floor, radians, sin

from labrig_atlas.facts import Place
from labrig_atlas.world.noise import uniform, whole

KINDS = {
    "museum": (3.0, ("Museum", "Gallery", "Collection")),
    "restaurant": (22.0, ("Restaurant", "Kitchen", "Table", "Inn")),
    "park": (6.0, ("Park", "Gardens", "Green")),
    "hotel": (9.0, ("Hotel", "House Hotel", "Guesthouse")),
    "hospital": (2.5, ("Hospital", "Clinic")),
    "university": (1.2, ("University", "College")),
    "library": (3.0, ("Library", "Reading Room")),
    "stadium": (1.2, ("Stadium", "Arena")),
    "temple": (1.5, ("Temple",)),
    "church": (7.0, ("Church", "Chapel")),
}
"""Number in a city of 100,000, and what such places are called."""
MOST = 60
"""Of a kind in a city."""
SOURCE = "made up by Labrig for its world; no such place exists"
_FIRST = (
    "Amber", "Birch", "Bright", "Cedar", "Clear", "Copper", "Crown", "East", "Elm", "Fair", "Golden", "Green", "Grey",
    "Hazel", "High", "Iron", "Linden", "Long", "Maple", "North", "Old", "Red", "Silver", "South", "Stone", "West",
    "White", "Willow", "Winter",
)  # fmt: skip
_SECOND = (
    "Anchor", "Bell", "Bridge", "Brook", "Court", "Field", "Fountain", "Gate", "Grove", "Harbour", "Heron", "Hill",
    "Lantern", "Market", "Meadow", "Mill", "Orchard", "Quay", "Ridge", "Square", "Swan", "Terrace", "Tower", "Wheel",
    "Yard",
)  # fmt: skip


def how_many(seed: int, city: int, population: int, kind: str) -> int:
    """Return how many places of a kind a city has."""
    usual = KINDS[kind][0] * (population / 100_000) ** 0.6
    return int(min(floor(usual * (0.7 + 0.6 * uniform("count", seed, city, kind)) + 0.5), MOST))


def radius_km(population: int) -> float:
    """Return how far from its centre a city reaches, km."""
    return float(min(max(0.6 * (population / 1000) ** 0.5, 1.0), 20.0))


def made_place(world: str, seed: int, city: Place, number: int, kind: str, index: int) -> Place:
    """Return one place of a city by its index.

    Parameters
    ----------
    number
        That of the city in the tables.
    """
    key = (seed, number, kind, index)
    # A kind's names in a city do not repeat: 29 is prime and 25 has no factor in common with it or with the step.
    pair = (whole("names", seed, number, kind) + index * 289) % (len(_FIRST) * len(_SECOND))
    words = f"{_FIRST[pair % len(_FIRST)]} {_SECOND[pair // len(_FIRST)]}"
    nouns = KINDS[kind][1]
    away = radius_km(city.population or 0) * uniform("away", *key) ** 0.7
    turned = radians(360 * uniform("bearing", *key))
    latitude = city.latitude + away * cos(turned) / 111.2
    longitude = city.longitude + away * sin(turned) / (111.2 * max(cos(radians(city.latitude)), 0.01))
    street = f"{_FIRST[whole('street', *key) % len(_FIRST)]} Street"
    return Place(
        place_id=f"{world}:p:{number}:{kind}:{index}",
        name=f"{words} {nouns[whole('noun', *key) % len(nouns)]}",
        kind=kind,
        country=city.country,
        admin1=city.admin1,
        latitude=round(max(min(latitude, 90.0), -90.0), 5),
        longitude=round((longitude + 180) % 360 - 180, 5),
        source=SOURCE,
        made_up=True,
        address=f"{1 + whole('house', *key) % 140} {street}, {city.address}",
        timezone=city.timezone,
        rating=round(3.0 + 1.9 * uniform("rating", *key), 1),
        ratings_count=round(5 * 10 ** (2.5 * uniform("ratings", *key))),
        types=(kind,),
    )
