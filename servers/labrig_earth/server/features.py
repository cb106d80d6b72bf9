"""Tools on layers of features, streets and scenes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from labrig.answer import Answer
from labrig.errors import LabrigError
from labrig_earth.server.base import PolygonsArgument, options_of, toolbox
from labrig_earth.server.operations import Asked, answer_operation

INDEX_OPTIONS = ("bands", "scale", "offset", "keep", "mask", "above", "threshold", "names", "layer", "crs")

LayerFile = Annotated[
    str, Field(description="File of features or a table (such as @data/town/buildings.gpkg), or a handle.")
]
OtherFile = Annotated[str, Field(description="A second layer.")]
Streets = Annotated[str, Field(description="Streets of OpenStreetMap (.osm, .pbf), or a handle.")]
Closed = Annotated[str, Field(description="Layer (flood, works) that closes the streets it touches.")]
Condition = Annotated[
    bool | int | float | str | list[int | float | str] | dict[str, int | float | str],
    WithJsonSchema({}),  # any: what it may be stands in the description, since Gemini takes no union here
]
Where = Annotated[
    dict[str, Condition],
    Field(
        description='By column, all hold: {"use": ["a", "b"], "floors": {">=": 3}, "name": true (any value)}.'
    ),
]
OtherWhere = Annotated[dict[str, Condition], Field(description="As where, of the second layer.")]
LayerName = Annotated[str, Field(description="Where the file has several.")]
Crs = Annotated[str, Field(description="Where the file states none, such as EPSG:32633.")]
Point = Annotated[list[float], Field(min_length=2, max_length=2, description="[longitude, latitude].")]
Columns = Annotated[list[str], Field(max_length=50, description="Columns to add up, such as residents.")]


@toolbox.tool(title="Query features", read_only=False)
async def query_features(
    data: LayerFile,
    where: Where = {},  # noqa: B006 - pydantic copies it
    bbox: Annotated[list[float] | None, Field(description="[west, south, east, north] in degrees.")] = None,
    region: Annotated[str, Field(description="Country, continent or subregion that they touch.")] = "",
    other: Annotated[str, Field(description="A layer that they touch or lie in.")] = "",
    most: Annotated[int, Field(ge=1, le=200, description="Rows shown; the file has all.")] = 20,
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Find, count and list features of a layer or OpenStreetMap: by attributes, in a box, region or another layer.

    Example: {"data": "@data/town/town.osm", "where": {"building": true}}
    """
    asked = {"where": where, "bbox": bbox, "region": region, "most": most, "layer": layer, "crs": crs}
    return await ask("query", data, other, **asked, other_layer=other_layer, other_crs=other_crs)


@toolbox.tool(title="Measure features", read_only=False)
async def measure_features(
    data: LayerFile,
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
) -> Answer:
    """Measure the area and perimeter of polygons (parcels, lakes) and the length of lines (rivers, pipes); m2, m.

    Example: {"data": "@data/town/buildings.gpkg"}
    """
    return await ask("measure", data, where=where, layer=layer, crs=crs)


@toolbox.tool(title="Measure distances", read_only=False)
async def measure_distances(
    start: Annotated[list[float] | None, Field(description="A point, [longitude, latitude].")] = None,
    end: Annotated[list[float] | None, Field(description="Another point.")] = None,
    data: Annotated[str, Field(description="Instead of start: a layer of features.")] = "",
    other: Annotated[str, Field(description="Instead of end: the layer whose nearest one is wanted.")] = "",
    within_m: Annotated[float | None, Field(ge=0, description="Farther ones (metres) are left out.")] = None,
    where: Where = {},  # noqa: B006
    other_where: OtherWhere = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Measure how far apart two points are, or how far the nearest feature (school, well) is, in metres.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/flood.gpkg", "within_m": 500}
    """
    for given, file, names in ((start, data, "start or data"), (end, other, "end or other")):
        if (given is None) == (not file):
            raise LabrigError("A distance has two ends", where=names, expected="one of both")
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer, "other_crs": other_crs}
    asked = {"start": start, "end": end, "within_m": within_m, "where": where, "layer": layer, "crs": crs}
    return await ask("distance" if start and end else "nearest", data, other, **asked, **two)


@toolbox.tool(title="Reshape features", read_only=False)
async def reshape_features(
    data: LayerFile,
    shape: Annotated[
        Literal["buffer", "dissolve", "hull", "centroid", "point", "voronoi", "polygon", "line"],
        Field(description="point lies inside each; polygon and line go through points."),
    ],
    size_m: Annotated[float | None, Field(description="Of a buffer, metres; below 0 it shrinks.")] = None,
    merge: Annotated[bool, Field(description="Buffers that overlap become one.")] = False,
    by: Annotated[str, Field(description="Column: one shape for each of its values.")] = "",
    order: Annotated[str, Field(description="Column that orders the points.")] = "",
    other: Annotated[str, Field(description="The area that voronoi cells cover.")] = "",
    where: Where = {},  # noqa: B006
    other_where: OtherWhere = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Make features of features: buffer (zone of metres around wells, rivers), union, hull, centre, Thiessen cells.

    Example: {"data": "@data/town/buildings.gpkg", "shape": "buffer", "size_m": 50, "merge": true}
    """
    asked: dict[str, Any] = {"where": where, "layer": layer, "crs": crs}
    buffer = {"size_m": size_m, "merge": merge}
    shapes = {"by": by, "order": order, "other": other}
    idle = shapes if shape == "buffer" else buffer
    if wrong := [name for name, value in idle.items() if value not in (None, False, "")]:
        raise LabrigError(f"A {shape} has no {', '.join(wrong)}", where=wrong[0], try_="leave it out")
    if shape == "buffer":
        if size_m is None:
            raise LabrigError("A buffer has a size", where="size_m", expected="metres")
        return await ask("buffer", data, size=size_m, unit="m", dissolve=merge, **asked)
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer, "other_crs": other_crs}
    return await ask("shape", data, other, shape=shape, by=by, order=order, **asked, **two)


