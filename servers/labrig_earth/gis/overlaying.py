"""Layers laid over each other: intersection, union, difference; and what of a layer a hazard touches."""

from __future__ import annotations

from typing import Any, Literal

from labrig.answer import Quantity
from labrig.errors import unknown_name
from labrig_earth.gis.features import WGS84, Features, table_of
from labrig_earth.gis.measuring import ELLIPSOID, area_m2, in_plane, length_m, measures
from labrig_earth.results import Result

How = Literal["intersection", "union", "difference", "symmetric_difference"]
HOWS: tuple[How, ...] = ("intersection", "union", "difference", "symmetric_difference")
_SAID = {
    "intersection": "what {0} and {1} have in common",
    "union": "{0} and {1} together, cut where they cross",
    "difference": "{0} without {1}",
    "symmetric_difference": "what lies in one of {0} and {1} alone",
}


def overlay(first: Features, second: Features, how: str) -> tuple[Result, Any]:
    """Return two layers laid over each other, with the attributes of both.

    Parameters
    ----------
    how
        One of `HOWS`; ``difference`` is the first without the second. Union and symmetric difference are of polygons.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The frame in the system of the first layer, with its `measures`.
    """
    import geopandas as gpd

    if how not in HOWS:
        raise unknown_name("overlay", how, HOWS, where="how")
    left, right = first.frame, second.to(first.frame.crs)
    warnings = [*first.warnings, *second.warnings]
    found = gpd.overlay(left, right, how=how, keep_geom_type=True)
    found = found[~found.geometry.is_empty].reset_index(drop=True)
    if how == "intersection" and not len(found):
        warnings.append(_apart(left, right, first.name, second.name))
    if how == "intersection" and set(left.geom_type) <= {"Point"}:
        warnings += _doubled(left, right, second.name)
    if how == "difference" and not len(found):
        warnings.append(
            f"nothing of {first.name} lies outside {second.name}; the other order is another question"
        )
    values, doubts = measures(found, like=left)
    result = Result(
        method=f"{_SAID[how].format(first.name, second.name)}, in {first.crs_text} with straight edges there",
        values=(Quantity("features", len(found), "1"), *values),
        data={"rows": table_of(found)} if len(found) else {},
        assumed=(*first.assumed, *second.assumed),
        warnings=(*warnings, *doubts),
        crs=first.crs_text,
        source=f"{first.name}, {second.name}",
    )
    return result, found


def _doubled(points: Any, right: Any, name: str) -> list[str]:
    """Return a warning of points that lie in several features, as on the edge of two districts."""
    import geopandas as gpd

    rows = gpd.sjoin(points, right[[right.geometry.name]], predicate="intersects").index
    several = rows[rows.duplicated()].unique()
    if not len(several):
        return []
    return [
        f"{len(several)} points lie in or on the edge of several features of {name} and stand once for each: "
        f"{len(rows)} rows of {rows.nunique()} points"
    ]


def expose(features: Features, hazard: Features, *, sums: tuple[str, ...] = ()) -> tuple[Result, Any]:
    """Return what of a layer a hazard touches: how many features, and which length or area lies in it.

    Parameters
    ----------
    hazard
        Polygons.
    sums
        Attributes to add up over the features that are touched, each taken whole: residents, say.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The features that are touched, whole, with ``inside_m``, ``inside_m2`` and ``inside_part`` (0 to 1): how much of
        each lies in the hazard.
    """
    frame, zone = features.frame, hazard.to(features.frame.crs)
    area = zone[zone.geometry.geom_type.isin(("Polygon", "MultiPolygon"))].geometry.union_all()
    touched = frame[frame.geometry.intersects(area)].reset_index(drop=True)
    warnings = [*features.warnings, *hazard.warnings]
    values = [
        Quantity("features touched", len(touched), "1", f"of {len(frame)}"),
        Quantity("share of features", round(len(touched) / len(frame), 6) if len(frame) else None, "1"),
    ]
    cut = touched.geometry.intersection(area)
    inside, whole = cut.to_crs(WGS84), touched.geometry.to_crs(WGS84)
    edged = int(touched.geometry.touches(area).sum())
    if edged:
        warnings.append(f"{edged} of these features touch the hazard at its edge alone")
    for kind, measure, unit, column in (
        ("Line", length_m, "m", "inside_m"),
        ("Polygon", area_m2, "m2", "inside_m2"),
    ):
        of_kind = whole.geom_type.str.contains(kind)
        if not of_kind.any():
            continue
        amounts = [measure(each) for each in inside[of_kind]]
        touched.loc[of_kind, column] = amounts
        touched.loc[of_kind, "inside_part"] = [
            amount / measure(each) for amount, each in zip(amounts, whole[of_kind], strict=True)
        ]
        name = "length inside" if kind == "Line" else "area inside"
        values.append(Quantity(name, round(sum(amounts), 2), unit, ELLIPSOID))
        values += in_plane(cut[of_kind], values[-1])
    for name in sums:
        if name not in frame.columns:
            raise unknown_name("attribute", name, [str(each) for each in frame.columns], where="sums")
        total = float(frame[name].sum())
        values.append(
            Quantity(
                f"{name} of features touched",
                float(touched[name].sum()),
                "",
                f"of {total:g}, each taken whole",
            )
        )
    if not len(touched):
        warnings.append(_apart(frame, zone, features.name, hazard.name))
    result = Result(
        method="features that touch the hazard; parts inside cut in "
        f"{features.crs_text} and measured on the ellipsoid",
        values=tuple(values),
        data={"rows": table_of(touched)} if len(touched) else {},
        assumed=(*features.assumed, *hazard.assumed),
        warnings=tuple(warnings),
        crs=features.crs_text,
        source=f"{features.name}, {hazard.name}",
    )
    return result, touched


def _apart(left: Any, right: Any, first: str, second: str) -> str:
    """Return what to say of layers that have nothing in common."""
    boxes = [
        f"{name} covers {west:.4f} to {east:.4f} E, {south:.4f} to {north:.4f} N"
        for name, (west, south, east, north) in (
            (first, left.to_crs(WGS84).total_bounds),
            (second, right.to_crs(WGS84).total_bounds),
        )
    ]
    return "they have nothing in common: " + "; ".join(boxes)
