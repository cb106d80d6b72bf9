"""Shapes in degrees drawn on a picture whose box is known; columns are even in longitude, rows in latitude."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.gis.boxes import check_box
from labrig_earth.gis.collections import shape_of

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]
_HEX = re.compile(r"#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})")


@dataclass(frozen=True)
class Look:
    """How shapes are drawn; lengths in pixels.

    Attributes
    ----------
    fill
        None leaves shapes hollow.
    opacity, fill_opacity
        0 to 1, of lines and of what they enclose.
    """

    stroke: Colour
    width: int = 4
    opacity: float = 1.0
    fill: Colour | None = None
    fill_opacity: float = 0.4
    point_radius: int = 10


def colour_of(text: str, where: str) -> Colour:
    """Return a colour; LabrigError for an invalid one."""
    found = _HEX.fullmatch(text.strip())
    if found is None:
        raise LabrigError(f"{text[:40]!r} is no colour", where=where, expected="such as #ff7f0e")
    digits = found[1] if len(found[1]) == 6 else "".join(each * 2 for each in found[1])
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def shapes_of(given: Sequence[Any], where: str, box_order: Sequence[str]) -> list[Any]:
    """Return shapely geometries of GeoJSON, of ``{south, west, north, east}``, and of lists of four numbers.

    Parameters
    ----------
    box_order
        Of the lists: such as ``("south", "west", "north", "east")``.

    Raises
    ------
    LabrigError
        ``bad_input`` for anything else, and for coordinates that degrees cannot have.
    """
    from shapely import box as rectangle

    found: list[Any] = []
    for number, each in enumerate(given):
        at = f"{where}[{number}]"
        sides: Mapping[str, Any] | None = None
        if isinstance(each, list | tuple):
            if len(each) != 4 or not all(map(_is_number, each)):
                raise LabrigError(
                    "This is no box", where=at, expected=f"[{', '.join(box_order)}], or GeoJSON"
                )
            sides = dict(zip(box_order, each, strict=True))
        elif isinstance(each, Mapping) and {"south", "west", "north", "east"} <= each.keys():
            sides = each
        if sides is None:
            if isinstance(each, Mapping) and isinstance(each.get("features"), list):
                found += shapes_of(each["features"], f"{at}.features", box_order)
                continue
            found.append(shape_of(each, at))
            continue
        values = {name: sides[name] for name in ("south", "west", "north", "east")}
        if not all(map(_is_number, values.values())) or not values["south"] < values["north"]:
            raise LabrigError(
                f"South is {values['south']!r} and north {values['north']!r}"[:200],
                where=at,
                expected=f"[{', '.join(box_order)}] in degrees",
            )
        found.append(
            rectangle(*check_box((values["west"], values["south"], values["east"], values["north"]), at))
        )
    return found


def draw(image: Any, box: Box, shapes: Sequence[Any], look: Look) -> tuple[Any, int]:
    """Return a picture with shapes drawn on it, and how many of them lie in it at least in part.

    Parameters
    ----------
    image
        Of Pillow; it is not changed.
    box
        (west, south, east, north) that the picture fills.
    """
    from PIL import Image, ImageDraw
    from shapely import box as rectangle

    base = image.convert("RGBA")
    drawn = 0
    frame = rectangle(*box)
    for shape in shapes:
        if shape.is_empty or not shape.intersects(frame):
            continue
        drawn += 1
        layer = Image.new("RGBA", base.size, (0, 0, 0, 0))
        pen = ImageDraw.Draw(layer)
        for part in _parts(shape):
            _draw_part(pen, part, box, base.size, look)
        base = Image.alpha_composite(base, layer)
    return base, drawn


def _parts(shape: Any) -> list[Any]:
    return [each for part in shape.geoms for each in _parts(part)] if hasattr(shape, "geoms") else [shape]


def _draw_part(pen: Any, part: Any, box: Box, size: tuple[int, int], look: Look) -> None:
    line = (*look.stroke, round(255 * look.opacity))
    inside = None if look.fill is None else (*look.fill, round(255 * look.fill_opacity))
    if part.geom_type == "Point":
        (x, y), radius = _pixel((part.x, part.y), box, size), look.point_radius
        place = (x - radius, y - radius, x + radius, y + radius)
        pen.ellipse(place, outline=line, width=look.width, fill=inside)
        return
    if part.geom_type != "Polygon":
        pen.line(
            [_pixel(each, box, size) for each in part.coords], fill=line, width=look.width, joint="curve"
        )
        return
    rings = [[_pixel(each, box, size) for each in ring.coords] for ring in (part.exterior, *part.interiors)]
    if inside is not None:
        pen.polygon(rings[0], fill=inside)
        for hole in rings[1:]:
            pen.polygon(hole, fill=(0, 0, 0, 0))
    for ring in rings:
        pen.line([*ring, ring[1]], fill=line, width=look.width, joint="curve")


def _pixel(place: Sequence[float], box: Box, size: tuple[int, int]) -> tuple[float, float]:
    """Return column and row of a place (lon, lat); far beyond the picture it is cut, since pens take no such number."""
    west, south, east, north = box
    x = (place[0] - west) / (east - west) * size[0] - 0.5
    y = (north - place[1]) / (north - south) * size[1] - 0.5
    return min(max(x, -1e5), 1e5), min(max(y, -1e5), 1e5)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
