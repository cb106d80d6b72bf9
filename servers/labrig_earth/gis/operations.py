"""The tool ``gis``: one operation for each thing that can be done with layers and streets.

Inputs by role: ``data`` (the layer or the OSM file), ``other`` (a second layer: hazard, closures, what is touched).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.gis.boxes import check_box
from labrig_earth.gis.features import Features, read_features, write_features
from labrig_earth.gis.measuring import buffer, distance, measure, nearest
from labrig_earth.gis.overlaying import expose, overlay
from labrig_earth.gis.querying import query
from labrig_earth.gis.routing import Network, reach, read_network, route
from labrig_earth.results import Result
from labrig_earth.work.calls import Call, Operation


def gis_query(call: Call) -> Result:
    """Features by ``where``, ``bbox``, ``region``, or another layer; ``layer``, ``crs``, ``most``."""
    where: Mapping[str, Any] = call.argument("where", {})
    box = call.argument("bbox")
    features = _layer(call, "data", tuple(where))
    touching = _layer(call, "other") if call.optional("other") else None
    result, frame = query(
        features,
        where=where,
        box=None if box is None else check_box(box),
        region=call.argument("region", ""),
        touching=touching,
        most=int(call.argument("most", 20)),
    )
    return _kept(call, result, frame)


def gis_measure(call: Call) -> Result:
    """Number, length and area of a layer; ``where``."""
    return measure(_chosen(call, "data"))


def gis_distance(call: Call) -> Result:
    """Distance between two points; ``start``, ``end`` as (lon, lat)."""
    return distance(_given(call, "start"), _given(call, "end"))


def gis_buffer(call: Call) -> Result:
    """A layer widened; ``size``, ``unit`` (m, km), ``dissolve``, ``where``."""
    size = float(_given(call, "size"))
    unit = str(call.argument("unit", "m"))
    result, frame = buffer(_chosen(call, "data"), size, unit, dissolve=bool(call.argument("dissolve", False)))
    return _kept(call, result, frame)


def gis_nearest(call: Call) -> Result:
    """The nearest feature of another layer; ``where``, ``other_where``, ``within_m``."""
    result, frame = nearest(
        _chosen(call, "data"), _chosen(call, "other", "other_where"), within_m=call.argument("within_m")
    )
    return _kept(call, result, frame)


def gis_overlay(call: Call) -> Result:
    """Two layers laid over each other; ``how``, ``where``, ``other_where``."""
    how = str(call.argument("how", "intersection"))
    result, frame = overlay(_chosen(call, "data"), _chosen(call, "other", "other_where"), how)
    return _kept(call, result, frame)


def gis_expose(call: Call) -> Result:
    """What of a layer a hazard touches; ``sums``, ``where``."""
    sums = tuple(str(name) for name in call.argument("sums", ()))
    result, frame = expose(_chosen(call, "data"), _chosen(call, "other", "other_where"), sums=sums)
    return _kept(call, result, frame)


def gis_route(call: Call) -> Result:
    """A route; ``start``, ``end`` (lon, lat), ``by``, ``mode``, ``speeds``; ``other`` closes streets."""
    closed = _chosen(call, "other", "other_where") if call.optional("other") else None
    by = str(call.argument("by", "time"))
    result, frame = route(_network(call), _given(call, "start"), _given(call, "end"), by=by, closed=closed)
    return _kept(call, result, frame)


def gis_reach(call: Call) -> Result:
    """What is reached in a time; ``start`` (lon, lat), ``minutes``, ``mode``, ``speeds``; ``other`` closes."""
    closed = _chosen(call, "other", "other_where") if call.optional("other") else None
    result, frame = reach(
        _network(call), _given(call, "start"), float(_given(call, "minutes")), closed=closed
    )
    return _kept(call, result, frame)


def _network(call: Call) -> Network:
    return read_network(
        call.input("data"),
        call.scratch,
        mode=str(call.argument("mode", "drive")),
        speeds=call.argument("speeds"),
    )


def _layer(call: Call, role: str, keys: tuple[str, ...] = ()) -> Features:
    first = role == "data"
    return read_features(
        call.input(role),
        layer=str(call.argument("layer" if first else "other_layer", "")),
        crs=str(call.argument("crs" if first else "other_crs", "")),
        keys=keys,
    )


def _chosen(call: Call, role: str, where_name: str = "where") -> Features:
    """Return a layer, or what of it meets the conditions."""
    from labrig_earth.gis.querying import select

    where: Mapping[str, Any] = call.argument(where_name, {})
    found = _layer(call, role, tuple(where))
    if where:
        found.frame = select(found, where).reset_index(drop=True)
    return found


def _given(call: Call, name: str) -> Any:
    value = call.argument(name)
    if value is None:
        raise LabrigError(f"{name} is missing", where=name, expected=f"{name}=...")
    return value


def _kept(call: Call, result: Result, frame: Any) -> Result:
    """Write the features that were found, if there are any."""
    if not len(frame):
        return result
    return replace(result, files=(*result.files, write_features(frame, call.scratch, "features.gpkg")))


OPERATIONS: Mapping[str, Operation] = {
    "gis_query": gis_query,
    "gis_measure": gis_measure,
    "gis_distance": gis_distance,
    "gis_buffer": gis_buffer,
    "gis_nearest": gis_nearest,
    "gis_overlay": gis_overlay,
    "gis_expose": gis_expose,
    "gis_route": gis_route,
    "gis_reach": gis_reach,
}
