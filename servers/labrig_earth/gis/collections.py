"""Features that a call holds as GeoJSON: read, counted and measured by group, and laid against zones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig_earth.gis.measuring import area_m2, check_point, ellipsoid, length_m

MOST = 50_000
"""Features of a call."""
MOST_PAIRS = 100_000
MEASURES = ("count", "length_km", "area_km2")
RELATIONS = ("intersect", "within", "touches")


@dataclass(frozen=True)
class Item:
    """A feature: as it was given, its shape in degrees (None without one), and its properties."""

    given: Mapping[str, Any]
    shape: Any
    properties: Mapping[str, Any]


def shape_of(geometry: Any, where: str) -> Any:
    """Return a GeoJSON geometry, or that of a feature, as shapely has it.

    Raises
    ------
    LabrigError
        ``bad_input`` for an invalid one, and for coordinates that degrees cannot have.
    """
    from shapely.errors import ShapelyError
    from shapely.geometry import shape

    if isinstance(geometry, Mapping) and isinstance(geometry.get("geometry"), Mapping):
        geometry = geometry["geometry"]
    try:
        found = shape(geometry)
        west, south, east, north = found.bounds if not found.is_empty else (0, 0, 0, 0)
    except (ShapelyError, ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
        raise LabrigError(
            "This is no GeoJSON geometry", where=where, expected="type and coordinates"
        ) from None
    if not (-90 <= south <= north <= 90 and -360 <= west <= east <= 360):
        swapped = -90 <= west <= east <= 90
        raise LabrigError(
            f"Coordinates run from {west:g}, {south:g} to {east:g}, {north:g}",
            where=where,
            expected="(longitude, latitude) in degrees",
            try_="swap the two" if swapped else "EPSG:4326",
        )
    return found


def items_of(given: Any, where: str) -> list[Item]:
    """Return the features of a list of features, geometries and collections, or of one collection.

    Raises
    ------
    LabrigError
        ``bad_input`` for other things; ``limit`` beyond `MOST`.
    """
    listed = given if isinstance(given, list) else [given]
    found: list[Item] = []
    for number, each in enumerate(listed):
        at = f"{where}[{number}]" if isinstance(given, list) else where
        if not isinstance(each, Mapping):
            raise LabrigError("This is no GeoJSON object", where=at, expected="a feature or a geometry")
        if isinstance(each.get("features"), list):
            found += items_of(each["features"], at)
        elif "geometry" in each:
            shape = None if each["geometry"] is None else shape_of(each["geometry"], at)
            properties = each.get("properties") or {}
            if not isinstance(properties, Mapping):
                raise LabrigError("The properties are no object", where=at)
            found.append(Item(each, shape, properties))
        elif "type" in each and "coordinates" in each:
            found.append(Item({"geometry": each, "properties": {}}, shape_of(each, at), {}))
        else:
            raise LabrigError("The feature has no geometry", where=at, expected="a feature or a geometry")
        if len(found) > MOST:
            raise LabrigError(f"More than {MOST:,} features", where=where, code="limit")
    return found


def measures_of(shape: Any) -> dict[str, float]:
    """Return count, length (of polygons the perimeter) in km, and area in km2 of a shape, on the ellipsoid."""
    if shape is None or shape.is_empty:
        return {"count": 1, "length_km": 0.0, "area_km2": 0.0}
    return {"count": 1, "length_km": length_m(shape) / 1000, "area_km2": area_m2(shape) / 1e6}


def checked_measures(names: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that are wanted; only the count where none is."""
    for name in names:
        if name not in MEASURES:
            raise unknown_name("measure", name, MEASURES, where="metrics")
    return tuple(dict.fromkeys(names)) or ("count",)


