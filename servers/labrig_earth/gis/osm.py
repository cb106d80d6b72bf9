"""OSM XML and PBF as features, by pyosmium, which gives a closed way twice, as a line and as an area: one is kept."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place, format_of
from labrig_earth.gis.osm_order import in_order, write_in_order
from labrig_earth.results import Result

LINEAR = ("highway", "barrier", "railway", "waterway", "route", "power", "aeroway")
"""Keys whose closed ways are lines (a roundabout, a fence) unless ``area=yes`` says otherwise."""
MOST_FEATURES = 500_000
MOST_TAGS = 40

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


def describe_osm(place: Place) -> Result:
    """Say how many nodes, ways and relations of OSM data have tags, and which tags are the most frequent.

    Raises
    ------
    LabrigError
        ``bad_input`` for a broken file.
    """
    import osmium

    file = _file(place)
    kinds: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for each in _tried(place, iter(osmium.FileProcessor(file).with_filter(osmium.filter.EmptyTagFilter()))):
        kinds["nodes" if each.is_node() else "ways" if each.is_way() else "relations"] += 1
        keys.update(tag.k for tag in each.tags)
    with osmium.io.Reader(_file(place), osmium.osm.NOTHING) as reader:
        box = reader.header().box()
    corners = (box.bottom_left, box.top_right) if box.valid() else ()
    return Result(
        method="read from the file",
        data={
            "format": format_of(place),
            "with_tags": dict(kinds),
            "tags": dict(keys.most_common(MOST_TAGS)),
            **({"extent": [axis for each in corners for axis in (each.lon, each.lat)]} if corners else {}),
        },
        warnings=() if keys else ("Nothing in the file has a tag",),
        crs="EPSG:4326",
        source=place.name,
    )


def read_osm(place: Place, keys: Sequence[str]) -> Any:
    """Return the features that have one of some tags.

    Parameters
    ----------
    keys
        Such as ``("amenity", "building")``; a feature needs one of them.

    Returns
    -------
    geopandas.GeoDataFrame
        In EPSG:4326. Columns: ``osm_type`` (node, way or relation), ``osm_id``, then a column for each tag. A feature
        whose nodes or ways are not in the file, or do not close, has no geometry.

    Raises
    ------
    LabrigError
        ``bad_input`` without a tag and for a broken file; ``limit`` beyond `MOST_FEATURES`.
    """
    import geopandas as gpd

    if not keys:
        raise LabrigError(
            "OSM data are asked for by their tags",
            where=place.name,
            expected="such as where={'amenity': 'hospital'} or {'building': true}",
        )
    file, tried = _file(place), partial(_tried, place)
    found, failed = [], None
    try:
        found = _read(place, file, keys)
    except LabrigError as error:
        failed = error
    if failed or any(geometry is None for *_, geometry in found):
        if not in_order(file, tried):
            with tempfile.TemporaryDirectory() as folder:
                write_in_order(file, f"{folder}/sorted.pbf", place.name, tried)
                found = _read(place, f"{folder}/sorted.pbf", keys)
        elif failed:
            raise failed
    if not found:
        return gpd.GeoDataFrame({"osm_type": [], "osm_id": []}, geometry=[], crs="EPSG:4326")
    rows = [{"osm_type": kind, "osm_id": number, **tags} for kind, number, tags, _ in found]
    return gpd.GeoDataFrame(rows, geometry=[geometry for *_, geometry in found], crs="EPSG:4326")


def write_streets(place: Place, path: str, mode: str) -> tuple[int, int]:
    """Write the streets that a mode may use as OSM XML with their nodes.

    Parameters
    ----------
    mode
        ``drive`` or ``walk``.

    Returns
    -------
    tuple of int
        How many there are, and how many were cut or left out, since some of their nodes are not in the file.
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
    cut = _cut(path)
    return count - cut.count(0), len(cut)


def _cut(path: str) -> list[int]:
    """Keep of each way in OSM XML the longest part whose nodes are there; return how many each cut one has."""
    import osmium

    there: set[int] = set()
    parts: dict[int, list[int]] = {}
    for each in osmium.FileProcessor(path):
        if each.is_node():
            there.add(each.id)
        elif each.is_way() and any(node.ref not in there for node in each.nodes):
            runs = groupby((node.ref for node in each.nodes), there.__contains__)
            parts[each.id] = max((list(refs) for known, refs in runs if known), key=len, default=[])
    if parts:
        whole = Path(path).read_bytes()
        with osmium.SimpleWriter(osmium.io.File(path, "osm"), overwrite=True) as writer:
            for each in osmium.FileProcessor(osmium.io.FileBuffer(whole, "osm")):
                kept = parts.get(each.id) if each.is_way() else None
                if kept is None:
                    writer.add(each)
                elif len(kept) > 1:
                    writer.add(each.replace(nodes=kept))
    return [len(kept) if len(kept) > 1 else 0 for kept in parts.values()]


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


Feature = tuple[str, int, dict[str, str], Any]
"""Of what type, its id, its tags, and its geometry, None where that cannot be put together."""


def _read(place: Place, file: Any, keys: Sequence[str]) -> list[Feature]:
    """Return the features of a file in order; a LabrigError says what is wrong with it."""
    found: list[Feature] = []
    for each in _tried(place, _features(file, keys)):
        found.append(each)
        if len(found) > MOST_FEATURES:
            raise LabrigError(
                f"More than {MOST_FEATURES:,} features have {' or '.join(keys)}",
                where=place.name,
                try_="ask for a rarer tag, or cut the extract",
                code="limit",
            )
    return found


def _features(file: Any, keys: Sequence[str]) -> Iterator[Feature]:
    import osmium

    made = osmium.geom.WKBFactory()
    reader = osmium.FileProcessor(file).with_areas().with_filter(osmium.filter.KeyFilter(*keys))
    closed: dict[tuple[str, int], dict[str, str]] = {}
    areas: set[tuple[str, int]] = set()
    for each in reader:
        tags = {tag.k: tag.v for tag in each.tags}
        if each.is_area():
            kind, number = ("way", each.orig_id()) if each.from_way() else ("relation", each.orig_id())
            areas.add((kind, number))
            if kind == "way" and _is_line(tags):
                continue
            geometry = _drawn(made.create_multipolygon, each)
        elif each.is_way():
            kind, number = "way", each.id
            if each.is_closed() and not _is_line(tags):
                closed[kind, number] = tags
                continue
            geometry = _drawn(made.create_linestring, each)
        elif each.is_node():
            kind, number = "node", each.id
            geometry = _drawn(made.create_point, each)
        else:
            if tags.pop("type", "") in ("multipolygon", "boundary"):
                closed["relation", each.id] = tags
            continue
        yield kind, number, tags, geometry
    for (kind, number), tags in closed.items():
        if (kind, number) not in areas:
            yield kind, number, tags, None


def _drawn(create: Callable[[Any], str], each: Any) -> Any:
    """Return a geometry; None where a node is not in the file, or where there are too few."""
    import osmium
    from shapely import from_wkb

    try:
        return from_wkb(create(each))
    except (osmium.InvalidLocationError, RuntimeError):
        return None


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
