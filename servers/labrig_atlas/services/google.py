"""Which of Google's two interfaces answers: the older ones are closed to keys made after 1 March 2025.

The setting says ``legacy``, ``new`` or ``auto``: the older one first, and the newer one where Google denies it. A reply
says which one answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from labrig.errors import LabrigError, unknown_name
from labrig_atlas.facts import Matrix, Place, PlaceList, Route
from labrig_atlas.services import google_maps, google_places, google_routes
from labrig_atlas.services.provider import Reply

if TYPE_CHECKING:
    from labrig.http import Client

T = TypeVar("T")
Api = Literal["auto", "legacy", "new"]
APIS: tuple[str, ...] = get_args(Api)

geocode = google_maps.geocode
reverse = google_maps.reverse
elevation = google_maps.elevation


async def _chosen(
    api: str, legacy: Callable[[], Awaitable[Reply[T]]], new: Callable[[], Awaitable[Reply[T]]]
) -> Reply[T]:
    if api not in APIS:
        raise unknown_name("interface of Google", api, APIS, where="api")
    if api == "new":
        return await new()
    try:
        return await legacy()
    except LabrigError as error:
        if api == "legacy" or error.code != "refused" or "REQUEST_DENIED" not in error.what:
            raise
        denied = error
    try:
        found = await new()
    except LabrigError as error:
        if error.code != "refused":
            raise
        raise LabrigError(
            f"Google denies this key both interfaces. The older: {denied.what}. The newer: {error.what}",
            where=error.where,
            try_=error.try_,
            code="refused",
        ) from error
    note = (
        "Google denied this key the older interface (REQUEST_DENIED), so the newer one answered; the setting new saves "
        "the first request."
    )
    return replace(found, notes=(note, *found.notes))


async def places(
    client: Client,
    query: str,
    *,
    near: tuple[float, float] | None = None,
    radius_m: float | None = None,
    limit: int = 20,
    api: str = "auto",
) -> Reply[PlaceList]:
    """Search places by text: see `google_maps.places` and `google_places.places`."""
    return await _chosen(
        api,
        lambda: google_maps.places(client, query, near=near, radius_m=radius_m, limit=limit),
        lambda: google_places.places(client, query, near=near, radius_m=radius_m, limit=limit),
    )


async def details(client: Client, place_id: str, *, api: str = "auto") -> Reply[Place]:
    """Return what Google knows of a place, by the id that it gave."""
    return await _chosen(
        api, lambda: google_maps.details(client, place_id), lambda: google_places.details(client, place_id)
    )


async def route(
    client: Client, origin: str, destination: str, mode: str = "driving", *, api: str = "auto"
) -> Reply[Route]:
    """Return a way between two addresses or points: see `google_maps.route` and `google_routes.route`."""
    ends = origin, destination, mode
    return await _chosen(
        api, lambda: google_maps.route(client, *ends), lambda: google_routes.route(client, *ends)
    )


async def matrix(
    client: Client,
    origins: Sequence[str],
    destinations: Sequence[str],
    mode: str = "driving",
    *,
    api: str = "auto",
) -> Reply[Matrix]:
    """Return metres and seconds between places: see `google_maps.matrix` and `google_routes.matrix`."""
    asked = origins, destinations, mode
    return await _chosen(
        api, lambda: google_maps.matrix(client, *asked), lambda: google_routes.matrix(client, *asked)
    )
