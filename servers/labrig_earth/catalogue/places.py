"""Places by their names: what Nominatim finds in OpenStreetMap, with outlines (https://nominatim.org/release-docs)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http.declared import NOMINATIM

if TYPE_CHECKING:
    from labrig.http import Client

MOST = 5
MOST_TEXT = 300
ENGLISH = {"format": "jsonv2", "limit": MOST, "polygon_geojson": 1, "accept-language": "en"}


async def find_places(client: Client, query: str) -> list[dict[str, Any]]:
    """Return what a name may mean, in Nominatim's order, as it sends them: box, outline, point, name.

    Raises
    ------
    LabrigError
        ``not_found``; ``unavailable`` without a contact (``LABRIG_HTTP_CONTACT``); ``unreachable`` for an answer of
        another shape; what the client says.
    """
    asked = " ".join(query.split())
    if not asked or len(asked) > MOST_TEXT or not asked.isprintable():
        raise LabrigError(
            "This cannot be looked up", where="place_query", expected=f"a name of 1 to {MOST_TEXT} characters"
        )
    try:
        answer = await client.ask(NOMINATIM, "search", params={"q": asked, **ENGLISH})
    except LabrigError as error:
        if error.code == "unavailable":
            error.try_ = (
                f"{error.try_.rstrip('.')}; or source='natural_earth', which has countries and continents"
            )
        raise
    found = answer.json()
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise LabrigError("Nominatim did not answer with places", where=NOMINATIM.name, code="unreachable")
    if not found:
        raise LabrigError(
            f"OpenStreetMap knows no {asked!r}",
            where="place_query",
            try_="a shorter name, with the country: 'Montmartre, France'",
            code="not_found",
        )
    return found
