"""What the tools on layers and streets ask for: one operation for each thing that can be done with them.

Inputs by role: ``data`` (the layer or the OSM file), ``other`` (a second layer: hazard, closures, what is touched).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labrig_earth.data.opening import open_table
from labrig_earth.gis.boxes import check_box
from labrig_earth.gis.features import Features, read_features, write_features
from labrig_earth.gis.joining import join, summarise
from labrig_earth.gis.measuring import buffer, distance, measure, nearest, one_point
from labrig_earth.gis.overlaying import expose, overlay
from labrig_earth.gis.querying import query
from labrig_earth.gis.routing import Network, reach, read_network, route
from labrig_earth.gis.shaping import shape
from labrig_earth.results import Result
from labrig_earth.work.arguments import (
    count_of,
    flag_of,
    given,
    list_of,
    mapping_of,
    number_of,
    numbers_of,
    text_of,
)
from labrig_earth.work.calls import Call, Operation


def gis_query(call: Call) -> Result:
    """Features by ``where``, ``bbox``, ``region``, or another layer; ``layer``, ``crs``, ``most``."""
    where = mapping_of(call, "where")
    box = call.argument("bbox")
    features = _layer(call, "data", tuple(where))
    touching = _layer(call, "other") if call.optional("other") else None
    result, frame = query(
        features,
        where=where,
        box=None if box is None else check_box(box),
        region=text_of(call, "region"),
        touching=touching,
        most=count_of(call, "most", 20, high=200),
    )
    return _kept(call, result, frame)


def gis_measure(call: Call) -> Result:
    """Number, length and area of a layer; ``where``."""
    return measure(_chosen(call, "data"))


def gis_distance(call: Call) -> Result:
    """Distance between two points; ``start``, ``end`` as (lon, lat)."""
    return distance(given(call, "start"), given(call, "end"))


def gis_buffer(call: Call) -> Result:
    """A layer widened; ``size``, ``unit`` (m, km), ``dissolve``, ``where``."""
    given(call, "size")
    size, unit = number_of(call, "size", low=-1e7, high=1e7) or 0.0, text_of(call, "unit", "m")
    result, frame = buffer(_chosen(call, "data"), size, unit, dissolve=flag_of(call, "dissolve"))
    return _kept(call, result, frame)


def gis_nearest(call: Call) -> Result:
    """The nearest feature of another layer; ``where``, ``other_where``, ``within_m``; ``start``, ``end`` are points."""
    first = _chosen(call, "data") if call.optional("data") else one_point(given(call, "start"), "start")
    second = (
        _chosen(call, "other", "other_where")
        if call.optional("other")
        else one_point(given(call, "end"), "end")
    )
    result, frame = nearest(first, second, within_m=number_of(call, "within_m", low=0))
    return _kept(call, result, frame)


def gis_overlay(call: Call) -> Result:
    """Two layers laid over each other; ``how``, ``where``, ``other_where``."""
    how = text_of(call, "how", "intersection")
    result, frame = overlay(_chosen(call, "data"), _chosen(call, "other", "other_where"), how)
    return _kept(call, result, frame)


def gis_shape(call: Call) -> Result:
    """A layer made of another; ``shape``, ``by``, ``order``, ``where``; ``other`` is what Voronoi cells cover."""
    area = _chosen(call, "other", "other_where") if call.optional("other") else None
    kind, by, order = (text_of(call, name) for name in ("shape", "by", "order"))
    result, frame = shape(_chosen(call, "data"), kind, by=by, order=order, area=area)
    return _kept(call, result, frame)


def gis_join(call: Call) -> Result:
    """A table joined to a layer; ``key``, ``other_key``, ``sums``, ``where``."""
    given(call, "key")
    place = call.input("other")
    key, other_key = text_of(call, "key"), text_of(call, "other_key")
    sums = list_of(call, "sums", str, "names of columns")
    result, frame = join(_chosen(call, "data"), open_table(place), place.name, key, other_key, sums=sums)
    return _kept(call, result, frame)


def gis_summarise(call: Call) -> Result:
    """Columns of a table or layer added up and averaged; ``columns``, ``weight``, ``by``."""
    place = call.input("data")
    columns = list_of(call, "columns", str, "names of columns")
    return summarise(
        open_table(place, layer=text_of(call, "layer")),
        place.name,
        columns,
        weight=text_of(call, "weight"),
        by=text_of(call, "by"),
    )


def gis_expose(call: Call) -> Result:
    """What of a layer a hazard touches; ``sums``, ``where``."""
    sums = tuple(list_of(call, "sums", str, "names of columns"))
    result, frame = expose(_chosen(call, "data"), _chosen(call, "other", "other_where"), sums=sums)
    return _kept(call, result, frame)


def gis_route(call: Call) -> Result:
    """A route; ``start``, ``end`` (lon, lat), ``by``, ``mode``, ``speeds``; ``other`` closes streets."""
    closed = _chosen(call, "other", "other_where") if call.optional("other") else None
    by = text_of(call, "by", "time")
    result, frame = route(_network(call), given(call, "start"), given(call, "end"), by=by, closed=closed)
    return _kept(call, result, frame)


def gis_reach(call: Call) -> Result:
    """What is reached in a time; ``start`` (lon, lat), ``minutes``, ``mode``, ``speeds``; ``other`` closes."""
    given(call, "minutes")
    minutes = number_of(call, "minutes", low=0.01, high=240) or 0.0
    closed = _chosen(call, "other", "other_where") if call.optional("other") else None
    result, frame = reach(_network(call), given(call, "start"), minutes, closed=closed)
    return _kept(call, result, frame)


def _network(call: Call) -> Network:
    return read_network(
        call.input("data"),
        call.scratch,
        mode=text_of(call, "mode", "drive"),
        speeds=numbers_of(call, "speeds"),
    )


def _layer(call: Call, role: str, keys: tuple[str, ...] = ()) -> Features:
    first = role == "data"
    return read_features(
        call.input(role),
        layer=text_of(call, "layer" if first else "other_layer"),
        crs=text_of(call, "crs" if first else "other_crs"),
        keys=keys,
    )


def _chosen(call: Call, role: str, where_name: str = "where") -> Features:
    """Return a layer, or what of it meets the conditions."""
    from labrig_earth.gis.querying import select

    where = mapping_of(call, where_name)
    found = _layer(call, role, tuple(where))
    if where:
        found.frame = select(found, where).reset_index(drop=True)
    return found


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
    "gis_shape": gis_shape,
    "gis_join": gis_join,
    "gis_summarise": gis_summarise,
    "gis_expose": gis_expose,
    "gis_route": gis_route,
    "gis_reach": gis_reach,
}
