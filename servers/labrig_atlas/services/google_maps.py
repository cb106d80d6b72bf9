"""Google's Geocoding and Elevation, and the Places, Directions and Distance Matrix from before March 2025.

They are asked through the package googlemaps, whose session is `labrig.http.for_requests.Session`, so that turns, key
and ledger are the client's. Fields: https://developers.google.com/maps/documentation/geocoding and its neighbours.
Google's terms (https://cloud.google.com/maps-platform/terms, 3.2.3) forbid to keep what it answers, with a few
exceptions: the polite cache and, in the mode record, the ledger do keep it, which is the user's choice.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from html import unescape
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import parse_qsl, urlsplit

from labrig.errors import Code, LabrigError
from labrig.http import Key, Limit, Service
from labrig.threads import in_thread
from labrig_atlas.facts import (
    Elevation,
    Geocoding,
    Matrix,
    MatrixCell,
    Mode,
    Place,
    PlaceList,
    Reverse,
    Route,
    Step,
)
from labrig_atlas.offline.geodesy import check_point, distance_m
from labrig_atlas.services.checks import (
    checked_counts,
    checked_mode,
    checked_points,
    checked_radius,
    checked_text,
    given_point,
)
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client, Response

T = TypeVar("T")

GET_KEY = "https://console.cloud.google.com/google/maps-apis"
CREDIT = "© Google, under the Google Maps Platform terms: not to be stored"
KEPT = "Google's terms do not allow to store this answer; a ledger that records it does, which is its owner's choice."
KEYLESS = "the backend open, which needs no key"
CHECK_KEY = f"check LABRIG_ATLAS_GOOGLE_KEY and which interfaces it may use, or {KEYLESS}"
STAND_IN = "AIza-labrig-puts-the-key-in"
"""What googlemaps takes for the key: the client puts in the true one, where nothing that is written can hold it."""
MOST_HEIGHTS = 512
"""Points in one request to Elevation."""
MOST_SIDE = 25
"""Origins, and destinations, in one request to Distance Matrix."""
MOST_CELLS = 100
"""Origins times destinations in one request to Distance Matrix."""
MOST_RADIUS_M = 50_000

GOOGLE_MAPS = Provider(
    Service(
        "google_maps",
        "https://maps.googleapis.com",
        limit=Limit(per_second=20, concurrent=4),  # 3,000 a minute for Geocoding
        key=Key("atlas", "google_key", param="key", get_it=GET_KEY),
        terms="https://cloud.google.com/maps-platform/terms",
    ),
    title="Google Maps",
    credit=CREDIT,
    homepage="https://developers.google.com/maps",
    questions=("geocode", "reverse", "elevation", "places", "details", "route", "matrix"),
    at_most="stated: 3,000 requests/min, 512 points, 25 origins, 25 destinations, 100 cells a request",
)


# ------------------------------------------------------------------------------------------------- the package


class _Lent:
    """The event loop's client, lent to a thread in which googlemaps waits."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._loop = asyncio.get_running_loop()
        self._under_way: Future[Response] | None = None
        self._ended = False
        self.last: Response | None = None

    def request(self, method: str, url: str, **more: Any) -> Response:
        """Send what googlemaps has made, with the true address and key."""
        parts = urlsplit(url)
        params = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "key"]
        asking = self._inquiry.response(
            GOOGLE_MAPS, parts.path, method=method, params=params, keyless=KEYLESS, **more
        )
        self._under_way = asyncio.run_coroutine_threadsafe(asking, self._loop)
        if self._ended:
            self._under_way.cancel()
        try:
            self.last = self._under_way.result()
        except CancelledError:
            raise LabrigError("The question was given up", code="unavailable") from None
        return self.last

    def end(self) -> None:
        """Give up what is under way; from the loop's thread."""
        self._ended = True
        if self._under_way is not None:
            self._under_way.cancel()


async def _asked(inquiry: Inquiry, ask: Callable[[Any], Any]) -> Value:
    """Return what googlemaps made of one question.

    Raises
    ------
    LabrigError
        The client's own, or what Google's ``status`` means.
    """
    lent = _Lent(inquiry)
    try:
        found = await in_thread(_through_googlemaps, lent, ask)
    except asyncio.CancelledError:
        lent.end()
        raise
    return Value(found, lent.last.url if lent.last else GOOGLE_MAPS.service.at())


