"""Overpass: museums, parks, hospitals, .. of OpenStreetMap around a point.

https://wiki.openstreetmap.org/wiki/Overpass_API. The public server (https://overpass-api.de) wants to know who asks
(else 406) and no two questions at once, and answers with HTML where it is busy or cannot read a question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import declared
from labrig_atlas.facts import Place, PlaceList
from labrig_atlas.offline.geodesy import check_point, distance_m
from labrig_atlas.services import nominatim
from labrig_atlas.services.checks import checked_radius, checked_text
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client, Response

OVERPASS = Provider(
    declared.OVERPASS,
    title="Overpass",
    credit="© OpenStreetMap contributors, ODbL 1.0",
    homepage="https://wiki.openstreetmap.org/wiki/Overpass_API",
    questions=("places",),
    at_most="stated: one at a time, 30 s after a refusal; 0.5 requests/s, radius 50 km, 2,000 objects a question",
)
MOST_RADIUS_M = 50_000.0
DEFAULT_RADIUS_M = 5_000.0
MOST_OBJECTS = 2_000
TIMEOUT_S = 25
PATIENCE_S = 3.0
"""Long enough for its turn, too short to ask again after a 429, for which its rules want 30 s."""
SAYS_WHY = frozenset({400})
FAITHS = "buddhist|hindu|jain|shinto|sikh|taoist|confucian"
CATEGORIES: dict[str, str] = {
    "museum": '["tourism"="museum"]',
    "gallery": '["tourism"="gallery"]',
    "hotel": '["tourism"="hotel"]',
    "zoo": '["tourism"="zoo"]',
    "attraction": '["tourism"="attraction"]',
    "viewpoint": '["tourism"="viewpoint"]',
    "restaurant": '["amenity"="restaurant"]',
    "cafe": '["amenity"="cafe"]',
    "bar": '["amenity"="bar"]',
    "hospital": '["amenity"="hospital"]',
    "university": '["amenity"="university"]',
    "school": '["amenity"="school"]',
    "library": '["amenity"="library"]',
    "pharmacy": '["amenity"="pharmacy"]',
    "bank": '["amenity"="bank"]',
    "cinema": '["amenity"="cinema"]',
    "theatre": '["amenity"="theatre"]',
    "church": '["amenity"="place_of_worship"]["religion"="christian"]',
    "mosque": '["amenity"="place_of_worship"]["religion"="muslim"]',
    "synagogue": '["amenity"="place_of_worship"]["religion"="jewish"]',
    "temple": f'["amenity"="place_of_worship"]["religion"~"^({FAITHS})$"]',
    "park": '["leisure"="park"]',
    "stadium": '["leisure"="stadium"]',
    "garden": '["leisure"="garden"]',
    "supermarket": '["shop"="supermarket"]',
    "castle": '["historic"="castle"]',
    "monument": '["historic"="monument"]',
    "station": '["railway"="station"]',
    "airport": '["aeroway"="aerodrome"]',
    "peak": '["natural"="peak"]',
    "beach": '["natural"="beach"]',
}
"""What a word stands for in OpenStreetMap (https://wiki.openstreetmap.org/wiki/Map_features)."""
_OTHER_WORDS = {"theater": "theatre", "coffee shop": "cafe", "train station": "station", "mountain": "peak"}
_NEAR = re.compile(r"(?P<what>.+?)\s+(?:near|in|around|at|close to)\s+(?P<where>.+)", re.IGNORECASE)


def category(text: str) -> str:
    """Return the word of `CATEGORIES` that a text is, in singular or plural; empty if it is none.

    Examples
    --------
    >>> category("Libraries"), category("churches"), category("Eiffel Tower")
    ('library', 'church', '')
    """
    word = " ".join(text.casefold().split())
    forms = [word, word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"]
    if word == "stadia":
        forms.append("stadium")
    forms += [_OTHER_WORDS[form] for form in forms if form in _OTHER_WORDS]
    return next((form for form in forms if form in CATEGORIES), "")


def split_query(query: str) -> tuple[str, str]:
    """Return what is sought and near what: ``museums near Paris`` is ``museums``, ``Paris``; the second may be empty.

    Only a category may have a place behind it: ``Trinity College in Dublin`` is a name.
    """
    found = _NEAR.fullmatch(query)
    return (found["what"], found["where"]) if found and category(found["what"]) else (query, "")


def around(word: str, point: tuple[float, float], radius_m: float) -> str:
    """Return the question in Overpass QL for a category around a point (latitude, longitude in degrees)."""
    place = f"(around:{radius_m:g},{point[0]:.7f},{point[1]:.7f})"
    return f"[out:json][timeout:{TIMEOUT_S}];nwr{CATEGORIES[word]}{place};out tags center {MOST_OBJECTS};"


def read_place(found: Value, word: str, near: tuple[float, float]) -> Place | None:
    """Return an element with a name and a place, None for one without; not every relation has a centre."""
    tags = {key: str(text) for key, text in found["tags"].members().items()} if "tags" in found else {}
    name = tags.get("name:en") or tags.get("name", "")
    if not name:
        return None
    at = found["center"] if found["center"].given else found
    if not at["lat"].given:
        return None
    latitude, longitude = at["lat"].latitude(), at["lon"].longitude()
    street = " ".join(tags[key] for key in ("addr:street", "addr:housenumber") if key in tags)
    town = " ".join(tags[key] for key in ("addr:postcode", "addr:city") if key in tags)
    return Place(
        place_id=nominatim.osm_id(found["type"], found["id"]),
        name=name,
        kind=word,
        country=tags.get("addr:country", ""),
        admin1=tags.get("addr:state", ""),
        latitude=latitude,
        longitude=longitude,
        source=OVERPASS.source,
        address=", ".join(part for part in (street, town) if part),
        elevation_m=nominatim.elevation_in(tags),
        distance_m=distance_m(*near, latitude, longitude),
        types=(word,),
        phone=tags.get("phone") or tags.get("contact:phone", ""),
        website=tags.get("website") or tags.get("contact:website", ""),
        opening_hours=tuple(
            part.strip() for part in tags.get("opening_hours", "").split(";") if part.strip()
        ),
    )


def read_answer(response: Response) -> Value:
    """Return Overpass' answer.

    Raises
    ------
    LabrigError
        ``bad_input`` for a question that it cannot read (HTML), ``limit`` where time or memory were used up (remark),
        ``unreachable`` for what else is not JSON.
    """
    if response.status in SAYS_WHY:
        raise declared.overpass_refusal(f"<p>{response.text}", response.url)
    answer = Value(response.json(), response.url)
    if remark := answer["remark"].text(""):
        raise declared.overpass_refusal(remark, response.url)
    return answer


async def places(
    client: Client,
    query: str,
    *,
    near: tuple[float, float] | None = None,
    radius_m: float | None = None,
    limit: int = 20,
) -> Reply[PlaceList]:
    """Return places around a point, nearest first; a query that is no category is a name, which Nominatim searches.

    Parameters
    ----------
    query
        ``museums``, ``museums near Paris`` (Paris is looked up first), or a name.
    near
        Latitude and longitude in degrees; goes before the place that the query names.
    radius_m
        In metres, at most 50,000; without one 5,000, which a note says.

    Raises
    ------
    LabrigError
        ``not_found`` where nothing of the kind has a name within the radius; ``limit`` where Overpass gave up.
    """
    asked = checked_text(query, "query")
    what, at = split_query(asked)
    word = category(what)
    if not word or (near is None and not at):
        if radius_m is not None:
            checked_radius(radius_m, MOST_RADIUS_M, "Overpass")
        return await nominatim.search_names(client, asked, near=near, limit=limit)
    radius = DEFAULT_RADIUS_M if radius_m is None else checked_radius(radius_m, MOST_RADIUS_M, "Overpass")
    inquiry = Inquiry(client)
    if near is not None:
        point = check_point(*near, where="location")
    else:
        point = await nominatim.located(inquiry, at, "query")
    if radius_m is None:
        inquiry.notes.append(f"The radius is {DEFAULT_RADIUS_M:,.0f} m, as none was given.")
    response = await inquiry.response(
        OVERPASS,
        "interpreter",
        params={"data": around(word, point, radius)},
        accept=SAYS_WHY,
        timeout_s=TIMEOUT_S + 10.0,
        patience_s=PATIENCE_S,
    )
    answer = read_answer(response)
    elements = list(answer["elements"])
    found = [place for each in elements if (place := read_place(each, word, point)) is not None]
    if not found:
        raise LabrigError(
            f"OpenStreetMap has no {word} with a name within {radius:,.0f} m of {point[0]}, {point[1]}",
            where="query",
            try_="a larger radius",
            code="not_found",
        )
    if len(elements) >= MOST_OBJECTS:
        inquiry.notes.append(
            f"Overpass gave {MOST_OBJECTS:,} objects, its limit here: nearer ones may be missing."
        )
    if len(elements) > len(found):
        inquiry.notes.append(f"{len(elements) - len(found)} objects without a name or a place are left out.")
    found.sort(key=lambda place: (place.distance_m or 0.0, place.place_id))
    order = "distance, nearest first"
    facts = PlaceList(asked, tuple(found[:limit]), len(found), point, radius, order, OVERPASS.source)
    return inquiry.reply(facts)
