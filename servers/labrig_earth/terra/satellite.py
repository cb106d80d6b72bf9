"""Group satellite: composites of Sentinel-2, their indices, areas and pictures; shapes drawn on a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place
from labrig_earth.gis.boxes import published_box
from labrig_earth.plots.colours import DIVERGING
from labrig_earth.plots.fields import cells_of
from labrig_earth.plots.imagery import Panel, imagery_figure, onto, read_picture
from labrig_earth.results import SYNTHETIC, Result
from labrig_earth.satellite import drawing, picturing
from labrig_earth.satellite.compositing import (
    BoxGrid,
    Composite,
    area_where,
    cloud_share,
    composite,
    grid_of,
    statistics,
)
from labrig_earth.satellite.indices import Index, index_of
from labrig_earth.satellite.scene import KEPT_CLASSES, Scene
from labrig_earth.terra.maps import chosen_colours, shown_field
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import answered, number, safe
from labrig_earth.work.arguments import count_of, flag_of, list_of, mapping_of, number_of, text_of
from labrig_earth.work.calls import Call

USUAL = ("NDVI", "NBR", "NDBI", "NDWI")
COLOURS = ("red", "green", "blue")
OTHERS = ("nir", "swir1", "swir2")
CLASSES: Mapping[str, Mapping[str, Any]] = {
    "vegetation": {"index": "NDVI", "min": 0.25},
    "water": {"index": "NDWI", "min": 0.1},
    "built_up": {"index": "NDBI", "min": 0.0},
    "burn_scars": {"index": "NBR", "max": 0.1},
}
"""As the public code has them."""
METHOD = (
    "median of each band over the scenes in which SCL calls a cell clear (classes 4, 5, 6, 7, 11), the nearest cell of "
    "each; statistics by the areas of cells on the ellipsoid"
)
BOX_ORDER = ("north", "west", "south", "east")
MODES = ("overlay", "triptych")
BOUNDS = ("lon_min", "lat_min", "lon_max", "lat_max")
MOST_SIDE = 8000
MODEL_SIDE = 1024
"""Pixels along the longer side of a picture that a model gets."""
_DATE = re.compile(r"(?<!\d)(20\d\d)[-:]?([01]\d)[-:]?([0-3]\d)(?!\d)")


def gee_fetch_sentinel2_indices(call: Call) -> Result:
    """Indices of a composite: statistics, a picture of each, and on demand the composite itself."""
    indices = _indices(list_of(call, "indices", str, "names of indices") or list(USUAL))
    scale = _step(call, "scale")
    coloured, whole = flag_of(call, "include_truecolor", True), flag_of(call, "include_geotiff")
    needed = _bands(indices, coloured or whole)
    made = _made(call, scale, needed)
    payload = made.payload(call)
    payload["indices"] = {
        index.name: _said(made.composite.index(index), made.composite.grid, index.name) for index in indices
    }
    pictures = {
        index.name: picturing.index_colours(made.composite.index(index), index.name) for index in indices
    }
    files: list[str] = []
    payload |= {"thumbnails": {}, "thumbnail_geotiffs": {}, "thumbnail_guardrails": {}}
    for name, pixels in pictures.items():
        image, raster, about = _thumbnail(call, made.composite.grid, pixels, name)
        payload["thumbnails"][name], payload["thumbnail_geotiffs"][name] = image, raster
        payload["thumbnail_guardrails"][name] = about
        files += [image, raster]
    payload["thumbnail_colours"] = {
        index.name: dict(
            zip(("min", "max", "colours"), picturing.SHOWN.get(index.name, picturing.OTHERS), strict=True)
        )
        for index in indices
    }
    if coloured:
        files += _coloured(call, made.composite, payload, [])
    if whole:
        step = _step(call, "geotiff_scale", scale)
        wide = made.composite if step == scale else _made(call, step, needed).composite
        files += _geotiff(call, wide, indices, "SENTINEL2_COMPOSITE", payload, made.label)
    return made.result(payload, files)


def gee_index_area_stats(call: Call) -> Result:
    """Areas of classes of ground, by thresholds of indices."""
    given = mapping_of(call, "class_thresholds") or dict(CLASSES)
    classes = {name: _threshold(name, spec) for name, spec in given.items()}
    indices = _indices(list(dict.fromkeys([*USUAL, *(index.name for index, *_ in classes.values())])))
    made = _made(call, _step(call, "scale"), _bands(indices, False))
    grid, total = made.composite.grid, made.composite.grid.area_m2
    clear = area_where(made.composite.clear > 0, grid)
    payload = made.payload(call)
    values = {index.name: made.composite.index(index) for index in indices}
    payload["index_stats"] = {name: _said(each, grid, name) for name, each in values.items()}
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


def gee_fetch_truecolor_thumbnail(call: Call) -> Result:
    """A composite in true colours, with the outline of the box and shapes on it."""
    shapes = drawing.shapes_of(
        list_of(call, "overlay_geometries", (dict, list), "shapes"), "overlay_geometries", BOX_ORDER
    )
    look = drawing.Look(
        drawing.colour_of(text_of(call, "overlay_color", "#ff7f0e"), "overlay_color"),
        width=count_of(call, "overlay_width", 2, high=100),
        opacity=_share(call, "overlay_opacity", 0.8),
        point_radius=5,
    )
    filled = flag_of(call, "overlay_fill")
    if filled:
        look = drawing.Look(
            look.stroke, look.width, look.opacity, look.stroke, look.opacity, look.point_radius
        )
    outline = flag_of(call, "draw_aoi_outline", True)
    longest = count_of(call, "dimensions", 1024, high=4096)
    box = published_box(list_of(call, "bbox", (int, float), "numbers"), "bbox")
    made = _made(call, _step_of_picture(box, longest), COLOURS)
    payload = made.payload(call)
    files = _coloured(call, made.composite, payload, shapes, look, outline=outline)
    drawn = payload.pop("drawn")
    payload |= {
        "overlay_applied": bool(drawn or outline),
        "overlay_geometries_count": len(shapes),
        "overlay_geometries_drawn": drawn,
        "draw_aoi_outline": outline,
        "overlay_color": text_of(call, "overlay_color", "#ff7f0e"),
        "overlay_width": look.width,
        "overlay_opacity": look.opacity,
        "overlay_fill": filled,
    }
    if drawn < len(shapes):
        made.warnings.append(f"{len(shapes) - drawn} of {len(shapes)} shapes lie outside the box")
    if flag_of(call, "include_geotiff"):
        wide = _made(call, _step(call, "geotiff_scale", 10.0), COLOURS).composite
        files += _geotiff(call, wide, (), "TRUECOLOR", payload, made.label)
    return made.result(payload, files)


def draw_geometries_on_image(call: Call) -> Result:
    """Shapes in degrees on a picture that fills a box."""
    box = published_box(list_of(call, "image_bbox", (int, float), "numbers"), "image_bbox")
    order = ("south", "west", "north", "east")
    given = list_of(call, "geometries", (dict, list), "shapes")
    if not given:
        raise LabrigError("There is nothing to draw", where="geometries", expected="GeoJSON, or boxes")
    shapes = drawing.shapes_of(given, "geometries", order)
    stroke, fill = text_of(call, "stroke_color", "#ff0000"), text_of(call, "fill_color")
    look = drawing.Look(
        drawing.colour_of(stroke, "stroke_color"),
        width=count_of(call, "stroke_width_px", 4, high=200),
        fill=drawing.colour_of(fill, "fill_color") if fill else None,
        fill_opacity=_share(call, "fill_opacity", 0.4),
        point_radius=count_of(call, "point_radius_px", 10, high=1000),
    )
    place = call.input("image")
    image, drawn = drawing.draw(_image(place), box, shapes, look)
    name = f"{safe(re.sub(r'[.][^.]*$', '', place.name))}_overlay.png"
    (call.scratch / name).write_bytes(picturing.png(image))
    west, south, east, north = box
    payload = {
        "input_image": place.name,
        "output_image": f"{MARK}{name}",
        "image_bbox": [north, west, south, east],
        "image_size": list(image.size),
        "geometries_drawn": drawn,
        "geometries_outside": len(shapes) - drawn,
        "stroke_color": stroke,
        "stroke_width_px": look.width,
        "fill_color": fill or None,
        "fill_opacity": look.fill_opacity if fill else None,
        "point_radius_px": look.point_radius,
    }
    warnings = (
        (f"{len(shapes) - drawn} of {len(shapes)} shapes lie outside the picture",)
        if drawn < len(shapes)
        else ()
    )
    return answered(
        payload,
        method="columns even in longitude, rows in latitude; holes stay open; shapes in their order",
        files=(f"{MARK}{name}",),
        warnings=warnings,
    )


def composite_satellite_environmental_image(call: Call) -> Result:
    """A field over a satellite picture (overlay), or picture, field and another field side by side (triptych)."""
    from labrig.plotting import style

    mode = text_of(call, "mode", "overlay").casefold()
    if mode not in MODES:
        raise unknown_name("mode", mode, MODES, where="mode")
    alpha = _share(call, "overlay_alpha", 0.55)
    picture = read_picture(call.input("picture"))
    field = _field_on(call, picture, "anomaly", flag_of(call, "overlay_center_zero", True), "overlay")
    panels = [replace(field.panel, alpha=alpha, title=f"{field.panel.label} over the picture")]
    said: dict[str, Any] = {"field": field.said}
    notes, fields = list(field.notes), [field]
    if mode == "triptych":
        label = text_of(call, "right_label", "event mask / ensemble")
        panels = [Panel("Satellite"), replace(field.panel, below=False), Panel(label)]
        if call.optional("right") is not None:
            right = _field_on(call, picture, "right", False, "right")
            panels[2] = replace(right.panel, title=label, below=False)
            said["right_field"] = right.said
            notes, fields = [*notes, *right.notes], [field, right]
    names = ", ".join(dict.fromkeys([picture.name, *(each.source for each in fields)]))
    title = f"{field.said['variable']} and a satellite picture"
    figure = imagery_figure(Heading(title, names, tuple(dict.fromkeys(notes))), picture, panels)
    name = "composite.png"
    (call.scratch / name).write_bytes(style.png(figure))
    payload = {
        "output_path": f"{MARK}{name}",
        "mode": mode,
        "satellite_path": picture.name,
        "satellite_bounds": dict(zip(BOUNDS, map(number, picture.box), strict=True)),
        **said,
    }
    return answered(
        payload,
        method="each pixel shows the cell of the field in which its middle lies; numbers are of these pixels",
        files=(f"{MARK}{name}",),
        warnings=tuple(note for each in fields for note in each.warnings),
        assumed=tuple(note for each in fields for note in each.assumed),
    )


def pictures_for_a_model(call: Call) -> Result:
    """Pictures made small enough for a model, as JPEG on white, by their numbers."""
    from PIL import Image

    files, sizes = [], []
    for number_, place in enumerate(call.inputs["images"]):
        image = _image(place)
        image.thumbnail((MODEL_SIDE, MODEL_SIDE))
        page = Image.new("RGB", image.size, "white")
        page.paste(image, mask=image.getchannel("A"))
        name = f"{number_}.jpg"
        page.save(call.scratch / name, quality=85)
        files.append(f"{MARK}{name}")
        sizes.append(list(page.size))
    return answered({"sizes": sizes}, method="made smaller", files=tuple(files))


@dataclass(frozen=True)
class _OnPicture:
    """A field on the grid of a picture, how it is drawn, and what is said of it."""

    panel: Panel
    said: dict[str, Any]
    source: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    assumed: tuple[str, ...]


def _field_on(call: Call, picture: Any, role: str, middle: bool, look: str) -> _OnPicture:
    """Return a field of a call on a picture; its arguments begin with its role, those of its colours with `look`."""
    prefix = {"anomaly": "anomaly_", "right": "right_field_"}[role]
    renamed = {
        **{name: call.argument(prefix + name) for name in ("variable", "time_index", "aggregate")},
        "cmap": call.argument(f"{look}_cmap"),
    }
    own = Call({role: call.inputs[role]}, renamed, call.scratch)
    shown = shown_field(own, role, text_of(own, "variable"))
    cells = cells_of(shown.data)
    values = onto(picture, cells)
    low, high = number_of(call, f"{look}_vmin"), number_of(call, f"{look}_vmax")
    both = np.nanmin(values) < 0 < np.nanmax(values)
    if middle and not both and renamed["cmap"] in DIVERGING:
        own = replace(own, arguments={**renamed, "cmap": ""})
        one_sided = ["the values lie on one side of 0, so the colours have no middle there"]
    else:
        one_sided = []
    middle = middle and bool(both)
    colours, assumed = chosen_colours(own, replace(cells, values=values), low, high, middle, shown.name)
    there = np.isfinite(values)
    said = {
        "variable": shown.name,
        "units": shown.unit,
        "time_descriptor": shown.when,
        "min": number(np.nanmin(values)),
        "max": number(np.nanmax(values)),
        "mean": number(np.nanmean(values)),
        "covered": number(there.mean()),
        "vmin": number(colours.low),
        "vmax": number(colours.high),
    }
    panel = Panel(cells.label, values, colours, cells.label)
    notes = tuple(each for each in (shown.when, *shown.warnings) if each)
    return _OnPicture(
        panel, said, shown.source, notes, shown.warnings, (*shown.assumed, *one_sided, *assumed)
    )


# ------------------------------------------------------------------------------------------------ the composite


@dataclass
class _Made:
    """A composite, and what is to be said of it."""

    composite: Composite
    used: list[dict[str, Any]]
    assumed: list[str]
    warnings: list[str]
    label: str = ""
    """What the scenes say of themselves where they are synthetic."""

    def payload(self, call: Call) -> dict[str, Any]:
        grid = self.composite.grid
        west, south, east, north = grid.box
        return {
            "project_id": None,
            "bbox": [north, west, south, east],
            "start_date": text_of(call, "start_date"),
            "end_date": text_of(call, "end_date"),
            "cloud_filter_percent": number_of(call, "max_cloud", 40.0),
            "collection_size": len(self.used),
            "scenes": self.used,
            "aoi_area_sq_km": number(grid.area_m2 / 1e6),
            "grid": {"width": grid.width, "height": grid.height, "crs": "EPSG:4326"},
            "clear_fraction": number(area_where(self.composite.clear > 0, grid) / grid.area_m2),
        }

    def result(self, payload: Mapping[str, Any], files: Sequence[str]) -> Result:
        return answered(
            payload,
            method=METHOD,
            files=tuple(files),
            warnings=tuple(self.warnings),
            assumed=tuple(self.assumed),
        )


def _made(call: Call, step_m: float, needed: Sequence[str]) -> _Made:
    """Return the composite of the scenes of a call that are within its days and have little enough cloud."""
    box = published_box(list_of(call, "bbox", (int, float), "numbers"), "bbox")
    grid = grid_of(box, step_m)
    most = number_of(call, "max_cloud", 40.0, low=0, high=100)
    assert most is not None
    start, end = text_of(call, "start_date"), text_of(call, "end_date")
    searched = flag_of(call, "searched")
    left: list[str] = []
    kept: list[Scene] = []
    used: list[dict[str, Any]] = []
    assumed: list[str] = []
    for places in _groups(call):
        name, day = places[0].name, _day(places[0])
        if not searched and day and not start <= day < end:
            left.append(f"{name} is of {day}")
            continue
        if not searched and not day:
            assumed.append(f"{name} names no day and is taken to be of the time asked for")
        scene = Scene(places, needed, keep=KEPT_CLASSES, reflectance=True)
        cloud = cloud_share(scene, grid)
        if not searched and cloud is not None and 100 * cloud > most:
            left.append(f"{name} has {100 * cloud:.0f} % of cloud")
            continue
        kept.append(scene)
        used.append(
            {
                "name": name,
                "date": day or None,
                "cloud_percent_of_box": None if cloud is None else number(100 * cloud),
            }
        )
    if not kept:
        raise LabrigError(
            "No scene is left" + (f": {'; '.join(left[:6])}" if left else ""),
            where="start_date, end_date, max_cloud",
            expected=f"scenes from {start} to before {end} with at most {most:g} % of cloud",
            code="not_found",
        )
    found = composite(kept, grid)
    warnings = [note for scene in kept for note in scene.warnings]
    if left:
        warnings.append(
            f"left out: {'; '.join(left[:6])}" + (f" and {len(left) - 6} more" if len(left) > 6 else "")
        )
    if not found.clear.any():
        raise LabrigError(
            "No cell of the box is clear in any scene",
            where="bbox",
            expected="scenes that cover the box",
            try_="a longer time, or a greater max_cloud",
            code="not_found",
        )
    more = text_of(call, "note")
    assumed += [each for scene in kept for each in scene.assumed]
    labels = [band.tags.get(SYNTHETIC, "") for scene in kept for band in scene.bands.values()]
    return _Made(found, used, assumed, [*([more] if more else []), *warnings], max(labels))


def _groups(call: Call) -> list[tuple[Place, ...]]:
    """Return the files of each scene."""
    places = list(call.inputs.get("scenes", ()))
    counts = list_of(call, "counts", int, "numbers")
    found, first = [], 0
    for count in counts:
        found.append(tuple(places[first : first + count]))
        first += count
    if not found or first != len(places) or not all(found):
        raise LabrigError("There are no scenes", where="scenes", expected="files of at least one scene")
    return found


def _day(place: Place) -> str:
    """Return the day (ISO) that a scene's tags or its name state; an empty text for none."""
    import rasterio

    stated = ""
    try:
        with rasterio.open(place.path, driver="GTiff") as file:
            stated = str(file.tags().get("TIFFTAG_DATETIME", ""))
    except rasterio.errors.RasterioError:  # the scene says what is wrong with it
        return ""
    for text in (stated, place.name):
        if match := _DATE.search(text):
            return "-".join(match.groups())
    return ""


