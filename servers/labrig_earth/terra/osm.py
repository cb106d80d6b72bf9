"""Group geo_osm: features of OpenStreetMap in an area, counted, measured, and laid against zones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.areas import area_of
from labrig_earth.gis.collections import (
    MEASURES,
    Item,
    checked_measures,
    distance_matrix,
    items_of,
    laid_against,
    measures_of,
    tallied,
)
from labrig_earth.gis.features import read_features
from labrig_earth.gis.measuring import area_m2
from labrig_earth.gis.querying import select
from labrig_earth.results import Result
from labrig_earth.terra.arguments import geo_osm as arguments
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.work.calls import Call

KINDS: Mapping[str, tuple[str, ...]] = {
    "point": ("Point", "MultiPoint"),
    "line": ("LineString", "MultiLineString", "LinearRing"),
    "polygon": ("Polygon", "MultiPolygon"),
}
TYPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "building": ("building", ("polygon",)),
    "road": ("highway", ("line",)),
    "amenity": ("amenity", ("point", "polygon")),
}
"""Types of features that have a name of their own: their tag and kinds; any other is a tag, of every kind."""
MOST_CHARACTERS = 120_000
"""Of features in a payload; all of them are in the file."""
LEVELS = ((0.5, "low"), (5.0, "medium"))
METHOD = "measured on the WGS 84 ellipsoid; of polygons the length is the perimeter"


def gis_feature_query(call: Call, asked: arguments.GisFeatureQuery) -> Result:
    """Features of an OSM or vector file that meet one of the filters and touch the area."""
    area = area_of(asked.geometry)
    most = asked.max_features
    kinds = list_kinds(asked.geometry_types)
    frame, warnings = select_features(call, area, asked.where, kinds)
    total = len(frame)
    items = [make_feature(row, shape) for row, shape in list_rows(frame.head(most))]
    counts: dict[str, dict[str, int]] = {}
    for item in items:
        for key, value in item["properties"]["tags"].items():
            by_value = counts.setdefault(key, {})
            by_value[str(value)] = by_value.get(str(value), 0) + 1
    km2 = area_m2(area) / 1e6
    bounds = [float(each) for each in frame.head(most).total_bounds] if total else None
    cut = total > most
    payload: dict[str, Any] = {
        "features": keep_fitting(items),
        "features_path": None,
        "summary": {
            "total_features": len(items),
            "result_bbox": bounds and [bounds[1], bounds[0], bounds[3], bounds[2]],
            "tag_value_counts": counts,
            "area_sq_km": number(km2),
            "feature_density_per_sq_km": number(total / km2),
        },
        "data_status": {
            "coverage_ok": not cut,
            "notes": f"{total} features fit, the first {most} are given" if cut else "",
        },
    }
    files: tuple[str, ...] = ()
    if items:
        name = "features.geojson"
        Path(call.scratch / name).write_text(json.dumps({"type": "FeatureCollection", "features": items}))
        payload["features_path"] = f"{MARK}{name}"
        files = (f"{MARK}{name}",)
    if len(payload["features"]) < len(items):
        warnings.append(
            f"{len(payload['features'])} of {len(items)} features are shown; features_path has all"
        )
    method = "features with one of the tags that touch the area, whole; bounds are [south, west, north, east]"
    return make_result(payload, method=method, files=files, warnings=tuple(warnings))


def gis_feature_stats(call: Call, asked: arguments.GisFeatureStats) -> Result:
    """Count, length and area of features by group."""
    wanted = checked_measures(asked.metrics)
    items = read_items(call, "features", asked.features)
    rows = []
    for group, sums in tallied(items, asked.group_by):
        row: dict[str, Any] = {"group": group}
        row |= {name: int(sums[name]) if name == "count" else number(sums[name]) for name in wanted}
        km2 = read_normalizer(asked.normalizers, sums["area_km2"])
        if km2:
            if "count" in wanted:
                row["count_per_km2"] = number(sums["count"] / km2)
            if "length_km" in wanted:
                row["length_per_km2"] = number(sums["length_km"] / km2)
        rows.append(row)
    warnings = () if items else ("There are no features",)
    return make_result({"rows": rows}, method=METHOD, warnings=warnings)


def gis_distance_matrix(call: Call, asked: arguments.GisDistanceMatrix) -> Result:
    """Geodesic distances between points."""
    matrix, nearest = distance_matrix(asked.origins, asked.destinations)
    return make_result({"matrix": matrix, "nearest": nearest}, method="geodesics on the WGS 84 ellipsoid")


def gis_overlay(call: Call, asked: arguments.GisOverlay) -> Result:
    """What of the targets lies in zones."""
    wanted = checked_measures(asked.summary_metrics)
    targets, zones = read_items(call, "targets", asked.targets), read_items(call, "zones", asked.zones)
    from shapely.geometry import mapping

    sums = dict.fromkeys(MEASURES, 0.0)
    exposed: list[dict[str, Any]] = []
    for target, numbers, part in laid_against(targets, zones, asked.operation):
        for name, value in measures_of(part).items():
            sums[name] += value
        exposed.append(
            {
                "target": dict(target.given),
                "zone_index": numbers[0],
                "zone_indices": numbers,
                "intersection_geometry": mapping(part),
            }
        )
    shown = keep_fitting(exposed)
    payload = {
        "exposed_features": shown,
        "stats": {
            "total_targets": len(targets),
            "targets_in_zones": len(exposed),
            "metrics": {name: int(sums[name]) if name == "count" else number(sums[name]) for name in wanted},
        },
    }
    warnings = (
        [f"{len(shown)} of {len(exposed)} exposed features are shown"] if len(shown) < len(exposed) else []
    )
    if not exposed:
        warnings.append("No target lies in a zone")
    return make_result(payload, method=f"ground in two zones counts once; {METHOD}", warnings=tuple(warnings))


def gis_source_metadata(call: Call, asked: arguments.GisSourceMetadata) -> Result:
    """How many features of each type an area has, and how dense they are."""
    area = area_of(asked.geometry)
    km2 = area_m2(area) / 1e6
    types = asked.feature_types
    if not types:
        raise LabrigError("No type is given", where="feature_types", expected=f"{', '.join(TYPES)}, or a tag")
    counts: dict[str, int] = {}
    warnings: list[str] = []
    for name in types:
        tag, kinds = TYPES.get(name, (name, tuple(KINDS)))
        frame, said = select_features(call, area, {tag: True}, list_kinds(kinds))
        counts[name] = len(frame)
        warnings += said
    levels = {name: name_level(count / km2) for name, count in counts.items()}
    payload = {
        "source": asked.source,
        "completeness": levels,
        "counts": counts,
        "density_per_sq_km": {name: number(count / km2) for name, count in counts.items()},
        "area_sq_km": number(km2),
        "notes": [
            "a level is of the density (low below 0.5, high from 5 per km2); what exists there is not known"
        ],
    }
    return make_result(
        payload, method="features that touch the area, by tag and kind", warnings=tuple(warnings)
    )


def select_features(
    call: Call, area: Any, where: Mapping[str, Any], kinds: tuple[str, ...]
) -> tuple[Any, list[str]]:
    """Return the features of the file that meet one of the conditions, are of these kinds, and touch the area."""
    features = read_features(call.input("osm_file"), keys=tuple(where))
    frame = features.frame
    fits = frame.index[:0]
    for name, value in where.items():
        if name in frame.columns:
            fits = fits.union(select(features, {name: value}).index)
    frame = (frame.loc[fits] if where else frame).to_crs("EPSG:4326")
    there = frame[frame.geometry.geom_type.isin(kinds) & frame.geometry.intersects(area)]
    warnings = list(features.warnings)
    if not len(there):
        lies = ": there is none with the tag"
        if len(frame):
            west, south, east, north = (float(f"{each:.7g}") for each in frame.total_bounds)
            lies = f"; those with the tag lie in [{south:g}, {west:g}, {north:g}, {east:g}]"
        warnings.append(f"No feature with {', '.join(where)} is in the area{lies}")
    return there.reset_index(drop=True), warnings


def list_kinds(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in KINDS:
            raise unknown_name("geometry type", name, tuple(KINDS), where="geometry_types")
    return tuple(kind for name in names or KINDS for kind in KINDS[name])


def list_rows(frame: Any) -> Any:
    for (_, row), shape in zip(frame.iterrows(), frame.geometry, strict=True):
        yield {str(key): value for key, value in row.items() if key != frame.geometry.name}, shape


def make_feature(row: Mapping[str, Any], shape: Any) -> dict[str, Any]:
    from shapely.geometry import mapping

    kind, name = row.get("osm_type", "feature"), row.get("osm_id", row.get("id", ""))
    tags = {
        key: str(value)
        for key, value in row.items()
        if key not in ("osm_type", "osm_id") and value is not None and value == value
    }
    middle = shape.centroid
    return {
        "type": "Feature",
        "id": f"{kind}/{name}",
        "osm_type": str(kind),
        "geometry": mapping(shape),
        "geometry_type": shape.geom_type,
        "properties": {"tags": tags, "center": {"lat": round(middle.y, 7), "lon": round(middle.x, 7)}},
    }


def keep_fitting(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return as many of the first as a payload holds."""
    room, kept = MOST_CHARACTERS, []
    for item in items:
        room -= len(json.dumps(item, default=str))
        if room < 0:
            break
        kept.append(item)
    return kept