@toolbox.tool(title="Overlay layers", read_only=False)
async def overlay_layers(
    data: LayerFile,
    other: OtherFile,
    how: Annotated[
        Literal["intersection", "union", "difference", "symmetric_difference"],
        Field(description="difference: the first without the second."),
    ] = "intersection",
    where: Where = {},  # noqa: B006
    other_where: OtherWhere = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Lay two layers over each other and cut them: the part that overlaps (clip), both, or one without the other.

    Example: {"data": "@data/town/districts.geojson", "other": "@data/town/flood.gpkg"}
    """
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer, "other_crs": other_crs}
    return await ask("overlay", data, other, how=how, where=where, layer=layer, crs=crs, **two)


@toolbox.tool(title="Find exposed features", read_only=False)
async def find_exposed_features(
    data: LayerFile,
    other: Annotated[str, Field(description="Layer of the hazard, such as a flood.")],
    sums: Columns = [],  # noqa: B006
    where: Where = {},  # noqa: B006
    other_where: OtherWhere = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Find which buildings, roads or people a hazard zone (flood, fire) hits: number, length, area inside, sums.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/flood.gpkg", "sums": ["residents"]}
    """
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer, "other_crs": other_crs}
    return await ask("expose", data, other, sums=sums, where=where, layer=layer, crs=crs, **two)


@toolbox.tool(title="Join a table", read_only=False)
async def join_table(
    data: LayerFile,
    other: Annotated[str, Field(description="The table (CSV, sheet, layer).")],
    key: Annotated[str, Field(description="Column of the layer, such as a code.")],
    other_key: Annotated[str, Field(description="Column of the table; default: the same.")] = "",
    sums: Columns = [],  # noqa: B006
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
) -> Answer:
    """Join the rows of a table (CSV) to the features of a layer by a common key, and say what did not match.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/buildings.gpkg", "key": "number"}
    """
    asked = {"key": key, "other_key": other_key, "sums": sums, "where": where, "layer": layer, "crs": crs}
    return await ask("join", data, other, **asked)


@toolbox.tool(title="Summarise a table", read_only=False)
async def summarise_table(
    data: LayerFile,
    columns: Annotated[list[str], Field(min_length=1, max_length=50, description="Columns of numbers.")],
    weight: Annotated[str, Field(description="Column of weights: of rates, what they are rates of.")] = "",
    by: Annotated[str, Field(description="Column: a group for each of its values.")] = "",
    layer: LayerName = "",
) -> Answer:
    """Sum, mean, weighted mean, least and greatest of columns of a table or layer, for all rows or by group.

    Example: {"data": "@data/town/buildings.gpkg", "columns": ["residents"]}
    """
    return await ask("summarise", data, columns=columns, weight=weight, by=by, layer=layer)


@toolbox.tool(title="Route on streets", read_only=False)
async def route_on_streets(
    data: Streets,
    start: Point,
    end: Annotated[list[float] | None, Field(description="[longitude, latitude]; or minutes.")] = None,
    minutes: Annotated[
        float | None, Field(ge=0.01, le=240, description="Instead of end: all that is reached in them.")
    ] = None,
    by: Annotated[Literal["time", "length"], Field(description="Quickest or shortest.")] = "time",
    mode: Literal["drive", "walk"] = "drive",
    speeds_km_h: Annotated[dict[str, float], Field(description='By kind: {"primary": 50}.')] = {},  # noqa: B006
    other: Closed = "",
    other_where: OtherWhere = {},  # noqa: B006
    other_layer: LayerName = "",
    other_crs: Crs = "",
) -> Answer:
    """Find the way between two points by car or on foot, past streets that a flood closes, or what minutes reach.

    Example: {"data": "@data/town/town.osm", "start": [12.7092391, 48.2845794], "end": [12.7199287, 48.2847388]}
    """
    if (end is None) == (minutes is None):
        raise LabrigError("A way has an end, or the minutes that it may take", where="end, minutes")
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer, "other_crs": other_crs}
    streets = {"start": start, "mode": mode, "speeds": speeds_km_h}
    if end is None:
        return await ask("reach", data, other, minutes=minutes, **streets, **two)
    return await ask("route", data, other, end=end, by=by, **streets, **two)


async def ask(operation: str, data: str, other: str = "", **arguments: Any) -> Answer:
    return await answer_operation(Asked(f"gis_{operation}", {"data": [data], "other": [other]}, arguments))


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