def _through_googlemaps(lent: _Lent, ask: Callable[[Any], Any]) -> Any:
    import googlemaps
    from googlemaps import exceptions

    from labrig.http.for_requests import Session, labrig_error

    # accept=(): every error status becomes the client's typed error, with what Google says of it.
    session = Session(cast(Any, lent), accept=())
    maps = googlemaps.Client(
        STAND_IN,
        requests_session=session,
        base_url="https://maps.googleapis.com",
        retry_over_query_limit=False,
    )
    try:
        return ask(maps)
    except exceptions.ApiError as error:
        where = lent.last.url if lent.last else ""
        raise google_error(str(error.status), str(error.message or ""), where) from None
    except (exceptions.TransportError, exceptions.Timeout) as error:
        if (ours := labrig_error(error)) is not None:
            raise ours from None
        raise LabrigError(
            "maps.googleapis.com did not answer", try_="the same call later", code="unreachable"
        ) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if lent.last is None:
            raise
        answer = Value(lent.last.json(), lent.last.url)  # not JSON: says so
        answer["status"].text()
        raise answer.odd("an answer with a status and results") from error


_CODES: dict[str, Code] = {
    "ZERO_RESULTS": "not_found",
    "NOT_FOUND": "not_found",
    "DATA_NOT_AVAILABLE": "not_found",
    "REQUEST_DENIED": "refused",
    "OVER_QUERY_LIMIT": "rate_limited",
    "OVER_DAILY_LIMIT": "rate_limited",
    "UNKNOWN_ERROR": "unreachable",
}
_WAITS_S = {"OVER_QUERY_LIMIT": 60.0, "OVER_DAILY_LIMIT": 3600.0}


def google_error(status: str, message: str, where: str) -> LabrigError:
    """Return the error that a ``status`` in an answer with HTTP 200 stands for; what is not known is ``bad_input``."""
    says = f": {message}" if message else ""
    try_ = {"REQUEST_DENIED": CHECK_KEY, "UNKNOWN_ERROR": "the same call later"}
    return LabrigError(
        f"Google answers {status}{says}",
        where=where,
        try_=try_.get(status, ""),
        code=_CODES.get(status, "bad_input"),
        retry_after_s=_WAITS_S.get(status),
    )


def nothing(what: str, asked: str) -> LabrigError:
    """Return the error for an empty answer."""
    return LabrigError(f"Google knows no {what} for {asked}", where=asked, code="not_found")


# ------------------------------------------------------------------------------------------------------ parsers


_NO_NAMES = {"street_number", "subpremise", "floor", "room"}
"""Kinds of a first part of an address that name nothing without the next: the house number 1600, the flat 4B."""


def read_place(found: Value) -> Place:
    """Return the place of one result of Geocoding, or of Places in its older form."""
    parts: dict[str, Value] = {}
    for part in found.each("address_components"):
        for kind in part["types"].texts():
            parts.setdefault(kind, part)
    country, division = parts.get("country"), parts.get("administrative_area_level_1")
    at = found["geometry"]["location"]
    address = found["formatted_address"].text("")
    types = found["types"].texts()
    first = found["address_components"][0]
    named = "" if _NO_NAMES & {*first["types"].texts()} else first["long_name"].text("")
    name = found["name"].text("") or named or address.partition(",")[0]
    hours = found["opening_hours"]["weekday_text"].texts() if "opening_hours" in found else ()
    return Place(
        place_id=found["place_id"].text(""),
        name=name,
        kind=types[0] if types else "",
        country=country["short_name"].text() if country is not None else "",
        admin1=division["long_name"].text() if division is not None else "",
        latitude=at["lat"].latitude(),
        longitude=at["lng"].longitude(),
        source=GOOGLE_MAPS.source,
        address=address,
        rating=found["rating"].number_or_none(),
        ratings_count=found["user_ratings_total"].whole_or_none(),
        types=types,
        phone=found["formatted_phone_number"].text("") or found["international_phone_number"].text(""),
        website=found["website"].text(""),
        opening_hours=hours,
    )


def _is_code_alone(found: Value) -> bool:
    """Tell whether a result is a plus code and nothing else, which Google gives for any point of an ocean."""
    return all("plus_code" in part["types"].texts() for part in found["address_components"])


def read_elevation(found: Value) -> Elevation:
    """Return one result of Elevation: metres above local mean sea level, and the grid's resolution in metres."""
    at = found["location"]
    return Elevation(
        latitude=at["lat"].latitude(),
        longitude=at["lng"].longitude(),
        elevation_m=found["elevation"].number(),
        method="Google's elevation model, interpolated",
        source=GOOGLE_MAPS.source,
        resolution_m=found["resolution"].number_or_none(),
    )


