"""From names to points: every place that answers to a text, and the nearest names where none does."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from labrig.errors import LabrigError, nearest
from labrig_atlas.facts import Geocoding, Place
from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.offline.places import COLUMNS, find_place, place_of
from labrig_atlas.offline.points import read_point
from labrig_atlas.world.database import World
from labrig_atlas.world.names import fold

MOST_CHARS = 400
MOST = 10
"""Candidates that are told."""
ALIAS = 10
DOMINANT = 5
"""A place with so many times the inhabitants of its namesakes is meant by the name."""
POINT = "the point as it was given"


def geocode(world: World, address: str) -> Geocoding:
    """Return the places that a text may mean, the largest first.

    Parameters
    ----------
    address
        A name in any of its spellings, ``name, country``, ``name, division``, ``name, division, country``, a point as
        ``latitude, longitude``, or the place_id of a result, which alone tells a city from its division.

    Returns
    -------
    Geocoding
        Several candidates mean that the text is ambiguous. Those that it is an alternative name of are among them
        where no place has that very name, or where they are ten times larger.

    Raises
    ------
    LabrigError
        ``bad_input`` for an empty or overlong text; ``not_found`` with the nearest names.
    """
    text = address.strip()
    if not text or len(text) > MOST_CHARS or not fold(text):
        raise LabrigError(
            "An address is a name of a place"
            if len(text) <= MOST_CHARS
            else f"The address has {len(text)} characters",
            where="address",
            expected=f"1 to {MOST_CHARS} characters, such as 'Ulm, Germany' or '48.40, 9.99'",
        )
    if (point := read_point(text)) is not None:
        return Geocoding(text, (_at(world, *point),))
    if text.startswith(f"{world.name}:") and (row := find_place(world, text)) is not None:
        return Geocoding(text, (place_of(world, row),))
    parts = [fold(part) for part in text.split(",")]
    parts = [part for part in parts if part]
    rows = _answering(world, fold(text)) if len(parts) > 1 else []  # a name may hold a comma
    rows = rows or _within(world, _answering(world, parts[0]), parts[1:])
    if not rows:
        raise _unknown(world, text, parts)
    places = tuple(place_of(world, row) for row in rows[:MOST])
    return Geocoding(text, places, ambiguous=len(rows) > 1)


def one_place(world: World, text: str, near: tuple[float, float] | None = None) -> tuple[Place, str]:
    """Return the one place that a text means, and a note where others of its name were passed over.

    A city stands for the division or the country of its own name that it lies in (New York, Luxembourg), and a place
    with five times the inhabitants of all others of its name (Rome) for that name; the note says so.

    Parameters
    ----------
    near
        Of several, the nearest to this point (latitude, longitude) is meant.

    Raises
    ------
    LabrigError
        ``bad_input`` with the candidates where several are meant, and all that `geocode` raises.
    """
    found = geocode(world, text)
    if not found.ambiguous:
        return found.candidates[0], ""
    chosen, rest = None, list(found.candidates)
    if near is not None:
        chosen = min(found.candidates, key=lambda place: distance_m(*near, place.latitude, place.longitude))
    else:
        whole = ("division", "country")
        first = next((place for place in found.candidates if place.kind not in whole), found.candidates[0])
        rest = [
            place
            for place in found.candidates
            if place is not first and not (place.kind in whole and place.country == first.country)
        ]
        dominant = max(((place.population or 0) for place in rest), default=0) * DOMINANT <= (
            first.population or 0
        )
        if not rest or (dominant and all(place.kind not in whole for place in rest)):
            chosen = first
    if chosen is not None:
        others = [place.address for place in rest if place is not chosen]
        note = f"{text.strip()!r} was taken for {chosen.address}, not for {'; '.join(others[:3])}"
        return chosen, note if others else ""
    told = "; ".join(f"{place.address} ({place.kind}, {place.place_id})" for place in found.candidates[:6])
    raise LabrigError(
        f"{text.strip()!r} may be several places",
        where="address",
        expected=f"one of {told}",
        try_=f"its place_id, such as {found.candidates[0].place_id!r}, or a point",
    )


def near_names(world: World, name: str, count: int = 4) -> list[str]:
    """Return names of the gazetteer that resemble a name, best first."""
    folded = fold(name)[:60]
    pieces = sorted({folded[at : at + 3] for at in range(len(folded) - 2)})
    if not pieces:
        return []
    query = " OR ".join(f'"{piece}"' for piece in pieces)
    rows = world.ask(
        "SELECT fold FROM trigrams WHERE trigrams MATCH ? AND length(fold) BETWEEN ? AND ? LIMIT 4000",
        query,
        max(len(folded) - 4, 1),
        len(folded) + 6,
    )
    wanted = set(pieces)

    def shared(other: str) -> float:
        own = {other[at : at + 3] for at in range(len(other) - 2)}
        return len(own & wanted) / len(own | wanted)

    likely = sorted((row[0] for row in rows), key=lambda other: (-shared(other), other))[:60]
    found = []
    for close in nearest(folded, likely, count):
        best = world.ask(
            "SELECT place.name FROM name JOIN place ON place.id = name.place WHERE name.fold = ? AND name.main = 1 "
            "ORDER BY place.population DESC LIMIT 1",
            close,
        )
        found += [row[0] for row in best]
    return list(dict.fromkeys(found))


def _answering(world: World, folded: str) -> list[tuple[Any, ...]]:
    """Return rows of places with a name, the largest first.

    Where places have that very name, those that it is an alternative name of are told only if they are `ALIAS` times
    larger than these; a place of an article, whose size is not told, is taken for a large one.
    """
    rows = world.ask(
        f"SELECT {COLUMNS}, name.main FROM name JOIN place ON place.id = name.place WHERE name.fold = ?",
        folded,
    )
    sizes = [inf if row[8] is None and row[2] != "division" else row[8] or 0 for row in rows if row[-1]]
    least = max(sizes, default=-1) * ALIAS
    kept = [row[:-1] for row in rows if row[-1] or (row[8] or 0) > least]
    return sorted(kept, key=lambda row: (-(row[8] or 0), row[0]))


def _within(world: World, rows: list[tuple[Any, ...]], qualifiers: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the rows that lie in every division or country that is named."""
    for qualifier in qualifiers:
        countries = {row[0] for row in world.ask("SELECT iso2 FROM country_name WHERE fold = ?", qualifier)}
        divisions = {
            tuple(place_id.partition(":d:")[2].split(".", 1))
            for (place_id,) in world.ask(
                "SELECT place.place_id FROM name JOIN place ON place.id = name.place "
                "WHERE name.fold = ? AND place.kind = 'division'",
                qualifier,
            )
        }
        rows = [
            row
            for row in rows
            if row[3] in countries
            or (row[4] and fold(row[4]) == qualifier)
            or (row[3] == "US" and len(qualifier) == 2 and _division_code(world, row) == qualifier.upper())
            or (row[2] == "division" and tuple(row[0].partition(":d:")[2].split(".", 1)) in divisions)
        ]
    return rows


