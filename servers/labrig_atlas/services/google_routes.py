"""Google's Routes (routes.googleapis.com): ways and matrices for a key made after 1 March 2025.

Fields: https://developers.google.com/maps/documentation/routes/reference/rest. Its terms: see `google_maps`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from labrig.http import Key, Limit, Service
from labrig_atlas.facts import Matrix, MatrixCell, Mode, Route, Step
from labrig_atlas.offline.points import read_point
from labrig_atlas.services.checks import checked_counts, checked_mode, checked_text
from labrig_atlas.services.google_maps import CREDIT, GET_KEY, KEPT, KEYLESS, MOST_SIDE, nothing
from labrig_atlas.services.google_places import SAYS_WHY, raise_error
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

GOOGLE_ROUTES = Provider(
    Service(
        "google_routes",
        "https://routes.googleapis.com",
        limit=Limit(per_second=20, concurrent=4),  # 3,000 a minute; 3,000 cells a minute
        key=Key("atlas", "google_key", header="X-Goog-Api-Key", get_it=GET_KEY),
        terms="https://cloud.google.com/maps-platform/terms",
    ),
    title="Google Routes",
    credit=CREDIT,
    homepage="https://developers.google.com/maps/documentation/routes",
    questions=("route", "matrix"),
    at_most="stated: 3,000 requests and 3,000 cells/min; 625 cells a request, 100 in transit",
)
TRAVELS: dict[Mode, str] = {
    "driving": "DRIVE",
    "walking": "WALK",
    "bicycling": "BICYCLE",
    "transit": "TRANSIT",
}
MOST_CELLS: dict[Mode, int] = {"driving": 625, "walking": 625, "bicycling": 625, "transit": 100}
ROUTE_FIELDS = (
    "routes.distanceMeters,routes.duration,routes.description,routes.warnings,routes.legs.steps.distanceMeters,"
    "routes.legs.steps.staticDuration,routes.legs.steps.navigationInstruction.instructions"
)
CELL_FIELDS = "originIndex,destinationIndex,status,condition,distanceMeters,duration"


def waypoint(text: str) -> dict[str, Any]:
    """Return an end of a way as Routes takes it: a point, or an address."""
    point = read_point(text)
    if point is None:
        return {"address": text}
    return {"location": {"latLng": {"latitude": point[0], "longitude": point[1]}}}


def seconds(value: Value) -> float:
    """Return a duration such as ``165s`` or ``0.5s``; nothing is 0, which protocol buffers leave out."""
    text = value.text("0s")
    if not re.fullmatch(r"\d+(\.\d+)?s", text):
        raise value.odd("seconds such as 165s")
    return float(text[:-1])


def metres(value: Value) -> float:
    """Return a distance; nothing is 0, which protocol buffers leave out."""
    return value.number() if value.given else 0.0


def read_route(found: Value, origin: str, destination: str, mode: Mode) -> Route:
    """Return one route of computeRoutes."""
    steps = [
        Step(
            step["navigationInstruction"]["instructions"].text("").replace("\n", ". "),
            metres(step["distanceMeters"]),
            seconds(step["staticDuration"]),
        )
        for leg in found.each("legs")
        for step in leg.each("steps")
    ]
    return Route(
        origin=origin,
        destination=destination,
        mode=mode,
        distance_m=metres(found["distanceMeters"]),
        duration_s=seconds(found["duration"]),
        summary=found["description"].text(""),
        steps=tuple(steps),
        source=GOOGLE_ROUTES.source,
        notes=found["warnings"].texts(),
    )


def read_cell(found: Value) -> MatrixCell:
    """Return one element of computeRouteMatrix."""
    if found["status"]["code"].given and found["status"]["code"].whole():
        status: Literal["not_found", "no_route"] = (
            "not_found" if found["status"]["code"].whole() == 5 else "no_route"
        )
        return MatrixCell(status, reason=f"Google answers: {found['status']['message'].text('')}")
    condition = found["condition"].text("")
    if condition != "ROUTE_EXISTS":
        return MatrixCell("no_route", reason=f"Google answers {condition or 'no condition'}")
    return MatrixCell("ok", metres(found["distanceMeters"]), seconds(found["duration"]))


async def route(client: Client, origin: str, destination: str, mode: str = "driving") -> Reply[Route]:
    """Return the first way that Google gives between two addresses, or points written ``latitude,longitude``."""
    ends = checked_text(origin, "origin"), checked_text(destination, "destination")
    by = checked_mode(mode)
    inquiry = Inquiry(client)
    answer = await inquiry.json(
        GOOGLE_ROUTES,
        "directions/v2:computeRoutes",
        method="POST",
        data={
            "origin": waypoint(ends[0]),
            "destination": waypoint(ends[1]),
            "travelMode": TRAVELS[by],
            "languageCode": "en",
            "units": "METRIC",
        },
        headers={"X-Goog-FieldMask": ROUTE_FIELDS},
        keyless=KEYLESS,
        accept=SAYS_WHY,
    )
    raise_error(answer)
    answer.members()
    if "routes" not in answer or not answer["routes"].count:
        raise nothing(f"way ({by})", f"{ends[0]!r} to {ends[1]!r}")
    inquiry.notes.append(KEPT)
    return inquiry.reply(read_route(answer["routes"][0], *ends, by))


async def matrix(
    client: Client, origins: Sequence[str], destinations: Sequence[str], mode: str = "driving"
) -> Reply[Matrix]:
    """Return metres and seconds between up to 25 origins and 25 destinations, split where transit allows 100 cells."""
    checked_counts(origins, destinations, MOST_SIDE)
    by = checked_mode(mode)
    inquiry = Inquiry(client)
    to = [{"waypoint": waypoint(text)} for text in destinations]
    rows: list[tuple[MatrixCell, ...]] = []
    for start in range(0, len(origins), step := max(1, MOST_CELLS[by] // len(to))):
        part = origins[start : start + step]
        answer = await inquiry.json(
            GOOGLE_ROUTES,
            "distanceMatrix/v2:computeRouteMatrix",
            method="POST",
            data={
                "origins": [{"waypoint": waypoint(text)} for text in part],
                "destinations": to,
                "travelMode": TRAVELS[by],
                "languageCode": "en",
            },
            headers={"X-Goog-FieldMask": CELL_FIELDS},
            keyless=KEYLESS,
            accept=SAYS_WHY,
        )
        # An error is an object, or the first element of the list that would have been the answer.
        raise_error(answer[0] if isinstance(answer.raw, list) and answer.raw else answer)
        cells: dict[tuple[int, int], MatrixCell] = {}
        for each in answer:
            index = each["originIndex"].whole_or_none() or 0, each["destinationIndex"].whole_or_none() or 0
            cells[index] = read_cell(each)
        wanted = [[(row, column) for column in range(len(to))] for row in range(len(part))]
        if set(cells) != {index for row in wanted for index in row}:
            raise answer.odd(f"an element for each of {len(part)} origins and {len(to)} destinations")
        rows += [tuple(cells[index] for index in row) for row in wanted]
    inquiry.notes.append(KEPT)
    return inquiry.reply(Matrix(tuple(origins), tuple(destinations), by, tuple(rows), GOOGLE_ROUTES.source))
