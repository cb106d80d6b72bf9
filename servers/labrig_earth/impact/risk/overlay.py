"""A hazard laid over roads: how strong it is on each, which are closed by it, and which are slower."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.data.formats import Place, format_of
from labrig_earth.impact.tables import Floats, read_table, within
from labrig_earth.work.fields import Fields

MOST_EDGES = 200_000
MOST_INTENSITY = 1e6
STRENGTHS = ("intensity", "hazard_intensity", "depth_m", "value")
NAMES = ("edge_id", "id", "osm_id", "asset_id")
LEAST_FACTOR, SLOWED = 0.1, 0.75
"""A road just below closure keeps a quarter of its speed, as the published tool has it."""


@dataclass(frozen=True)
class Roads:
    """Roads as lines: names, `geopandas.GeoSeries` with a reference system or None, notes."""

    names: Sequence[str]
    lines: Any
    notes: tuple[str, ...]


def speed_factor(intensity: Floats, disruption: float, closure: float) -> Floats:
    """Return what is left of the speed: 1 up to `disruption`, falling to a quarter before `closure`, 0 from there."""
    part = np.clip((intensity - disruption) / max(closure - disruption, 1e-6), 0, 1)
    return np.where(intensity >= closure, 0.0, np.clip(1 - SLOWED * part, LEAST_FACTOR, 1))


def lay_over(places: Mapping[str, Place], options: Mapping[str, float], outputs: Path) -> dict[str, Any]:
    """Write ``hazard_overlay.csv`` and ``disruptions.json``.

    Parameters
    ----------
    places
        ``hazard``: polygons with a number of `STRENGTHS`, or a table of edges. ``roads``: lines, OSM data, the JSON
        that ``make_input`` makes of streets, or a table.
    options
        ``disruption`` and ``closure``, intensities.

    Raises
    ------
    LabrigError
        For negative intensities, layers of one file that names no edge of the other, roads without a place.
    """
    hazard, roads = places["hazard"], _roads(places["roads"])
    inside_m = np.zeros(len(roads.names))
    if format_of(hazard) == "csv":
        intensity, notes = _of_table(hazard, roads)
    else:
        intensity, inside_m, notes = _of_polygons(hazard, roads)
    disruption, closure = float(options["disruption"]), float(options["closure"])
    factor = speed_factor(intensity, disruption, closure)
    closed, slow = factor == 0, (factor > 0) & (factor < 1)
    table = csv_text(
        ("edge_id", "hazard_intensity", "length_in_hazard_m", "speed_factor", "status"),
        (
            (name, f"{strength:.6g}", f"{length:.2f}", f"{left:.5f}", "open" if left else "closed")
            for name, strength, length, left in zip(roads.names, intensity, inside_m, factor, strict=True)
        ),
    )
    (outputs / "hazard_overlay.csv").write_text(table, encoding="utf-8")
    said = {
        "closed_edges": [name for name, shut in zip(roads.names, closed, strict=True) if shut],
        "speed_factors": {
            name: round(max(float(left), 0.05), 5)
            for name, left, slower in zip(roads.names, factor, slow, strict=True)
            if slower
        },
    }
    (outputs / "disruptions.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return {
        "warnings": [*roads.notes, *notes],
        "edges": len(roads.names),
        "closed": int(closed.sum()),
        "slow": int(slow.sum()),
        "mean_factor": float(factor[~closed].mean()) if (~closed).any() else None,
        "inside_km": float(inside_m.sum() / 1000),
        "strongest": float(intensity.max()),
        "units": [
            {"unit": name, "mean_speed_factor": float(left)}
            for name, left in zip(roads.names, factor, strict=True)
        ][:20_000],
    }


def _of_table(place: Place, roads: Roads) -> tuple[Floats, list[str]]:
    """Return the intensity of each edge out of a table of edges."""
    table = read_table(Path(place.path).read_bytes(), place.name, MOST_EDGES)
    names = table.texts(_column(table.columns, NAMES, place.name))
    values = table.numbers(
        _column(table.columns, STRENGTHS, place.name), 0, MOST_INTENSITY, "at least 0; 0 is no hazard"
    )
    if len(set(names)) != len(names):
        raise LabrigError("An edge is there twice", where=place.name)
    known = dict(zip(names, values, strict=True))
    strange = [name for name in names if name not in set(roads.names)]
    if len(strange) == len(names):
        raise LabrigError(
            f"No edge of the hazard is one of the roads; {strange[0][:60]!r} is the first",
            where=place.name,
            expected=f"names such as {roads.names[0][:60]!r}",
        )
    notes = []
    if strange:
        notes.append(f"{len(strange):,} edges of the hazard are no roads here, such as {strange[0][:60]}")
    absent = sum(name not in known for name in roads.names)
    if absent:
        notes.append(f"{absent:,} of {len(roads.names):,} roads are not in the hazard: intensity 0")
    return np.array([known.get(name, 0.0) for name in roads.names]), notes


def _of_polygons(place: Place, roads: Roads) -> tuple[Floats, Floats, list[str]]:
    """Return the largest intensity on each road, and how much of it lies in the hazard, m."""
    from labrig_earth.gis.features import read_features
    from labrig_earth.gis.measuring import length_m

    if roads.lines is None:
        raise LabrigError(
            "The roads have names but no places",
            where="osm_edges_path",
            expected="lines, or a hazard by edge",
        )
    found = read_features(place)
    frame = found.frame
    if not len(frame) or not frame.geom_type.isin(("Polygon", "MultiPolygon")).all():
        raise LabrigError("The hazard is no layer of polygons", where=place.name, expected="polygons")
    column = _column(frame.columns, STRENGTHS, place.name)
    try:
        strength = np.array([_number(each) for each in frame[column]], dtype=float)
    except (TypeError, ValueError):
        raise LabrigError(f"{column} is no number in each polygon", where=place.name) from None
    within(strength, column, 0, MOST_INTENSITY, "at least 0; 0 is no hazard", place.name)
    shapes = frame.to_crs(roads.lines.crs).geometry
    pairs = roads.lines.sindex.query(shapes, predicate="intersects")
    intensity = np.zeros(len(roads.names))
    np.maximum.at(intensity, pairs[1], strength[pairs[0]])
    inside = np.zeros(len(roads.names))
    touched = np.unique(pairs[1])
    if len(touched):
        whole = shapes.iloc[np.unique(pairs[0])].union_all()
        cut = roads.lines.iloc[touched].intersection(whole).to_crs("EPSG:4326")
        inside[touched] = [length_m(each) for each in cut]
    notes = [*found.assumed, *found.warnings]
    if not len(touched):
        notes.append("the hazard touches no road: look at the bounds of both files")
    notes.append(f"intensity of a road: the largest {column} of the polygons that it touches")
    return intensity, inside, notes


def _roads(place: Place) -> Roads:
    """Read roads: OSM data, lines, the JSON of ``make_input``, or a table of names."""
    kind = format_of(place)
    if kind == "csv":
        table = read_table(Path(place.path).read_bytes(), place.name, MOST_EDGES)
        names = list(table.texts(_column(table.columns, NAMES, place.name)))
        found = Roads(names, None, ())
    elif kind == "geojson" and b'"nodes"' in Path(place.path).read_bytes()[:4096]:
        found = _of_streets(place)
    else:
        found = _of_lines(place, osm=kind in ("osm", "pbf"))
    if not 1 <= len(found.names) <= MOST_EDGES or len(set(found.names)) != len(found.names):
        raise LabrigError(
            f"There are {len(found.names):,} roads, or a name is there twice",
            where=place.name,
            expected=f"1 to {MOST_EDGES:,}, each name once",
        )
    return found


def _of_lines(place: Place, *, osm: bool) -> Roads:
    from labrig_earth.gis.features import read_features

    found = read_features(place, keys=("highway",)) if osm else read_features(place)
    frame = found.frame[found.frame.geom_type.isin(("LineString", "MultiLineString"))].reset_index(drop=True)
    if not len(frame):
        raise LabrigError("There are no lines", where=place.name, expected="roads as lines")
    column = _column(frame.columns, NAMES, place.name)
    return Roads([str(each) for each in frame[column]], frame.geometry, (*found.assumed, *found.warnings))


def _of_streets(place: Place) -> Roads:
    import geopandas as gpd
    from shapely import LineString

    try:
        fields = Fields(json.loads(Path(place.path).read_bytes()), place.name)
        fields.fields("", {})
    except (ValueError, RecursionError) as error:
        raise LabrigError(f"This is no JSON: {error}"[:200], where=place.name) from None
    crs = fields.text("crs", "")
    if not crs or not fields.has("origin_m"):
        raise LabrigError(
            "The roads do not say where on Earth they lie",
            where=place.name,
            expected="crs and origin_m, as make_input (roads) writes them, or lines in another format",
        )
    east, north = fields.numbers("origin_m", -1e8, 1e8, "m", (2, 2))
    at = {
        each.text("id"): (east + each.number("x", -1e7, 1e7, "m"), north + each.number("y", -1e7, 1e7, "m"))
        for each in fields.rows("nodes", MOST_EDGES)
    }
    names, lines = [], []
    for each in fields.rows("edges", MOST_EDGES):
        ends = (each.text("from"), each.text("to"))
        if not set(ends) <= set(at):
            raise LabrigError("An edge has no node", where=each.where)
        names.append(each.text("id"))
        lines.append(LineString([at[ends[0]], at[ends[1]]]))
    try:
        shapes = gpd.GeoSeries(lines, crs=crs)
    except Exception as error:  # pyproj names its errors by version
        raise LabrigError(f"crs is {crs[:40]!r}: {type(error).__name__}", where=place.name) from None
    return Roads(names, shapes, ("roads are straight between their crossings",))


def _column(columns: Any, known: Sequence[str], where: str) -> str:
    """Return the first of some columns that is there."""
    for name in known:
        if name in columns:
            return name
    raise LabrigError(
        f"No column is named {' or '.join(known)}",
        where=where,
        expected=f"one of them among {', '.join(sorted(map(str, columns)))[:200]}",
    )


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError
    return float(value)
