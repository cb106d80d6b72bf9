"""Tools on layers of features, streets and scenes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import unknown_name
from labrig_earth.server.base import Asked, PolygonsArgument, answered, toolbox

DOES = ("query", "measure", "distance", "buffer", "nearest", "overlay", "expose", "route", "reach")


@toolbox.tool(title="GIS", read_only=False)
async def gis(
    do: Annotated[str, Field(description=", ".join(DOES) + ".")],
    data: Annotated[
        str, Field(description="Layer, or streets (.osm, .pbf): path in the workspace or handle.")
    ] = "",
    other: Annotated[
        str, Field(description="Second layer (hazard, targets): path in the workspace or handle.")
    ] = "",
    options: Annotated[
        dict[str, Any],
        Field(
            description="where {column: value}, bbox [west, south, east, north], region, most; start, end [longitude, "
            "latitude]; size, unit, dissolve; how; within_m; sums [columns]; by (time, length), mode, speeds, minutes; "
            "layer, crs, other_layer, other_crs, other_where."
        ),
    ] = {},  # noqa: B006 - pydantic copies it
) -> Answer:
    """Work with points, lines and polygons: find, measure (geodesic), widen, intersect; routes past closed streets."""
    if do not in DOES:
        raise unknown_name("operation", do, DOES, where="do")
    return await answered(Asked(f"gis_{do}", {"data": [data], "other": [other]}, options))


@toolbox.tool(title="Spectral index", read_only=False)
async def index(
    index: Annotated[str, Field(description="NDVI, NDWI, NBR, ...")],
    files: Annotated[
        list[str],
        Field(
            max_length=16, description="GeoTIFFs of a scene and its SCL: paths in the workspace or handles."
        ),
    ],
    before: Annotated[
        list[str], Field(max_length=16, description="An earlier scene: the change is computed.")
    ] = [],  # noqa: B006
    polygons: PolygonsArgument = "",
    options: Annotated[
        dict[str, Any],
        Field(description="bands, scale, offset, keep [SCL classes], mask, above, threshold, names."),
    ] = {},  # noqa: B006
) -> Answer:
    """Compute an index of a satellite scene with scale, offset (once) and cloud mask, or its change."""
    inputs = {"data": files, "before": before, "polygons": [polygons]}
    operation = "index_change" if before else "index"
    return await answered(Asked(operation, inputs, {**options, "index": index}))
