"""OSRM: ways and matrices on the roads of OpenStreetMap, by car, on foot and by bicycle. https://project-osrm.org/docs/

The default address is the server of FOSSGIS (https://routing.openstreetmap.de/about.html): one request a second, an
application that names itself. It has its profiles below ``routed-car``, ``routed-foot`` and ``routed-bike``, while the
demo of project-osrm.org answers every profile with a car's way. A server of one's own needs the same three paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labrig.errors import Code, LabrigError
from labrig.http import Limit, Service
from labrig_atlas.facts import Matrix, MatrixCell, Mode, Route, Step
from labrig_atlas.offline.points import read_point
from labrig_atlas.services import nominatim
from labrig_atlas.services.checks import checked_counts, checked_mode
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

OSRM = Provider(
    Service(
        "osrm",
        "https://routing.openstreetmap.de",
        limit=Limit(per_second=1, concurrent=1),  # its terms of use
        contact=True,
        terms="https://routing.openstreetmap.de/about.html",
    ),
    title="OSRM (FOSSGIS)",
    credit="© OpenStreetMap contributors, ODbL 1.0",
    homepage="https://project-osrm.org",
    questions=("route", "matrix"),
    at_most="stated: 1 request/s; 100 points a matrix (the program's default), 20 of them by name; no transit",
)
PROFILES: dict[Mode, str] = {
    "driving": "routed-car/{}/v1/driving",
    "walking": "routed-foot/{}/v1/foot",
    "bicycling": "routed-bike/{}/v1/bike",
}
MOST_POINTS = 100
"""OSRM's ``max-table-size``: origins and destinations together."""
MOST_SIDE = 50
MOST_NAMES = 20
"""Names in a matrix: each is a request to Nominatim, one a second."""
FAR_M = 1_000.0
"""From here on it is said how far an end is from the nearest road."""
TOO_FAR_M = 50_000.0
"""From here on there is no road: OSRM takes the nearest one however far it is."""
_CODES: dict[str, Code] = {
    "NoRoute": "not_found",
    "NoSegment": "not_found",
    "NoTable": "not_found",
    "TooBig": "bad_input",
}


def checked_profile(mode: str) -> tuple[Mode, str]:
    """Return a mode and where its profile is.

    Raises
    ------
    LabrigError
        ``refused`` for transit.
    """
    by = checked_mode(mode)
    if by not in PROFILES:
        raise LabrigError(
            "OSRM knows roads and no timetables, so it cannot answer for transit",
            where="mode=transit",
            expected=", ".join(PROFILES),
            try_="another mode, or the backend google",
            code="refused",
        )
    return by, PROFILES[by]


def read_ok(answer: Value) -> Value:
    """Return an answer whose ``code`` is Ok.

    Raises
    ------
    LabrigError
        ``not_found`` for NoRoute and NoSegment, else ``bad_input``.
    """
    code = answer["code"].text()
    if code != "Ok":
        raise LabrigError(
            f"OSRM answers {code}: {answer['message'].text('')}",
            where=answer.where,
            code=_CODES.get(code, "bad_input"),
        )
    return answer


def read_route(found: Value, origin: str, destination: str, mode: Mode) -> Route:
    """Return one route: metres and seconds, with OSRM's steps in words."""
    legs = list(found["legs"])
    return Route(
        origin=origin,
        destination=destination,
        mode=mode,
        distance_m=found["distance"].number(),
        duration_s=found["duration"].number(),
        summary=", ".join(text for leg in legs if (text := leg["summary"].text(""))),
        steps=tuple(_step(each) for leg in legs for each in leg["steps"]),
        source=OSRM.source,
    )


def _step(found: Value) -> Step:
    act = found["maneuver"]
    words = [act["type"].text(), act["modifier"].text("")]
    name = found["name"].text("") or found["ref"].text("")
    if words[0] in ("depart", "arrive"):
        words = words[:1]
    said = " ".join(word for word in words if word)
    instruction = said if not name or words[0] == "arrive" else f"{said} onto {name}"
    return Step(instruction, found["distance"].number(), found["duration"].number())


