"""Layers of features, checked before they are used: reference system, coordinates that can be, mended polygons."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_vector
from labrig_earth.data.stations import LEFT_OUT
from labrig_earth.data.tables import READ_AS
from labrig_earth.gis.boxes import cut_at_antimeridian
from labrig_earth.gis.osm import generator, is_osm, read_osm
from labrig_earth.results import SYNTHETIC

WGS84 = "EPSG:4326"


@dataclass
class Features:
    """A layer that can be used.

    Attributes
    ----------
    frame
        `geopandas.GeoDataFrame` with a reference system, valid geometries and none that is missing.
    name
        As the caller named it.
    assumed, warnings
        What was taken for granted, and what was mended.
    """

    frame: Any
    name: str
    assumed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def to(self, crs: Any) -> Any:
        """Return the frame in another reference system."""
        return self.frame if self.frame.crs == crs else self.frame.to_crs(crs)

    @property
    def crs_text(self) -> str:
        """Such as ``EPSG:32633``."""
        return crs_text(self.frame.crs)


def read_features(place: Place, *, layer: str = "", crs: str = "", keys: Sequence[str] = ()) -> Features:
    """Open a layer and check it.

    Parameters
    ----------
    layer
        Of a GeoPackage.
    crs
        Reference system of a file that states none, or states a wrong one; of a CSV table (default EPSG:4326).
    keys
        Tags of OSM data, one of which each feature needs.

    Raises
    ------
    LabrigError
        ``bad_input`` for a missing reference system, and for coordinates that it cannot have (swapped, or of another
        system); as `opening.open_vector`, `osm.read_osm`.
    """
    if is_osm(place):
        found = Features(read_osm(place, keys), place.name)
        if (made_by := generator(place)).startswith("synthetic"):
            found.warnings.append(f"These data are {made_by}")
        return checked(found.frame, place.name, found)
    wanted = _crs(crs) if crs else None
    found = Features(open_vector(place, layer=layer, crs=crs), place.name)
    if said := found.frame.attrs.pop(READ_AS, ""):
        found.assumed.append(said)
    if said := found.frame.attrs.pop(LEFT_OUT, ""):
        found.warnings.append(f"{said} was left out: sample_grid and aggregate_grid take it")
    if wanted is not None and found.frame.crs != wanted:
        if found.frame.crs is not None:
            found.warnings.append(
                f"{place.name} states {crs_text(found.frame.crs)}; {crs_text(wanted)} was taken, as crs says"
            )
        found.frame = found.frame.set_crs(wanted, allow_override=True)
    if label := made_label(place):
        found.warnings.append(f"These data are {label}")
    return checked(found.frame, place.name, found)


def checked(frame: Any, name: str, found: Features | None = None) -> Features:
    """Return a frame as `Features`: without missing geometries, mended, within the bounds of its reference system."""
    import numpy as np
    import shapely

    found = found or Features(frame, name)
    if frame.crs is None:
        raise LabrigError(
            "The layer states no reference system",
            where=name,
            expected="coordinates whose system is known",
            try_="crs='EPSG:4326' for degrees, or the system of the source",
        )
    shapes = frame.geometry.to_numpy()
    nowhere = (shapely.get_type_id(shapes) == 0) & np.isnan(
        shapely.get_x(shapes)
    )  # GeoParquet's empty points
    missing = frame.geometry.isna() | frame.geometry.is_empty | nowhere
    if missing.any():
        found.warnings.append(
            f"{int(missing.sum())} of {len(frame)} features of {name} have no geometry and were left out"
        )
        frame = frame[~missing]
    frame = _with_known_datum(frame.reset_index(drop=True), found)
    found.warnings += _odd_coordinates(frame, name)
    broken = ~frame.geometry.is_valid
    if broken.any():
        frame = frame.copy()
        shapes = frame.geometry.array.copy()
        for place in broken[broken].index:
            shapes[place], doubt = _mended(shapes[place], frame.crs)
            found.warnings += [f"feature {place} of {name}: {doubt}"] if doubt else []
        frame = frame.set_geometry(frame.geometry.__class__(shapes, index=frame.index, crs=frame.crs))
        found.warnings.append(
            f"{int(broken.sum())} geometries of {name} cross themselves or are otherwise invalid, and were mended"
        )
    if frame.crs.is_geographic:
        frame = _within_180(frame, found)
    found.frame = frame
    return found


def _mended(shape: Any, crs: Any) -> tuple[Any, str]:
    """Return a geometry made valid, and what is doubtful about it.

    A polygon of several parts of which one lies in another has a hole whose ring is wound as a shell, as converters
    write Shapefiles: by the even-odd rule, which all that draws polygons has, it is a hole.
    """
    from functools import reduce

    from shapely import is_valid_reason, make_valid, symmetric_difference

    filled = make_valid(shape, method="structure", keep_collapsed=False)
    if shape.geom_type != "MultiPolygon" or not is_valid_reason(shape).startswith("Nested shells"):
        return filled, ""
    holed = reduce(symmetric_difference, [make_valid(part, method="structure") for part in shape.geoms])
    unit = crs.axis_info[0].unit_name if crs.axis_info else "unit"
    return holed, (
        "one ring lies in another and is wound like it, as a shell (invalid: nested shells); taken for a hole, "
        f"which leaves {holed.area:,.8g} square {unit}; filled it would be {filled.area:,.8g}"
    )


def _with_known_datum(frame: Any, found: Features) -> Any:
    """Return a frame from whose system a transformation to WGS 84 is known, in its datum on Greenwich if need be.

    Without one PROJ takes both datums for the same, which it calls ballpark, and places are off by up to some 100 m.
    """
    from pyproj import CRS
    from pyproj.database import query_crs_info
    from pyproj.enums import PJType

    if not len(frame) or _is_transformable(frame.crs, *frame.to_crs(WGS84).total_bounds):
        return frame
    base = frame.crs.geodetic_crs or frame.crs
    name = re.sub(r" \(.*\)$", "", base.name)  # the meridian of its origin stands in brackets
    kinds = PJType.GEOGRAPHIC_2D_CRS
    others = [
        CRS.from_epsg(each.code) for each in query_crs_info("EPSG", kinds) if each.name == name != base.name
    ]
    for other in others:
        moved = frame.to_crs(other)
        if _is_transformable(other, *moved.to_crs(WGS84).total_bounds):
            found.assumed.append(f"from {crs_text(frame.crs)} to WGS 84 by {crs_text(other)}, {other.name}")
            return moved
    found.warnings.append(
        f"Here no transformation from {crs_text(frame.crs)} to WGS 84 is known but a ballpark one: places in degrees, "
        "and what is measured on the ellipsoid, may be off by up to some 100 m"
    )
    return frame


def _is_transformable(crs: Any, west: float, south: float, east: float, north: float) -> bool:
    """Tell whether PROJ knows a transformation to WGS 84 that is no ballpark one and holds in these bounds."""
    from pyproj.aoi import AreaOfInterest
    from pyproj.transformer import TransformerGroup

    if crs == WGS84:
        return True
    area = AreaOfInterest(max(west, -180), max(south, -90), min(east, 180), min(north, 90))
    return bool(TransformerGroup(crs, WGS84, area_of_interest=area, allow_ballpark=False).transformers)


def _within_180(frame: Any, found: Features) -> Any:
    moved = [cut_at_antimeridian(shape) for shape in frame.geometry]
    count = sum(changed for _, changed in moved)
    if not count:
        return frame
    found.assumed.append(
        f"{count} geometries of {found.name} cross the antimeridian by the short way, and were cut there"
    )
    return frame.set_geometry(
        frame.geometry.__class__([shape for shape, _ in moved], index=frame.index, crs=frame.crs)
    )


def _odd_coordinates(frame: Any, name: str) -> list[str]:
    """Return what is odd about coordinates; LabrigError for those that the reference system cannot have."""
    if not len(frame):
        return []
    west, south, east, north = (float(value) for value in frame.total_bounds)
    widest = max(abs(west), abs(east))
    if frame.crs.is_geographic:
        if max(abs(south), abs(north)) > 90.000001 and max(widest, abs(south), abs(north)) <= 360:
            raise LabrigError(
                f"Latitudes of {name} run from {south:g} to {north:g}",
                where=name,
                expected="longitude before latitude, latitudes from -90 to 90",
                try_="swap the two coordinates, or name the columns latitude and longitude",
            )
        if max(widest, abs(south), abs(north)) > 360:
            raise LabrigError(
                f"{crs_text(frame.crs)} is in degrees, and the coordinates run to {max(widest, abs(north)):,.0f}",
                where=name,
                expected="the system that the coordinates are in",
                try_="crs='EPSG:...', such as EPSG:32633 for UTM 33N",
            )
    elif widest <= 180 and max(abs(south), abs(north)) <= 90 and max(east - west, north - south) > 0:
        unit = frame.crs.axis_info[0].unit_name if frame.crs.axis_info else "metre"
        return [
            f"{crs_text(frame.crs)} is in {unit}s, and the coordinates of {name} look like degrees ({west:g} to "
            f'{east:g}): taken for {unit}s; crs="EPSG:4326" if they are degrees'
        ]
    return []


def _crs(text: str) -> Any:
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    try:
        return CRS.from_user_input(text)
    except CRSError:
        raise LabrigError(
            f"{text!r} is no reference system", where="crs", expected="such as EPSG:4326 or EPSG:32633"
        ) from None


def crs_text(crs: Any) -> str:
    """Return the short name of a reference system."""
    authority = crs.to_authority()
    return ":".join(authority) if authority else str(crs.name)


def made_label(place: Place) -> str:
    """Return the label of a file of the made world: in GeoJSON an attribute, in a GeoPackage metadata."""
    import sqlite3
    from contextlib import closing

    try:
        with Path(place.path).open("rb") as file:
            head = file.read(4096)
        if SYNTHETIC.encode() in head and head.lstrip().startswith(b"{"):
            return _between(head, f'"{SYNTHETIC}": "', '"')
        if head.startswith(b"SQLite format 3\0"):
            with closing(sqlite3.connect(f"file:{place.path}?mode=ro&immutable=1", uri=True)) as database:
                for (text,) in database.execute("select metadata from gpkg_metadata"):
                    if SYNTHETIC in text:
                        return _between(str(text).encode(), f'key="{SYNTHETIC}">', "<")
    except (OSError, sqlite3.Error):
        pass
    return ""


def _between(content: bytes, start: str, end: str) -> str:
    return content.decode("utf-8", "replace").partition(start)[2].partition(end)[0]


def write_features(frame: Any, scratch: Path, name: str, *, layer: str = "result") -> str:
    """Write a layer as GeoPackage and return its name."""
    import shapely

    plain = frame.copy()
    taken = {"geometry", "geom", "fid"}
    columns = {}
    for column in plain.columns:
        text = str(column)
        if column == plain.geometry.name:
            continue
        while text.casefold() in taken:
            text += "_"
        taken.add(text.casefold())
        columns[column] = text
    plain = plain.rename(columns=columns)
    for column in columns.values():
        if plain[column].map(lambda value: isinstance(value, list | dict | tuple)).any():
            plain[column] = plain[column].map(lambda value: json.dumps(value, default=str))
    shapes = plain.geometry.to_numpy(copy=True)
    if (measured := shapely.has_m(shapes)).any():  # which pyogrio does not write
        heights = shapely.from_wkb(shapely.to_wkb(shapes[measured], output_dimension=3))
        shapes[measured] = [shapely.force_2d(each) if shapely.has_m(each) else each for each in heights]
        plain[plain.geometry.name] = type(plain.geometry)(shapes, index=plain.index, crs=plain.crs)
    plain.to_file(scratch / name, layer=layer, driver="GPKG", engine="pyogrio")
    return name


def table_of(frame: Any, most: int = 20) -> list[dict[str, Any]]:
    """Return the first rows as plain values: numbers with six digits, a point as lon and lat, else the bounds."""
    rows: list[dict[str, Any]] = []
    shapes = frame.geometry.head(most).to_crs(WGS84)
    for (_, row), shape in zip(frame.head(most).iterrows(), shapes, strict=True):
        found = {
            str(key): _plain(value)
            for key, value in row.items()
            if key != frame.geometry.name and not _absent(value)
        }
        if shape is None or shape.is_empty:
            found["geometry"] = "empty"
        elif shape.geom_type == "Point":
            found["lon"], found["lat"] = round(shape.x, 6), round(shape.y, 6)
        else:
            found["bounds"] = [round(float(value), 6) for value in shape.bounds]
        rows.append(found)
    return rows


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return value if isinstance(value, str | int | bool) else str(value)


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or str(value) in ("NaT", "<NA>")
