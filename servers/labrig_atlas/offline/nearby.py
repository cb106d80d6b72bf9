"""Places that a query asks for: of a kind near a place, of a kind near a point, or by words of their name."""

from __future__ import annotations

import re
from dataclasses import replace

from labrig.errors import LabrigError
from labrig_atlas.facts import Place, PlaceList
from labrig_atlas.offline import made_places
from labrig_atlas.offline.geocoding import MOST_CHARS, geocode, one_place
from labrig_atlas.offline.geodesy import check_point, distance_m
from labrig_atlas.offline.places import COLUMNS, around, find_place, place_of
from labrig_atlas.world import sources
from labrig_atlas.world.database import World
from labrig_atlas.world.names import fold

RADIUS_M = 5_000.0
"""Where none is given."""
MOST_RADIUS_M = 50_000.0
"""As in Google's service."""
MOST_PLACES = 60
PLURALS = {f"{kind}s": kind for kind in made_places.KINDS} | {
    "universities": "university",
    "libraries": "library",
    "churches": "church",
    "stadia": "stadium",
}
_NEAR = re.compile(r"^\s*(\w+)\s+(?:near|nearby|in|at|around|close to)\s+(.+)$", re.IGNORECASE | re.DOTALL)
_REAL = {"cathedral": "church", "minster": "church", "university": "university", "college": "university"}
_REAL |= {kind: kind for kind in made_places.KINDS} | {"basilica": "church", "abbey": "church"}
"""Words of a kind or a title of an article that make it a place of a kind."""


def search_places(
    world: World,
    query: str,
    near: tuple[float, float] | None = None,
    radius_m: float | None = None,
    limit: int = 20,
) -> PlaceList:
    """Return the places that a query asks for.

    Parameters
    ----------
    query
        ``museums near Ulm``; ``museums`` with a point; or words of a name, such as ``Temple of the Tooth``.
    near
        Latitude and longitude, degrees WGS 84; results are then within the radius and in order of distance.
    radius_m
        More than 0 m, at most 50,000 m; 5,000 m where none is given, and 50,000 m for names.
    limit
        How many places are told, 1 to 60.

    Raises
    ------
    LabrigError
        ``bad_input`` for no query, a radius or a limit out of range, a kind without a point, an ambiguous place;
        ``not_found`` for a place that the gazetteer lacks.
    """
    text = query.strip()
    if not fold(text) or len(text) > MOST_CHARS:
        raise LabrigError("A query is needed", where="query", expected="such as 'museums near Ulm' or a name")
    if radius_m is not None and not 0 < radius_m <= MOST_RADIUS_M:
        raise LabrigError(
            f"A radius of {radius_m} m cannot be searched",
            where="radius",
            expected=f"more than 0 m, at most {MOST_RADIUS_M:,.0f} m",
        )
    if not 1 <= limit <= MOST_PLACES:
        raise LabrigError(f"{limit} places cannot be told", where="limit", expected=f"1 to {MOST_PLACES}")
    near = check_point(*near) if near is not None else None
    parts = _NEAR.match(text)
    if parts and (kind := _kind(parts[1])):
        place, note = one_place(world, parts[2], near)
        found = _of_kind(world, text, kind, (place.latitude, place.longitude), radius_m or RADIUS_M, limit)
        return replace(found, notes=(note,)) if note else found
    if kind := _kind(text):
        if near is None:
            raise LabrigError(
                f"Where should {text} be?",
                where="location",
                expected=f"a point, or '{text} near Ulm, Germany'",
            )
        return _of_kind(world, text, kind, near, radius_m or RADIUS_M, limit)
    return _by_name(world, text, near, radius_m or MOST_RADIUS_M, limit)


