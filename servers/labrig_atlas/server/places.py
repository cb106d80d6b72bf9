"""Names and points: from one to the other."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.tools import cursor as cursors
from labrig_atlas.asking import OFFLINE
from labrig_atlas.offline.made_places import KINDS
from labrig_atlas.server.answers import answer, clipped, place_dict, place_values
from labrig_atlas.server.base import LatitudeArgument, LongitudeArgument, atlas, toolbox

LIST_BYTES = 5_500
MOST_RADIUS_M = 50_000


@toolbox.tool(
    title="Geocode",
    read_only=True,
    first=True,
    words="address to coordinates, latitude and longitude, lat, lon, lat/lng, GPS of a city, town, village, street, "
    "house number, landmark, postcode, zip code, place name, OpenStreetMap, elevation, population of a city",
)
async def geocode(
    address: Annotated[
        str,
        Field(description="A name, 'name, country', 'latitude, longitude', or a place_id."),
    ],
) -> Answer:
    """Find the place that a name means: point, elevation, population, place_id; candidates where it means several.

    It gives the coordinates (lat/lon) of an address, street, town or landmark.

    Example: {"address": "Ulm"}
    """
    told = await atlas().ask("geocode", address)
    found = told.facts
    first = found.candidates[0]
    if not found.ambiguous:
        return answer(
            told, place_values(first), text=first.address, data={"place": place_dict(first, whole=True)}
        )
    chosen = first.place_id if atlas().backend("geocode") == OFFLINE else first.address
    return answer(
        told,
        (Quantity("candidates", len(found.candidates), "1", f"in the order: {found.order}"),),
        status="ambiguous",
        text=f"{found.query!r} is a name of several places: choose one.",
        data={"candidates": [place_dict(each) for each in found.candidates]},
        next=f"geocode(address={chosen!r}), or another of the candidates",
    )


@toolbox.tool(
    title="Reverse geocode",
    read_only=True,
    words="nearest city or town to coordinates, name of the place, address at a latitude and longitude, GPS, photo, "
    "which country, state or region, lat lon to city",
)
async def reverse_geocode(latitude: LatitudeArgument, longitude: LongitudeArgument) -> Answer:
    """Find the place at a point: the nearest one within a stated distance, or why there is none (sea, pole).

    It says which place sits at GPS coordinates, such as those of a photo.

    Example: {"latitude": 48.4, "longitude": 9.99}
    """
    told = await atlas().ask("reverse", latitude, longitude)
    found = told.facts
    values = (
        ()
        if found.distance_m is None
        else (Quantity("distance", round(found.distance_m, 1), "m", "to the nearest place"),)
    )
    if found.place is None:
        return answer(told, values, status="no_place", text=found.note)
    return answer(
        told, values, text=f"{found.place.address}: {found.note}", data={"place": place_dict(found.place)}
    )


@toolbox.tool(
    title="Search places",
    read_only=True,
    open_world=True,
    words="nearby, points of interest, POI, restaurants, cafes, museums, parks, hotels, hospitals, pharmacies, "
    "schools, gas or charging stations, public transport stops, metro station, within a radius of 1000 meters or 10 "
    "miles, around, current location",
)
async def search_places(
    query: Annotated[str, Field(description="'museums near Ulm'; a kind or a name with near; a name.")] = "",
    near: Annotated[str, Field(description="A name, or a point as 'latitude, longitude'.")] = "",
    radius_m: Annotated[
        float | None, Field(description="Metres around near, at most 50,000; default 5,000.")
    ] = None,
    place_id: Annotated[
        str, Field(description="In place of a query: details of one place that a result named.")
    ] = "",
) -> Answer:
    """Search places by kind or name, nearest first: museums, restaurants, parks, hotels, hospitals, churches, ..

    It finds pharmacies, cafes, stations, schools, .. within so many metres of a place.

    Example: {"query": "museums", "near": "Ulm"}
    """
    if bool(query.strip()) == bool(place_id.strip()):
        raise LabrigError("Give either a query or a place_id", where="query, place_id")
    if place_id:
        one = await atlas().ask("details", place_id)
        found = one.facts
        return answer(
            one,
            place_values(found),
            text=found.address or found.name,
            data={"place": place_dict(found, whole=True)},
        )
    if radius_m is not None and not 0 < radius_m <= MOST_RADIUS_M:
        raise LabrigError(
            f"Nothing lies within {radius_m} m",
            where="radius_m",
            expected=f"more than 0 m, at most {MOST_RADIUS_M:,} m",
        )
    centre, note = await atlas().place(near, "near") if near.strip() else (None, "")
    point = (centre.latitude, centre.longitude) if centre else None
    told = (await atlas().ask("places", query, near=point, radius_m=radius_m)).noting(note)
    listed = [place_dict(each) for each in told.facts.places]
    shown = listed[: cursors.fitting(listed, LIST_BYTES)]
    values = (Quantity("places", told.facts.total, "1", f"{len(shown)} are listed, {told.facts.order}"),)
    data = {"places": shown}
    if shown:
        return answer(told, values, data=data, next=f"search_places(place_id={shown[0]['place_id']!r})")
    return answer(
        told,
        values,
        text=f"No place was found. Kinds of places: {', '.join(KINDS)}."
        if atlas().backend("places") == OFFLINE
        else "No place was found.",
        data=data,
        next=_wider(query, near, radius_m),
    )


def _wider(query: str, near: str, radius_m: float | None) -> str:
    """Return the call after a search that found nothing: within more metres, else among pages."""
    asked = clipped(query, 100)
    if near.strip() and (radius_m or 0.0) < MOST_RADIUS_M:
        return f"search_places(query={asked!r}, near={clipped(near, 100)!r}, radius_m={MOST_RADIUS_M})"
    return f"search_pages(query={asked!r})"