def read_route(found: Value, origin: str, destination: str, mode: Mode) -> Route:
    """Return one route of Directions: metres and seconds, summed over its legs."""
    legs = list(found["legs"])
    steps = [
        Step(
            _plain(step["html_instructions"].text("")),
            step["distance"]["value"].number(),
            step["duration"]["value"].number(),
        )
        for leg in legs
        for step in leg["steps"]
    ]
    return Route(
        origin=legs[0]["start_address"].text(origin) if legs else origin,
        destination=legs[-1]["end_address"].text(destination) if legs else destination,
        mode=mode,
        distance_m=math.fsum(leg["distance"]["value"].number() for leg in legs),
        duration_s=math.fsum(leg["duration"]["value"].number() for leg in legs),
        summary=found["summary"].text(""),
        steps=tuple(steps),
        source=GOOGLE_MAPS.source,
        notes=found["warnings"].texts(),
    )


def read_cell(found: Value) -> MatrixCell:
    """Return one element of Distance Matrix."""
    status = found["status"].text()
    if status == "OK":
        return MatrixCell("ok", found["distance"]["value"].number(), found["duration"]["value"].number())
    if status == "NOT_FOUND":
        return MatrixCell("not_found", reason="Google could not find the origin or the destination")
    return MatrixCell("no_route", reason=f"Google answers {status}")


def _plain(html: str) -> str:
    """Return an instruction without its tags; a line of its own becomes a sentence of its own."""
    return " ".join(
        unescape(re.sub(r"<[^>]*>", " ", html.replace("<div", ". <div"))).replace(" .", ".").split()
    )


# ---------------------------------------------------------------------------------------------------- questions


async def geocode(client: Client, address: str, *, limit: int = 10) -> Reply[Geocoding]:
    """Return the places that an address or a name may mean, in Google's order.

    Raises
    ------
    LabrigError
        ``not_found`` (ZERO_RESULTS), ``unavailable`` without a key, and what Google's status means.
    """
    asked = checked_text(address, "address")
    inquiry = Inquiry(client)
    if (given := given_point(asked)) is not None:
        return inquiry.reply(given)
    found = await _asked(inquiry, lambda maps: maps.geocode(asked, language="en"))
    places = tuple(read_place(each) for each in found)[:limit]
    if not places:
        raise nothing("place", repr(asked))
    inquiry.notes.append(KEPT)
    if any("partial_match" in each and each["partial_match"].raw is True for each in found):
        inquiry.notes.append("Google found a part of the address only (partial_match).")
    facts = Geocoding(
        asked, places, ambiguous=len(places) > 1, order="Google's own order, which it does not explain"
    )
    return inquiry.reply(facts)


async def reverse(client: Client, latitude: float, longitude: float) -> Reply[Reverse]:
    """Return the first address that Google gives for a point: latitude and longitude in degrees.

    Raises
    ------
    LabrigError
        ``not_found`` where Google has no address, as on the ocean.
    """
    point = check_point(latitude, longitude)
    inquiry = Inquiry(client)
    found = await _asked(inquiry, lambda maps: maps.reverse_geocode(point, language="en"))
    addresses = [each for each in found if not _is_code_alone(each)]
    if not addresses:
        raise nothing("address", f"{point[0]}, {point[1]}")
    place = read_place(addresses[0])
    inquiry.notes.append(KEPT)
    note = f"the first of {len(addresses)} that Google gives, from the most to the least exact"
    facts = Reverse(
        *point,
        place,
        distance_m(*point, place.latitude, place.longitude),
        place.country,
        note,
        GOOGLE_MAPS.source,
    )
    return inquiry.reply(facts)


async def elevation(client: Client, points: Sequence[tuple[float, float]]) -> Reply[tuple[Elevation, ...]]:
    """Return the elevation of up to 512 points (latitude, longitude in degrees), in metres."""
    asked = checked_points(points, MOST_HEIGHTS, "Google")
    inquiry = Inquiry(client)
    found = await _asked(inquiry, lambda maps: maps.elevation(asked))
    if not found.count:
        raise nothing("elevation", f"{len(asked)} points")
    if found.count != len(asked):
        raise found.odd(f"{len(asked)} elevations")
    inquiry.notes.append(KEPT)
    return inquiry.reply(tuple(read_elevation(each) for each in found))


