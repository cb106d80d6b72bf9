"""Features by their attributes, in a box, a region or another layer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.boxes import box_shape
from labrig_earth.gis.features import WGS84, Features, table_of
from labrig_earth.gis.measuring import measures
from labrig_earth.natural_earth.regions import resolve_region
from labrig_earth.results import Result

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}
WHERE = (
    "{'amenity': 'hospital'}, {'use': ['a', 'b']}, {'floors': {'>=': 3}} or {'building': true} (any value)"
)


def query(
    features: Features,
    *,
    where: Mapping[str, Any] | None = None,
    box: Sequence[float] | None = None,
    region: str = "",
    touching: Features | None = None,
    most: int = 20,
) -> tuple[Result, Any]:
    """Return how many features there are, their first rows, and how long or large they are together.

    Parameters
    ----------
    where
        Conditions on attributes, all of which hold: `WHERE`.
    box
        (west, south, east, north) in degrees; features that touch it are taken, whole.
    region
        Name of a country, continent or subregion, which features touch.
    touching
        Another layer, which features touch.
    most
        Rows in the result.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        The frame has all features that were found, in the system of the layer.
    """
    frame = select(features, where or {})
    assumed: list[str] = list(features.assumed)
    warnings = list(features.warnings)
    steps = ["features" + (" with the attributes" if where else "")]
    if box is not None:
        frame = frame[_touches(frame, box_shape(box))]
        steps.append("that touch the box")
    if region:
        place = resolve_region(region)
        frame = frame[_touches(frame, place.geometry)]
        steps.append(f"that touch {place.name} ({place.source}, 1:{place.scale})")
        warnings += [f"{place.name}: {note}" for note in place.notes]
    if touching is not None:
        other = touching.to(frame.crs).geometry.union_all()
        frame = frame[frame.geometry.intersects(other)]
        steps.append(f"that touch {touching.name}")
        edged = int(frame.geometry.touches(other).sum())
        if edged:
            warnings.append(
                f"{edged} of them touch {touching.name} at an edge or corner alone, and lie outside of it"
            )
        assumed, warnings = [*assumed, *touching.assumed], [*warnings, *touching.warnings]
    frame = frame.reset_index(drop=True)
    if not len(frame):
        warnings.append(_why_none(features, box))
    found, doubts = measures(frame)
    values = [Quantity("features", len(frame), "1"), *found]
    data: dict[str, Any] = {
        "columns": [str(name) for name in frame.columns if name != frame.geometry.name][:60]
    }
    if len(frame):
        data["bounds"] = [round(float(value), 6) for value in frame.to_crs(WGS84).total_bounds]
        data["rows"] = table_of(frame, most)
    result = Result(
        method=" ".join(steps),
        values=tuple(values),
        data=data,
        assumed=tuple(assumed),
        warnings=(*warnings, *doubts),
        crs=features.crs_text,
        source=features.name,
    )
    return result, frame


def select(features: Features, where: Mapping[str, Any]) -> Any:
    """Return the features whose attributes meet all conditions.

    Raises
    ------
    LabrigError
        ``not_found`` for an attribute that no feature has; ``bad_input`` for a condition that cannot be read.
    """
    frame = features.frame
    for name, wanted in where.items():
        if name not in frame.columns:
            if not len(frame):
                return frame
            raise unknown_name(
                "attribute", str(name), [str(each) for each in frame.columns], where=features.name
            )
        frame = frame[_meets(frame[name], wanted, str(name))]
    return frame


def _meets(column: Any, wanted: Any, name: str) -> Any:
    """Return which values of a column meet a condition."""
    import pandas as pd

    if wanted is True and column.dtype != bool:
        return column.notna()
    if isinstance(wanted, list | tuple):
        return _is_one_of(column, wanted)
    if isinstance(wanted, Mapping):
        fits = column.notna()
        for sign, limit in wanted.items():
            if sign not in COMPARE:
                raise unknown_name("comparison", str(sign), tuple(COMPARE), where=f"where, {name}")
            numbers = isinstance(limit, int | float) and not isinstance(limit, bool)
            values = pd.to_numeric(column, errors="coerce") if numbers else column.astype("string")
            fits &= COMPARE[sign](values, limit if numbers else str(limit)).fillna(False).astype(bool)
        return fits
    if isinstance(wanted, str | int | float | bool):
        return _is_one_of(column, [wanted])
    raise LabrigError(f"The condition on {name} cannot be read", where="where", expected=WHERE)


def _is_one_of(column: Any, wanted: Sequence[Any]) -> Any:
    """Return which values are one of several; a number may be written as text, in the column or in what is wanted."""
    import pandas as pd

    texts = [str(each) for each in wanted]
    fits = column.isin(list(wanted)) | column.astype("string").isin(texts)
    if pd.api.types.is_bool_dtype(column):
        return fits | column.astype("string").str.casefold().isin([each.casefold() for each in texts])
    if pd.api.types.is_numeric_dtype(column):
        return fits | column.isin(pd.to_numeric(pd.Series(texts), errors="coerce").dropna())
    return fits


def _touches(frame: Any, shape: Any) -> Any:
    """Return which features touch a shape in degrees."""
    return frame.to_crs(WGS84).geometry.intersects(shape)


def _why_none(features: Features, box: Sequence[float] | None) -> str:
    frame = features.frame
    if not len(frame):
        return f"{features.name} has no such feature"
    west, south, east, north = (float(value) for value in frame.to_crs(WGS84).total_bounds)
    beyond = f"; {features.name} covers {west:.4f} to {east:.4f} E and {south:.4f} to {north:.4f} N"
    return "no feature was found" + (beyond if box is not None else "")