def _bands(indices: Sequence[Index], coloured: bool) -> list[str]:
    wanted = {*(band for index in indices for band in index.bands), *(COLOURS if coloured else ())}
    return [name for name in (*COLOURS, *OTHERS) if name in wanted]


def _indices(names: Sequence[str]) -> list[Index]:
    return list(dict.fromkeys(index_of(name.strip()) for name in names))


def _threshold(name: str, spec: Any) -> tuple[Index, float, float]:
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


def _said(values: Any, grid: BoxGrid, name: str) -> dict[str, Any]:
    """Return statistics by the keys that the public code has."""
    found = statistics(values, grid)
    said: dict[str, Any] = {f"{name}_{key}": number(value) for key, value in found.items()}
    return {**said, "cells": int(np.isfinite(values).sum())}


def _step(call: Call, name: str, usual: float = 20.0) -> float:
    found = number_of(call, name, usual, low=1, high=10_000)
    assert found is not None
    return found


def _step_of_picture(box: drawing.Box, longest: int) -> float:
    """Return the width of cells that a picture with so many pixels along its longer side shows, at least 10 m."""
    west, south, east, north = box
    across = 111_320 * (east - west) * np.cos(np.radians((north + south) / 2))
    return float(max(10.0, max(across, 110_574 * (north - south)) / longest))


