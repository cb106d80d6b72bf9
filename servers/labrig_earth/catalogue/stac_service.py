"""STAC services (STAC API 1.0, item search), asked through the client of the house; parsers only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Limit, Service
from labrig_earth.catalogue.entries import Entry
from labrig_earth.catalogue.static import entry_of_item
from labrig_earth.gis.boxes import check_box, wrapped

if TYPE_CHECKING:
    from labrig.http import Client

EARTH_SEARCH = Service(
    "earth_search",
    "https://earth-search.aws.element84.com/v1",
    limit=Limit(per_second=2),
    terms="https://element84.com/earth-search/",
)
"""Sentinel-2, Landsat, Copernicus DEM as cloud-optimised GeoTIFF, without a key."""

MOST_PAGES = 5
PAGE = 50


async def search_items(
    client: Client,
    service: Service,
    *,
    collections: Sequence[str] = (),
    box: Sequence[float] | None = None,
    start: str = "",
    end: str = "",
    most_cloud: float | None = None,
    most: int = PAGE,
) -> list[Entry]:
    """Return the items of a STAC service that fit, newest as the service orders them.

    Parameters
    ----------
    collections
        Such as ``("sentinel-2-l2a",)``.
    box
        (west, south, east, north) in degrees.
    start, end
        ISO 8601 dates.
    most_cloud
        Per cent of cloud (``eo:cloud_cover``).
    most
        Items; pages are followed up to `MOST_PAGES`.

    Raises
    ------
    LabrigError
        What the client says; ``unreachable`` for an answer that is no list of items.
    """
    asked: dict[str, Any] = {"limit": min(most, PAGE)}
    if collections:
        asked["collections"] = list(collections)
    if box is not None:
        west, south, east, north = check_box(box)
        asked["bbox"] = [wrapped(west), south, wrapped(east), north]
    if start or end:
        asked["datetime"] = f"{_full(start, '00:00:00') or '..'}/{_full(end, '23:59:59') or '..'}"
    if most_cloud is not None:
        asked["query"] = {"eo:cloud_cover": {"lte": most_cloud}}
    entries: list[Entry] = []
    for _ in range(MOST_PAGES):
        response = await client.ask(service, "search", method="POST", data=asked)
        features, further = _page(response.json(), service.name)
        entries += [found for each in features if (found := entry_of_item(each, source=service.name))]
        if len(entries) >= most or further is None:
            break
        asked = {**asked, **further}
    return entries[:most]


def _page(answer: Any, name: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return the items of a page, and what to ask for the next one."""
    features = answer.get("features") if isinstance(answer, dict) else None
    if not isinstance(features, list) or not all(isinstance(each, dict) for each in features):
        raise LabrigError(f"{name} did not answer with items", where=name, code="unreachable")
    for link in answer.get("links") or ():
        if isinstance(link, dict) and link.get("rel") == "next" and isinstance(link.get("body"), dict):
            return features, link["body"]
    return features, None


def _full(text: str, clock: str) -> str:
    if not text:
        return ""
    if len(text) == 4:
        text = f"{text}-01-01" if clock.startswith("00") else f"{text}-12-31"
    if len(text) == 7:
        import calendar

        year, month = (int(part) for part in text.split("-"))
        text = f"{text}-01" if clock.startswith("00") else f"{text}-{calendar.monthrange(year, month)[1]:02d}"
    return text if "T" in text else f"{text}T{clock}Z"
