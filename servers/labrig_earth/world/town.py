"""A town: streets as OSM XML and PBF, buildings, amenities, districts, a flooded quarter, and people on a grid."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from labrig_earth.results import SYNTHETIC
from labrig_earth.world.sizes import ORIGIN, UTM, Size
from labrig_earth.world.streets import SPEEDS, Streets, closed_pairs, make_streets, quickest
from labrig_earth.world.writing import Folder


@dataclass(frozen=True)
class _Element:
    """An element of OSM: node with a place, way with nodes, or relation with (way, role)."""

    kind: str
    number: int
    tags: dict[str, str]
    place: tuple[float, float] = (0.0, 0.0)
    members: tuple[Any, ...] = ()


def write_town(folder: Folder, size: Size, rng: np.random.Generator) -> Streets:
    """Write the town, and return its streets."""
    import geopandas as gpd
    from pyproj import Transformer

    streets = make_streets(size, rng)
    flood = flood_of(size, streets)
    buildings = _buildings(size, streets, rng)
    to_degrees = Transformer.from_crs(UTM, "EPSG:4326", always_xy=True)

    def degrees(x: float, y: float) -> tuple[float, float]:
        lon, lat = to_degrees.transform(x, y)
        return round(lon, 7), round(lat, 7)

    elements = _elements(size, streets, buildings, degrees)
    _write_osm(folder, elements)

    frame = gpd.GeoDataFrame(buildings, geometry=[each.pop("shape") for each in buildings], crs=UTM)
    frame = frame.drop(columns="shape", errors="ignore")
    folder.geopackage("town/buildings.gpkg", frame, "buildings")
    flooded = gpd.GeoDataFrame({"name": ["Riverside"], "depth_m": [1.2]}, geometry=[flood], crs=UTM)
    folder.geopackage("town/flood.gpkg", flooded, "flood")
    _write_districts(folder, size, degrees)
    people = _write_people(folder, size, frame)

    closed = closed_pairs(streets, flood)
    wet = frame.geometry.intersects(flood)
    centres = [
        to_degrees.transform(ORIGIN[0] + 100 * column + 50, ORIGIN[1] + 50)[0]
        for column in range(len(people))
    ]
    middle_lon = to_degrees.transform(ORIGIN[0] + size.side_m / 2, ORIGIN[1] + size.side_m / 2)[0]
    folder.truth["town"] = {
        "crossings": len(streets.at),
        "street_pieces": sum(len(way.nodes) - 1 for way in streets.ways),
        "street_pieces_touched_by_flood": len(closed),
        "buildings": len(frame),
        "buildings_touched_by_flood": int(wet.sum()),
        "residents": int(frame.residents.sum()),
        "residents_of_buildings_touched_by_flood": int(frame.residents[wet].sum()),
        "people_east_of_middle_by_cell_centres": float(people[:, np.array(centres) > middle_lon].sum()),
        "flood_area_m2_in_utm": float(flood.area),
        "speeds_km_h": SPEEDS,
        "route": _route(size, streets, closed),
    }
    return streets


def _write_districts(folder: Folder, size: Size, degrees: Any) -> None:
    """Write the four quarters of the square."""
    half = size.side_m / 2
    quarters = {"South-west": (0, 0), "South-east": (1, 0), "North-west": (0, 1), "North-east": (1, 1)}
    districts = []
    for name, (right, up) in quarters.items():
        x, y = ORIGIN[0] + right * half, ORIGIN[1] + up * half
        corners = [(x, y), (x + half, y), (x + half, y + half), (x, y + half)]
        ring = [list(degrees(*corner)) for corner in [*corners, corners[0]]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        districts.append({"type": "Feature", "properties": {"district": name}, "geometry": shape})
    collection = {"type": "FeatureCollection", "name": "districts", SYNTHETIC: folder.label}
    folder.text("town/districts.geojson", json.dumps({**collection, "features": districts}, indent=1) + "\n")


def _write_people(folder: Folder, size: Size, frame: Any) -> Any:
    """Write and return the residents by cells of 100 m, each building counted where its middle is."""
    cells = -(-size.side_m // 100)
    people = np.zeros((cells, cells), "f4")
    for centre, residents in zip(frame.geometry.centroid, frame.residents, strict=True):
        column, row = int((centre.x - ORIGIN[0]) // 100), int((ORIGIN[1] + 100 * cells - centre.y) // 100)
        people[row, column] += residents
    folder.geotiff(
        "town/people.tif", people[None], west=ORIGIN[0], north=ORIGIN[1] + 100 * cells, step=100, names=["people"],
        nodata=-1, unit="1",
    )  # fmt: skip
    return people


def _route(size: Size, streets: Streets, closed: set[tuple[int, int]]) -> dict[str, Any]:
    """Return the quickest way through the town from west to east, and the one around the flood."""
    middle = size.blocks // 2
    start, end = streets.at[0, middle], streets.at[size.blocks, middle]
    direct, detour = quickest(streets, start, end, set()), quickest(streets, start, end, closed)
    if direct is None or detour is None:
        raise RuntimeError("the town has no way through")
    return {
        "from_lon_lat": list(streets.degrees[start]),
        "to_lon_lat": list(streets.degrees[end]),
        "method": "quickest by Dijkstra's algorithm, lengths on the WGS 84 ellipsoid",
        "time_s": direct.time_s,
        "length_m": direct.length_m,
        "time_s_with_flood": detour.time_s,
        "length_m_with_flood": detour.length_m,
    }


def flood_of(size: Size, streets: Streets) -> Any:
    """Return the flooded quarter in UTM: it has slanted sides, and a hole where the ground is higher."""
    from shapely.geometry import Polygon

    reach = max(130.0, 0.1 * size.side_m)
    x, y = ORIGIN[0] + streets.river, ORIGIN[1] + 60 + 100 * (size.blocks // 2)
    shell = [
        (x - reach, y - reach),
        (x + reach * 1.2, y - reach * 1.3),
        (x + reach * 1.4, y + reach),
        (x - reach * 0.8, y + reach * 1.2),
    ]
    left, low = x + 70, y + 20
    hole = [(left, low), (left + 50, low), (left + 50, low + 60), (left, low + 60)]
    return Polygon(shell, [hole])


def _buildings(size: Size, streets: Streets, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return up to four rectangles in each block, none on the river."""
    from shapely import box

    found: list[dict[str, Any]] = []
    for column in range(size.blocks):
        for row in range(size.blocks):
            for place_x, place_y in ((32, 32), (70, 32), (32, 70), (70, 70)):
                width, depth = int(rng.integers(14, 24)), int(rng.integers(12, 18))
                floors, there, used = int(rng.integers(1, 7)), rng.random(), rng.random()
                x, y = 60 + 100 * column + place_x, 60 + 100 * row + place_y
                if there > 0.7 or abs(x - streets.river) < 55:
                    continue
                use = "residential" if used < 0.8 else "commercial"
                residents = floors * round(width * depth / 40) if use == "residential" else 0
                west, south = ORIGIN[0] + x - width / 2, ORIGIN[1] + y - depth / 2
                found.append(
                    {
                        "number": len(found) + 1, "use": use, "floors": floors, "height_m": 3.2 * floors,
                        "residents": residents, "shape": box(west, south, west + width, south + depth),
                    }
                )  # fmt: skip
    return found


