"""Of group satellite, pictures that are there: shapes drawn on one, fields over one, several for a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place
from labrig_earth.gis.boxes import published_box
from labrig_earth.plots.colours import DIVERGING
from labrig_earth.plots.fields import cells_of
from labrig_earth.plots.imagery import Panel, imagery_figure, onto, read_picture
from labrig_earth.results import Result
from labrig_earth.satellite import drawing, picturing
from labrig_earth.terra.arguments import satellite as arguments
from labrig_earth.terra.maps import Shown, choose_colours, read_shown
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number, safe
from labrig_earth.work.calls import Call

MODES = ("overlay", "triptych")
BOUNDS = ("lon_min", "lat_min", "lon_max", "lat_max")
MOST_SIDE = 8000
MODEL_SIDE = 1024
"""Pixels along the longer side of a picture that a model gets."""


def draw_geometries_on_image(call: Call, asked: arguments.DrawGeometriesOnImage) -> Result:
    """Shapes in degrees on a picture that fills a box."""
    box = published_box(asked.image_bbox, "image_bbox")
    order = ("south", "west", "north", "east")
    if not asked.geometries:
        raise LabrigError("There is nothing to draw", where="geometries", expected="GeoJSON, or boxes")
    shapes = drawing.shapes_of(asked.geometries, "geometries", order)
    look = drawing.Look(
        drawing.colour_of(asked.stroke_color, "stroke_color"),
        width=asked.stroke_width_px,
        fill=drawing.colour_of(asked.fill_color, "fill_color") if asked.fill_color else None,
        fill_opacity=asked.fill_opacity,
        point_radius=asked.point_radius_px,
    )
    place = call.input("image_path")
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
        "stroke_color": asked.stroke_color,
        "stroke_width_px": look.width,
        "fill_color": asked.fill_color or None,
        "fill_opacity": look.fill_opacity if asked.fill_color else None,
        "point_radius_px": look.point_radius,
    }
    warnings = (
        (f"{len(shapes) - drawn} of {len(shapes)} shapes lie outside the picture",)
        if drawn < len(shapes)
        else ()
    )
    return make_result(
        payload,
        method="columns even in longitude, rows in latitude; holes stay open; shapes in their order",
        files=(f"{MARK}{name}",),
        warnings=warnings,
    )


def composite_satellite_environmental_image(
    call: Call, asked: arguments.CompositeSatelliteEnvironmentalImage
) -> Result:
    """A field over a satellite picture (overlay), or picture, field and another field side by side (triptych)."""
    from labrig.plotting import style

    mode = asked.mode.casefold()
    if mode not in MODES:
        raise unknown_name("mode", mode, MODES, where="mode")
    picture = read_picture(call.input("satellite_image"))
    shown = read_shown(
        call.input("anomaly_path"), asked.anomaly_variable, asked.anomaly_time_index, asked.anomaly_aggregate
    )
    limits = asked.overlay_vmin, asked.overlay_vmax
    field = lay_on(picture, shown, asked.overlay_cmap, limits, middle=asked.overlay_center_zero)
    panels = [replace(field.panel, alpha=asked.overlay_alpha, title=f"{field.panel.label} over the picture")]
    said: dict[str, Any] = {"field": field.said}
    notes, fields = list(field.notes), [field]
    if mode == "triptych":
        label = asked.right_label
        panels = [Panel("Satellite"), replace(field.panel, below=False), Panel(label)]
        if asked.right_field_path:
            shown = read_shown(
                call.input("right_field_path"),
                asked.right_field_variable,
                asked.right_field_time_index,
                asked.right_field_aggregate,
            )
            right = lay_on(
                picture, shown, asked.right_cmap, (asked.right_vmin, asked.right_vmax), middle=False
            )
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
    return make_result(
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
    return make_result({"sizes": sizes}, method="made smaller", files=tuple(files))


@dataclass(frozen=True)
class _OnPicture:
    """A field on the grid of a picture, how it is drawn, and what is said of it."""

    panel: Panel
    said: dict[str, Any]
    source: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    assumed: tuple[str, ...]


def lay_on(
    picture: Any, shown: Shown, cmap: str, limits: tuple[float | None, float | None], *, middle: bool
) -> _OnPicture:
    """Return a field on a picture, in colours that have 0 in their middle where they can."""
    cells = cells_of(shown.data)
    values = onto(picture, cells)
    both = bool(np.nanmin(values) < 0 < np.nanmax(values))
    one_sided = []
    if middle and not both and cmap in DIVERGING:
        cmap = ""
        one_sided = ["the values lie on one side of 0, so the colours have no middle there"]
    laid = replace(cells, values=values)
    colours, assumed = choose_colours(laid, cmap, *limits, middle and both, shown.name)
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


def _image(place: Place) -> Any:
    """Return a PNG or JPEG picture; LabrigError for anything else."""
    from PIL import Image

    try:
        with Image.open(place.path, formats=("PNG", "JPEG")) as image:
            if max(image.size) > MOST_SIDE:
                raise over_limit(
                    f"The picture has {image.width:,} x {image.height:,} pixels",
                    MOST_SIDE,
                    "a side",
                    where=place.name,
                )
            return image.convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise LabrigError(
            f"This is no picture that can be read: {str(error).replace(place.path, place.name)[:200]}",
            where=place.name,
            expected="a PNG or JPEG file",
        ) from None
