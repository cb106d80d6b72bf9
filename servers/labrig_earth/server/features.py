"""Tools on layers of features, streets and scenes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import LabrigError
from labrig_earth.server.arguments import (
    OtherWhere,
    Where,
    flag,
    keys_of,
    number,
    read_conditions,
    several,
    text,
    word_of,
)
from labrig_earth.server.base import PolygonsArgument, options_of, toolbox
from labrig_earth.server.operations import Asked, answer_operation

INDICES = ("NDVI", "NDWI", "MNDWI", "NDMI", "NBR", "NDBI", "NDSI", "EVI", "EVI2", "SAVI")
INDEX_OPTIONS = ("bands", "scale", "offset", "keep", "mask", "above", "threshold", "names", "layer", "crs")

LayerFile = Annotated[str, Field(description="As @data/town/buildings.gpkg, or a handle.")]
OtherFile = Annotated[str, Field(description="A second layer.")]
Streets = Annotated[str, Field(description="Streets of OpenStreetMap (.osm, .pbf), or a handle.")]
Closed = Annotated[str, Field(description="Layer (flood, works) that closes the streets it touches.")]
LayerName = Annotated[str, Field(description="If several.")]
Crs = Annotated[str, Field(description="If unstated.")]
Point = Annotated[list[float], Field(min_length=2, max_length=2, description="[longitude, latitude].")]
Columns = Annotated[list[str], Field(max_length=50, description="Columns to add up, as residents.")]


@toolbox.tool(
    title="Query features",
    read_only=False,
    words="which polygon contains a point, points in polygon, district of a point, select, filter or count by "
    "attribute, how many within a distance, closest road, longest, largest, green spaces, parks, schools, hospitals, "
    "shops, amenities near a station, OpenStreetMap, osm, shapefile, geojson, layer, selected area, bounding box",
)
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
) -> Answer:
    """Find, count and list features of a layer or OpenStreetMap: by attributes, in a box, region or another layer.

    Which district holds a point? How many parks lie in a zone?

    Example: {"data": "@data/town/town.osm", "where": [{"column": "building"}]}
    """
    asked = {"where": where, "bbox": bbox, "region": region, "most": most, "layer": layer, "crs": crs}
    return await ask("query", data, other, **asked, other_layer=other_layer)


@toolbox.tool(
    title="Measure features",
    read_only=False,
    words="area of a polygon, lake, country or parcel, length of a line, road or river, longest, largest, "
    "perimeter, km2, square metres, kilometres, hectares, acres, geodesic, ellipsoid, curved surface of the earth, "
    "shapefile, geojson",
)
async def measure_features(
    data: LayerFile,
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
) -> Answer:
    """Measure the area and perimeter of polygons (parcels, lakes) and the length of lines (rivers, roads); m2, m.

    Example: {"data": "@data/town/buildings.gpkg"}
    """
    return await ask("measure", data, where=where, layer=layer, crs=crs)


@toolbox.tool(
    title="Measure distances",
    read_only=False,
    words="nearest, closest feature to each other one, nearest neighbour, hospitals to buildings, distance between "
    "two points, from a point to a polygon, border, coast, line or road, geodesic, great circle, haversine, lat lon, "
    "metres, kilometres",
)
async def measure_distances(
    start: Annotated[list[float] | None, Field(description="A point, [longitude, latitude].")] = None,
    end: Annotated[list[float] | None, Field(description="Another point.")] = None,
    data: Annotated[str, Field(description="Instead of start: a layer.")] = "",
    other: Annotated[str, Field(description="Instead of end: layer whose nearest is wanted.")] = "",
    within_m: Annotated[float | None, Field(ge=0, description="Farther ones (metres) are left out.")] = None,
    where: Where = {},  # noqa: B006
    other_where: OtherWhere = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
) -> Answer:
    """Measure how far apart two points are, or how far the nearest, closest feature (school, road) is, in metres.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/flood.gpkg", "within_m": 500}
    """
    for given, file, names in ((start, data, "start or data"), (end, other, "end or other")):
        if (given is None) == (not file):
            raise LabrigError("A distance has two ends", where=names, expected="one of both")
    two: dict[str, Any] = {"other_where": other_where, "other_layer": other_layer}
    asked = {"start": start, "end": end, "within_m": within_m, "where": where, "layer": layer, "crs": crs}
    return await ask("distance" if start and end else "nearest", data, other, **asked, **two)


@toolbox.tool(
    title="Reshape features",
    read_only=False,
    words="buffer in metres, dissolve, merge polygons, convex hull, centroid, centre, centre point, Voronoi, "
    "Thiessen, zone around wells, points to line, track, shapefile, geojson",
)
async def reshape_features(
    data: LayerFile,
    shape: Annotated[
        Literal["buffer", "dissolve", "hull", "centroid", "point", "voronoi", "polygon", "line"],
        Field(description="point lies inside each; polygon and line go through points."),
    ],
    size_m: Annotated[float | None, Field(description="Of a buffer, metres; below 0 it shrinks.")] = None,
    merge: Annotated[bool, Field(description="Buffers that overlap become one.")] = False,
    by: Annotated[str, Field(description="Column: one shape for each value.")] = "",
    order: Annotated[str, Field(description="Column that orders the points.")] = "",
    other: Annotated[str, Field(description="The area that voronoi cells cover.")] = "",
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
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
    asked |= {"by": by, "order": order, "other_layer": other_layer}
    return await ask("shape", data, other, shape=shape, **asked)


@toolbox.tool(
    title="Overlay layers",
    read_only=False,
    words="clip roads or polygons by a boundary, percentage or share of area in each district, overlap, "
    "intersection, intersect, difference, erase, union, spatial join, points in polygons, neighborhood, legislative "
    "district, shapefile, geojson",
)
async def overlay_layers(
    data: LayerFile,
    other: OtherFile,
    how: Annotated[
        Literal["intersection", "union", "difference", "symmetric_difference"],
        Field(description="difference: the first without the second."),
    ] = "intersection",
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
) -> Answer:
    """Lay two layers over each other and cut them: the part that overlaps (clip), both, or one without the other.

    Find the share (percentage) of a district's area in a zone, roads clipped by a boundary. Join points (lon, lat) to
    the polygons they lie in, such as species to habitat; count them with summarise_table.

    Example: {"data": "@data/town/districts.geojson", "other": "@data/town/flood.gpkg"}
    """
    asked = {"how": how, "where": where, "layer": layer, "crs": crs, "other_layer": other_layer}
    return await ask("overlay", data, other, **asked)


@toolbox.tool(
    title="Find exposed features",
    read_only=False,
    words="buildings, houses, roads, schools, population or people affected by flood, fire, landslide, earthquake, "
    "storm, hazard zone; flooded buildings, number, total, by type, exposure, at risk, damage, inundation",
)
async def find_exposed_features(
    data: LayerFile,
    other: Annotated[str, Field(description="Layer of the hazard (flood).")],
    sums: Columns = [],  # noqa: B006
    where: Where = {},  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
    other_layer: LayerName = "",
) -> Answer:
    """Find which buildings, roads or people a hazard zone (flood, fire) hits: number, length, area inside, sums.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/flood.gpkg", "sums": ["residents"]}
    """
    two: dict[str, Any] = {"other_layer": other_layer}
    return await ask("expose", data, other, sums=sums, where=where, layer=layer, crs=crs, **two)


@toolbox.tool(
    title="Join a table",
    read_only=False,
    toolsets=("tables",),
    words="merge a csv or Excel sheet with a shapefile, layer or polygons by key, id, code or name, attributes, "
    "unmatched rows",
)
async def join_table(
    data: LayerFile,
    other: Annotated[str, Field(description="The table (CSV, sheet, layer).")],
    key: Annotated[str, Field(description="Column of the layer, such as a code.")],
    other_key: Annotated[str, Field(description="Column of the table; default: the same.")] = "",
    sums: Columns = [],  # noqa: B006
    layer: LayerName = "",
    crs: Crs = "",
) -> Answer:
    """Join the rows of a table (CSV) to the features of a layer by a common key, and say what did not match.

    Example: {"data": "@data/town/buildings.gpkg", "other": "@data/town/buildings.gpkg", "key": "number"}
    """
    asked = {"key": key, "other_key": other_key, "sums": sums, "layer": layer, "crs": crs}
    return await ask("join", data, other, **asked)


@toolbox.tool(
    title="Summarise a table",
    read_only=False,
    toolsets=("tables",),
    words="sum, mean, weighted mean, total, group by a column, attributes, statistics of columns, count per class",
)
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


@toolbox.tool(
    title="Route on streets",
    read_only=False,
    words="isochrone, how far people can travel in minutes, walking, driving, shortest, fastest or quickest path, "
    "flood closes roads, road network, reachable area, service area, accessibility, evacuation, travel time, OSM "
    "network, drive, walk",
)
async def route_on_streets(
    data: Streets,
    start: Point,
    end: Annotated[list[float] | None, Field(description="[longitude, latitude]; or minutes.")] = None,
    minutes: Annotated[
        float | None, Field(ge=0.01, le=240, description="Instead of end: all that is reached in them.")
    ] = None,
    by: Annotated[Literal["time", "length"], Field(description="Quickest or shortest.")] = "time",
    mode: Annotated[Literal["drive", "walk"], Field(description="By car or on foot.")] = "drive",
    speeds_km_h: Annotated[dict[str, float], Field(description='By kind: {"primary": 50}.')] = {},  # noqa: B006
    other: Closed = "",
    other_layer: LayerName = "",
) -> Answer:
    """Find the way between two points by car or on foot, past streets that a flood closes, or what minutes reach.

    The shortest or quickest drive or walk on an OSM graph; isochrone: how far people get, driving or walking.

    Example: {"data": "@data/town/town.osm", "start": [12.7092, 48.2846], "end": [12.7199, 48.2847]}
    """
    if (end is None) == (minutes is None):
        raise LabrigError("A way has an end, or the minutes that it may take", where="end, minutes")
    streets = {"start": start, "mode": mode, "speeds": speeds_km_h, "other_layer": other_layer}
    if end is None:
        return await ask("reach", data, other, minutes=minutes, **streets)
    return await ask("route", data, other, end=end, by=by, **streets)


async def ask(operation: str, data: str, other: str = "", **arguments: Any) -> Answer:
    for name in ("where", "other_where"):
        if name in arguments:
            arguments[name] = read_conditions(arguments[name])
    return await answer_operation(Asked(f"gis_{operation}", {"data": [data], "other": [other]}, arguments))


@toolbox.tool(
    title="Spectral index",
    read_only=False,
    words="NDVI, NDWI, MNDWI, NDMI, NBR, dNBR, burn severity, NDBI, NDSI, EVI, SAVI, vegetation, water, snow or "
    "built-up areas, change, curve or time series of Sentinel-2 or Landsat scenes, images, bands, red, near "
    "infrared, cloud mask, for fields, crops, forest",
)
async def spectral_index(
    index: Annotated[str, word_of(INDICES, "Which index.")],
    files: Annotated[
        list[str],
        Field(max_length=16, description="GeoTIFFs of a scene and its SCL."),
    ],
    before: Annotated[list[str], Field(max_length=16, description="An earlier scene.")] = [],  # noqa: B006
    polygons: PolygonsArgument = "",
    options: Annotated[
        dict[str, Any],
        keys_of(
            "Options.",
            bands={
                "type": "object",
                "description": 'Of the first file, by name: {"red": 3}.',
                "additionalProperties": {"type": "integer"},
            },
            scale=number("Of one count."),
            offset=number("Added after it."),
            keep=several("integer", "SCL classes."),
            mask=flag("Of clouds."),
            above=number("Area where the index is above it."),
            threshold=number("Of a change."),
            names=text("Column of names."),
            layer=text("Of the polygons."),
            crs=text("If they state none."),
        ),
    ] = {},  # noqa: B006
) -> Answer:
    """Compute an index of a satellite scene with scale, offset and cloud mask, or its change.

    It makes NDVI, NDWI of red, green and NIR bands (B3, B4, B8), clouds masked, as a GeoTIFF; burn severity of a fire
    (dNBR of two scenes).

    Example: {"index": "NDVI", "files": ["@data/scenes/2022-06-18.tif", "@data/scenes/2022-06-18_SCL.tif"]}
    """
    inputs = {"data": files, "before": before, "polygons": [polygons]}
    operation = "index_change" if before else "index"
    return await answer_operation(
        Asked(operation, inputs, {**options_of(options, INDEX_OPTIONS), "index": index})
    )