def _elements(
    size: Size, streets: Streets, buildings: Sequence[dict[str, Any]], degrees: Any
) -> list[_Element]:
    """Return nodes, then ways, then relations."""
    nodes = [_Element("node", number, {}, place) for number, place in streets.degrees.items()]
    ways = [_Element("way", way.number, way.tags, members=way.nodes) for way in streets.ways]

    def corner(x: float, y: float, tags: dict[str, str] | None = None) -> int:
        nodes.append(_Element("node", len(nodes) + 1, tags or {}, degrees(x, y)))
        return len(nodes)

    def way(corners: Sequence[tuple[float, float]], closed: bool, tags: dict[str, str]) -> int:
        numbers = [corner(x, y) for x, y in corners]
        members = (*numbers, numbers[0]) if closed else tuple(numbers)
        ways.append(_Element("way", len(ways) + 1, tags, members=members))
        return len(ways)

    left, low = ORIGIN
    side = size.side_m
    river = [(left + streets.river + 20 * np.sin(y / 150), low + y) for y in range(0, side + 1, 40)]
    way(river, False, {"waterway": "river", "name": "Labrig Brook"})
    for building in buildings:
        tags = {"building": building["use"], "building:levels": str(building["floors"])}
        way(list(building["shape"].exterior.coords)[:-1], True, tags)
    for kind, places in {
        "hospital": [(0.1, 0.5)],
        "school": [(0.9, 0.5), (0.2, 0.2), (0.6, 0.8)],
        "pharmacy": [(0.15, 0.8), (0.5, 0.3), (0.8, 0.7)],
    }.items():
        for number, (part_x, part_y) in enumerate(places, 1):
            x, y = round(part_x * size.blocks) * 100 + 70, round(part_y * size.blocks) * 100 + 72
            corner(left + x, low + y, {"amenity": kind, "name": f"{kind.title()} {number}"})
    park = [(0, 0), (90, 0), (90, 70), (0, 70)]
    way(
        [(left + side - 150 + x, low + 70 + y) for x, y in park],
        True,
        {"leisure": "park", "name": "South Park"},
    )
    top = low + side - 150
    outer = way(
        [(left + side - 180 + x, top + y) for x, y in ((0, 0), (120, 0), (120, 90), (0, 90))], True, {}
    )
    inner = way(
        [(left + side - 150 + x, top + 30 + y) for x, y in ((0, 0), (40, 0), (40, 30), (0, 30))], True, {}
    )
    tags = {"type": "multipolygon", "landuse": "forest", "name": "Town Wood"}
    return [*nodes, *ways, _Element("relation", 1, tags, members=((outer, "outer"), (inner, "inner")))]