def place_details(world: World, place_id: str) -> Place:
    """Return a place by its id.

    Raises
    ------
    LabrigError
        ``not_found`` for an id that this world did not give.
    """
    row = find_place(world, place_id)
    if row is not None:
        return place_of(world, row)
    parts = place_id.split(":")
    if len(parts) == 5 and parts[:2] == [world.name, "p"] and parts[3] in made_places.KINDS:
        city = find_place(world, f"{world.name}:c:{parts[2]}")
        if city is not None and parts[4].isdecimal() and parts[4].isascii():
            place, kind, index = place_of(world, city), parts[3], int(parts[4][:4])
            number = int(parts[2])
            if index < made_places.how_many(world.seed, number, place.population or 0, kind):
                made = made_places.made_place(world.name, world.seed, place, number, kind, index)
                if made.place_id == place_id:
                    return made
    raise LabrigError(
        f"The world {world.name} has no place with the id {place_id!r}",
        where="place_id",
        expected="an id that geocode, reverse geocode or a search gave",
        code="not_found",
    )


def _kind(word: str) -> str:
    """Return the kind that a word asks for; empty for a word that asks for none."""
    folded = fold(word)
    return folded if folded in made_places.KINDS else PLURALS.get(folded, "")


def _of_kind(
    world: World, query: str, kind: str, near: tuple[float, float], radius_m: float, limit: int
) -> PlaceList:
    """Return the places of a kind around a point: those of articles, and the made-up ones of the cities."""
    found = []
    reach = radius_m + 1000 * made_places.radius_km(10**9)
    for distance, row in around(world, *near, reach):
        city = place_of(world, row, distance)
        number = city.place_id.rpartition(":c:")[2]
        if not number.isdecimal() or distance > radius_m + 1000 * made_places.radius_km(city.population or 0):
            continue
        for index in range(made_places.how_many(world.seed, int(number), city.population or 0, kind)):
            found.append(made_places.made_place(world.name, world.seed, city, int(number), kind, index))
    for _, row in around(world, *near, radius_m, _article_kinds(world)):
        place = place_of(world, row)
        words = {place.kind, *fold(place.name).split()}
        if kind in {_REAL[word] for word in words if word in _REAL}:
            found.append(place)
    placed = [
        replace(place, distance_m=round(distance_m(*near, place.latitude, place.longitude), 1))
        for place in found
    ]
    inside = sorted(
        (place for place in placed if (place.distance_m or 0.0) <= radius_m),
        key=lambda place: (place.distance_m or 0.0, place.place_id),
    )
    return PlaceList(
        query,
        tuple(inside[:limit]),
        len(inside),
        near,
        radius_m,
        "distance, nearest first",
        made_places.SOURCE + "; those of articles are real" * any(not place.made_up for place in inside),
        made_up=True,
    )


def _article_kinds(world: World) -> tuple[str, ...]:
    """Return the kinds that articles give places."""
    if "article_kinds" not in world.kept:
        rows = world.ask("SELECT DISTINCT kind FROM place WHERE kind NOT IN ('city', 'country', 'division')")
        world.kept["article_kinds"] = tuple(sorted(row[0] for row in rows))
    kinds: tuple[str, ...] = world.kept["article_kinds"]
    return kinds


def _by_name(
    world: World, text: str, near: tuple[float, float] | None, radius_m: float, limit: int
) -> PlaceList:
    """Return the places whose name is the text or holds its words."""
    rows = {}
    try:
        rows = {place.place_id: place for place in geocode(world, text).candidates if place.kind != "point"}
    except LabrigError as error:
        if error.code == "bad_input":
            raise
    words = " ".join(f'"{word}"' for word in fold(text).split())
    for row in world.ask(
        f"SELECT {COLUMNS} FROM words JOIN place ON place.id = words.place WHERE words MATCH ? LIMIT 500",
        words,
    ):
        rows.setdefault(row[0], place_of(world, row))
    places = list(rows.values())
    if near is None:
        places.sort(key=lambda place: (-(place.population or 0), place.place_id))
        order = "population, largest first"
    else:
        placed = [
            replace(place, distance_m=round(distance_m(*near, place.latitude, place.longitude), 1))
            for place in places
        ]
        places = [place for place in placed if (place.distance_m or 0.0) <= radius_m]
        places.sort(key=lambda place: (place.distance_m or 0.0, place.place_id))
        order = "distance, nearest first"
    return PlaceList(
        text,
        tuple(places[:limit]),
        len(places),
        near,
        radius_m if near else None,
        order,
        world.meta.get("source", f"{sources.CITIES}; {sources.ARTICLES}"),
        world.fictional,
    )