def read_items(call: Call, role: str, given: Any) -> list[Item]:
    """Return features of an argument, or of the file of that role."""
    place = call.optional(role)
    if place is None:
        return items_of(given, role)
    features = read_features(place)
    found = []
    for row, shape in list_rows(features.to("EPSG:4326")):
        tags = row.get("tags")
        if isinstance(tags, str) and tags.startswith("{"):
            row["tags"] = json.loads(tags)
        kept = {key: value for key, value in row.items() if value is not None and value == value}
        found.append(Item({"geometry": shape.__geo_interface__, "properties": kept}, shape, kept))
    return found


def read_normalizer(given: Mapping[str, Any], own: float) -> float:
    """Return the area that counts are divided by, km2; 0 for none."""
    for name in given:
        if name != "area_km2":
            raise unknown_name("normalizer", name, ("area_km2",), where="normalizers")
    value = given.get("area_km2")
    if value is None or value is False:
        return 0.0
    if value is True:
        return own
    if not isinstance(value, int | float) or not 0 < value < 1e9:
        raise LabrigError(
            f"An area of {value!r} km2"[:80],
            where="normalizers",
            expected="above 0, or true for the features' own",
        )
    return float(value)


def name_level(density: float) -> str:
    return next((name for limit, name in LEVELS if density < limit), "high")
