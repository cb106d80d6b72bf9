"""The streets of the town: a grid with a river that few bridges cross, and the quickest ways in it.

Routes are found here by Dijkstra's algorithm on lengths on the ellipsoid; they are the truth that the tools are held
against, so this shares nothing with them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labrig_earth.world.sizes import ORIGIN, UTM, Size

SPEEDS = {"primary": 50.0, "secondary": 40.0, "residential": 30.0}
"""km/h of the classes, on which the routes of the truth rest."""


@dataclass(frozen=True)
class Way:
    """A street: the numbers of its nodes in their order, and its tags."""

    number: int
    nodes: tuple[int, ...]
    tags: dict[str, str]


@dataclass
class Streets:
    """The network.

    Attributes
    ----------
    places
        (x, y) of each node in UTM 33N, metres.
    degrees
        (longitude, latitude) of each node, to 7 decimals.
    ways
        All streets.
    at
        Number of the node of a column and a row.
    river
        The x of the river along y is ``river + 20 sin(y / 150)``, metres from the corner.
    """

    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    degrees: dict[int, tuple[float, float]] = field(default_factory=dict)
    ways: list[Way] = field(default_factory=list)
    at: dict[tuple[int, int], int] = field(default_factory=dict)
    river: float = 0.0


def make_streets(size: Size, rng: np.random.Generator) -> Streets:
    """Return streets 100 m apart, a primary one through the middle, and bridges on it and on every fourth row."""
    from pyproj import Transformer

    found = Streets()
    count = size.blocks + 1
    bank = round(size.blocks * 0.35)
    found.river = 60 + 100 * bank + 50.0
    shifts = rng.uniform(-8, 8, (count, count, 2)).round(2)
    to_degrees = Transformer.from_crs(UTM, "EPSG:4326", always_xy=True)
    for column in range(count):
        for row in range(count):
            number = len(found.at) + 1
            x = ORIGIN[0] + 60 + 100 * column + shifts[column, row, 0]
            y = ORIGIN[1] + 60 + 100 * row + shifts[column, row, 1]
            lon, lat = to_degrees.transform(x, y)
            found.at[column, row] = number
            found.places[number], found.degrees[number] = (x, y), (round(lon, 7), round(lat, 7))

    middle = size.blocks // 2

    def add(nodes: list[int], **tags: str) -> None:
        found.ways.append(Way(len(found.ways) + 1, tuple(nodes), tags))

    for row in range(count):
        tags = {"highway": _class(row, middle), "name": f"Row {row} Street"}
        if row == middle:
            tags["maxspeed"] = "50"
        add([found.at[column, row] for column in range(bank + 1)], **tags)
        if row == middle or row % 4 == 0:
            add([found.at[bank, row], found.at[bank + 1, row]], **tags, bridge="yes")
        add([found.at[column, row] for column in range(bank + 1, count)], **tags)
    for column in range(count):
        tags = {"highway": _class(column), "name": f"Column {column} Street"}
        if column == round(size.blocks * 0.7):
            tags["oneway"] = "yes"
        add([found.at[column, row] for row in range(count)], **tags)
    return found


def _class(place: int, middle: int = -1) -> str:
    return "primary" if place == middle else "secondary" if place % 5 == 0 else "residential"


@dataclass(frozen=True)
class Found:
    """The quickest way: seconds, metres, nodes."""

    time_s: float
    length_m: float
    nodes: tuple[int, ...]


def closed_pairs(streets: Streets, flood: Any) -> set[tuple[int, int]]:
    """Return the pieces of streets, between two crossings, that a polygon in UTM touches."""
    from shapely import LineString, prepare

    prepare(flood)
    return {
        (first, second)
        for way in streets.ways
        for first, second in zip(way.nodes, way.nodes[1:], strict=False)
        if flood.intersects(LineString([streets.places[first], streets.places[second]]))
    }


def quickest(streets: Streets, start: int, end: int, closed: set[tuple[int, int]]) -> Found | None:
    """Return the quickest way from one crossing to another by `SPEEDS`, or None if there is none."""
    from pyproj import Geod

    ellipsoid = Geod(ellps="WGS84")
    next_to: dict[int, list[tuple[int, float, float]]] = {}
    for way in streets.ways:
        for first, second in zip(way.nodes, way.nodes[1:], strict=False):
            if (first, second) in closed:
                continue
            metres = ellipsoid.inv(*streets.degrees[first], *streets.degrees[second])[2]
            seconds = metres / (SPEEDS[way.tags["highway"]] / 3.6)
            next_to.setdefault(first, []).append((second, seconds, metres))
            if way.tags.get("oneway") != "yes":
                next_to.setdefault(second, []).append((first, seconds, metres))
    best: dict[int, float] = {start: 0.0}
    before: dict[int, tuple[int, float]] = {}
    queue = [(0.0, start)]
    while queue:
        reached, node = heapq.heappop(queue)
        if node == end:
            break
        if reached > best[node]:
            continue
        for other, seconds, metres in next_to.get(node, ()):
            if reached + seconds < best.get(other, float("inf")):
                best[other], before[other] = reached + seconds, (node, metres)
                heapq.heappush(queue, (reached + seconds, other))
    if end not in best:
        return None
    nodes, length = [end], 0.0
    while nodes[-1] != start:
        previous, metres = before[nodes[-1]]
        nodes.append(previous)
        length += metres
    return Found(best[end], length, tuple(reversed(nodes)))
