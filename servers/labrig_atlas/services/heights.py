"""Elevations from Open-Elevation (https://open-elevation.com) and OpenTopoData (https://www.opentopodata.org)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import Limit, Service
from labrig_atlas.facts import Elevation
from labrig_atlas.services.checks import checked_points
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

OPEN_ELEVATION = Provider(
    Service(
        "open_elevation",
        "https://api.open-elevation.com/api/v1",
        limit=Limit(per_second=1, concurrent=1),
        terms="https://open-elevation.com",
    ),
    title="Open-Elevation",
    credit="SRTM (CGIAR-CSI, 250 m), free for non-commercial use",
    homepage="https://open-elevation.com",
    questions=("elevation",),
    at_most="1 request/s, 100 points a request",
)
OPENTOPODATA = Provider(
    Service(
        "opentopodata",
        "https://api.opentopodata.org/v1",
        limit=Limit(per_second=1, concurrent=1),  # its public server: one a second, 1,000 a day
        terms="https://www.opentopodata.org/#public-api",
    ),
    title="OpenTopoData",
    credit="Mapzen terrain tiles: SRTM, GMTED, ETOPO1 and national data, each under its own licence "
    "(https://github.com/tilezen/joerd/blob/master/docs/attribution.md)",
    homepage="https://www.opentopodata.org",
    questions=("elevation",),
    at_most="stated: 1 request/s, 1,000 a day, 100 points a request",
)
MOST_POINTS = 100
DATASET = "mapzen"


def _locations(points: Sequence[tuple[float, float]]) -> str:
    return "|".join(f"{latitude},{longitude}" for latitude, longitude in points)


def _checked_length(results: Value, wanted: int) -> list[Value]:
    found = list(results)
    if len(found) != wanted:
        raise results.odd(f"{wanted} results")
    return found


async def open_elevation(
    client: Client, points: Sequence[tuple[float, float]]
) -> Reply[tuple[Elevation, ...]]:
    """Return the elevation of up to 100 points (latitude, longitude in degrees), in metres.

    SRTM reaches from 60° N to 56° S; Open-Elevation answers 0 m beyond it and on the ocean, as it does on a shore.
    """
    asked = checked_points(points, MOST_POINTS, "Open-Elevation")
    inquiry = Inquiry(client)
    answer = await inquiry.json(
        OPEN_ELEVATION, "lookup", params={"locations": _locations(asked)}, accept={400}
    )
    if "error" in answer:
        raise LabrigError(f"Open-Elevation answers: {answer['error'].text()}", where=answer.where)
    heights = [each["elevation"].number() for each in _checked_length(answer["results"], len(asked))]
    if any(not -56 <= latitude <= 60 for latitude, _ in asked) or 0 in heights:
        inquiry.notes.append(
            "Open-Elevation answers 0 m also where it has no data: north of 60°, south of -56°, on oceans."
        )
    facts = tuple(
        Elevation(*point, height, "SRTM, the nearest cell", OPEN_ELEVATION.source, resolution_m=250.0)
        for point, height in zip(asked, heights, strict=True)
    )
    return inquiry.reply(facts)


async def opentopodata(client: Client, points: Sequence[tuple[float, float]]) -> Reply[tuple[Elevation, ...]]:
    """Return the elevation of up to 100 points (latitude, longitude in degrees), in metres; below 0 in the sea.

    Raises
    ------
    LabrigError
        ``not_found`` with the points for which the data set has nothing.
    """
    asked = checked_points(points, MOST_POINTS, "OpenTopoData")
    inquiry = Inquiry(client)
    answer = await inquiry.json(
        OPENTOPODATA,
        DATASET,
        params={"locations": _locations(asked), "interpolation": "bilinear"},
        accept={400},
    )
    if answer["status"].text() != "OK":
        raise LabrigError(
            f"OpenTopoData answers {answer['status'].text()}: {answer['error'].text('')}", where=answer.where
        )
    results = _checked_length(answer["results"], len(asked))
    empty = [point for point, each in zip(asked, results, strict=True) if not each["elevation"].given]
    if empty:
        raise LabrigError(
            f"OpenTopoData has no elevation for {len(empty)} of {len(asked)} points",
            where="; ".join(f"{latitude}, {longitude}" for latitude, longitude in empty[:10]),
            try_="the question without them",
            code="not_found",
        )
    method = f"data set {DATASET}, bilinear"
    facts = tuple(
        Elevation(*point, each["elevation"].number(), method, OPENTOPODATA.source, resolution_m=30.0)
        for point, each in zip(asked, results, strict=True)
    )
    return inquiry.reply(facts)
