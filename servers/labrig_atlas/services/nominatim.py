"""Nominatim: names to places and back, and what OpenStreetMap says of a place. https://nominatim.org/release-docs

The public server's rules (https://operations.osmfoundation.org/policies/nominatim/): one request a second, four a
minute for what runs longer than a day, the operator's contact in the User-Agent, results kept (the mode record does).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import declared
from labrig_atlas.facts import Geocoding, Place, PlaceList, Reverse
from labrig_atlas.offline.geodesy import check_point, distance_m
from labrig_atlas.offline.points import read_point
from labrig_atlas.services.checks import checked_text, given_point
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

NOMINATIM = Provider(
    declared.NOMINATIM,
    title="Nominatim",
    credit="© OpenStreetMap contributors, ODbL 1.0",
    homepage="https://nominatim.org",
    questions=("geocode", "reverse", "places", "details"),
    at_most="stated: 1 request/s, 4 requests/min for programs that run longer than a day; 40 results a search",
)
ORDER = "Nominatim's order of importance"
MOST_FOUND = 40
LEAD = 0.2
"""Of importance, from 0 to 1, which Nominatim takes from the links to a place's article in Wikipedia."""
WANTED = {"format": "jsonv2", "addressdetails": 1, "extratags": 1, "accept-language": "en"}
SAYS_WHY = frozenset({400, 404})
"""Statuses whose body is ``{"error": ...}``."""
_TYPES = {"node": "N", "way": "W", "relation": "R"}
_ID = re.compile(r"osm:([NWR])([1-9]\d{0,18})")
_METRES = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*m?\s*")
_DIGITS = re.compile(r"\d{1,12}")


def osm_id(kind: Value, number: Value) -> str:
    """Return our id of an object of OpenStreetMap: ``osm:N123``, ``osm:W123``, ``osm:R123``."""
    if kind.text() not in _TYPES:
        raise kind.odd(", ".join(_TYPES))
    return f"osm:{_TYPES[kind.text()]}{number.whole()}"


def elevation_in(tags: Mapping[str, object]) -> float | None:
    """Return the metres of the tag ``ele``; people write it freely, and what is no number counts as absent."""
    found = _METRES.fullmatch(str(tags.get("ele", "")))
    return float(found[1]) if found else None


def population_in(tags: Mapping[str, object]) -> int | None:
    """Return the inhabitants of the tag ``population``, where it is a plain number."""
    text = str(tags.get("population", ""))
    return int(text) if _DIGITS.fullmatch(text) else None


def read_place(found: Value) -> Place:
    """Return one result of search, reverse or lookup (format jsonv2)."""
    address = found["address"] if "address" in found else Value({}, found.where, f"{found.path}.address")
    tags = found["extratags"].members() if "extratags" in found else {}
    division = next((address[key].text() for key in ("state", "region", "province") if key in address), "")
    shown = found["display_name"].text("")
    place_type, category = found["type"].text(""), found["category"].text("")
    return Place(
        # a postcode that Nominatim has worked out is no object of OpenStreetMap, and has no id
        place_id=osm_id(found["osm_type"], found["osm_id"]) if "osm_type" in found else "",
        name=found["name"].text("") or shown.partition(",")[0],
        kind=found["addresstype"].text("") or place_type,
        country=address["country_code"].text("").upper(),
        admin1=division,
        latitude=found["lat"].latitude(),
        longitude=found["lon"].longitude(),
        source=NOMINATIM.source,
        address=shown,
        elevation_m=elevation_in(tags),
        population=population_in(tags),
        types=tuple(each for each in (category, place_type) if each),
        phone=str(tags.get("phone") or tags.get("contact:phone") or ""),
        website=str(tags.get("website") or tags.get("contact:website") or ""),
        opening_hours=tuple(
            part.strip() for part in str(tags.get("opening_hours") or "").split(";") if part.strip()
        ),
    )


def _raise_error(answer: Value, asked: str) -> None:
    """Raise what Nominatim says with HTTP 200 or 400: a text, or an object with code and message."""
    if "error" not in answer:
        return
    said = answer["error"]
    message = said.raw if isinstance(said.raw, str) else said["message"].text("")
    unknown = "unable to geocode" in message.lower() or "not found" in message.lower()
    raise LabrigError(
        f"Nominatim answers: {message}", where=asked, code="not_found" if unknown else "bad_input"
    )


async def _search(inquiry: Inquiry, asked: str, limit: int, **more: object) -> Value:
    params = {"q": asked, "limit": min(limit, MOST_FOUND), **WANTED, **more}
    answer = await inquiry.json(NOMINATIM, "search", params=params, accept=SAYS_WHY)
    _raise_error(answer, repr(asked))
    return answer


async def found_places(inquiry: Inquiry, asked: str, *, limit: int = 10, **more: object) -> list[Place]:
    """Return what a text may mean, in Nominatim's order; none where it knows nothing."""
    return [read_place(each) for each in await _search(inquiry, asked, limit, **more)]


def leads(found: Value) -> bool:
    """Tell whether the first result is more important than every other place by `LEAD`; nobody but one leads too.

    Paris comes twice, as a city and as a département, with one importance: they are one place.
    """
    first, *others = found
    rivals = [each for each in others if not _same_place(first, each)]
    if not rivals:
        return True
    own = first["importance"].number_or_none()
    theirs = [each["importance"].number_or_none() for each in rivals]
    return own is not None and all(each is not None and own - each >= LEAD for each in theirs)


