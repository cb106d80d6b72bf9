"""Ways, distances and heights."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError, unknown_name
from labrig.tools import cursor as cursors
from labrig_atlas.facts import MODES, MatrixCell, Place
from labrig_atlas.server.answers import MADE_UP, answer, clipped
from labrig_atlas.server.base import ModeArgument, PlaceArgument, atlas, toolbox

MOST_STEPS, MOST_CELLS, MOST_POINTS = 30, 100, 40
"""Of one Answer, which has 8,000 bytes."""
REFUSED_BYTES = 1_000
"""Of them for places whose height was not found."""

StraightArgument = Annotated[str, Field(description="driving, walking, bicycling, transit or straight.")]


@toolbox.tool(
    title="Find a route",
    read_only=True,
    open_world=True,
    words="driving distance, flying distance, as the crow flies, directions, turn by turn, journey, trip, way, "
    "walking, cycling, minutes, hours, kilometres, miles, between two cities or addresses",
)
async def find_route(
    origin: PlaceArgument, destination: PlaceArgument, mode: StraightArgument = "driving"
) -> Answer:
    """Find the way between two places, its length and time by road; mode straight: the distance along the geodesic.

    For driving, walking (on foot) or cycling it says how long, how many minutes, which turns; straight says how far as
    the crow flies, in km or nautical miles.

    Example: {"origin": "Ulm", "destination": "Munich"}
    """
    if mode == "straight":
        return await _straight(origin, destination)
    if mode not in MODES:
        raise unknown_name("mode of travel", mode, (*MODES, "straight"), where="mode")
    told = await atlas().ask("route", await atlas().located(origin), await atlas().located(destination), mode)
    found = told.facts
    values = (
        Quantity("distance", found.distance_m, "m", f"{found.mode}, along the way"),
        Quantity("duration", found.duration_s, "s", found.mode),
    )
    steps = [
        {
            "instruction": clipped(each.instruction),
            "distance_m": each.distance_m,
            "duration_s": each.duration_s,
        }
        for each in found.steps[:MOST_STEPS]
    ]
    data: dict[str, Any] = {
        "origin": clipped(found.origin),
        "destination": clipped(found.destination),
        "steps": steps,
    }
    if len(found.steps) > MOST_STEPS:
        data["steps_left_out"] = len(found.steps) - MOST_STEPS
    return answer(told, values, text=clipped(found.summary, 300), data=data)


async def _straight(origin: str, destination: str) -> Answer:
    from labrig_atlas.offline.geodesy import geodesic

    (start, first), (end, second) = (
        await atlas().place(origin, "origin"),
        await atlas().place(destination, "destination"),
    )
    line = geodesic(start.latitude, start.longitude, end.latitude, end.longitude)
    values = (
        Quantity("distance", round(line.distance_m, 1), "m", "along the geodesic of WGS 84"),
        Quantity("bearing", round(line.bearing_deg, 4), "deg", "at the origin, clockwise from north"),
        Quantity(
            "final bearing",
            round(line.final_bearing_deg, 4),
            "deg",
            "at the destination, clockwise from north",
        ),
    )
    points = "; ".join(dict.fromkeys((start.source, end.source)))
    return Answer(
        source=f"geodesic of WGS 84 (Vincenty 1975, Karney 2013); points: {points}"[:1500],
        values=values,
        data={
            name: {
                "name": clipped(place.address or place.name),
                "latitude": place.latitude,
                "longitude": place.longitude,
            }
            for name, place in (("origin", start), ("destination", end))
        },
        warnings=tuple(filter(None, (first, second))),
    )


@toolbox.tool(
    title="Get distances",
    read_only=True,
    open_world=True,
    words="distance matrix, travel times, list of origins and destinations, homes, stations, stores, airports, "
    "cities, several at once, which is closest",
)
async def get_distances(
    origins: Annotated[
        list[str], Field(description="Names or points; origins times destinations are at most 100.")
    ],
    destinations: Annotated[list[str], Field(description="Names or points.")],
    mode: ModeArgument = "driving",
) -> Answer:
    """Get length (m) and time (s) of the ways from each origin (rows) to each destination (columns).

    It gives travel times and distances from one or several places to several others at once (airports, towns), by car
    or on foot.

    Example: {"origins": ["Ulm"], "destinations": ["Munich", "Stuttgart"]}
    """
    if not 1 <= len(origins) * len(destinations) <= MOST_CELLS:
        raise LabrigError(
            f"{len(origins):,} origins and {len(destinations):,} destinations are not one call",
            where="origins, destinations",
            expected=f"one of each, and at most {MOST_CELLS} pairs",
            code="limit",
        )
    starts = [await atlas().located(each) for each in origins]
    ends = [await atlas().located(each) for each in destinations]
    told = await atlas().ask("matrix", starts, ends, mode)
    found = told.facts
    data: dict[str, Any] = {
        "origins": [clipped(each, 40) for each in found.origins],
        "destinations": [clipped(each, 40) for each in found.destinations],
        "distance_m": [[_rounded(cell.distance_m) for cell in row] for row in found.rows],
        "duration_s": [[_rounded(cell.duration_s) for cell in row] for row in found.rows],
    }
    reasons = _reasons([cell for row in found.rows for cell in row])
    if reasons:
        data["without_a_way"] = reasons
    cells = [cell for row in found.rows for cell in row]
    reached = sum(cell.status == "ok" for cell in cells)
    status = "ok" if reached == len(cells) else "partial" if reached else "no_route"
    return answer(
        told, (Quantity("pairs with a way", reached, "1", f"of {len(cells)}"),), status=status, data=data
    )


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _reasons(cells: list[MatrixCell]) -> list[str]:
    """Return why there is no way, each reason once."""
    return [
        clipped(each)
        for each in dict.fromkeys(cell.reason or cell.status for cell in cells if cell.status != "ok")
    ][:6]


@toolbox.tool(
    title="Get elevations",
    read_only=True,
    open_world=True,
    words="altitude, height above sea level of a point, mountain, peak, summit, city, latitude and longitude, "
    "elevation profile, metres, feet",
)
async def get_elevations(
    places: Annotated[
        list[str],
        Field(min_length=1, max_length=MOST_POINTS, description="Names, or points as 'latitude, longitude'."),
    ],
) -> Answer:
    """Get the height above sea level (m) of one or more places, each with how it is known.

    How high is a point, a town or a peak; with many points along a line, the elevation profile between two places.

    Example: {"places": ["Ulm"]}
    """
    named: list[tuple[Place, str]] = []
    refused: list[LabrigError] = []
    for number, each in enumerate(places):
        try:
            named.append(await atlas().place(each, f"places[{number}]"))
        except LabrigError as error:
            refused.append(error)
    if not named:
        raise refused[0]
    found = [place for place, _ in named]
    told = await atlas().ask("elevation", [(each.latitude, each.longitude) for each in found])
    values = []
    for place, height in zip(found, told.facts, strict=True):
        how = [clipped(height.method, 60), *((MADE_UP,) if height.made_up else ())]
        if height.nearest_known and height.nearest_known_m:
            how.append(
                f"nearest known: {clipped(height.nearest_known, 40)}, {height.nearest_known_m / 1000:.1f} km away"
            )
        name = f"elevation of {clipped(place.address or place.name, 60)}"
        values.append(Quantity(name, round(height.elevation_m, 1), "m", "; ".join(how)))
    data: dict[str, Any] = {}
    if refused:
        listed = [
            {"where": each.where, "why": clipped(each.what, 80), "try": clipped(each.try_, 80)}
            for each in refused
        ]
        data["without_elevation"] = listed[: cursors.fitting(listed, REFUSED_BYTES)]
        data["without_elevation_in_all"] = len(refused)
    return answer(
        told.noting(*(clipped(note, 100) for _, note in named[:10])),
        values,
        status="partial" if refused else "ok",
        data=data,
        mark=False,
    )
