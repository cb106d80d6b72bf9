"""Ways over the world's own roads, which are made up: the quickest one, and the time of many pairs."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import fsum

from labrig.errors import LabrigError, unknown_name
from labrig_atlas.facts import MODES, Matrix, MatrixCell, Mode, Place, Route, Step
from labrig_atlas.offline.geocoding import one_place
from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.offline.land import is_land
from labrig_atlas.world.cells import roughly_m
from labrig_atlas.world.database import World

SPEEDS: dict[Mode, dict[str, float]] = {
    "driving": {"motorway": 105, "primary": 80, "secondary": 60, "local": 45},
    "transit": {"motorway": 95, "primary": 65, "secondary": 45, "local": 25},
    "bicycling": {"motorway": 16, "primary": 16, "secondary": 16, "local": 16},
    "walking": {"motorway": 5, "primary": 5, "secondary": 5, "local": 5},
}
"""km/h on each class of road."""
CHANGE_S: dict[Mode, float] = {"driving": 0.0, "transit": 300.0, "bicycling": 0.0, "walking": 0.0}
"""Seconds at the end of each road."""
SNAP_M = 100_000.0
"""How far a point may be from the city where its way begins."""
LOCAL_M = 40_000.0
"""Points of one land mass that are nearer than this are linked by local roads."""
WINDING = 1.3
"""Local roads, and those from a point to its city, are so many times the geodesic."""
MOST_SIDE = 25
"""Origins, and destinations, of a matrix."""
SOURCE = "Labrig's made-up roads between real cities; distance and time are those of no real road"


@dataclass(frozen=True)
class _End:
    """One end of a way: the place, and the city on the roads that it is at."""

    place: Place
    city: int
    land: int
    away_m: float
    note: str


def route(world: World, origin: str, destination: str, mode: str = "driving") -> Route:
    """Return the quickest way from one place to another.

    Parameters
    ----------
    origin, destination
        What `geocode` takes: a name, or ``latitude, longitude``.
    mode
        ``driving``, ``walking``, ``bicycling`` or ``transit``.

    Raises
    ------
    LabrigError
        ``not_found`` where no road leads there (another island, the sea, far from any city) and for unknown places;
        ``bad_input`` for ambiguous ones and another mode.
    """
    how = check_mode(mode)
    start, end = _end(world, origin, "origin"), _end(world, destination, "destination")
    steps = _steps(world, start, end, how)
    if steps is None:
        raise LabrigError(
            f"No road leads from {start.place.address} to {end.place.address}",
            where="destination",
            expected="two places on one land mass; ferries and flights are not in the world",
            code="not_found",
        )
    middle = [step.instruction.rpartition(" to ")[2] for step in steps[:-1]]
    via = f" via {middle[len(middle) // 2]}" if middle else ""
    return Route(
        start.place.address,
        end.place.address,
        how,
        round(fsum(step.distance_m for step in steps), 1),
        round(fsum(step.duration_s for step in steps), 1),
        f"{start.place.name} to {end.place.name}{via}",
        tuple(steps),
        _source(world),
        made_up=True,
        notes=tuple(note for note in (start.note, end.note) if note),
    )


def matrix(
    world: World, origins: Sequence[str], destinations: Sequence[str], mode: str = "driving"
) -> Matrix:
    """Return distance and time from each origin to each destination, at most 25 of either.

    Raises
    ------
    LabrigError
        ``bad_input`` for none or more than 25 places on a side, or another mode. A place that cannot be found or
        reached is said in its cells.
    """
    how = check_mode(mode)
    for where, side in (("origins", origins), ("destinations", destinations)):
        if not 1 <= len(side) <= MOST_SIDE:
            raise LabrigError(
                f"There are {len(side)} {where}",
                where=where,
                expected=f"1 to {MOST_SIDE} of them in one call",
            )
    starts = [_end_or_error(world, text, "origins") for text in origins]
    ends = [_end_or_error(world, text, "destinations") for text in destinations]
    rows = []
    for start in starts:
        if isinstance(start, LabrigError):
            rows.append(tuple(MatrixCell("not_found", reason=str(start)) for _ in ends))
            continue
        wanted = {end.city for end in ends if isinstance(end, _End)}
        reached = _spread(world, start.city, wanted, how)
        rows.append(tuple(_cell(world, start, end, reached, how) for end in ends))
    return Matrix(
        tuple(_name(end, text) for end, text in zip(starts, origins, strict=True)),
        tuple(_name(end, text) for end, text in zip(ends, destinations, strict=True)),
        how,
        tuple(rows),
        _source(world),
        made_up=True,
        notes=tuple(
            dict.fromkeys(end.note for end in (*starts, *ends) if isinstance(end, _End) and end.note)
        ),
    )


def check_mode(mode: str) -> Mode:
    """Return a mode of travel.

    Raises
    ------
    LabrigError
        ``not_found`` with the modes there are.
    """
    for known in MODES:
        if known == mode:
            return known
    raise unknown_name("mode of travel", mode, MODES, where="mode")


def _source(world: World) -> str:
    return world.meta.get("source", SOURCE)


def _name(end: _End | LabrigError, text: str) -> str:
    return text if isinstance(end, LabrigError) else end.place.address


def _cell(
    world: World,
    start: _End,
    end: _End | LabrigError,
    reached: dict[int, tuple[float, float, int]],
    mode: Mode,
) -> MatrixCell:
    if isinstance(end, LabrigError):
        return MatrixCell("not_found", reason=str(end))
    steps = _local(start, end, mode)
    if steps is None:
        if end.city not in reached:
            return MatrixCell("no_route", reason="no road leads there: they are on different land masses")
        seconds, metres, _ = reached[end.city]
        steps = [*_access(start, mode, True), Step("", metres, seconds), *_access(end, mode, False)]
    return MatrixCell(
        "ok",
        round(fsum(step.distance_m for step in steps), 1),
        round(fsum(step.duration_s for step in steps), 1),
    )


def _end_or_error(world: World, text: str, where: str) -> _End | LabrigError:
    try:
        return _end(world, text, where)
    except LabrigError as error:
        if error.code in ("not_found", "bad_input"):
            return error
        raise


def _end(world: World, text: str, where: str) -> _End:
    """Return where on the roads a text begins or ends.

    Raises
    ------
    LabrigError
        As `geocode`; ``not_found`` for a point at sea or far from every city.
    """
    try:
        place, note = one_place(world, text)
    except LabrigError as error:
        error.where = where
        raise
    near = _nearest_on_road(world, place.latitude, place.longitude)
    if near is None:
        raise LabrigError(
            f"No road begins within {SNAP_M / 1000:g} km of {place.address}",
            where=where,
            expected="a place on land near a city",
            code="not_found",
        )
    number, land, away = near
    if away > 10_000 and not is_land(world, place.latitude, place.longitude):
        raise LabrigError(
            f"{place.address} is in the sea, {away / 1000:.0f} km from the next road",
            where=where,
            expected="a place on land",
            code="not_found",
        )
    return _End(place, number, land, away, note)


def _nearest_on_road(world: World, latitude: float, longitude: float) -> tuple[int, int, float] | None:
    """Return the nearest city that is on a road, or the only one of its island: number, land mass, metres."""
    near = []
    for number, (name, other_latitude, other_longitude, land) in _cities(world).items():
        if abs(other_latitude - latitude) < 1.0:
            rough = roughly_m(latitude, longitude, other_latitude, other_longitude)
            if rough < SNAP_M * 1.01:
                near.append((rough, number, land, name))
    best = [
        (distance_m(latitude, longitude, *_cities(world)[number][1:3]), number, land)
        for _, number, land, _ in sorted(near)[:4]
    ]
    if not best or min(best)[0] > SNAP_M:
        return None
    away, number, land = min(best)
    return number, land, away


def _cities(world: World) -> dict[int, tuple[str, float, float, int]]:
    """Return the cities of the tables by number: name, latitude, longitude, land mass."""
    if "road_cities" not in world.kept:
        world.kept["road_cities"] = {
            number: (name, latitude, longitude, land or -number)
            for number, name, latitude, longitude, land in world.ask(
                "SELECT number, name, latitude, longitude, land FROM place WHERE on_road ORDER BY number"
            )
        }
    cities: dict[int, tuple[str, float, float, int]] = world.kept["road_cities"]
    return cities


def _roads(world: World) -> dict[int, list[tuple[int, int, str]]]:
    """Return the roads from each city: the other one, metres, class."""
    if "roads" not in world.kept:
        roads: dict[int, list[tuple[int, int, str]]] = {}
        for one, other, metres, road_class in world.ask("SELECT one, other, metres, class FROM road"):
            roads.setdefault(one, []).append((other, metres, road_class))
            roads.setdefault(other, []).append((one, metres, road_class))
        world.kept["roads"] = roads
    kept: dict[int, list[tuple[int, int, str]]] = world.kept["roads"]
    return kept


def _spread(
    world: World, start: int, wanted: Collection[int], mode: Mode
) -> dict[int, tuple[float, float, int]]:
    """Return the quickest ways from a city to the wanted ones, by Dijkstra: seconds, metres, the city before."""
    roads = _roads(world)
    per_metre = {road_class: 3.6 / speed for road_class, speed in SPEEDS[mode].items()}
    change = CHANGE_S[mode]
    left = set(wanted)
    done: dict[int, tuple[float, float, int]] = {}
    waiting = [(0.0, start, 0.0, start)]
    while waiting and left:
        seconds, city, metres, before = heapq.heappop(waiting)
        if city in done:
            continue
        done[city] = (seconds, metres, before)
        left.discard(city)
        for other, length, road_class in roads.get(city, ()):
            if other not in done:
                later = seconds + length * per_metre[road_class] + change
                heapq.heappush(waiting, (later, other, metres + length, city))
    return done


def _steps(world: World, start: _End, end: _End, mode: Mode) -> list[Step] | None:
    """Return the way from one end to the other in steps; None where there is none."""
    if (local := _local(start, end, mode)) is not None:
        return local
    reached = _spread(world, start.city, {end.city}, mode)
    if end.city not in reached:
        return None
    cities = _cities(world)
    steps: list[Step] = []
    city = end.city
    while city != start.city:
        seconds, metres, before = reached[city]
        earlier = reached[before]
        steps.append(
            Step(
                f"{cities[before][0]} to {cities[city][0]}",
                round(metres - earlier[1], 1),
                round(seconds - earlier[0], 1),
            )
        )
        city = before
    return [*_access(start, mode, True), *reversed(steps), *_access(end, mode, False)]


def _local(start: _End, end: _End, mode: Mode) -> list[Step] | None:
    """Return the way over local roads between points of one land mass that are near each other; None for others."""
    a, b = start.place, end.place
    straight = distance_m(a.latitude, a.longitude, b.latitude, b.longitude)
    if start.land != end.land or straight > LOCAL_M:
        return None
    return [_over(f"{a.name} to {b.name}", straight, mode)]


def _access(end: _End, mode: Mode, outward: bool) -> list[Step]:
    """Return the way between a place and its city; no step for one that is the city."""
    if end.away_m < 100:
        return []
    name = end.place.name
    return [_over(f"{name} to the road" if outward else f"the road to {name}", end.away_m, mode)]


def _over(instruction: str, straight_m: float, mode: Mode) -> Step:
    metres = straight_m * WINDING
    return Step(instruction, round(metres, 1), round(metres * 3.6 / SPEEDS[mode]["local"], 1))
