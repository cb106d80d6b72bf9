"""Group satellite: composites of Sentinel-2, their indices and areas, pictures, and shapes drawn on them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.toolbox import session
from labrig_earth.gis.boxes import published_box
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import (
    Count,
    Mapped,
    Number,
    Numbers,
    Text,
    Texts,
    Whole,
    between,
    called,
    require_active,
)
from labrig_earth.server.terra.imagery import Wanted, scenes_for

Index = Annotated[Count | None, Field(description="Else all times.")]
Aggregate = Annotated[Text, Field(description="auto (mean), mean, sum, min, max.")]
Limit = Number | None

GROUP = "satellite"
TOOLSETS = ("terra", f"terra-{GROUP}")
FOLDER = "./data/gee_indices"
COLOURS = ("red", "green", "blue")
ALL = (*COLOURS, "nir", "swir1", "swir2")

Box = Annotated[Numbers, Field(description="[north, west, south, east].")]
End = Annotated[str, Field(description="YYYY-MM-DD, not included.")]
Cloud = Annotated[Number, between(0, 100), Field(description="Per cent.")]
Metres = Annotated[Number, between(1, 10_000), Field(description="Metres.")]
OtherMetres = Annotated[Number | None, between(1, 10_000), Field(description="Metres.")]
Pixels = Annotated[Whole, between(16, 4096), Field(description="Of the longer side.")]
Project = Annotated[Text, Field(description="Refused.")]
FILES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
SHAPES = {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "number"}}]}
"""What a list holds, for clients: OpenAI and Gemini want to know. It is checked by what reads it."""

Scenes = Annotated[
    list[Any] | None,
    Field(description="GeoTIFF files, or lists of a scene's.", json_schema_extra={"items": FILES}),
]


@toolbox.tool(title="Sentinel-2 indices", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def gee_fetch_sentinel2_indices(
    bbox: Box,
    start_date: str,
    end_date: End,
    max_cloud: Cloud = 40.0,
    indices: Annotated[Texts, Field(description="NDVI, NBR, NDBI, NDWI, ...")] = [],  # noqa: B006 - pydantic copies it
    scale: Metres = 20.0,
    dimensions: Pixels = 1024,
    output_dir: Text = FOLDER,
    project_id: Project = "",
    include_truecolor: bool = True,
    include_geotiff: bool = False,
    geotiff_scale: OtherMetres = None,
    scenes: Scenes = None,
) -> Published:
    """Compute indices of a median of Sentinel-2: statistics, pictures, a GeoTIFF on demand."""
    arguments = {
        "indices": indices,
        "scale": scale,
        "dimensions": dimensions,
        "include_truecolor": include_truecolor,
        "include_geotiff": include_geotiff,
        "geotiff_scale": geotiff_scale,
    }
    finest = min(scale, geotiff_scale or scale)
    wanted = Wanted(bbox, start_date, end_date, max_cloud, ALL, finest, project_id)
    return await _composed("gee_fetch_sentinel2_indices", wanted, scenes, arguments, output_dir)


@toolbox.tool(title="Areas by index", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def gee_index_area_stats(
    bbox: Box,
    start_date: str,
    end_date: End,
    max_cloud: Cloud = 40.0,
    scale: Metres = 20.0,
    class_thresholds: Annotated[
        Mapped, Field(description="{'vegetation': {'index': 'NDVI', 'min': 0.25}}; min, max or both.")
    ] = {},  # noqa: B006
    project_id: Project = "",
    scenes: Scenes = None,
) -> Published:
    """Give areas of vegetation, water, built-up and burnt ground by thresholds of indices."""
    arguments = {"scale": scale, "class_thresholds": class_thresholds}
    wanted = Wanted(bbox, start_date, end_date, max_cloud, ALL, scale, project_id)
    return await _composed("gee_index_area_stats", wanted, scenes, arguments, FOLDER)


@toolbox.tool(title="True-colour picture", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def gee_fetch_truecolor_thumbnail(
    bbox: Box,
    start_date: str,
    end_date: End,
    max_cloud: Cloud = 40.0,
    dimensions: Pixels = 1024,
    output_dir: Text = FOLDER,
    overlay_geometries: Annotated[
        list[Any] | None,
        Field(
            description="GeoJSON, or boxes [north, west, south, east].", json_schema_extra={"items": SHAPES}
        ),
    ] = None,
    draw_aoi_outline: bool = True,
    overlay_color: str = "#ff7f0e",
    overlay_width: Annotated[Whole, between(1, 100)] = 2,
    overlay_opacity: Annotated[Number, between(0, 1)] = 0.8,
    overlay_fill: bool = False,
    project_id: Project = "",
    include_geotiff: bool = False,
    geotiff_scale: OtherMetres = None,
    scenes: Scenes = None,
) -> Published:
    """Draw a median of Sentinel-2 in true colours with shapes; a GeoTIFF on demand."""
    arguments = {
        "dimensions": dimensions,
        "overlay_geometries": overlay_geometries,
        "draw_aoi_outline": draw_aoi_outline,
        "overlay_color": overlay_color,
        "overlay_width": overlay_width,
        "overlay_opacity": overlay_opacity,
        "overlay_fill": overlay_fill,
        "include_geotiff": include_geotiff,
        "geotiff_scale": geotiff_scale,
    }
    wanted = Wanted(bbox, start_date, end_date, max_cloud, COLOURS, 10.0, project_id)
    return await _composed("gee_fetch_truecolor_thumbnail", wanted, scenes, arguments, output_dir)


@toolbox.tool(title="Draw on a picture", read_only=False, faithful=True, toolsets=TOOLSETS)
async def draw_geometries_on_image(
    image_path: Annotated[str, Field(description="PNG or JPEG.")],
    image_bbox: Annotated[Numbers, Field(description="What it fills: [north, west, south, east].")],
    geometries: Annotated[
        list[Any],
        Field(
            description="GeoJSON, or boxes [south, west, north, east].", json_schema_extra={"items": SHAPES}
        ),
    ],
    stroke_color: str = "#ff0000",
    stroke_width_px: Annotated[Whole, between(1, 200)] = 4,
    fill_color: Annotated[Text, Field(description="By default hollow.")] = "",
    fill_opacity: Annotated[Number, between(0, 1)] = 0.4,
    point_radius_px: Annotated[Whole, between(1, 1000)] = 10,
    output_path: Annotated[Text, Field(description="By default NAME_overlay.png beside it.")] = "",
) -> Published:
    """Draw shapes in degrees on a picture whose box is known."""
    beside = PurePosixPath("plots" if image_path.startswith(("@", "sha256:")) else image_path).parent
    arguments = {
        "image_bbox": image_bbox,
        "geometries": geometries,
        "stroke_color": stroke_color,
        "stroke_width_px": stroke_width_px,
        "fill_color": fill_color,
        "fill_opacity": fill_opacity,
        "point_radius_px": point_radius_px,
    }
    return await called(
        GROUP,
        "draw_geometries_on_image",
        {"image": [image_path]},
        arguments,
        output_dir=str(beside),
        output_path=output_path,
    )


@toolbox.tool(title="A field over a picture", read_only=False, faithful=True, toolsets=TOOLSETS)
async def composite_satellite_environmental_image(
    satellite_image: Annotated[Any, Field(description="A GeoTIFF, or an answer of a gee_ tool.")],
    anomaly_path: Annotated[str, Field(description="The field.")],
    anomaly_variable: Text = "",
    anomaly_time_index: Index = None,
    anomaly_aggregate: Aggregate = "auto",
    mode: Annotated[str, Field(description="overlay, triptych.")] = "overlay",
    right_field_path: Annotated[Text, Field(description="Of a triptych.")] = "",
    right_field_variable: Text = "",
    right_field_time_index: Index = None,
    right_field_aggregate: Text = "auto",
    right_label: str = "event mask / ensemble",
    output_path: Text = "./plots/composite.png",
    overlay_alpha: Annotated[Number, between(0, 1)] = 0.55,
    overlay_cmap: Text = "RdBu_r",
    overlay_center_zero: bool = True,
    overlay_vmin: Limit = None,
    overlay_vmax: Limit = None,
    right_cmap: Text = "viridis",
    right_vmin: Limit = None,
    right_vmax: Limit = None,
) -> Published:
    """Draw a field over a satellite picture, or beside it."""
    arguments = {
        "anomaly_variable": anomaly_variable,
        "anomaly_time_index": anomaly_time_index,
        "anomaly_aggregate": anomaly_aggregate,
        "mode": mode,
        "right_field_variable": right_field_variable,
        "right_field_time_index": right_field_time_index,
        "right_field_aggregate": right_field_aggregate,
        "right_label": right_label,
        "overlay_alpha": overlay_alpha,
        "overlay_cmap": overlay_cmap,
        "overlay_center_zero": overlay_center_zero,
        "overlay_vmin": overlay_vmin,
        "overlay_vmax": overlay_vmax,
        "right_cmap": right_cmap,
        "right_vmin": right_vmin,
        "right_vmax": right_vmax,
    }
    inputs = {"picture": [_geotiff(satellite_image)], "anomaly": [anomaly_path], "right": [right_field_path]}
    path = output_path or "./plots/composite.png"
    return await called(
        GROUP,
        "composite_satellite_environmental_image",
        inputs,
        arguments,
        output_path=path if PurePosixPath(path).suffix else f"{path}.png",
    )


def _geotiff(given: Any) -> str:
    """Return the path of a GeoTIFF that is named, or that an answer of a gee_ tool names."""
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        raise LabrigError(
            "This names no GeoTIFF", where="satellite_image", expected="a path, or an answer of a gee_ tool"
        )
    inner = given.get("geotiff")
    for answer in (given, inner if isinstance(inner, dict) else {}):
        for key in ("tif_path", "path", "geo_tiff"):
            if isinstance(answer.get(key), str) and answer[key]:
                return str(answer[key])
    raise LabrigError(
        "The answer names no GeoTIFF",
        where="satellite_image",
        expected="geotiff with tif_path, or a path",
        try_="gee_fetch_truecolor_thumbnail(include_geotiff=true)",
    )


async def _composed(
    tool: str,
    wanted: Wanted,
    scenes: list[Any] | None,
    arguments: dict[str, Any],
    folder: str,
) -> Published:
    """Get the scenes of a call, and have a child compute."""
    require_active(GROUP, session())
    published_box(wanted.bbox, "bbox")
    found = await scenes_for(wanted, scenes or [], folder or FOLDER)
    asked = {
        "bbox": list(wanted.bbox),
        "start_date": wanted.start,
        "end_date": wanted.end,
        "max_cloud": wanted.max_cloud,
        **found.arguments(),
        **arguments,
    }
    return await called(GROUP, tool, {"scenes": found.files}, asked, output_dir=folder or FOLDER)
