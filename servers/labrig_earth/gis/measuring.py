"""Distance, length and area on the WGS 84 ellipsoid, in the plane of the layer, in space; buffers; neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig_earth.gis.features import WGS84, Features, checked, crs_text, table_of
from labrig_earth.results import Result

ELLIPSOID = "on the ellipsoid"
LINES, POLYGONS = ("LineString", "MultiLineString"), ("Polygon", "MultiPolygon")
METRES = ("metre", "meter", "m", "metres")
KILOMETRES = ("kilometre", "kilometer", "km", "kilometres")
_DENSE = 0.1
"""Degrees: an edge that is straight on the map is cut into pieces of this length, so that geodesics follow it."""


def ellipsoid() -> Any:
    """Return the WGS 84 ellipsoid of pyproj, with geodesics of Karney (2013, doi:10.1007/s00190-012-0578-z)."""
    from pyproj import Geod

    return Geod(ellps="WGS84")


def area_m2(shape: Any) -> float:
    """Return the area of a geometry in degrees (lon, lat) on the ellipsoid, in square metres; holes are taken off."""
    from shapely import segmentize
    from shapely.geometry.polygon import orient

    ground, total = ellipsoid(), 0.0
    for part in _polygons(shape):
        total += abs(ground.geometry_area_perimeter(orient(segmentize(part, _DENSE)))[0])
    return total


def length_m(shape: Any) -> float:
    """Return the length of lines, or the perimeter of polygons, in degrees (lon, lat) on the ellipsoid, in metres."""
    from shapely import segmentize

    return float(ellipsoid().geometry_length(segmentize(shape, _DENSE)))


PLANE_DIFFERS = 0.01
"""Part by which a measure in the plane may differ from that on the ellipsoid before it is a warning."""


MOST_UNITED = 20_000
"""Polygons up to this number are united, to see how much ground they cover once."""


def measures(frame: Any, like: Any = None) -> tuple[list[Quantity], list[str]]:
    """Return length and area on the ellipsoid, in the plane of the layer and, with heights, in space; and warnings.

    Parameters
    ----------
    like
        Frame whose kinds of geometry a result would have: of no features at all length and area are 0.
    """
    found = measured(frame)
    if not len(frame) and like is not None:
        kinds = set(like.geom_type)
        names = {"length": ("m", LINES), "area": ("m2", POLYGONS)}
        found = [
            Quantity(name, 0.0, unit, ELLIPSOID) for name, (unit, of) in names.items() if kinds & set(of)
        ]
    others, doubts = _beside(frame, found)
    once, doubled = _covered(frame)
    return [*found, *others, *once], [*doubts, *doubled]


def _covered(frame: Any) -> tuple[list[Quantity], list[str]]:
    """Return the ground that polygons cover, each part of it once, where they overlap."""
    import geopandas as gpd
    from shapely import area

    shapes = frame.geometry[frame.geom_type.isin(POLYGONS)] if len(frame) else frame.geometry
    if not 1 < len(shapes) <= MOST_UNITED:
        return [], []
    whole = shapes.union_all()
    if whole.area > area(shapes.values).sum() * (1 - 1e-9):
        return [], []
    ground = gpd.GeoDataFrame(geometry=[whole], crs=frame.crs)
    on_ellipsoid = measured(ground)
    values = [*on_ellipsoid, *_beside(ground, on_ellipsoid)[0]]
    named = [
        replace(each, name=each.name.replace("area", "area covered"), note=_once(each.note))
        for each in values
    ]
    return named, ["polygons overlap: their area counts common ground more than once, area covered once"]


def _once(note: str) -> str:
    return note.replace("overlaps count twice", "common ground counts once")


def _beside(frame: Any, found: Sequence[Quantity]) -> tuple[list[Quantity], list[str]]:
    """Return the measures `found` on the ellipsoid in the plane and in space, and warnings where they disagree."""
    values, warnings = [], []
    for each in found:
        for plane in in_plane(frame.geometry, each):
            values.append(plane)
            off = float(plane.value or 0) / float(each.value) - 1 if each.value else 0.0
            if abs(off) > PLANE_DIFFERS:
                warnings.append(f"the {plane.name} {plane.note} differs by {off:+.1%} from the ellipsoid's")
    if heights := _with_heights(frame):
        where = "geodesics" if frame.crs.is_geographic else f"the plane of {crs_text(frame.crs)}"
        note = f"{where} and the heights (Z) of the lines, taken for {_height_unit(frame.crs)}"
        values.append(Quantity("length in space", _rounded(heights), "m", note))
        flat = sum(float(each.value or 0) for each in found if each.name == "length")
        if heights > flat * (1 + PLANE_DIFFERS):
            warnings.append(
                f"lines that rise and fall have {heights:,.2f} m in space, {flat:,.2f} m on the ellipsoid"
            )
    return values, warnings


def in_plane(shapes: Any, found: Quantity) -> list[Quantity]:
    """Return a length or area of shapes in the plane of their system, in metres; nothing where it has degrees."""
    if shapes.crs.is_geographic:
        return []
    metre = shapes.crs.axis_info[0].unit_conversion_factor
    areas = "area" in found.name
    plane = (
        shapes.area.sum() * metre**2 if areas else shapes[shapes.geom_type.isin(LINES)].length.sum() * metre
    )
    return [Quantity(f"{found.name} in the plane", _rounded(plane), found.unit, f"of {crs_text(shapes.crs)}")]


def _with_heights(frame: Any) -> float:
    """Return the length of lines in space, in metres; 0 where no line has heights."""
    shapes = frame.geometry
    lines = shapes[shapes.geom_type.isin(LINES) & shapes.has_z]
    return float(
        sum(_space_length(part, frame.crs) for line in lines for part in getattr(line, "geoms", [line]))
    )


def _space_length(line: Any, crs: Any) -> float:
    import numpy as np
    from shapely import get_coordinates

    x, y, height = get_coordinates(line, include_z=True).T
    rise = np.nan_to_num(np.diff(height))
    if crs.is_geographic:
        return float(np.hypot(ellipsoid().inv(x[:-1], y[:-1], x[1:], y[1:])[2], rise).sum())
    return float(
        np.sqrt(np.diff(x) ** 2 + np.diff(y) ** 2 + rise**2).sum() * crs.axis_info[0].unit_conversion_factor
    )


def _height_unit(crs: Any) -> str:
    """Return the unit of heights: that of the plane, as surveys have it; metres beside degrees."""
    return "metre" if crs.is_geographic else str(crs.axis_info[0].unit_name)


def measured(frame: Any) -> list[Quantity]:
    """Return the length of all lines and the area of all polygons of a frame, where it has any."""
    shapes = frame.to_crs(WGS84).geometry if len(frame) else ()
    lines = [each for each in shapes if each.geom_type in LINES]
    polygons = [each for each in shapes if any(True for _ in _polygons(each))]
    found = []
    if lines:
        found.append(Quantity("length", _rounded(sum(map(length_m, lines))), "m", ELLIPSOID))
    if polygons:
        found.append(
            Quantity(
                "area", _rounded(sum(map(area_m2, polygons))), "m2", f"{ELLIPSOID}; overlaps count twice"
            )
        )
    return found


def measure(features: Features) -> Result:
    """Return the number of features of a layer, and its `measures`; each feature in the table."""
    frame = features.to(WGS84)
    found, doubts = measures(features.frame)
    rows = table_of(frame, 50)
    for row, shape in zip(rows, frame.geometry.head(50), strict=True):
        if any(True for _ in _polygons(shape)):
            row["area_m2"] = _rounded(area_m2(shape))
            row["perimeter_m"] = _rounded(length_m(shape))
        elif "Line" in shape.geom_type:
            row["length_m"] = _rounded(length_m(shape))
    return Result(
        method=f"geodesics on the WGS 84 ellipsoid; edges straight in the map, in pieces of at most {_DENSE} degrees",
        values=(Quantity("features", len(frame), "1"), *found),
        data={"rows": rows},
        assumed=tuple(features.assumed),
        warnings=(*features.warnings, *doubts),
        crs=features.crs_text,
        source=features.name,
    )


def distance(start: Sequence[float], end: Sequence[float]) -> Result:
    """Return the distance between two points on the ellipsoid.

    Parameters
    ----------
    start, end
        (lon, lat) in degrees.
    """
    first, second = check_point(start, "start"), check_point(end, "end")
    forward, _, metres = ellipsoid().inv(*first, *second)
    return Result(
        method="geodesic on the WGS 84 ellipsoid",
        values=(
            Quantity("distance", _rounded(metres, 3), "m"),
            Quantity("azimuth at the start", _rounded(forward % 360, 6), "degree", "clockwise from north"),
        ),
        crs=WGS84,
        assumed=("points are (lon, lat)",),
    )


def check_point(point: Sequence[float], where: str) -> tuple[float, float]:
    """Return (lon, lat) that can be; LabrigError for swapped coordinates and other things."""
    expected = "(lon, lat) in degrees"
    try:
        lon, lat = (float(value) for value in point)
    except (TypeError, ValueError):
        raise LabrigError("A point has two numbers", where=where, expected=expected) from None
    if abs(lat) > 90 and abs(lon) <= 90:
        raise LabrigError(
            f"A latitude of {lat:g} cannot be", where=where, expected=expected, try_=f"[{lat:g}, {lon:g}]"
        )
    if not (abs(lat) <= 90 and abs(lon) <= 360):
        raise LabrigError(f"{list(point)} is no point in degrees", where=where, expected=expected)
    return lon, lat


def one_point(point: Sequence[float], where: str) -> Features:
    """Return a layer of one point; `where` names it."""
    import geopandas as gpd
    from shapely import Point

    place = Point(*check_point(point, where))
    return Features(gpd.GeoDataFrame(geometry=[place], crs=WGS84), where, ["points are (lon, lat)"])


def buffer(features: Features, size: float, unit: str, *, dissolve: bool = False) -> tuple[Result, Any]:
    """Return a layer widened (or, with a negative size, narrowed) by a distance.

    Parameters
    ----------
    size, unit
        In metres or kilometres; degrees are no distance and are refused.
    dissolve
        Whether buffers that touch become one.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The frame in the system of the layer.

    Raises
    ------
    LabrigError
        ``bad_input`` for another unit.
    """
    import geopandas as gpd
    import pandas as pd

    metres = in_metres(size, unit)
    frame = features.frame
    if not len(frame):
        raise LabrigError(
            f"{features.name} has no features", where=features.name, try_="another where", code="not_found"
        )
    parts = []
    worst = 0.0
    for crs, group in _by_zone(frame):
        projected = frame.loc[group].to_crs(crs)
        scale, error = _scales(crs, frame.loc[group].to_crs(WGS84).geometry)
        worst = max(worst, error)
        projected = projected.set_geometry(projected.geometry.buffer(metres * scale, quad_segs=32))
        parts.append(projected.to_crs(WGS84))
    zones = sorted({crs_text(part_crs) for part_crs, _ in _by_zone(frame)})
    wide = pd.concat(parts).sort_index()
    wide = gpd.GeoDataFrame(
        wide, geometry="geometry" if "geometry" in wide else frame.geometry.name, crs=WGS84
    )
    warnings = list(features.warnings)
    gone = wide.geometry.is_empty
    if gone.any():
        warnings.append(f"{int(gone.sum())} features are too narrow and vanish")
        wide = wide[~gone]
    if worst > 0.002:
        warnings.append(f"distances are wrong by up to {worst:.1%}, since features are large")
    if dissolve and len(wide):
        whole = wide.geometry.union_all()
        wide = gpd.GeoDataFrame(geometry=[whole], crs=WGS84).explode(ignore_index=True)
    wide = checked(wide.reset_index(drop=True), "the buffers").frame
    result = Result(
        method=f"buffer of {metres:g} m in {', '.join(zones[:4])}{' and others' if len(zones) > 4 else ''}, "
        "with its scale at each feature, circles of 128 corners; area on the ellipsoid",
        values=(Quantity("features", len(wide), "1"), *measured(wide)),
        assumed=(
            *features.assumed,
            f"the scale varies within a feature by at most {max(worst, 1e-4):.2%}",
        ),
        warnings=tuple(warnings),
        crs=features.crs_text,
        source=features.name,
    )
    return result, wide.to_crs(frame.crs)


def in_metres(size: float, unit: str) -> float:
    """Return a distance in metres; LabrigError for degrees and unknown units."""
    if unit.casefold() in METRES:
        return float(size)
    if unit.casefold() in KILOMETRES:
        return 1000.0 * size
    degrees = unit.casefold().startswith(("deg", "°"))
    raise LabrigError(
        "A degree is no distance: of longitude it is 111 km at the equator and nothing at the pole"
        if degrees
        else f"{unit!r} is no unit of distance here",
        where="unit",
        expected="m or km",
        try_="give the distance in metres",
    )


def nearest(features: Features, others: Features, *, within_m: float | None = None) -> tuple[Result, Any]:
    """Return for each feature the nearest one of another layer and the distance to it on the ellipsoid.

    Of one layer and itself, a feature is not its own neighbour, nor is another of the same shape.

    Parameters
    ----------
    within_m
        Farther ones are not taken.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The features with the columns of the nearest (``nearest_...``) and ``distance_m``.
    """
    import geopandas as gpd
    from shapely import get_coordinates, shortest_line

    if not len(features.frame) or not len(others.frame):
        empty = features if not len(features.frame) else others
        raise LabrigError(
            f"{empty.name} has no features", where=empty.name, try_="widen the query", code="not_found"
        )
    first = features.to(WGS84)
    crs = first.estimate_utm_crs()
    left, right = first.to_crs(crs), others.to(WGS84).to_crs(crs)  # by one way, so that equals stay equal
    names = {name: f"nearest_{name}" for name in right.columns if name != right.geometry.name}
    right = right.rename(columns=names)
    itself = features.name == others.name
    found = gpd.sjoin_nearest(
        left, right, max_distance=within_m * 1.01 if within_m else None, exclusive=itself
    )
    found = found[~found.index.duplicated()]  # of several at one distance the first
    partners = right.geometry.loc[found["index_right"]]
    lines = gpd.GeoSeries(
        shortest_line(found.geometry.values, partners.values), index=found.index, crs=crs
    ).to_crs(WGS84)
    ends = get_coordinates(lines.values).reshape(-1, 4)
    found = found.drop(columns="index_right")
    found["distance_m"] = ellipsoid().inv(*ends.T)[2]
    if within_m is not None:
        found = found[found["distance_m"] <= within_m]
    scales, _ = _scales(crs, first.geometry)
    worst = float(abs(scales - 1).max())
    warnings = [*features.warnings, *others.warnings]
    if worst > 0.01:
        warnings.append(
            f"neighbours were compared in {crs_text(crs)}, whose scale is wrong by up to {worst:.1%} here"
        )
    values = [Quantity("features", len(found), "1", "with a nearest one")]
    if len(found):
        column = found["distance_m"]
        values += [
            Quantity(f"{word} distance", _rounded(float(number), 3), "m")
            for word, number in (("least", column.min()), ("mean", column.mean()), ("greatest", column.max()))
        ]
    if len(found) < len(first):
        warnings.append(f"{len(first) - len(found)} features have none within {within_m:g} m")
    result = Result(
        method=f"nearest {'other ' * itself}in {crs_text(crs)}, distance on the ellipsoid between the nearest points",
        values=tuple(values),
        data={"rows": table_of(found.sort_values("distance_m"), 20)} if len(found) else {},
        assumed=(*features.assumed, *others.assumed),
        warnings=tuple(warnings),
        crs=features.crs_text,
        source=f"{features.name}, {others.name}",
    )
    return result, found.to_crs(features.frame.crs)


def _by_zone(frame: Any) -> list[tuple[Any, Any]]:
    """Return the index of features by the UTM (beyond 84 N and 80 S: UPS) system of their middle."""
    import numpy as np
    from pyproj import CRS

    if not len(frame):
        return []
    points = frame.to_crs(WGS84).geometry.representative_point()
    lon, lat = points.x.to_numpy(), points.y.to_numpy()
    one = frame.estimate_utm_crs() if np.ptp(lon) < 6 and np.abs(lat).max() < 80 else None
    if one is not None:
        return [(one, frame.index)]
    zone = np.clip((lon + 180) // 6 + 1, 1, 60).astype(int)
    code = np.where(lat >= 0, 32600, 32700) + zone
    code = np.where(lat > 84, 32661, np.where(lat < -80, 32761, code))
    return [(CRS.from_epsg(int(each)), frame.index[code == each]) for each in np.unique(code)]


def _scales(crs: Any, shapes: Any) -> tuple[Any, float]:
    """Return the scale of a conformal projection in the middle of each shape, and how far it differs in one, at most.

    Parameters
    ----------
    shapes
        GeoSeries in degrees.
    """
    import numpy as np
    from pyproj import Proj

    west, south, east, north = shapes.bounds.to_numpy().T
    projection = Proj(crs)

    def scale(lon: Any, lat: Any) -> Any:
        return projection.get_factors(lon, np.clip(lat, -89.9999, 89.9999)).meridional_scale

    middle = scale((west + east) / 2, (south + north) / 2)
    corners = np.array([scale(lon, lat) for lon in (west, east) for lat in (south, north)])
    worst = np.abs(corners / middle - 1)
    middle = np.where(np.isfinite(middle), middle, 1.0)
    return middle, float(worst[np.isfinite(worst)].max(initial=0.0))


def _polygons(shape: Any) -> Any:
    """Yield the polygons of a geometry."""
    if shape.geom_type == "Polygon":
        yield shape
    for part in getattr(shape, "geoms", ()):
        yield from _polygons(part)


def _rounded(value: float, digits: int = 2) -> float:
    return round(float(value), digits)
