"""Arguments of group satellite: composites of Sentinel-2, indices and areas of them, pictures, shapes drawn on them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    BY_SERVER,
    FILE,
    MAY_BE_EMPTY,
    Between,
    File,
    Mapped,
    Number,
    Numbers,
    OptionalFile,
    Text,
    Texts,
    Whole,
)
from labrig_earth.terra.arguments.visualization import AGGREGATES, Aggregate, Index, Limit, PictureAtPath

FOLDER = "./data/gee_indices"
FILES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
SHAPES = {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "number"}}]}
"""What a list holds, for clients: OpenAI and Gemini want to know. It is checked by what reads it."""

Cloud = Annotated[Number, Between(0, 100), Field(description="Per cent.")]
Metres = Annotated[Number, Between(1, 10_000), Field(description="Metres.")]
OtherMetres = Annotated[Number | None, Between(1, 10_000), Field(description="Metres.")]
Pixels = Annotated[Whole, Between(16, 4096), Field(description="Of the longer side.")]
Share = Annotated[Number, Between(0, 1)]
Project = Annotated[Text, Field(description="Refused.")]
Scenes = Annotated[
    list[Any] | None,
    Field(description="GeoTIFF files, or lists of a scene's.", json_schema_extra={"items": FILES}),
]


class OfScenes(Arguments):
    """What every composite asks; the files of its scenes are found by the server."""

    scene_files: Annotated[list[str], FILE, BY_SERVER] = []
    counts: Annotated[list[int], BY_SERVER] = []
    searched: Annotated[bool, BY_SERVER] = False
    note: Annotated[str, BY_SERVER] = ""
    bbox: Annotated[Numbers, Field(description="[north, west, south, east].")]
    start_date: str
    end_date: Annotated[str, Field(description="YYYY-MM-DD, not included.")]
    max_cloud: Cloud = 40.0


class GeeFetchSentinel2Indices(OfScenes):
    """Compute indices of a median of Sentinel-2: statistics, pictures, a GeoTIFF on demand."""

    indices: Annotated[Texts, Field(description="NDVI, NBR, NDBI, NDWI, ...")] = []
    scale: Metres = 20.0
    dimensions: Pixels = 1024
    output_dir: Text = FOLDER
    project_id: Project = ""
    include_truecolor: bool = True
    include_geotiff: bool = False
    geotiff_scale: OtherMetres = None
    scenes: Scenes = None


class GeeIndexAreaStats(OfScenes):
    """Give areas of vegetation, water, built-up and burnt ground by thresholds of indices."""

    scale: Metres = 20.0
    class_thresholds: Annotated[
        Mapped, Field(description="{'vegetation': {'index': 'NDVI', 'min': 0.25}}; min, max or both.")
    ] = {}
    project_id: Project = ""
    scenes: Scenes = None


class GeeFetchTruecolorThumbnail(OfScenes):
    """Draw a median of Sentinel-2 in true colours with shapes; a GeoTIFF on demand."""

    dimensions: Pixels = 1024
    output_dir: Text = FOLDER
    overlay_geometries: Annotated[
        list[Any] | None,
        Field(
            description="GeoJSON, or boxes [north, west, south, east].", json_schema_extra={"items": SHAPES}
        ),
    ] = None
    draw_aoi_outline: bool = True
    overlay_color: str = "#ff7f0e"
    overlay_width: Annotated[Whole, Between(1, 100)] = 2
    overlay_opacity: Share = 0.8
    overlay_fill: bool = False
    project_id: Project = ""
    include_geotiff: bool = False
    geotiff_scale: OtherMetres = None
    scenes: Scenes = None


class DrawGeometriesOnImage(Arguments):
    """Draw shapes in degrees on a picture whose box is known."""

    image_path: Annotated[File, Field(description="PNG or JPEG.")]
    image_bbox: Annotated[Numbers, Field(description="What it fills: [north, west, south, east].")]
    geometries: Annotated[
        list[Any],
        Field(
            description="GeoJSON, or boxes [south, west, north, east].", json_schema_extra={"items": SHAPES}
        ),
    ]
    stroke_color: str = "#ff0000"
    stroke_width_px: Annotated[Whole, Between(1, 200)] = 4
    fill_color: Annotated[Text, Field(description="By default hollow.")] = ""
    fill_opacity: Share = 0.4
    point_radius_px: Annotated[Whole, Between(1, 1000)] = 10
    output_path: Annotated[Text, Field(description="By default NAME_overlay.png beside it.")] = ""

    def places(self) -> tuple[str, str]:
        """Return the folder of the picture, and the path of the new one."""
        apart = self.image_path.startswith(("@", "sha256:"))
        return str(PurePosixPath("plots" if apart else self.image_path).parent), self.output_path


class CompositeSatelliteEnvironmentalImage(PictureAtPath):
    """Draw a field over a satellite picture, or beside it."""

    satellite_image: Annotated[Any, FILE, Field(description="A GeoTIFF, or an answer of a gee_ tool.")]
    anomaly_path: Annotated[File, Field(description="The field.")]
    anomaly_variable: Text = ""
    anomaly_time_index: Index = None
    anomaly_aggregate: Aggregate = "auto"
    mode: Annotated[str, Field(description="overlay, triptych.")] = "overlay"
    right_field_path: Annotated[OptionalFile, Field(description="Of a triptych.")] = ""
    right_field_variable: Text = ""
    right_field_time_index: Index = None
    right_field_aggregate: Annotated[Text, AGGREGATES] = "auto"
    right_label: str = "event mask / ensemble"
    output_path: Text = "./plots/composite.png"
    overlay_alpha: Share = 0.55
    overlay_cmap: Annotated[Text, MAY_BE_EMPTY] = "RdBu_r"
    overlay_center_zero: bool = True
    overlay_vmin: Limit = None
    overlay_vmax: Limit = None
    right_cmap: Annotated[Text, MAY_BE_EMPTY] = "viridis"
    right_vmin: Limit = None
    right_vmax: Limit = None
