"""Group geo_osm: features of OpenStreetMap, from Overpass or from a file, and what is computed of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.catalogue.overpass import OVERPASS, fetch_osm
from labrig_earth.gis.areas import box_of
from labrig_earth.server.base import state, toolbox
from labrig_earth.server.terra.common import Count, Mapped, Text, Texts, called, require_active

GROUP = "geo_osm"
TOOLSETS = ("terra", f"terra-{GROUP}")
FOLDER = "./data/osm"
PUBLISHED_URL = "https://overpass-api.de/api/interpreter"
TAGS = {"building": "building", "road": "highway", "amenity": "amenity"}

Source = Annotated[str, Field(description="osm, or a file: .osm, .pbf, GeoPackage.")]
Area = Annotated[
    dict[str, Any],
    Field(description="bbox [south, west, north, east], polygon, or center {lat, lon} and radius_km."),
]
Given = Annotated[
    list[dict[str, Any]] | dict[str, Any] | str,
    Field(description="GeoJSON, or a file of the workspace."),
]
Address = Annotated[Text, Field(description="Only the service that is set.")]


@toolbox.tool(title="Query OSM features", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def gis_feature_query(
    source: Source,
    geometry: Area,
    filters: Annotated[
        list[dict[str, Any]] | None, Field(description="{key, values}; one of them is met.")
    ] = None,
    geometry_types: Annotated[Texts, Field(description="point, line, polygon.")] = [],  # noqa: B006
    max_features: Annotated[Count, Field(ge=1, le=20_000)] = 2000,
    overpass_url: Address = PUBLISHED_URL,
    as_of_date: Annotated[Text, Field(description="2020-01-31.")] = "",
    output_dir: Text = FOLDER,
) -> Published:
    """Find features by tags in an area: GeoJSON with a summary; all of them are in features_path."""
    where = _where(filters or [])
    arguments = {
        "geometry": geometry,
        "where": where,
        "geometry_types": geometry_types,
        "max_features": max_features,
    }
    place = await _file(source, geometry, where, overpass_url, as_of_date)
    return await called(GROUP, "gis_feature_query", {"osm": [place]}, arguments, output_dir=output_dir)


@toolbox.tool(title="Tally features", read_only=True, faithful=True, toolsets=TOOLSETS)
async def gis_feature_stats(
    features: Given,
    group_by: Annotated[Texts, Field(description="Properties, or tag:highway.")] = [],  # noqa: B006
    metrics: Annotated[Texts, Field(description="count, length_km, area_km2.")] = [],  # noqa: B006
    normalizers: Annotated[Mapped, Field(description="area_km2: a number, or true for their own.")] = {},  # noqa: B006
) -> Published:
    """Count and measure features by group."""
    inputs, arguments = _given(features=features)
    arguments |= {"group_by": group_by, "metrics": metrics, "normalizers": normalizers}
    return await called(GROUP, "gis_feature_stats", inputs, arguments)


@toolbox.tool(title="Distances between points", read_only=True, faithful=True, toolsets=TOOLSETS)
async def gis_distance_matrix(
    origins: Annotated[list[dict[str, Any]], Field(description="{id, lat, lon}.")],
    destinations: list[dict[str, Any]],
    metric: Annotated[str, Field(description="geodesic_km.")] = "geodesic_km",
) -> Published:
    """Give the geodesic distance of each origin to each destination, and the nearest."""
    arguments = {"origins": origins, "destinations": destinations, "metric": metric}
    return await called(GROUP, "gis_distance_matrix", {}, arguments)


@toolbox.tool(title="Lay features against zones", read_only=True, faithful=True, toolsets=TOOLSETS)
async def gis_overlay(
    targets: Given,
    zones: Given,
    operation: Annotated[str, Field(description="intersect, within, touches.")] = "intersect",
    summary_metrics: Annotated[Texts, Field(description="count, length_km, area_km2.")] = [],  # noqa: B006
) -> Published:
    """Say which targets lie in zones, and measure what of them does."""
    inputs, arguments = _given(targets=targets, zones=zones)
    arguments |= {"operation": operation, "summary_metrics": summary_metrics}
    return await called(GROUP, "gis_overlay", inputs, arguments)


@toolbox.tool(title="How much OSM has", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def gis_source_metadata(
    source: Source,
    geometry: Area,
    feature_types: Annotated[
        list[str], Field(max_length=12, description="building, road, amenity, or another tag.")
    ],
    overpass_url: Address = PUBLISHED_URL,
) -> Published:
    """Count features of each type in an area, with their density and a coarse level of it."""
    where = {TAGS.get(name, name): True for name in feature_types}
    place = await _file(source, geometry, where, overpass_url, "")
    arguments = {"source": source, "geometry": geometry, "feature_types": feature_types}
    return await called(GROUP, "gis_source_metadata", {"osm": [place]}, arguments)


async def _file(
    source: str, geometry: Mapping[str, Any], where: Mapping[str, Any], address: str, date: str
) -> str:
    """Return the path or handle of the features: that of the file named, or of what Overpass answers."""
    here = session()
    require_active(GROUP, here)
    _require_address(address)
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


def _require_address(address: str) -> None:
    """Refuse an address that is neither the published one nor that of the service as it is set."""
    if address.rstrip("/") not in ("", PUBLISHED_URL, f"{OVERPASS.at().rstrip('/')}/interpreter"):
        raise LabrigError(
            "Another address of Overpass is set where the server is started, not in a call",
            where="overpass_url",
            expected=PUBLISHED_URL,
            try_="LABRIG_HTTP_URL_OVERPASS",
            code="refused",
        )


def _where(filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
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


def _given(**features: Any) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Return features that are files as inputs, and others as arguments."""
    inputs = {name: [value] for name, value in features.items() if isinstance(value, str)}
    return inputs, {name: value for name, value in features.items() if not isinstance(value, str)}