def _share(call: Call, name: str, usual: float) -> float:
    found = number_of(call, name, usual, low=0, high=1)
    assert found is not None
    return found


# ---------------------------------------------------------------------------------------------------- pictures


def _coloured(
    call: Call,
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
        image, raster, about = _thumbnail(call, made.grid, pixels, "TRUECOLOR")
    else:
        longest = count_of(call, "dimensions", 1024, high=4096)
        drawn_on, drawn = drawing.draw(picturing.sized(pixels, longest), made.grid.box, shapes, look)
        if outline:
            hollow = drawing.Look(look.stroke, 2 * look.width, look.opacity)  # half of it lies outside
            drawn_on, _ = drawing.draw(drawn_on, made.grid.box, [rectangle(*made.grid.box)], hollow)
        payload["drawn"] = drawn
        image, raster, about = _written(call, made.grid, drawn_on, "TRUECOLOR")
    payload |= {"truecolor_png": image, "truecolor_thumbnail_geotiff": raster, "truecolor_guardrail": about}
    return [image, raster]


def _thumbnail(call: Call, grid: BoxGrid, pixels: Any, name: str) -> tuple[str, str, dict[str, Any]]:
    longest = count_of(call, "dimensions", 1024, high=4096)
    return _written(call, grid, picturing.sized(pixels, longest), name)


def _written(call: Call, grid: BoxGrid, image: Any, name: str) -> tuple[str, str, dict[str, Any]]:
    """Write a picture as PNG and as GeoTIFF; return their marks, and what the second says of where it lies."""
    import rasterio
    from rasterio.transform import from_bounds

    days = "_".join(text_of(call, each).replace("-", "") for each in ("start_date", "end_date"))
    picture, raster = f"{name}_{days}.png", f"{name}_THUMB_{days}.tif"
    (call.scratch / picture).write_bytes(picturing.png(image))
    transform = from_bounds(*grid.box, image.width, image.height)
    with rasterio.open(
        call.scratch / raster, "w", driver="GTiff", width=image.width, height=image.height, count=4, dtype="uint8",
        crs=grid.crs, transform=transform, compress="deflate", photometric="RGB", alpha="unspecified",
    ) as file:  # fmt: skip
        file.write(np.moveaxis(np.asarray(image.convert("RGBA")), -1, 0))
    return f"{MARK}{picture}", f"{MARK}{raster}", _placed(f"{MARK}{raster}", transform, grid.box)


def _geotiff(
    call: Call, made: Composite, indices: Sequence[Index], name: str, payload: dict[str, Any], label: str
) -> list[str]:
    """Write bands and indices of a composite as GeoTIFF of float32, noted in the payload."""
    import rasterio

    days = "_".join(text_of(call, each).replace("-", "") for each in ("start_date", "end_date"))
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
    payload["geotiff_guardrail"] = _placed(f"{MARK}{path}", made.grid.transform, made.grid.box)
    return [f"{MARK}{path}"]


def _placed(path: str, transform: Any, box: drawing.Box) -> dict[str, Any]:
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


def _image(place: Place) -> Any:
    """Return a PNG or JPEG picture; LabrigError for anything else."""
    from PIL import Image

    try:
        with Image.open(place.path, formats=("PNG", "JPEG")) as image:
            if max(image.size) > MOST_SIDE:
                raise LabrigError(
                    f"The picture has {image.width:,} x {image.height:,} pixels",
                    where=place.name,
                    expected=f"at most {MOST_SIDE:,} a side",
                    code="limit",
                )
            return image.convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise LabrigError(
            f"This is no picture that can be read: {str(error).replace(place.path, place.name)[:200]}",
            where=place.name,
            expected="a PNG or JPEG file",
        ) from None
