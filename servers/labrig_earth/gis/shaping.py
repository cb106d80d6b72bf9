"""Layers made of layers: features dissolved, hulls, points of features, Voronoi cells, polygons of their corners."""

from __future__ import annotations

from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.features import Features, checked, crs_text, table_of
from labrig_earth.gis.measuring import POLYGONS, measures
from labrig_earth.results import Result

SAID = {
    "dissolve": "features united, so that common ground counts once",
    "hull": "convex hulls",
    "centroid": "centres of mass, which may lie outside of what they are of",
    "point": "a point inside each feature (on its surface)",
    "polygon": "polygons whose corners are the points, in their order",
    "line": "lines through the points, in their order",
    "voronoi": "Voronoi (Thiessen) cells: what is nearer to a point than to any other",
}


def shape(
    features: Features, kind: str, *, by: str = "", order: str = "", area: Features | None = None
) -> tuple[Result, Any]:
    """Return a layer made of another, with its `measures`.

    Parameters
    ----------
    kind
        One of `SAID`; in the plane of the layer, of degrees in the UTM zone of the place.
    by
        Column of whose values each makes one feature (dissolve, hull, polygon, line); by default all make one, but
        each line and polygon has its own hull.
    order
        Column that orders the corners of polygons and lines; by default they are in the order of the file.
    area
        What Voronoi cells cover, and are cut to where it has polygons; by default the extent of the points.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The frame in the system of the layer.
    """
    if kind not in SAID:
        raise unknown_name("shape", kind, tuple(SAID), where="shape")
    frame = features.frame
    if not len(frame):
        raise LabrigError(f"{features.name} has no features", where=features.name, code="not_found")
    for name in filter(None, (by, order)):
        if name not in frame.columns:
            raise unknown_name("attribute", name, [str(each) for each in frame.columns], where="by, order")
    assumed, warnings = list(features.assumed), list(features.warnings)
    plane = frame
    if frame.crs.is_geographic and kind in ("centroid", "voronoi"):
        plane = frame.to_crs(frame.estimate_utm_crs())
        assumed.append(f"in the plane of {crs_text(plane.crs)}")
    if kind == "voronoi":
        found = _voronoi(plane, features.name, area, warnings)
    elif kind in ("polygon", "line"):
        found = _through_points(plane, kind, by, order, features.name)
    elif kind == "dissolve" or (kind == "hull" and (by or set(frame.geom_type) == {"Point"})):
        found = plane.dissolve(by=by or None).reset_index(drop=not by)
        found = found[[by, found.geometry.name] if by else [found.geometry.name]]
    else:
        found = plane
    if kind in ("hull", "centroid", "point"):
        made = {"hull": "convex_hull", "centroid": "centroid"}
        points = (
            found.geometry.representative_point() if kind == "point" else getattr(found.geometry, made[kind])
        )
        if kind == "centroid":
            _warn_of_outside(points, found, warnings)
        found = found.set_geometry(points)
    made_layer = checked(found.to_crs(frame.crs).reset_index(drop=True), f"the result of {features.name}")
    values, doubts = measures(made_layer.frame)
    result = Result(
        method=SAID[kind],
        values=(Quantity("features", len(made_layer.frame), "1"), *values),
        data={"rows": table_of(made_layer.frame)},
        assumed=(*assumed, *made_layer.assumed),
        warnings=(*warnings, *made_layer.warnings, *doubts),
        crs=features.crs_text,
        source=features.name if area is None else f"{features.name}, {area.name}",
    )
    return result, made_layer.frame


def _warn_of_outside(points: Any, frame: Any, warnings: list[str]) -> None:
    outside = int((frame.geom_type.isin(POLYGONS) & ~frame.geometry.covers(points)).sum())
    if outside:
        warnings.append(
            f"{outside} centres of mass lie outside of their features; shape=point gives points inside"
        )


def _points_alone(frame: Any, name: str) -> Any:
    others = set(frame.geom_type) - {"Point"}
    if others:
        raise LabrigError(
            f"{name} has {', '.join(sorted(others))}",
            where=name,
            expected="points",
            try_="shape=point makes them",
        )
    return frame


def _voronoi(frame: Any, name: str, area: Features | None, warnings: list[str]) -> Any:
    """Return the cell of each point with the attributes of that point, found by where it lies and not by its place."""
    import geopandas as gpd
    from shapely import voronoi_polygons

    points = _points_alone(frame, name)
    distinct = points[~points.geometry.duplicated()]
    if len(distinct) < len(points):
        warnings.append(f"{len(points) - len(distinct)} points stand where another does, and were left out")
    if len(distinct) < 2:
        raise LabrigError(f"{name} has one place", where=name, expected="two points or more")
    ground = None if area is None else area.to(frame.crs).geometry.union_all()
    if area is not None and ground is not None and not ground.area:
        warnings.append(f"{area.name} has no polygons: the cells reach it, and nothing cuts them")
    cells = voronoi_polygons(distinct.geometry.union_all(), extend_to=ground)
    cells = gpd.GeoDataFrame(geometry=list(cells.geoms), crs=frame.crs)
    found = gpd.sjoin(cells, distinct, predicate="intersects").drop(columns="index_right")
    if ground is None or not ground.area:
        return found
    found = found.set_geometry(found.geometry.intersection(ground))
    return found[~found.geometry.is_empty]


def _through_points(frame: Any, kind: str, by: str, order: str, name: str) -> Any:
    """Return polygons or lines through points, one for each value of a column or one in all."""
    import geopandas as gpd
    from shapely import LineString, Polygon

    points = _points_alone(frame.sort_values(order, kind="stable") if order else frame, name)
    groups = points.groupby(by, sort=False) if by else [("", points)]
    least = 3 if kind == "polygon" else 2
    rows = []
    for label, group in groups:
        corners = list(group.geometry)
        if len({corner.wkb for corner in corners}) < least:
            raise LabrigError(
                f"{label or name} has {len(corners)} points", where=name, expected=f"{least} places or more"
            )
        made = Polygon(corners) if kind == "polygon" else LineString(corners)
        rows.append({**({by: label} if by else {}), "geometry": made})
    return gpd.GeoDataFrame(rows, geometry="geometry", crs=frame.crs)
