"""STAC services (STAC API 1.0, item search), asked through the client of the house; parsers only."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Limit, Service
from labrig_earth.catalogue.entries import Entry
from labrig_earth.catalogue.static import data_in_buckets, entry_of_item
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

SENTINEL_2 = "sentinel-2-l2a"
"""Earth Search's collection of surface reflectances, from whose numbers the offset of baseline 04.00 is taken off.

It says of each item whether it is (``earthsearch:boa_offset_applied``). Where it says no, numbers of 2022 and of 2025
have been found from which it is all the same (Element84/earth-search, issues 66 and 71): `remote.fetch_scene` looks.
"""
BANDS = {
    **{name: name for name in ("blue", "green", "red", "nir", "scl")},
    **{"swir16": "swir1", "swir22": "swir2"},
}
"""Our names by those of its assets."""
MOST_PAGES = 5
PAGE = 50


@dataclass(frozen=True)
class Asset:
    """A raster of one band: its address, and scale and offset as the catalogue states them."""

    url: str
    scale: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Sighting:
    """A scene of a catalogue.

    Attributes
    ----------
    name, time
        Its id; ISO 8601.
    cloud
        Per cent, as the catalogue states it.
    bands
        By our common names: ``blue``, ``green``, ``red``, ``nir``, ``swir1``, ``swir2``, ``scl``.
    """

    name: str
    time: str
    cloud: float | None
    bands: Mapping[str, Asset]


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
        What the client says; ``unreachable`` for an answer that is no list of items; ``unavailable`` where the data of
        all items lie in buckets that want an account.
    """
    asked = _asked(collections, box, start, end, most_cloud, most)
    entries: list[Entry] = []
    closed: list[str] = []
    async for features in _pages(client, service, asked):
        entries += [found for each in features if (found := entry_of_item(each, source=service.name))]
        closed += filter(None, map(data_in_buckets, features))
        if len(entries) >= most:
            break
    if closed and not entries:
        raise LabrigError(
            f"{len(closed)} items fit, and their data lie in a bucket that wants an account of AWS: {closed[0]}",
            where="collections",
            try_="a collection that is open: sentinel-2-l2a, sentinel-2-c1-l2a, cop-dem-glo-30",
            code="unavailable",
        )
    return entries[:most]


async def search_scenes(
    client: Client,
    service: Service,
    *,
    box: Sequence[float],
    start: str,
    end: str,
    most_cloud: float,
    most: int,
    collection: str = SENTINEL_2,
) -> tuple[list[Sighting], bool]:
    """Return the scenes of Sentinel-2 over a box with the least cloud, by time, and whether there are more.

    Raises
    ------
    LabrigError
        As `search_items`.
    """
    asked = _asked((collection,), box, start, end, most_cloud, most + 1)
    asked["sortby"] = [{"field": "properties.eo:cloud_cover", "direction": "asc"}]
    found: list[Sighting] = []
    async for features in _pages(client, service, asked):
        found += [each for feature in features if (each := _sighting(feature)) is not None]
        if len(found) > most:
            break
    return sorted(found[:most], key=lambda each: (each.time, each.name)), len(found) > most


def _sighting(feature: Mapping[str, Any]) -> Sighting | None:
    """Return the scene that an item is; None where it has none of the bands."""
    properties = _mapping(feature.get("properties"))
    name, time = str(feature.get("id") or "")[:200], str(properties.get("datetime") or "")[:40]
    taken_off = properties.get("earthsearch:boa_offset_applied") is True or _before_offsets(properties)
    bands = {
        ours: asset
        for theirs, ours in BANDS.items()
        if (asset := _asset(_mapping(feature.get("assets")).get(theirs), plain=ours == "scl" or taken_off))
    }
    if not name or not time or not bands:
        return None
    cloud = properties.get("eo:cloud_cover")
    stated = float(cloud) if isinstance(cloud, int | float) and not isinstance(cloud, bool) else None
    return Sighting(name, time, stated, bands)


def _before_offsets(properties: Mapping[str, Any]) -> bool:
    """Return whether a scene is of a baseline before 04.00, whose numbers have no offset."""
    baseline = re.fullmatch(r"(\d{2})\.\d{2}", str(properties.get("s2:processing_baseline") or ""))
    return baseline is not None and int(baseline[1]) < 4


def _asset(given: Any, *, plain: bool) -> Asset | None:
    """Return an asset; `plain` for one whose numbers have no offset, whatever the catalogue says of the file of ESA."""
    asset = _mapping(given)
    url = asset.get("href")
    if not isinstance(url, str) or not re.match(r"https?://[^/]", url):
        return None
    for bands in (asset.get("raster:bands"), asset.get("bands"), [asset]):
        first = _mapping(bands[0]) if isinstance(bands, list) and bands else {}
        scale, offset = (
            first.get(name, first.get(f"raster:{name}", usual))
            for name, usual in (("scale", 1.0), ("offset", 0.0))
        )
        if isinstance(scale, int | float) and isinstance(offset, int | float) and scale not in (0, 1):
            return Asset(url, float(scale), 0.0 if plain else float(offset))
    return Asset(url)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _asked(
    collections: Sequence[str],
    box: Sequence[float] | None,
    start: str,
    end: str,
    most_cloud: float | None,
    most: int,
) -> dict[str, Any]:
    """Return the body of a search."""
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
    return asked


async def _pages(
    client: Client, service: Service, asked: dict[str, Any]
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the items of each page, up to `MOST_PAGES`."""
    for _ in range(MOST_PAGES):
        response = await client.ask(service, "search", method="POST", data=asked)
        features, further = _page(response.json(), service.name)
        yield features
        if further is None:
            return
        asked = {**asked, **further}


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
