"""Arguments of group geo_osm: features of OpenStreetMap, and what is computed of features."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import BY_SERVER, FILE, Count, Mapped, OneOf, Text, Texts

FOLDER = "./data/osm"
PUBLISHED_URL = "https://overpass-api.de/api/interpreter"

Source = Annotated[str, Field(description="osm, or a file: .osm, .pbf, GeoPackage.")]
Area = Annotated[
    dict[str, Any],
    Field(description="bbox [south, west, north, east], polygon, or center {lat, lon} and radius_km."),
]
Features = Annotated[
    list[dict[str, Any]] | dict[str, Any] | str,
    FILE,
    Field(description="GeoJSON, or a file of the workspace."),
]
Address = Annotated[Text, Field(description="Only the service that is set.")]


class OfOsm(Arguments):
    """What is asked of an area of OpenStreetMap; the server finds the file of its features."""

    osm_file: Annotated[str, FILE, BY_SERVER] = ""
    source: Source
    geometry: Area


class GisFeatureQuery(OfOsm):
    """Find features by tags in an area: GeoJSON with a summary; all of them are in features_path."""

    where: Annotated[dict[str, Any], BY_SERVER] = {}
    filters: Annotated[
        list[dict[str, Any]] | None, Field(description="{key, values}; one of them is met.")
    ] = None
    geometry_types: Annotated[Texts, Field(description="point, line, polygon.")] = []
    max_features: Annotated[Count, Field(ge=1, le=20_000)] = 2000
    overpass_url: Address = PUBLISHED_URL
    as_of_date: Annotated[Text, Field(description="2020-01-31.")] = ""
    output_dir: Text = FOLDER


class GisFeatureStats(Arguments):
    """Count and measure features by group."""

    features: Features
    group_by: Annotated[Texts, Field(description="Properties, or tag:highway.")] = []
    metrics: Annotated[Texts, Field(description="count, length_km, area_km2.")] = []
    normalizers: Annotated[Mapped, Field(description="area_km2: a number, or true for their own.")] = {}


class GisDistanceMatrix(Arguments):
    """Give the geodesic distance of each origin to each destination, and the nearest."""

    origins: Annotated[list[dict[str, Any]], Field(description="{id, lat, lon}.")]
    destinations: list[dict[str, Any]]
    metric: Annotated[str, OneOf("geodesic_km"), Field(description="geodesic_km.")] = "geodesic_km"


class GisOverlay(Arguments):
    """Say which targets lie in zones, and measure what of them does."""

    targets: Features
    zones: Features
    operation: Annotated[str, Field(description="intersect, within, touches.")] = "intersect"
    summary_metrics: Annotated[Texts, Field(description="count, length_km, area_km2.")] = []


class GisSourceMetadata(OfOsm):
    """Count features of each type in an area, with their density and a coarse level of it."""

    feature_types: Annotated[
        list[str], Field(max_length=12, description="building, road, amenity, or another tag.")
    ]
    overpass_url: Address = PUBLISHED_URL
