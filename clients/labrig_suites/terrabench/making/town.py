"""The town of an item: a zone of its own in the world's town, and sites around it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from labrig_suites.terrabench.making.world import World

BUILDINGS, STREETS, ZONE = "town/buildings.gpkg", "town/town.osm", "town/zone.geojson"
EDGES, SITES = 9, 4


@dataclass(frozen=True)
class Town:
    """A zone, a box and points, in degrees.

    Attributes
    ----------
    zone
        Corners (longitude, latitude) of a polygon, the first once more at its end.
    box
        south, west, north, east: a part of the town.
    sites, shelters
        (latitude, longitude).
    """

    zone: tuple[tuple[float, float], ...]
    box: tuple[float, float, float, float]
    sites: tuple[tuple[float, float], ...]
    shelters: tuple[tuple[float, float], ...]


@lru_cache(maxsize=2)
def _buildings(content: bytes) -> Any:
    import geopandas

    with tempfile.NamedTemporaryFile(suffix=".gpkg") as file:
        file.write(content)
        file.flush()
        return geopandas.read_file(file.name).to_crs("EPSG:4326")


@lru_cache(maxsize=2)
def _streets(content: bytes) -> list[Any]:
    """Return the streets of OpenStreetMap XML as lines: ways with the tag highway."""
    from xml.etree import ElementTree

    from shapely import LineString

    root = ElementTree.fromstring(content)
    nodes = {
        each.get("id"): (float(each.get("lon", "")), float(each.get("lat", ""))) for each in root.iter("node")
    }
    found = []
    for way in root.iter("way"):
        if any(tag.get("k") == "highway" for tag in way.iter("tag")):
            found.append(LineString([nodes[each.get("ref")] for each in way.iter("nd")]))
    return found


def make_town(world: World, rng: np.random.Generator) -> Town:
    """Return a zone that meets buildings and streets, a part of the town, and sites."""
    west, south, east, north = (float(each) for each in _buildings(world.town[BUILDINGS]).total_bounds)
    wide, high = east - west, north - south
    middle = (west + wide * rng.uniform(0.35, 0.65), south + high * rng.uniform(0.35, 0.65))
    reach = rng.uniform(0.16, 0.36)
    turns = np.linspace(0, 2 * np.pi, EDGES, endpoint=False)
    radii = reach * rng.uniform(0.7, 1.3, EDGES)
    corners = [
        (round(middle[0] + wide * r * np.cos(t), 6), round(middle[1] + high * r * np.sin(t), 6))
        for t, r in zip(turns, radii, strict=True)
    ]
    box = (
        round(south + high * rng.uniform(0.05, 0.3), 5),
        round(west + wide * rng.uniform(0.05, 0.3), 5),
        round(north - high * rng.uniform(0.05, 0.3), 5),
        round(east - wide * rng.uniform(0.05, 0.3), 5),
    )

    def points(count: int) -> tuple[tuple[float, float], ...]:
        spread = rng.uniform(-0.12, 0.12, (count, 2))
        return tuple((round(middle[1] + a, 4), round(middle[0] + b, 4)) for a, b in spread)

    return Town((*corners, corners[0]), box, points(SITES), points(2))


def files_of(world: World, town: Town) -> dict[str, str | bytes]:
    """Return the files of the town."""
    zone = {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": "zone"},
                "geometry": {"type": "Polygon", "coordinates": [[list(each) for each in town.zone]]},
            }
        ],
    }
    return {
        BUILDINGS: world.town[BUILDINGS],
        STREETS: world.town[STREETS],
        ZONE: json.dumps(zone) + "\n",
    }


def area_m2(shape: Any) -> float:
    """Return the area of a shape in degrees on the ellipsoid of WGS 84, m2."""
    from pyproj import Geod

    return abs(float(Geod(ellps="WGS84").geometry_area_perimeter(shape)[0]))


def length_km(shape: Any) -> float:
    """Return the length of a line in degrees on the ellipsoid of WGS 84, km."""
    from pyproj import Geod

    return float(Geod(ellps="WGS84").geometry_length(shape)) / 1000


def distance_km(one: tuple[float, float], two: tuple[float, float]) -> float:
    """Return the geodesic distance of two points (latitude, longitude), km."""
    from pyproj import Geod

    return float(Geod(ellps="WGS84").inv(one[1], one[0], two[1], two[0])[2]) / 1000


def built_in(world: World, town: Town) -> float:
    """Return the ground of buildings within the zone, m2."""
    from shapely import Polygon

    zone = Polygon(town.zone)
    return sum(
        area_m2(each.intersection(zone))
        for each in _buildings(world.town[BUILDINGS]).geometry
        if each.intersects(zone)
    )


def streets_in(world: World, town: Town) -> tuple[float, float]:
    """Return the length of the streets that touch the box, whole, and of their parts within the zone, km."""
    from shapely import Polygon, box

    zone, part = Polygon(town.zone), box(town.box[1], town.box[0], town.box[3], town.box[2])
    touching = [each for each in _streets(world.town[STREETS]) if each.intersects(part)]
    return sum(map(length_km, touching)), sum(length_km(each.intersection(zone)) for each in touching)