def note_snaps(inquiry: Inquiry, waypoints: Value, texts: Sequence[str]) -> None:
    """Note the ends that lie away from roads: OSRM goes from the nearest one.

    Raises
    ------
    LabrigError
        ``not_found`` for an end without a road within `TOO_FAR_M`.
    """
    for each, text in zip(waypoints, texts, strict=False):
        apart = each["distance"].number_or_none() or 0.0
        if apart > TOO_FAR_M:
            raise LabrigError(
                f"The road nearest to {text!r} is {apart / 1000:,.0f} km away",
                where=text,
                expected=f"a place within {TOO_FAR_M / 1000:g} km of a road",
                code="not_found",
            )
        if apart > FAR_M:
            inquiry.notes.append(
                f"{text!r} is {apart:,.0f} m from the nearest road, where the way begins or ends."
            )


def _listed(points: Sequence[tuple[float, float]]) -> str:
    """Return points as OSRM takes them: longitude first, six decimals (0.1 m)."""
    return ";".join(f"{longitude:.6f},{latitude:.6f}" for latitude, longitude in points)


async def route(client: Client, origin: str, destination: str, mode: str = "driving") -> Reply[Route]:
    """Return the fastest way between two places, given by name or as ``latitude,longitude``.

    Seconds are those of an empty road: OSRM knows no traffic.

    Raises
    ------
    LabrigError
        ``refused`` for transit, ``not_found`` for an unknown place, no road near, or no way.
    """
    by, path = checked_profile(mode)
    inquiry = Inquiry(client)
    points = [await nominatim.located(inquiry, origin, "origin")]
    points.append(await nominatim.located(inquiry, destination, "destination"))
    answer = read_ok(
        await inquiry.json(
            OSRM,
            f"{path.format('route')}/{_listed(points)}",
            params={"overview": "false", "steps": "true"},
            accept={400},
        )
    )
    note_snaps(inquiry, answer["waypoints"], (origin, destination))
    inquiry.notes.append("OSRM's seconds are those of an empty road.")
    return inquiry.reply(read_route(answer["routes"][0], origin, destination, by))


async def matrix(
    client: Client, origins: Sequence[str], destinations: Sequence[str], mode: str = "driving"
) -> Reply[Matrix]:
    """Return metres and seconds between up to 50 origins and 50 destinations, by name or as ``latitude,longitude``.

    A name that OpenStreetMap does not know makes cells with the status ``not_found``.
    """
    by, path = checked_profile(mode)
    checked_counts(origins, destinations, MOST_SIDE)
    names = {text for text in (*origins, *destinations) if read_point(text) is None}
    if len(names) > MOST_NAMES:
        raise LabrigError(
            f"{len(names)} places by name are too many for one question: each is looked up, one a second",
            where="origins, destinations",
            expected=f"at most {MOST_NAMES} names; the others as latitude,longitude",
        )
    inquiry = Inquiry(client)
    known: dict[str, tuple[float, float]] = {}
    unknown: dict[str, str] = {}
    for text in dict.fromkeys((*origins, *destinations)):
        try:
            known[text] = await nominatim.located(inquiry, text, "origins, destinations")
        except LabrigError as error:
            if error.code != "not_found":
                raise
            unknown[text] = error.what
    from_, to = [text for text in origins if text in known], [text for text in destinations if text in known]
    cells: dict[tuple[int, int], MatrixCell] = {}
    if from_ and to:
        answer = read_ok(
            await inquiry.json(
                OSRM,
                f"{path.format('table')}/{_listed([known[text] for text in (*from_, *to)])}",
                params={
                    "sources": ";".join(str(index) for index in range(len(from_))),
                    "destinations": ";".join(str(len(from_) + index) for index in range(len(to))),
                    "annotations": "duration,distance",
                },
                accept={400},
            )
        )
        note_snaps(inquiry, answer["sources"], from_)
        note_snaps(inquiry, answer["destinations"], to)
        for row in range(len(from_)):
            for column in range(len(to)):
                metres = answer["distances"][row][column].number_or_none()
                seconds = answer["durations"][row][column].number_or_none()
                there = metres is not None and seconds is not None
                cells[row, column] = (
                    MatrixCell("ok", metres, seconds)
                    if there
                    else MatrixCell("no_route", reason="OSRM finds no way on roads")
                )
        inquiry.notes.append("OSRM's seconds are those of an empty road.")
    rows = tuple(
        tuple(
            MatrixCell("not_found", reason=unknown[origin if origin in unknown else destination])
            if origin in unknown or destination in unknown
            else cells[from_.index(origin), to.index(destination)]
            for destination in destinations
        )
        for origin in origins
    )
    return inquiry.reply(Matrix(tuple(origins), tuple(destinations), by, rows, OSRM.source))
