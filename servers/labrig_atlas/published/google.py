"""Facts in the JSON of Google's older interfaces, which the published command-line tool passes on as they come.

Geocoding, Places (text search, details), Distance Matrix, Elevation and Directions: only the members that a reader of
these answers looks for, https://developers.google.com/maps/documentation.
"""

from __future__ import annotations

from typing import Any

from labrig_atlas.facts import Elevation, Geocoding, Matrix, Place, PlaceList, Reverse, Route
from labrig_atlas.published.maps import element, heights, location, way

OK, NOTHING = "OK", "ZERO_RESULTS"


def geocoding(found: Geocoding) -> dict[str, Any]:
    """Return every candidate, the first one first, as Google ranks."""
    return {"results": [place(each) for each in found.candidates], "status": OK}


def reverse(found: Reverse) -> dict[str, Any]:
    """Return the place at a point; none, with that status, where there is none."""
    results = [place(found.place)] if found.place else []
    return {"results": results, "status": OK if results else NOTHING}


def places(found: PlaceList) -> dict[str, Any]:
    """Return what a search found."""
    return {"results": [place(each) for each in found.places], "status": OK if found.places else NOTHING}


def details(found: Place) -> dict[str, Any]:
    """Return one place."""
    more = {
        "formatted_phone_number": found.phone,
        "website": found.website,
        "opening_hours": {"weekday_text": list(found.opening_hours)} if found.opening_hours else None,
    }
    return {"result": place(found) | {name: each for name, each in more.items() if each}, "status": OK}


def matrix(found: Matrix) -> dict[str, Any]:
    """Return rows of elements."""
    return {
        "origin_addresses": list(found.origins),
        "destination_addresses": list(found.destinations),
        "rows": [{"elements": [element(cell) for cell in row]} for row in found.rows],
        "status": OK,
    }


def elevations(found: tuple[Elevation, ...]) -> dict[str, Any]:
    """Return the heights of points, metres."""
    return {"results": heights(found), "status": OK}


def directions(found: Route) -> dict[str, Any]:
    """Return one route of one leg."""
    leg = {
        "start_address": found.origin,
        "end_address": found.destination,
        **way(found, "html_instructions"),
    }
    return {"routes": [{"summary": found.summary, "legs": [leg]}], "status": OK}


def place(found: Place) -> dict[str, Any]:
    """Return a place as a result of Geocoding or Places."""
    shown: dict[str, Any] = {
        "name": found.name,
        "formatted_address": found.address or found.name,
        "geometry": {"location": location(found)},
        "place_id": found.place_id,
        "types": list(found.types),
    }
    if found.rating is not None:
        shown |= {"rating": found.rating, "user_ratings_total": found.ratings_count}
    return shown
