"""Rows of the gazetteer as places, and the places around a point."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from labrig_atlas.facts import Place
from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.world.cells import ranges, roughly_m
from labrig_atlas.world.database import World

COLUMNS = (
    "place.place_id, place.name, place.kind, place.country, place.admin1, place.latitude, place.longitude, "
    "place.elevation, place.population, place.timezone, place.source, place.other_names"
)
MOST_OTHER_NAMES = 8


def place_of(world: World, row: Sequence[Any], distance: float | None = None) -> Place:
    """Return the place of a row of `COLUMNS`; `distance` in metres."""
    (
        place_id,
        name,
        kind,
        country,
        admin1,
        latitude,
        longitude,
        elevation,
        population,
        timezone,
        source,
        names,
    ) = row
    return Place(
        place_id=place_id,
        name=name,
        kind=kind,
        country=country,
        admin1=admin1,
        latitude=latitude,
        longitude=longitude,
        source=source,
        made_up=world.fictional,
        address=address_of(world, name, kind, admin1, country),
        elevation_m=elevation,
        population=population,
        timezone=timezone,
        distance_m=distance,
        types=(kind,),
        other_names=tuple(each for each in names.split("|") if each)[:MOST_OTHER_NAMES],
    )


def address_of(world: World, name: str, kind: str, admin1: str, country: str) -> str:
    """Return a name with division and country, each once: ``Ulm, Baden-Wurttemberg, Germany``."""
    parts = [name] if kind == "country" else [name, admin1, country_names(world).get(country, "")]
    return ", ".join(dict.fromkeys(part for part in parts if part))


def country_names(world: World) -> dict[str, str]:
    """Return the names of countries by ISO code."""
    if "country_names" not in world.kept:
        world.kept["country_names"] = dict(world.ask("SELECT iso2, name FROM country"))
    names: dict[str, str] = world.kept["country_names"]
    return names


def around(
    world: World, latitude: float, longitude: float, reach_m: float, kinds: Sequence[str] = ("city",)
) -> list[tuple[float, tuple[Any, ...]]]:
    """Return the places of some kinds within a distance, nearest first: metres along the geodesic, row of `COLUMNS`."""
    told = [
        (distance_m(latitude, longitude, row[5], row[6]), row)
        for _, row in _roughly_around(world, latitude, longitude, reach_m * 1.01, kinds)
    ]
    return sorted((each for each in told if each[0] <= reach_m), key=lambda each: (each[0], each[1][0]))


def _roughly_around(
    world: World, latitude: float, longitude: float, reach_m: float, kinds: Sequence[str]
) -> list[tuple[float, tuple[Any, ...]]]:
    """Return the places of some kinds within a distance on the sphere: metres there, row of `COLUMNS`."""
    marks = ", ".join("?" * len(kinds))
    found = []
    for first, last in ranges(latitude, longitude, reach_m):
        rows = world.ask(
            f"SELECT {COLUMNS} FROM place WHERE cell BETWEEN ? AND ? AND kind IN ({marks})",
            first,
            last,
            *kinds,
        )
        found += [(roughly_m(latitude, longitude, row[5], row[6]), row) for row in rows]
    return [each for each in found if each[0] <= reach_m]


def nearest(
    world: World, latitude: float, longitude: float, kinds: Sequence[str] = ("city",)
) -> tuple[float, tuple[Any, ...]] | None:
    """Return the nearest place of some kinds, however far: metres along the geodesic, and its row."""
    for reach in (60e3, 250e3, 700e3, 1_400e3, 2_800e3, 20_100e3):
        if found := _roughly_around(world, latitude, longitude, reach, kinds):
            likely = heapq.nsmallest(
                20, found, key=lambda each: (each[0], each[1][0])
            )  # a sphere is off by 0.6 %
            told = [(distance_m(latitude, longitude, row[5], row[6]), row) for _, row in likely]
            return min(told, key=lambda each: (each[0], each[1][0]))
    return None


def find_place(world: World, place_id: str) -> tuple[Any, ...] | None:
    """Return the row of a place id of the gazetteer; None where there is none."""
    rows = world.ask(f"SELECT {COLUMNS} FROM place WHERE place_id = ?", place_id)
    return rows[0] if rows else None
