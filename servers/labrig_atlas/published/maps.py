"""The seven ``maps_`` tools, in the shape of the public servers (src/mcp_servers, minnesotanlp/the-amazing-agent-race).

Where a name means several places the published tools take the first, as Google ranks them; so do these, by population,
and the record of the call says of how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_atlas.asking import Atlas, Told
from labrig_atlas.facts import MODES, Elevation, MatrixCell, Place, Route

Shaped = tuple[dict[str, Any], Told]
"""What a tool returns, and what it was made of."""
MOST_RADIUS_M = 50_000
_CELL = {"ok": "OK", "no_route": "ZERO_RESULTS", "not_found": "NOT_FOUND"}


async def maps_geocode(atlas: Atlas, address: str) -> Shaped:
    """Return ``{location: {lat, lng}, formatted_address, place_id}``."""
    told = await atlas.ask("geocode", address)
    return geocoded(told.facts.candidates[0]), told


def geocoded(place: Place) -> dict[str, Any]:
    """Return a place as maps_geocode does."""
    return {
        "location": location(place),
        "formatted_address": place.address or place.name,
        "place_id": place.place_id,
    }


def location(place: Place) -> dict[str, float]:
    """Return the point of a place, degrees."""
    return {"lat": place.latitude, "lng": place.longitude}


async def maps_reverse_geocode(atlas: Atlas, latitude: float, longitude: float) -> Shaped:
    """Return ``{formatted_address, place_id, address_components}``.

    Raises
    ------
    LabrigError
        ``not_found`` with the reason where there is no place: sea, pole, empty land.
    """
    told = await atlas.ask("reverse", latitude, longitude)
    place = told.facts.place
    if place is None:
        raise LabrigError(
            f"There is no address: {told.facts.note}",
            where=f"latitude={latitude}, longitude={longitude}",
            expected="a point on land near a city",
            code="not_found",
        )
    parts = (
        (place.name, "locality" if place.kind in ("city", "settlement") else place.kind),
        (place.admin1, "administrative_area_level_1"),
        (place.country, "country"),
    )
    components = [{"long_name": name, "short_name": name, "types": [kind]} for name, kind in parts if name]
    return {
        "formatted_address": place.address or place.name,
        "place_id": place.place_id,
        "address_components": components,
    }, told


async def maps_search_places(
    atlas: Atlas, query: str, location: Mapping[str, float] | None = None, radius: float | None = None
) -> Shaped:
    """Return ``{places: [{name, formatted_address, location, place_id, rating, user_ratings_total, types}]}``.

    Parameters
    ----------
    location
        ``latitude`` and ``longitude``, degrees.
    radius
        m, at most 50,000.
    """
    near = None if location is None else point(location, "location")
    if radius is not None and not 0 < radius <= MOST_RADIUS_M:
        raise LabrigError(
            f"A radius of {radius} m cannot be searched",
            where="radius",
            expected=f"more than 0 m, at most {MOST_RADIUS_M:,}",
        )
    told = await atlas.ask("places", query, near=near, radius_m=radius)
    return {"places": [listed(place) for place in told.facts.places]}, told


def listed(place: Place) -> dict[str, Any]:
    """Return a place as maps_search_places lists it."""
    return {
        "name": place.name,
        "formatted_address": place.address or place.name,
        "location": location(place),
        "place_id": place.place_id,
        "rating": place.rating,
        "user_ratings_total": place.ratings_count,
        "types": list(place.types),
    }


async def maps_place_details(atlas: Atlas, place_id: str) -> Shaped:
    """Return name, address, location, phone, website, rating, reviews and opening hours; null where unknown."""
    told = await atlas.ask("details", place_id)
    place = told.facts
    return {
        "name": place.name,
        "formatted_address": place.address or place.name,
        "location": location(place),
        "formatted_phone_number": place.phone or None,
        "website": place.website or None,
        "rating": place.rating,
        "user_ratings_total": place.ratings_count,
        "reviews": [],
        "opening_hours": {"weekday_text": list(place.opening_hours)} if place.opening_hours else None,
    }, told


async def maps_distance_matrix(
    atlas: Atlas, origins: Sequence[str], destinations: Sequence[str], mode: str = "driving"
) -> Shaped:
    """Return ``{origin_addresses, destination_addresses, results: [{elements: [{status, duration, distance}]}]}``."""
    told = await atlas.ask("matrix", list(origins), list(destinations), checked_mode(mode))
    found = told.facts
    return {
        "origin_addresses": list(found.origins),
        "destination_addresses": list(found.destinations),
        "results": [{"elements": [element(cell) for cell in row]} for row in found.rows],
    }, told


def element(cell: MatrixCell) -> dict[str, Any]:
    """Return a cell as the matrix has it: metres and seconds, with a text each."""
    shown: dict[str, Any] = {"status": _CELL[cell.status]}
    if cell.distance_m is not None and cell.duration_s is not None:
        shown |= {"duration": duration(cell.duration_s), "distance": distance(cell.distance_m)}
    return shown


def distance(metres: float) -> dict[str, Any]:
    """Return metres with a text in km: ``{text: "12.3 km", value: 12345}``."""
    return {
        "text": f"{metres / 1000:,.1f} km" if metres >= 1000 else f"{metres:.0f} m",
        "value": round(metres),
    }


def duration(seconds: float) -> dict[str, Any]:
    """Return seconds with a text: ``{text: "1 hour 5 mins", value: 3900}``."""
    minutes = max(1, round(seconds / 60)) if seconds else 0
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} hour{'s' if hours != 1 else ''}"] if hours else []
    parts += [f"{minutes} min{'s' if minutes != 1 else ''}"] if minutes or not hours else []
    return {"text": " ".join(parts), "value": round(seconds)}


async def maps_elevation(atlas: Atlas, locations: Sequence[Mapping[str, float]]) -> Shaped:
    """Return ``{results: [{elevation, location, resolution}]}``, metres."""
    points = [point(each, f"locations[{number}]") for number, each in enumerate(locations)]
    told = await atlas.ask("elevation", points)
    return {"results": heights(told.facts)}, told


def heights(found: Iterable[Elevation]) -> list[dict[str, Any]]:
    """Return the heights of points, metres."""
    return [
        {
            "elevation": each.elevation_m,
            "location": {"lat": each.latitude, "lng": each.longitude},
            "resolution": each.resolution_m,
        }
        for each in found
    ]


async def maps_directions(atlas: Atlas, origin: str, destination: str, mode: str = "driving") -> Shaped:
    """Return ``{routes: [{summary, distance, duration, steps}]}``, steps with distance, duration and mode."""
    told = await atlas.ask("route", origin, destination, checked_mode(mode))
    found = told.facts
    return {"routes": [{"summary": found.summary, **way(found, "instructions")}]}, told


def way(found: Route, instructions: str) -> dict[str, Any]:
    """Return distance, duration and steps of a route; `instructions` is what a step calls its instruction."""
    steps = [
        {
            instructions: step.instruction,
            "distance": distance(step.distance_m),
            "duration": duration(step.duration_s),
            "travel_mode": found.mode.upper(),
        }
        for step in found.steps
    ]
    return {"distance": distance(found.distance_m), "duration": duration(found.duration_s), "steps": steps}


def checked_mode(mode: str) -> str:
    """Return a mode of travel."""
    if mode not in MODES:
        raise LabrigError(f"Nobody travels by {mode[:60]!r} here", where="mode", expected=" or ".join(MODES))
    return mode


def point(given: Mapping[str, float], where: str) -> tuple[float, float]:
    """Return latitude and longitude of an object that has them, also as ``lat`` and ``lng``."""
    latitude, longitude = given.get("latitude", given.get("lat")), given.get("longitude", given.get("lng"))
    if latitude is None or longitude is None:
        raise LabrigError(
            "A location has a latitude and a longitude",
            where=where,
            expected='{"latitude": 48.4, "longitude": 9.99}',
        )
    return float(latitude), float(longitude)
