"""OSM XML and PBF as features, by pyosmium, which gives a closed way twice, as a line and as an area: one is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place, format_of

LINEAR = ("highway", "barrier", "railway", "waterway", "route", "power", "aeroway")
"""Keys whose closed ways are lines (a roundabout, a fence) unless ``area=yes`` says otherwise."""
MOST_FEATURES = 500_000

DRIVEN = (
    *(
        "motorway",
        "motorway_link",
        "trunk",
        "trunk_link",
        "primary",
        "primary_link",
        "secondary",
        "secondary_link",
    ),
    *("tertiary", "tertiary_link", "unclassified", "residential", "living_street", "road"),
)
"""Values of ``highway`` that cars may take."""
NOT_WALKED = (
    "motorway",
    "motorway_link",
    "trunk",
    "trunk_link",
    "construction",
    "proposed",
    "raceway",
    "razed",
    "abandoned",
)


def is_osm(place: Place) -> bool:
    """Return whether a file is OSM XML or PBF, by its content."""
    return format_of(place) in ("osm", "pbf")


def generator(place: Place) -> str:
    """Return which program an OSM file names as its maker; empty if it names none."""
    import osmium

    with osmium.io.Reader(_file(place), osmium.osm.NOTHING) as reader:
        return str(reader.header().get("generator"))


def read_osm(place: Place, keys: Sequence[str]) -> Any:
    """Return the features that have one of some tags.

    Parameters
    ----------
    keys
        Such as ``("amenity", "building")``; a feature needs one of them.

    Returns
    -------
    geopandas.GeoDataFrame
        In EPSG:4326. Columns: ``osm_type`` (node, way or relation), ``osm_id``, then a column for each tag.

    Raises
    ------
    LabrigError
        ``bad_input`` without a tag and for a broken file; ``limit`` beyond `MOST_FEATURES`.
    """
    import geopandas as gpd
    from shapely.geometry import shape

    if not keys:
        raise LabrigError(
            "OSM data are asked for by their tags",
            where=place.name,
            expected="such as where={'amenity': 'hospital'} or {'building': true}",
        )
    rows: list[dict[str, Any]] = []
    shapes: list[Any] = []
    for kind, number, tags, geometry in _tried(place, _features(place, keys)):
        rows.append({"osm_type": kind, "osm_id": number, **tags})
        shapes.append(shape(geometry))
        if len(rows) > MOST_FEATURES:
            raise LabrigError(
                f"More than {MOST_FEATURES:,} features have {' or '.join(keys)}",
                where=place.name,
                try_="ask for a rarer tag, or cut the extract",
                code="limit",
            )
    if not rows:
        return gpd.GeoDataFrame({"osm_type": [], "osm_id": []}, geometry=[], crs="EPSG:4326")
    return gpd.GeoDataFrame(rows, geometry=shapes, crs="EPSG:4326")


def write_streets(place: Place, path: str, mode: str) -> int:
    """Write the streets that a mode may use as OSM XML with their nodes, and return how many there are.

    Parameters
    ----------
    mode
        ``drive`` or ``walk``.
    """
    import osmium

    count = 0
    file = _file(place)
    filtered = osmium.FileProcessor(file, osmium.osm.WAY).with_filter(osmium.filter.KeyFilter("highway"))
    with osmium.BackReferenceWriter(osmium.io.File(path, "osm"), file, overwrite=True) as writer:
        for way in _tried(place, iter(filtered)):
            if _may_use(way.tags, mode):
                writer.add(way)
                count += 1
    return count


def _may_use(tags: Any, mode: str) -> bool:
    kind = tags.get("highway")
    if tags.get("area") == "yes" or tags.get("access") in ("no", "private"):
        return False
    if mode == "drive":
        return kind in DRIVEN and tags.get("motor_vehicle") != "no" and tags.get("motorcar") != "no"
    return kind not in NOT_WALKED and tags.get("foot") != "no"


def _file(place: Place) -> Any:
    import osmium

    return osmium.io.File(place.path, "pbf" if format_of(place) == "pbf" else "osm")


def _features(place: Place, keys: Sequence[str]) -> Iterator[tuple[str, int, dict[str, str], Any]]:
    import osmium

    reader = (
        osmium.FileProcessor(_file(place))
        .with_areas()
        .with_filter(osmium.filter.KeyFilter(*keys))
        .with_filter(osmium.filter.GeoInterfaceFilter())
    )
    for each in reader:
        tags = {tag.k: tag.v for tag in each.tags}
        geometry = each.__geo_interface__["geometry"]
        if each.is_area():
            kind, number = ("way", each.orig_id()) if each.from_way() else ("relation", each.orig_id())
            if kind == "way" and _is_line(tags):
                continue
        elif each.is_way():
            kind, number = "way", each.id
            if each.is_closed() and not _is_line(tags):
                continue
        else:
            kind, number = "node", each.id
        yield kind, number, tags, geometry


def _is_line(tags: dict[str, str]) -> bool:
    """Return whether a closed way is a line."""
    if tags.get("area") in ("yes", "no"):
        return tags["area"] == "no"
    return any(key in tags for key in LINEAR)


def _tried(place: Place, things: Iterator[Any]) -> Iterator[Any]:
    """Yield what osmium reads; what it raises says that the file is broken."""
    while True:
        try:
            each = next(things)
        except StopIteration:
            return
        except LabrigError:
            raise
        except (RuntimeError, ValueError, OSError) as error:
            said = str(error).replace(place.path, place.name)[:300]
            raise LabrigError(f"The file cannot be read: {said}", where=place.name) from None
        yield each