def _division_code(world: World, row: tuple[Any, ...]) -> str:
    """Return the code of the division of a place: of Minnesota, MN."""
    if "division_codes" not in world.kept:
        world.kept["division_codes"] = {
            (country, name): place_id.rpartition(".")[2]
            for place_id, country, name in world.ask(
                "SELECT place_id, country, name FROM place WHERE kind = 'division'"
            )
        }
    codes: dict[tuple[str, str], str] = world.kept["division_codes"]
    return codes.get((row[3], row[4]), "")


def _at(world: World, latitude: float, longitude: float) -> Place:
    text = f"{latitude:.6f}".rstrip("0").rstrip(".") + ", " + f"{longitude:.6f}".rstrip("0").rstrip(".")
    return Place(
        place_id=f"{world.name}:x:{text.replace(' ', '')}",
        name=text,
        kind="point",
        country="",
        admin1="",
        latitude=latitude,
        longitude=longitude,
        source=POINT,
        made_up=False,
        address=text,
        types=("point",),
    )


def _unknown(world: World, text: str, parts: Sequence[str]) -> LabrigError:
    """Return the error for a text that no place answers to: what is known of it, and near names."""
    elsewhere = _answering(world, parts[0])
    if elsewhere and len(parts) > 1:
        there = "; ".join(place_of(world, row).address for row in elsewhere[:4])
        tried = f"what is known of that name: {there}"
    else:
        close = near_names(world, text.split(",")[0])
        tried = "did you mean " + " or ".join(close) + "?" if close else ""
        known = [
            part.strip() for part in text.split(",")[1:] if part.strip() and _answering(world, fold(part))
        ]
        if known:
            tried = f"{known[0]}, which is known" + (f"; or {tried}" if tried else "")
    gazetteer = (
        ""
        if world.fictional or "gazetteer" in world.meta
        else "; `labrig setup atlas-gazetteer` brings smaller ones"
    )
    return LabrigError(
        f"No place of the world {world.name} is named {text!r}",
        where="address",
        expected=f"a city, country, division or a place of the articles{gazetteer}",
        try_=tried,
        code="not_found",
    )
