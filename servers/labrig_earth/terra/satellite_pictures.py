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
from labrig_earth.terra.maps import chosen_colours, shown_field
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import answered, number, safe
from labrig_earth.work.arguments import count_of, flag_of, list_of, number_of, share_of, text_of
from labrig_earth.work.calls import Call

MODES = ("overlay", "triptych")
BOUNDS = ("lon_min", "lat_min", "lon_max", "lat_max")
MOST_SIDE = 8000
MODEL_SIDE = 1024
"""Pixels along the longer side of a picture that a model gets."""


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
        fill_opacity=share_of(call, "fill_opacity", 0.4),
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
    alpha = share_of(call, "overlay_alpha", 0.55)
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
