"""Land, coast lines, borders and countries of Natural Earth as shapely geometries, in degrees on WGS 84 (lon, lat).

Each scale is read once. The geometries are shared and must not be changed; shapely's cannot be.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

Scale = Literal["110m", "50m"]
SOURCE = "Natural Earth 4.1.0"
SEAS = "Seven seas (open ocean)"
"""What Natural Earth calls the continent of islands that belong to none."""


@dataclass(frozen=True)
class Country:
    """A country or territory, as Natural Earth has it.

    Attributes
    ----------
    name, long_name, names
        Short name for maps, long name, and others it is known by.
    iso_a2, iso_a3
        ISO 3166-1 codes, empty where there is none.
    continent, subregion
        Such as ``Europe`` and ``Southern Europe`` (United Nations M49).
    geometry
        shapely MultiPolygon, cut at the antimeridian.
    """

    name: str
    long_name: str
    names: tuple[str, ...]
    iso_a2: str
    iso_a3: str
    continent: str
    subregion: str
    geometry: Any


def land(scale: Scale = "110m") -> Any:
    """Return all land as one shapely MultiPolygon."""
    return _read(scale)[0]["land"]


def coast(scale: Scale = "110m") -> Any:
    """Return coast lines as a shapely MultiLineString, without seams along the antimeridian."""
    return _read(scale)[0]["coast"]


def borders(scale: Scale = "110m") -> Any:
    """Return borders on land between countries as a shapely MultiLineString."""
    return _read(scale)[0]["borders"]


def countries(scale: Scale = "110m") -> tuple[Country, ...]:
    """Return all countries and territories, in the order of their names."""
    return _read(scale)[1]


@lru_cache(maxsize=2)
def _read(scale: Scale) -> tuple[dict[str, Any], tuple[Country, ...]]:
    from shapely import make_valid
    from shapely.geometry import shape

    path = Path(__file__).with_name(f"natural_earth_{scale}.geojson.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    layers: dict[str, Any] = {}
    found: list[Country] = []
    for feature in features:
        fields = feature["properties"]
        geometry = shape(feature["geometry"])
        if not geometry.is_valid:  # quantizing may let two edges touch
            geometry = make_valid(geometry, method="structure", keep_collapsed=False)
        if fields["kind"] != "country":
            layers[fields["kind"]] = geometry
            continue
        found.append(
            Country(
                fields["name"],
                fields.get("long") or fields["name"],
                tuple(fields["names"]),
                fields["iso_a2"],
                fields["iso_a3"],
                fields["continent"],
                fields["subregion"],
                geometry,
            )
        )
    return layers, tuple(found)