def tallied(items: Sequence[Item], group_by: Sequence[str]) -> list[tuple[dict[str, Any], dict[str, float]]]:
    """Return the sums of `measures_of` by group, in the order in which groups come.

    Parameters
    ----------
    group_by
        Properties, or tags of OSM as ``tag:highway``; a feature without one is of the group None.

    Raises
    ------
    LabrigError
        ``not_found`` for a property that no feature has.
    """
    groups: dict[tuple[str, ...], tuple[dict[str, Any], dict[str, float]]] = {}
    seen: set[str] = set()
    for item in items:
        values = {name: _property(item, name) for name in group_by}
        seen |= {name for name, value in values.items() if value is not None}
        key = tuple(repr(value) for value in values.values())
        sums = groups.setdefault(key, (values or {"group": "all"}, dict.fromkeys(MEASURES, 0.0)))[1]
        for name, value in measures_of(item.shape).items():
            sums[name] += value
    for name in group_by:
        if items and name not in seen:
            could = sorted({str(key) for item in items for key in item.properties})
            tags = sorted({f"tag:{key}" for item in items for key in (item.properties.get("tags") or {})})
            raise unknown_name("property", name, [*could, *tags], where="group_by")
    return list(groups.values())


def _property(item: Item, name: str) -> Any:
    if name.startswith("tag:"):
        tags = item.properties.get("tags")
        tags = tags if isinstance(tags, Mapping) else item.properties
        return tags.get(name.removeprefix("tag:"))
    return item.properties.get(name)


def distance_matrix(
    origins: Sequence[Mapping[str, Any]], destinations: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the geodesic distance of each origin to each destination, km, and the nearest of each origin.

    Parameters
    ----------
    origins, destinations
        Points with ``lat`` and ``lon`` in degrees, and an ``id``; its number where it has none.
    """
    if len(origins) * len(destinations) > MOST_PAIRS:
        raise over_limit(
            f"{len(origins) * len(destinations):,} pairs", MOST_PAIRS, where="origins, destinations"
        )
    starts, ends = _points(origins, "origins"), _points(destinations, "destinations")
    ground = ellipsoid()
    matrix: list[dict[str, Any]] = []
    nearest: list[dict[str, Any]] = []
    for start, (lon, lat) in starts:
        x, y = zip(*(point for _, point in ends), strict=True)
        metres = ground.inv([lon] * len(ends), [lat] * len(ends), list(x), list(y))[2]
        rows = [
            {"origin_id": start, "dest_id": end, "distance_km": float(each) / 1000}
            for (end, _), each in zip(ends, metres, strict=True)
        ]
        matrix += rows
        nearest.append(min(rows, key=lambda row: float(row["distance_km"])))
    return matrix, nearest


def _points(given: Sequence[Mapping[str, Any]], where: str) -> list[tuple[Any, tuple[float, float]]]:
    if not given:
        raise LabrigError("There is no point", where=where, expected="[{'id', 'lat', 'lon'}]")
    found = []
    for number, each in enumerate(given):
        at = f"{where}[{number}]"
        if "lat" not in each or "lon" not in each:
            raise LabrigError("The point lacks lat or lon", where=at, expected="{'id', 'lat', 'lon'}")
        found.append((each.get("id", number), check_point((each["lon"], each["lat"]), at)))
    names = [name for name, _ in found]
    if len({repr(name) for name in names}) < len(names):
        raise LabrigError("Two points have one id", where=where, expected="an id of its own for each")
    return found


def laid_against(
    targets: Sequence[Item], zones: Sequence[Item], relation: str
) -> list[tuple[Item, list[int], Any]]:
    """Return the targets that zones meet, with the numbers of these and the part that lies in any of them.

    Parameters
    ----------
    relation
        ``intersect``: the part is what lies in the zones together, so ground in two of them counts once; ``within``
        (wholly in one zone) and ``touches`` (edges meet, insides do not): the target whole.
    """
    from shapely import STRtree, make_valid, union_all

    if relation not in RELATIONS:
        raise unknown_name("operation", relation, RELATIONS, where="operation")
    there = [(number, make_valid(zone.shape)) for number, zone in enumerate(zones) if zone.shape is not None]
    if not there:
        raise LabrigError("No zone has a geometry", where="zones")
    tree = STRtree([shape for _, shape in there])
    found = []
    for target in targets:
        if target.shape is None or target.shape.is_empty:
            continue
        shape = make_valid(target.shape)
        test = {"intersect": shape.intersects, "within": shape.within, "touches": shape.touches}[relation]
        met = sorted(int(place) for place in tree.query(shape) if test(there[int(place)][1]))
        if not met:
            continue
        part = shape
        if relation == "intersect":
            part = shape.intersection(union_all([there[place][1] for place in met]))
        found.append((target, [there[place][0] for place in met], part))
    return found
