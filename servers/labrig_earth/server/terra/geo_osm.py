"""Group geo_osm: features of OpenStreetMap, from Overpass or from a file, and what is computed of features."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.catalogue.overpass import OVERPASS, fetch_osm
from labrig_earth.gis.areas import box_of
from labrig_earth.server.base import state
from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import geo_osm as arguments
from labrig_earth.terra.arguments.geo_osm import PUBLISHED_URL

TAGS = {"building": "building", "road": "highway", "amenity": "amenity"}


async def find_features(asked: arguments.GisFeatureQuery) -> arguments.GisFeatureQuery:
    """Return what is asked with the file of the features, and the tags that they have."""
    where = read_filters(asked.filters or [])
    file = await find_file(asked.source, asked.geometry, where, asked.overpass_url, asked.as_of_date)
    return asked.model_copy(update={"osm_file": file, "where": where})


async def find_types(asked: arguments.GisSourceMetadata) -> arguments.GisSourceMetadata:
    """Return what is asked with the file of features of these types."""
    where = {TAGS.get(name, name): True for name in asked.feature_types}
    file = await find_file(asked.source, asked.geometry, where, asked.overpass_url, "")
    return asked.model_copy(update={"osm_file": file})


async def find_file(
    source: str, geometry: Mapping[str, Any], where: Mapping[str, Any], address: str, date: str
) -> str:
    """Return the path or handle of the features: that of the file named, or of what Overpass answers."""
    here = session()
    require_address(address)
    box = box_of(geometry)
    if source.casefold() != "osm":
        if date:
            raise LabrigError("A file has one state", where="as_of_date", expected="source='osm' for a date")
        return source
    content = await fetch_osm(state().client, box, where, date=date)
    made_by = {"server": "earth", "tool": "overpass", "bbox": list(box), "where": dict(where), "date": date}
    put = here.artifacts.put
    kept = await in_thread(
        lambda: put("overpass.osm", content, media_type="application/xml", made_by=made_by)
    )
    return kept.handle


def require_address(address: str) -> None:
    """Refuse an address that is neither the published one nor that of the service as it is set."""
    if address.rstrip("/") not in ("", PUBLISHED_URL, f"{OVERPASS.at().rstrip('/')}/interpreter"):
        raise LabrigError(
            "Another address of Overpass is set where the server is started, not in a call",
            where="overpass_url",
            expected=PUBLISHED_URL,
            try_="LABRIG_HTTP_URL_OVERPASS",
            code="refused",
        )


def read_filters(filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return tags with their values, or true for any, of published filters."""
    found: dict[str, Any] = {}
    for number, each in enumerate(filters):
        at, key = f"filters[{number}]", each.get("key")
        values = each.get("values")
        wrong = not isinstance(key, str) or not key or set(each) - {"key", "values"}
        if wrong or not (values is None or isinstance(values, list)):
            raise LabrigError(
                "The filter has no key with a list of values",
                where=at,
                expected="{'key': 'highway', 'values': ['primary']}; without values: any",
            )
        if not all(isinstance(value, str | int | float) for value in values or ()):
            raise LabrigError("A value is no text", where=at)
        before = found.get(str(key), [])
        found[str(key)] = True if not values or before is True else [*before, *map(str, values)]
    if not found:
        raise LabrigError(
            "OSM data are asked for by their tags", where="filters", expected="[{'key': 'building'}]"
        )
    return found


tool = functools.partial(offer, "geo_osm")

tool(
    "gis_feature_query",
    "Query OSM features",
    arguments.GisFeatureQuery,
    open_world=True,
    prepare=find_features,
)
tool("gis_feature_stats", "Tally features", arguments.GisFeatureStats, read_only=True)
tool("gis_distance_matrix", "Distances between points", arguments.GisDistanceMatrix, read_only=True)
tool("gis_overlay", "Lay features against zones", arguments.GisOverlay, read_only=True)
tool(
    "gis_source_metadata",
    "How much OSM has",
    arguments.GisSourceMetadata,
    open_world=True,
    prepare=find_types,
)