async def places(
    client: Client,
    query: str,
    *,
    near: tuple[float, float] | None = None,
    radius_m: float | None = None,
    limit: int = 20,
) -> Reply[PlaceList]:
    """Search places by text with the older Places: at most 20, in Google's order.

    `near` (latitude, longitude in degrees) and `radius_m` (metres, at most 50,000) prefer what lies there; Google
    may give places farther away all the same.
    """
    asked, bias = checked_text(query, "query"), checked_bias(near, radius_m)
    inquiry = Inquiry(client)
    found = await _asked(
        inquiry,
        lambda maps: maps.places(
            asked, language="en", **({"location": bias[0], "radius": bias[1]} if bias else {})
        ),
    )
    found_places = [read_place(each) for each in found["results"]]
    if not found_places:
        raise nothing("place", repr(asked))
    inquiry.notes += [KEPT, *([BIAS] if bias else [])]
    return inquiry.reply(place_list(asked, found_places, limit, bias, GOOGLE_MAPS.source))


BIAS = "Google takes point and radius as a preference: places farther away may be among these."


def checked_bias(
    near: tuple[float, float] | None, radius_m: float | None
) -> tuple[tuple[float, float], float] | None:
    """Return point and radius in metres that a search prefers; a point alone takes Google's largest radius."""
    if near is None:
        if radius_m is not None:
            raise LabrigError(
                "A radius needs a point", where="radius", expected="location and radius together"
            )
        return None
    most = float(MOST_RADIUS_M)
    radius = most if radius_m is None else checked_radius(radius_m, most, "Google")
    return check_point(*near, where="location"), radius


def place_list(
    query: str,
    found: Sequence[Place],
    limit: int,
    bias: tuple[tuple[float, float], float] | None,
    source: str,
) -> PlaceList:
    """Return Google's places as a list of facts."""
    near, radius_m = bias or (None, None)
    order = "Google's order of relevance"
    return PlaceList(query, tuple(found[:limit]), len(found), near, radius_m, order, source)


async def details(client: Client, place_id: str) -> Reply[Place]:
    """Return what the older Places knows of a place, by the id that Google gave it."""
    asked = checked_text(place_id, "place_id")
    inquiry = Inquiry(client)
    found = await _asked(inquiry, lambda maps: maps.place(asked, language="en"))
    if "result" not in found:
        raise nothing("place", repr(asked))
    inquiry.notes.append(KEPT)
    return inquiry.reply(read_place(found["result"]))


async def route(client: Client, origin: str, destination: str, mode: str = "driving") -> Reply[Route]:
    """Return the first way that Directions gives between two addresses, or points written ``latitude,longitude``."""
    ends = checked_text(origin, "origin"), checked_text(destination, "destination")
    by = checked_mode(mode)
    inquiry = Inquiry(client)
    found = await _asked(inquiry, lambda maps: maps.directions(*ends, mode=by, language="en", units="metric"))
    if not found.count:
        raise nothing(f"way ({by})", f"{ends[0]!r} to {ends[1]!r}")
    inquiry.notes.append(KEPT)
    return inquiry.reply(read_route(found[0], *ends, by))


async def matrix(
    client: Client, origins: Sequence[str], destinations: Sequence[str], mode: str = "driving"
) -> Reply[Matrix]:
    """Return metres and seconds between up to 25 origins and 25 destinations, 100 cells a request."""
    checked_counts(origins, destinations, MOST_SIDE)
    by = checked_mode(mode)
    inquiry = Inquiry(client)
    rows: list[tuple[MatrixCell, ...]] = []
    named_origins: list[str] = []
    named: tuple[str, ...] = ()
    for start in range(0, len(origins), step := max(1, MOST_CELLS // len(destinations))):
        part = list(origins[start : start + step])
        ask = partial(_matrix, part, list(destinations), by)
        found = await _asked(inquiry, ask)
        read = [tuple(read_cell(each) for each in row["elements"]) for row in found["rows"]]
        if len(read) != len(part) or any(len(row) != len(destinations) for row in read):
            raise found["rows"].odd(f"{len(part)} rows of {len(destinations)} elements")
        rows += read
        named_origins += found["origin_addresses"].texts()
        named = found["destination_addresses"].texts()
    inquiry.notes.append(KEPT)
    facts = Matrix(
        _labels(named_origins, origins),
        _labels(named, destinations),
        by,
        tuple(rows),
        GOOGLE_MAPS.source,
    )
    return inquiry.reply(facts)


def _matrix(origins: list[str], destinations: list[str], mode: str, maps: Any) -> Any:
    return maps.distance_matrix(origins, destinations, mode=mode, language="en")


def _labels(given: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses that Google read, or the texts of the question where it gives none."""
    if len(given) != len(asked):
        return tuple(asked)
    return tuple(read or text for read, text in zip(given, asked, strict=True))
