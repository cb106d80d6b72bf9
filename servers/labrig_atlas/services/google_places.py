"""Google's newer Places (places.googleapis.com, v1): the only one that a key made after 1 March 2025 may use.

Fields: https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places. What is wanted is
said in the header X-Goog-FieldMask, by which Google also counts the price. Its terms: see `google_maps`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from labrig.errors import Code, LabrigError
from labrig.http import Key, Limit, Service
from labrig_atlas.facts import Place, PlaceList
from labrig_atlas.services.checks import checked_text
from labrig_atlas.services.google_maps import (
    BIAS,
    CHECK_KEY,
    CREDIT,
    GET_KEY,
    KEPT,
    KEYLESS,
    checked_bias,
    nothing,
    place_list,
)
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

GOOGLE_PLACES = Provider(
    Service(
        "google_places",
        "https://places.googleapis.com/v1",
        limit=Limit(per_second=10, concurrent=4),  # 600 a minute for each method
        key=Key("atlas", "google_key", header="X-Goog-Api-Key", get_it=GET_KEY),
        terms="https://cloud.google.com/maps-platform/terms",
    ),
    title="Google Places",
    credit=CREDIT,
    homepage="https://developers.google.com/maps/documentation/places/web-service",
    questions=("places", "details"),
    at_most="stated: 600 requests/min, 20 places a search, radius 50 km",
)
FIELDS = (
    "id",
    "displayName",
    "formattedAddress",
    "location",
    "types",
    "rating",
    "userRatingCount",
    "addressComponents",
)
DETAILS = (*FIELDS, "nationalPhoneNumber", "internationalPhoneNumber", "websiteUri", "regularOpeningHours")
SAYS_WHY = frozenset({400, 403, 404})
"""Statuses whose body is ``{"error": {"status", "message"}}``."""
_CODES: dict[str, Code] = {
    "INVALID_ARGUMENT": "bad_input",
    "FAILED_PRECONDITION": "bad_input",
    "OUT_OF_RANGE": "bad_input",
    "NOT_FOUND": "not_found",
    "PERMISSION_DENIED": "refused",
    "UNAUTHENTICATED": "refused",
    "RESOURCE_EXHAUSTED": "rate_limited",
}


def raise_error(answer: Value) -> None:
    """Raise what an answer of Google's newer interfaces says, where it is an error.

    Raises
    ------
    LabrigError
        ``bad_input``, ``not_found``, ``refused``, ``rate_limited`` or ``unreachable``, by its status.
    """
    if "error" not in answer:
        return
    status, message = answer["error"]["status"].text(""), answer["error"]["message"].text("")
    code: Code = _CODES.get(status, "unreachable")
    if status == "INVALID_ARGUMENT" and "API key" in message:
        code = "refused"
    raise LabrigError(
        f"Google answers {status or 'an error'}: {message}",
        where=answer.where,
        try_=CHECK_KEY if code == "refused" else "",
        code=code,
        retry_after_s=60.0 if code == "rate_limited" else None,
    )


def read_place(found: Value) -> Place:
    """Return a place of the newer Places."""
    parts: dict[str, Value] = {}
    for part in found.each("addressComponents"):
        for kind in part["types"].texts():
            parts.setdefault(kind, part)
    country, division = parts.get("country"), parts.get("administrative_area_level_1")
    types = found["types"].texts()
    return Place(
        place_id=found["id"].text(),
        name=found["displayName"]["text"].text(""),
        kind=types[0] if types else "",
        country=country["shortText"].text("") if country is not None else "",
        admin1=division["longText"].text("") if division is not None else "",
        latitude=found["location"]["latitude"].latitude(),
        longitude=found["location"]["longitude"].longitude(),
        source=GOOGLE_PLACES.source,
        address=found["formattedAddress"].text(""),
        rating=found["rating"].number_or_none(),
        ratings_count=found["userRatingCount"].whole_or_none(),
        types=types,
        phone=found["nationalPhoneNumber"].text("") or found["internationalPhoneNumber"].text(""),
        website=found["websiteUri"].text(""),
        opening_hours=found["regularOpeningHours"]["weekdayDescriptions"].texts(),
    )


async def places(
    client: Client,
    query: str,
    *,
    near: tuple[float, float] | None = None,
    radius_m: float | None = None,
    limit: int = 20,
) -> Reply[PlaceList]:
    """Search places by text: at most 20, in Google's order; `near` and `radius_m` as in `google_maps.places`."""
    asked, bias = checked_text(query, "query"), checked_bias(near, radius_m)
    inquiry = Inquiry(client)
    body: dict[str, object] = {"textQuery": asked, "languageCode": "en", "pageSize": 20}
    if bias:
        (latitude, longitude), radius = bias
        circle = {"center": {"latitude": latitude, "longitude": longitude}, "radius": radius}
        body["locationBias"] = {"circle": circle}
    answer = await inquiry.json(
        GOOGLE_PLACES,
        "places:searchText",
        method="POST",
        data=body,
        headers={"X-Goog-FieldMask": ",".join(f"places.{field}" for field in FIELDS)},
        keyless=KEYLESS,
        accept=SAYS_WHY,
    )
    raise_error(answer)
    answer.members()
    found = [read_place(each) for each in answer.each("places")]
    if not found:
        raise nothing("place", repr(asked))
    inquiry.notes += [KEPT, *([BIAS] if bias else [])]
    return inquiry.reply(place_list(asked, found, limit, bias, GOOGLE_PLACES.source))


async def details(client: Client, place_id: str) -> Reply[Place]:
    """Return what Google knows of a place, by the id that it gave."""
    asked = checked_text(place_id, "place_id")
    inquiry = Inquiry(client)
    answer = await inquiry.json(
        GOOGLE_PLACES,
        f"places/{quote(asked, safe='')}",
        params={"languageCode": "en"},
        headers={"X-Goog-FieldMask": ",".join(DETAILS)},
        keyless=KEYLESS,
        accept=SAYS_WHY,
    )
    raise_error(answer)
    inquiry.notes.append(KEPT)
    return inquiry.reply(read_place(answer))