def _same_place(one: Value, other: Value) -> bool:
    """Tell whether two results are one place: by their item in Wikidata, or by their whole name."""
    items = [each["extratags"]["wikidata"].text("") for each in (one, other)]
    names = [each["display_name"].text("") for each in (one, other)]
    return any(pair[0] and pair[0] == pair[1] for pair in (items, names))


async def geocode(client: Client, address: str, *, limit: int = 10) -> Reply[Geocoding]:
    """Return the places that an address or a name may mean, in Nominatim's order of importance.

    They count as ambiguous unless the first leads: Paris in France does, Springfield in Illinois does not.

    Raises
    ------
    LabrigError
        ``not_found``, and ``unavailable`` without a contact (``LABRIG_HTTP_CONTACT``).
    """
    asked = checked_text(address, "address")
    inquiry = Inquiry(client)
    if (given := given_point(asked)) is not None:
        return inquiry.reply(given)
    answer = await _search(inquiry, asked, limit)
    places = tuple(read_place(each) for each in answer)
    if not places:
        raise not_known(asked, "address")
    clear = leads(answer)
    if clear and len(places) > 1:
        inquiry.notes.append(
            f"The first of {len(places)} leads in Nominatim's importance (0 to 1) by {LEAD} or more."
        )
    return inquiry.reply(Geocoding(asked, places, ambiguous=not clear, order=ORDER))


def not_known(asked: str, where: str) -> LabrigError:
    """Return the error for a name that OpenStreetMap does not know."""
    return LabrigError(
        f"OpenStreetMap knows no {asked!r}",
        where=where,
        try_="a shorter name, with the country: 'Montmartre, France'",
        code="not_found",
    )


async def located(inquiry: Inquiry, text: str, where: str) -> tuple[float, float]:
    """Return the point that a text names (latitude, longitude in degrees), with a note of what it was taken for.

    Raises
    ------
    LabrigError
        ``not_found``.
    """
    asked = checked_text(text, where)
    if (point := read_point(asked)) is not None:
        return point
    places = await found_places(inquiry, asked, limit=5)
    if not places:
        raise not_known(asked, where)
    first = places[0]
    others = f", the first of {len(places)} candidates in {ORDER}" if len(places) > 1 else ""
    inquiry.notes.append(
        f"{asked!r} was taken for {first.address} ({first.latitude}, {first.longitude}){others}."
    )
    return first.latitude, first.longitude


async def reverse(client: Client, latitude: float, longitude: float) -> Reply[Reverse]:
    """Return the address at, or nearest to, a point: latitude and longitude in degrees.

    Raises
    ------
    LabrigError
        ``not_found`` where OpenStreetMap has nothing, as on the ocean.
    """
    point = check_point(latitude, longitude)
    inquiry = Inquiry(client)
    params = {"lat": point[0], "lon": point[1], "zoom": 18, **WANTED}
    answer = await inquiry.json(NOMINATIM, "reverse", params=params, accept=SAYS_WHY)
    _raise_error(answer, f"{point[0]}, {point[1]}")
    place = read_place(answer)
    note = "the object of OpenStreetMap at or nearest to the point, down to buildings (zoom 18)"
    return inquiry.reply(
        Reverse(
            *point,
            place,
            distance_m(*point, place.latitude, place.longitude),
            place.country,
            note,
            NOMINATIM.source,
        )
    )


async def details(client: Client, place_id: str) -> Reply[Place]:
    """Return what OpenStreetMap says of a place, by the id that geocode, reverse or places gave: ``osm:W5013364``."""
    found = _ID.fullmatch(place_id.strip())
    if found is None:
        raise LabrigError(
            f"This is not an id of OpenStreetMap: {place_id!r:.80}",
            where="place_id",
            expected="osm:N123, osm:W123 or osm:R123, as the backend open gives them",
            code="not_found",
        )
    inquiry = Inquiry(client)
    params = {"osm_ids": f"{found[1]}{found[2]}", **WANTED}
    answer = await inquiry.json(NOMINATIM, "lookup", params=params, accept=SAYS_WHY)
    _raise_error(answer, place_id)
    if not answer.count:
        raise LabrigError(f"OpenStreetMap has no {place_id}", where="place_id", code="not_found")
    inquiry.notes.append("OpenStreetMap holds no ratings and no reviews.")
    return inquiry.reply(read_place(answer[0]))


async def search_names(
    client: Client,
    query: str,
    *,
    near: tuple[float, float] | None = None,
    limit: int = 20,
) -> Reply[PlaceList]:
    """Search places by name; `near` (latitude, longitude in degrees) prefers a box of half a degree around it."""
    asked = checked_text(query, "query")
    inquiry = Inquiry(client)
    more: dict[str, object] = {}
    if near is not None:
        latitude, longitude = check_point(*near, where="location")
        west, east = max(longitude - 0.5, -180.0), min(longitude + 0.5, 180.0)
        south, north = max(latitude - 0.5, -90.0), min(latitude + 0.5, 90.0)
        more["viewbox"] = f"{west},{south},{east},{north}"
        inquiry.notes.append("Nominatim prefers what lies near the point; others may be among these.")
    places = await found_places(inquiry, asked, limit=limit, **more)
    if not places:
        raise not_known(asked, "query")
    facts = PlaceList(asked, tuple(places), len(places), near, None, ORDER, NOMINATIM.source)
    return inquiry.reply(facts)
