"""Group satellite, its composites of Sentinel-2: indices, areas of classes of ground, true colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.boxes import published_box
from labrig_earth.results import Result
from labrig_earth.satellite import drawing, picturing
from labrig_earth.satellite.compositing import BoxGrid, area_where, statistics
from labrig_earth.satellite.indices import Index, index_of
from labrig_earth.terra.arguments import satellite as arguments
from labrig_earth.terra.payloads import number
from labrig_earth.terra.satellite_composites import composite_of
from labrig_earth.terra.satellite_files import COLOURS, write_coloured, write_geotiff, write_thumbnail
from labrig_earth.work.calls import Call

USUAL = ("NDVI", "NBR", "NDBI", "NDWI")
OTHERS = ("nir", "swir1", "swir2")
CLASSES: Mapping[str, Mapping[str, Any]] = {
    "vegetation": {"index": "NDVI", "min": 0.25},
    "water": {"index": "NDWI", "min": 0.1},
    "built_up": {"index": "NDBI", "min": 0.0},
    "burn_scars": {"index": "NBR", "max": 0.1},
}
"""As the public code has them."""
BOX_ORDER = ("north", "west", "south", "east")


def gee_fetch_sentinel2_indices(call: Call, asked: arguments.GeeFetchSentinel2Indices) -> Result:
    """Indices of a composite: statistics, a picture of each, and on demand the composite itself."""
    indices = find_indices(asked.indices or list(USUAL))
    needed = list_bands(indices, asked.include_truecolor or asked.include_geotiff)
    made = composite_of(call, asked, asked.scale, needed)
    payload = made.payload(asked)
    payload["indices"] = {
        index.name: describe_values(made.composite.index(index), made.composite.grid, index.name)
        for index in indices
    }
    pictures = {
        index.name: picturing.index_colours(made.composite.index(index), index.name) for index in indices
    }
    files: list[str] = []
    payload |= {"thumbnails": {}, "thumbnail_geotiffs": {}, "thumbnail_guardrails": {}}
    for name, pixels in pictures.items():
        image, raster, about = write_thumbnail(call, asked, made.composite.grid, pixels, name)
        payload["thumbnails"][name], payload["thumbnail_geotiffs"][name] = image, raster
        payload["thumbnail_guardrails"][name] = about
        files += [image, raster]
    payload["thumbnail_colours"] = {
        index.name: dict(
            zip(("min", "max", "colours"), picturing.SHOWN.get(index.name, picturing.OTHERS), strict=True)
        )
        for index in indices
    }
    if asked.include_truecolor:
        files += write_coloured(call, asked, made.composite, payload, [])
    if asked.include_geotiff:
        step = asked.geotiff_scale or asked.scale
        wide = made.composite if step == asked.scale else composite_of(call, asked, step, needed).composite
        files += write_geotiff(call, asked, wide, indices, "SENTINEL2_COMPOSITE", payload, made.label)
    return made.result(payload, files)


def gee_index_area_stats(call: Call, asked: arguments.GeeIndexAreaStats) -> Result:
    """Areas of classes of ground, by thresholds of indices."""
    given = asked.class_thresholds or dict(CLASSES)
    classes = {name: read_threshold(name, spec) for name, spec in given.items()}
    indices = find_indices(list(dict.fromkeys([*USUAL, *(index.name for index, *_ in classes.values())])))
    made = composite_of(call, asked, asked.scale, list_bands(indices, False))
    grid, total = made.composite.grid, made.composite.grid.area_m2
    clear = area_where(made.composite.clear > 0, grid)
    payload = made.payload(asked)
    values = {index.name: made.composite.index(index) for index in indices}
    payload["index_stats"] = {name: describe_values(each, grid, name) for name, each in values.items()}
    payload["clear_area_sq_km"] = number(clear / 1e6)
    payload["class_areas"] = {}
    for name, (index, low, high) in classes.items():
        found = values[index.name]
        with np.errstate(invalid="ignore"):
            area = area_where((found >= low) & (found <= high), grid)
        threshold = {key: value for key, value in given[name].items() if key in ("min", "max")}
        payload["class_areas"][name] = {
            "index": index.name,
            "area_sq_km": number(area / 1e6),
            "fraction_of_aoi": number(area / total),
            "fraction_of_clear": number(area / clear) if clear else None,
            "threshold": threshold,
        }
        if clear and not area:
            made.warnings.append(
                f"{name}: no cell of {index.name} is within its threshold; it runs from "
                f"{np.nanmin(found):.3g} to {np.nanmax(found):.3g}"
                if np.isfinite(found).any()
                else f"{name}: {index.name} is not defined in any cell"
            )
    payload["class_thresholds"] = {name: dict(spec) for name, spec in given.items()}
    return made.result(payload, [])


def gee_fetch_truecolor_thumbnail(call: Call, asked: arguments.GeeFetchTruecolorThumbnail) -> Result:
    """A composite in true colours, with the outline of the box and shapes on it."""
    shapes = drawing.shapes_of(asked.overlay_geometries or [], "overlay_geometries", BOX_ORDER)
    look = drawing.Look(
        drawing.colour_of(asked.overlay_color, "overlay_color"),
        width=asked.overlay_width,
        opacity=asked.overlay_opacity,
        point_radius=5,
    )
    if asked.overlay_fill:
        look = drawing.Look(
            look.stroke, look.width, look.opacity, look.stroke, look.opacity, look.point_radius
        )
    outline = asked.draw_aoi_outline
    box = published_box(asked.bbox, "bbox")
    made = composite_of(call, asked, step_of_picture(box, asked.dimensions), COLOURS)
    payload = made.payload(asked)
    files = write_coloured(call, asked, made.composite, payload, shapes, look, outline=outline)
    drawn = payload.pop("drawn")
    payload |= {
        "overlay_applied": bool(drawn or outline),
        "overlay_geometries_count": len(shapes),
        "overlay_geometries_drawn": drawn,
        "draw_aoi_outline": outline,
        "overlay_color": asked.overlay_color,
        "overlay_width": look.width,
        "overlay_opacity": look.opacity,
        "overlay_fill": asked.overlay_fill,
    }
    if drawn < len(shapes):
        made.warnings.append(f"{len(shapes) - drawn} of {len(shapes)} shapes lie outside the box")
    if asked.include_geotiff:
        wide = composite_of(call, asked, asked.geotiff_scale or 10.0, COLOURS).composite
        files += write_geotiff(call, asked, wide, (), "TRUECOLOR", payload, made.label)
    return made.result(payload, files)


def list_bands(indices: Sequence[Index], coloured: bool) -> list[str]:
    wanted = {*(band for index in indices for band in index.bands), *(COLOURS if coloured else ())}
    return [name for name in (*COLOURS, *OTHERS) if name in wanted]


def find_indices(names: Sequence[str]) -> list[Index]:
    return list(dict.fromkeys(index_of(name.strip()) for name in names))


def read_threshold(name: str, spec: Any) -> tuple[Index, float, float]:
    """Return index, least and greatest value of a class."""
    where = f"class_thresholds, {name}"
    if not isinstance(spec, Mapping) or not isinstance(spec.get("index"), str):
        raise LabrigError("The class names no index", where=where, expected="{'index': 'NDVI', 'min': 0.25}")
    if unknown := [key for key in spec if key not in ("index", "min", "max")]:
        raise unknown_name("key", str(unknown[0]), ("index", "min", "max"), where=where)
    ends = [spec.get("min"), spec.get("max")]
    for each in ends:
        if each is not None and (
            isinstance(each, bool) or not isinstance(each, int | float) or not np.isfinite(each)
        ):
            raise LabrigError(f"A threshold is {each!r}"[:100], where=where, expected="a number")
    low, high = (
        float(each) if each is not None else usual
        for each, usual in zip(ends, (-np.inf, np.inf), strict=True)
    )
    if ends == [None, None] or low > high:
        raise LabrigError(
            "The class has no threshold"
            if ends == [None, None]
            else f"min ({low:g}) is above max ({high:g})",
            where=where,
            expected="min, max or both",
        )
    return index_of(spec["index"]), low, high


def describe_values(values: Any, grid: BoxGrid, name: str) -> dict[str, Any]:
    """Return statistics by the keys that the public code has."""
    found = statistics(values, grid)
    said: dict[str, Any] = {f"{name}_{key}": number(value) for key, value in found.items()}
    return {**said, "cells": int(np.isfinite(values).sum())}


def step_of_picture(box: drawing.Box, longest: int) -> float:
    """Return the width of cells that a picture with so many pixels along its longer side shows, at least 10 m."""
    west, south, east, north = box
    across = 111_320 * (east - west) * np.cos(np.radians((north + south) / 2))
    return float(max(10.0, max(across, 110_574 * (north - south)) / longest))
