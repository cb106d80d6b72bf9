"""Tools on layers of features, streets and scenes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import unknown_name
from labrig_earth.server.base import PolygonsArgument, options_of, toolbox
from labrig_earth.server.operations import Asked, answer_operation

_LAYER = ("layer", "crs", "where")
_LAYERS = (*_LAYER, "other_where", "other_layer", "other_crs")
_STREETS = ("start", "mode", "speeds", "other_where", "other_layer", "other_crs")
OPTIONS: dict[str, tuple[str, ...]] = {
    "query": (*_LAYER, "bbox", "region", "most", "other_layer", "other_crs"),
    "measure": _LAYER,
    "distance": ("start", "end"),
    "buffer": (*_LAYER, "size", "unit", "dissolve"),
    "nearest": (*_LAYERS, "within_m"),
    "overlay": (*_LAYERS, "how"),
    "shape": (*_LAYERS, "shape", "by", "order"),
    "join": (*_LAYER, "key", "other_key", "sums"),
    "summarise": ("columns", "weight", "by", "layer"),
    "expose": (*_LAYERS, "sums"),
    "route": (*_STREETS, "end", "by"),
    "reach": (*_STREETS, "minutes"),
}
DOES = tuple(OPTIONS)
INDEX_OPTIONS = ("bands", "scale", "offset", "keep", "mask", "above", "threshold", "names", "layer", "crs")


@toolbox.tool(title="GIS", read_only=False)
async def gis(
    do: Annotated[str, Field(description=", ".join(DOES) + ".")],
    data: Annotated[str, Field(description="Layer or OSM streets in the workspace, or a handle.")] = "",
    other: Annotated[str, Field(description="Second layer (hazard, targets) in the workspace.")] = "",
    options: Annotated[
        dict[str, Any],
        Field(
            description="where {column: value}, bbox, region, most; start, end [longitude, latitude]; size, unit, "
            "dissolve; how; within_m; sums [columns]; shape (dissolve, hull, centroid, point, voronoi, polygon, line); "
            "key, other_key; columns, weight; by (time, length), mode, speeds, minutes; layer, crs, "
            "other_where."
        ),
    ] = {},  # noqa: B006 - pydantic copies it
) -> Answer:
    """Find, measure (geodesic), widen and intersect features; routes past closed streets."""
    if do not in DOES:
        raise unknown_name("operation", do, DOES, where="do")
    known = options_of(options, OPTIONS[do])
    return await answer_operation(Asked(f"gis_{do}", {"data": [data], "other": [other]}, known))


@toolbox.tool(title="Spectral index", read_only=False)
async def spectral_index(
    index: Annotated[str, Field(description="NDVI, NDWI, NBR, ...")],
    files: Annotated[
        list[str],
        Field(max_length=16, description="GeoTIFFs of a scene and its SCL."),
    ],
    before: Annotated[list[str], Field(max_length=16, description="An earlier scene.")] = [],  # noqa: B006
    polygons: PolygonsArgument = "",
    options: Annotated[
        dict[str, Any],
        Field(description="bands, scale, offset, keep [SCL classes], mask, above, threshold, names."),
    ] = {},  # noqa: B006
) -> Answer:
    """Index of a satellite scene with scale, offset and cloud mask, or its change."""
    inputs = {"data": files, "before": before, "polygons": [polygons]}
    operation = "index_change" if before else "index"
    return await answer_operation(
        Asked(operation, inputs, {**options_of(options, INDEX_OPTIONS), "index": index})
    )
