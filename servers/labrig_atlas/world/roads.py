"""Made-up roads between real cities: near ones on one land mass are linked over land, and each land mass is one net.

Where a land mass is one by a bridge or a tunnel alone, the shortest way over the water is a road. A road is longer
than the geodesic by a factor between 1.12 and 1.45, drawn by address; its class goes by the smaller of its two
cities. All of it is made up, and results say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.world.cells import roughly_m
from labrig_atlas.world.landmask import LandMask
from labrig_atlas.world.noise import uniform
from labrig_atlas.world.tables import City

LEVELS = ((0, 4), (300_000, 4), (1_000_000, 5))
"""Each city of so many inhabitants asks for so many links to the nearest ones of that size: long roads between large
cities spare a way through every town."""
WET = 0.35
"""No road between near cities is over more water than this part of it."""
CLASSES = ((400_000, "motorway"), (150_000, "primary"), (0, "secondary"))
"""Inhabitants of the smaller city, and the class of the road."""


@dataclass(frozen=True)
class Road:
    """A road between two cities by their numbers, the smaller first: metres along it, and its class."""

    one: int
    other: int
    metres: int
    road_class: str


def roads(cities: Sequence[City], mask: LandMask, seed: int) -> list[Road]:
    """Return the roads between cities, in order of their numbers; islands of one city have none."""
    by_land: dict[int, list[City]] = defaultdict(list)
    for city in cities:
        if city.land:
            by_land[city.land].append(city)
    pairs: set[tuple[int, int]] = set()
    for land in sorted(by_land):
        pairs |= _links(by_land[land], mask)
    known = {city.number: city for city in cities}
    made = []
    for one, other in sorted(pairs):
        a, b = known[one], known[other]
        straight = distance_m(a.latitude, a.longitude, b.latitude, b.longitude)
        winding = 1.12 + 0.33 * uniform("road", seed, one, other)
        smaller = min(a.population, b.population)
        road_class = next(name for least, name in CLASSES if smaller >= least)
        made.append(Road(one, other, max(round(straight * winding), 1), road_class))
    return made


def _links(cities: Sequence[City], mask: LandMask) -> set[tuple[int, int]]:
    """Return pairs of numbers that link the cities of a land mass into one net."""
    pairs = set()
    for least, count in LEVELS:
        large = [city for city in cities if city.population >= least]
        cells = _cells(large)
        for city in large:
            for _, near in _nearest(city, cells, min(count, len(large) - 1), {city.number}):
                pair = (min(city.number, near.number), max(city.number, near.number))
                if pair not in pairs and _wet(mask, city, near) <= WET:
                    pairs.add(pair)
    return pairs | _bridges(cities, _cells(cities), pairs, mask)


def _cells(cities: Sequence[City]) -> dict[tuple[int, int], list[City]]:
    cells: dict[tuple[int, int], list[City]] = defaultdict(list)
    for city in cities:
        cells[int(city.latitude // 1), int(city.longitude // 1)].append(city)
    return cells


def _wet(mask: LandMask, one: City, other: City) -> float:
    return mask.water_share(one.latitude, one.longitude, other.latitude, other.longitude)


def _nearest(
    city: City, cells: dict[tuple[int, int], list[City]], count: int, without: Collection[int]
) -> list[tuple[float, City]]:
    """Return the nearest cities and how far they are (m), by rings of cells.

    One ring more than what suffices is looked at: where degrees of longitude are short, a nearer one may be missed.
    """
    row, column = int(city.latitude // 1), int(city.longitude // 1)
    found: list[tuple[float, int, City]] = []
    enough = 181
    for ring in range(181):
        for i in range(-ring, ring + 1):
            for j in range(-ring, ring + 1, 1 if abs(i) == ring else 2 * ring):
                for other in cells.get((row + i, (column + j + 180) % 360 - 180), ()):
                    if other.number not in without:
                        metres = roughly_m(city.latitude, city.longitude, other.latitude, other.longitude)
                        found.append((metres, other.number, other))
        if len(found) >= count:
            enough = min(enough, ring + 1)
        if ring >= enough:
            break
    found.sort(key=lambda each: each[:2])
    return [(metres, other) for metres, _, other in found[:count]]


def _bridges(
    cities: Sequence[City],
    cells: dict[tuple[int, int], list[City]],
    pairs: set[tuple[int, int]],
    mask: LandMask,
) -> set[tuple[int, int]]:
    """Return the further pairs that make one net of several: each net to its nearest neighbour, smallest first."""
    net_of: dict[int, list[City]] = {city.number: [city] for city in cities}

    def join(one: int, other: int) -> None:
        small, large = sorted((net_of[one], net_of[other]), key=len)
        if small is not large:
            large += small
            for city in small:
                net_of[city.number] = large

    for one, other in sorted(pairs):
        join(one, other)
    more: set[tuple[int, int]] = set()
    waiting = sorted({id(net): list(net) for net in net_of.values()}.values(), key=len)
    for net in waiting[:-1]:  # each begins with its own cities; what has joined it meanwhile does not matter
        inside = {city.number for city in net_of[net[0].number]}
        if len(inside) == len(cities):
            break
        _, one, other = min(
            (metres * (1 + 20 * _wet(mask, city, near)), city.number, near.number)
            for city in net
            for metres, near in _nearest(city, cells, 1, inside)
        )
        more.add((min(one, other), max(one, other)))
        join(one, other)
    return more