def _write_osm(folder: Folder, elements: Sequence[_Element]) -> None:
    """Write the same elements as XML and as PBF."""
    import osmium
    from osmium.osm.mutable import Node, Relation
    from osmium.osm.mutable import Way as OsmWay

    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f'<osm version="0.6" generator={quoteattr(folder.label)}>',
    ]
    for each in elements:
        start = f'<{each.kind} id="{each.number}" version="1"'
        if each.kind == "node":
            start += f' lat="{each.place[1]:.7f}" lon="{each.place[0]:.7f}"'
        inner = [f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in each.tags.items()]
        if each.kind == "way":
            inner = [*(f'<nd ref="{number}"/>' for number in each.members), *inner]
        if each.kind == "relation":
            inner = [
                *(f'<member type="way" ref="{way}" role="{role}"/>' for way, role in each.members),
                *inner,
            ]
        lines.append(f"{start}/>" if not inner else f"{start}>{''.join(inner)}</{each.kind}>")
    text = "\n".join([*lines, "</osm>", ""])
    folder.text("town/town.osm", text)

    header = osmium.io.Header()
    header.set("generator", folder.label)
    file = osmium.io.File(str(folder.new("town/town.osm.pbf")), "pbf")
    with osmium.SimpleWriter(file, header=header) as writer:
        for each in elements:
            if each.kind == "node":
                writer.add_node(Node(id=each.number, version=1, location=each.place, tags=each.tags))
            elif each.kind == "way":
                writer.add_way(OsmWay(id=each.number, version=1, nodes=list(each.members), tags=each.tags))
            else:
                members = [("w", way, role) for way, role in each.members]
                writer.add_relation(Relation(id=each.number, version=1, members=members, tags=each.tags))
    folder.contents["town/town.osm.pbf"] = folder.contents["town/town.osm"]
