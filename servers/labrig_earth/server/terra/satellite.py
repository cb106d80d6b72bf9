"""Group satellite: composites of Sentinel-2, their indices and areas, pictures, and shapes drawn on them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeVar

from labrig.errors import LabrigError
from labrig_earth.gis.boxes import published_box
from labrig_earth.server.terra.imagery import Wanted, scenes_for
from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import satellite as arguments

COLOURS = ("red", "green", "blue")
ALL = (*COLOURS, "nir", "swir1", "swir2")
Composite = TypeVar(
    "Composite",
    arguments.GeeFetchSentinel2Indices,
    arguments.GeeIndexAreaStats,
    arguments.GeeFetchTruecolorThumbnail,
)


async def find_for_indices(asked: arguments.GeeFetchSentinel2Indices) -> arguments.GeeFetchSentinel2Indices:
    """Find the scenes of indices, with cells as small as those of the picture or of the GeoTIFF."""
    finest = min(asked.scale, asked.geotiff_scale or asked.scale)
    return await find_scenes(asked, ALL, finest, asked.output_dir)


async def find_for_areas(asked: arguments.GeeIndexAreaStats) -> arguments.GeeIndexAreaStats:
    """Find the scenes of areas."""
    return await find_scenes(asked, ALL, asked.scale, arguments.FOLDER)


async def find_for_colours(
    asked: arguments.GeeFetchTruecolorThumbnail,
) -> arguments.GeeFetchTruecolorThumbnail:
    """Find the scenes of true colours."""
    return await find_scenes(asked, COLOURS, 10.0, asked.output_dir)


async def find_scenes(asked: Composite, bands: Sequence[str], step_m: float, folder: str) -> Composite:
    """Return what is asked with the files of its scenes, which the call names or a service has."""
    published_box(asked.bbox, "bbox")
    wanted = Wanted(
        asked.bbox, asked.start_date, asked.end_date, asked.max_cloud, bands, step_m, asked.project_id
    )
    found = await scenes_for(wanted, asked.scenes or [], folder)
    filled = {
        "scene_files": found.files,
        "counts": found.counts,
        "searched": found.searched,
        "note": found.note,
    }
    return asked.model_copy(update=filled)


async def find_picture(
    asked: arguments.CompositeSatelliteEnvironmentalImage,
) -> arguments.CompositeSatelliteEnvironmentalImage:
    """Return what is asked with the path of the picture, which an answer may name."""
    return asked.model_copy(update={"satellite_image": find_geotiff(asked.satellite_image)})


def find_geotiff(given: Any) -> str:
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


GROUP = "satellite"
tool = functools.partial(offer, GROUP)

tool(
    "gee_fetch_sentinel2_indices",
    "Sentinel-2 indices",
    arguments.GeeFetchSentinel2Indices,
    open_world=True,
    prepare=find_for_indices,
)
tool(
    "gee_index_area_stats",
    "Areas by index",
    arguments.GeeIndexAreaStats,
    open_world=True,
    prepare=find_for_areas,
)
tool(
    "gee_fetch_truecolor_thumbnail",
    "True-colour picture",
    arguments.GeeFetchTruecolorThumbnail,
    open_world=True,
    prepare=find_for_colours,
)
tool("draw_geometries_on_image", "Draw on a picture", arguments.DrawGeometriesOnImage)
tool(
    "composite_satellite_environmental_image",
    "A field over a picture",
    arguments.CompositeSatelliteEnvironmentalImage,
    prepare=find_picture,
)
