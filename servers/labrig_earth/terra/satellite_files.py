"""Of group satellite, the files of a composite: pictures as PNG and GeoTIFF, bands and indices as GeoTIFF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig_earth.results import SYNTHETIC
from labrig_earth.satellite import drawing, picturing
from labrig_earth.satellite.compositing import BoxGrid, Composite
from labrig_earth.satellite.indices import Index
from labrig_earth.terra.arguments import satellite as arguments
from labrig_earth.terra.marks import MARK
from labrig_earth.work.calls import Call

OfPictures = arguments.GeeFetchSentinel2Indices | arguments.GeeFetchTruecolorThumbnail
COLOURS = ("red", "green", "blue")


def write_coloured(
    call: Call,
    asked: OfPictures,
    made: Composite,
    payload: dict[str, Any],
    shapes: Sequence[Any],
    look: drawing.Look | None = None,
    *,
    outline: bool = False,
) -> list[str]:
    """Write the composite in true colours, with shapes; note its files in the payload, and return them."""
    from shapely import box as rectangle

    pixels = picturing.true_colour(*(made.bands[name] for name in COLOURS))
    if look is None:
        image, raster, about = write_thumbnail(call, asked, made.grid, pixels, "TRUECOLOR")
    else:
        drawn_on, drawn = drawing.draw(picturing.sized(pixels, asked.dimensions), made.grid.box, shapes, look)
        if outline:
            hollow = drawing.Look(look.stroke, 2 * look.width, look.opacity)  # half of it lies outside
            drawn_on, _ = drawing.draw(drawn_on, made.grid.box, [rectangle(*made.grid.box)], hollow)
        payload["drawn"] = drawn
        image, raster, about = write_picture(call, asked, made.grid, drawn_on, "TRUECOLOR")
    payload |= {"truecolor_png": image, "truecolor_thumbnail_geotiff": raster, "truecolor_guardrail": about}
    return [image, raster]


def write_thumbnail(
    call: Call, asked: OfPictures, grid: BoxGrid, pixels: Any, name: str
) -> tuple[str, str, dict[str, Any]]:
    """Write a picture as large as the call wants it, and return what `write_picture` does."""
    return write_picture(call, asked, grid, picturing.sized(pixels, asked.dimensions), name)


def write_picture(
    call: Call, asked: OfPictures, grid: BoxGrid, image: Any, name: str
) -> tuple[str, str, dict[str, Any]]:
    """Write a picture as PNG and as GeoTIFF; return their marks, and what the second says of where it lies."""
    import rasterio
    from rasterio.transform import from_bounds

    days = days_of(asked)
    picture, raster = f"{name}_{days}.png", f"{name}_THUMB_{days}.tif"
    (call.scratch / picture).write_bytes(picturing.png(image))
    transform = from_bounds(*grid.box, image.width, image.height)
    with rasterio.open(
        call.scratch / raster, "w", driver="GTiff", width=image.width, height=image.height, count=4, dtype="uint8",
        crs=grid.crs, transform=transform, compress="deflate", photometric="RGB", alpha="unspecified",
    ) as file:  # fmt: skip
        file.write(np.moveaxis(np.asarray(image.convert("RGBA")), -1, 0))
    return f"{MARK}{picture}", f"{MARK}{raster}", describe_place(f"{MARK}{raster}", transform, grid.box)


def write_geotiff(
    call: Call,
    asked: arguments.OfScenes,
    made: Composite,
    indices: Sequence[Index],
    name: str,
    payload: dict[str, Any],
    label: str,
) -> list[str]:
    """Write bands and indices of a composite as GeoTIFF of float32, noted in the payload."""
    import rasterio

    days = days_of(asked)
    layers = {**made.bands, **{index.name: made.index(index) for index in indices}}
    path = f"{name}_{days}.tif"
    with rasterio.open(
        call.scratch / path, "w", driver="GTiff", width=made.grid.width, height=made.grid.height, count=len(layers),
        dtype="float32", crs=made.grid.crs, transform=made.grid.transform, nodata=float("nan"), compress="deflate",
    ) as file:  # fmt: skip
        file.write(np.stack([each.astype("f4") for each in layers.values()]))
        file.descriptions = tuple(layers)
        file.update_tags(**({SYNTHETIC: label} if label else {}))
    payload["geotiff"] = {"zip_path": None, "tif_path": f"{MARK}{path}", "bands": list(layers)}
    payload["geotiff_guardrail"] = describe_place(f"{MARK}{path}", made.grid.transform, made.grid.box)
    return [f"{MARK}{path}"]


def days_of(asked: arguments.OfScenes) -> str:
    """Return the days of a composite, for the names of its files."""
    return f"{asked.start_date}_{asked.end_date}".replace("-", "")


def describe_place(path: str, transform: Any, box: drawing.Box) -> dict[str, Any]:
    west, south, east, north = box
    return {
        "path": path,
        "crs": "EPSG:4326",
        "epsg": 4326,
        "transform": {name: float(getattr(transform, name)) for name in "abcdef"},
        "pixel_size": {"x": float(transform.a), "y": float(transform.e)},
        "bounds": {"left": west, "bottom": south, "right": east, "top": north},
        "north_up": True,
        "normalized": False,
    }
