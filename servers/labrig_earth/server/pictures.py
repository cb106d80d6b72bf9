"""The tool that draws: a map or a time series, shown and kept as a file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Pictures
from labrig.errors import LabrigError
from labrig_earth.server.arguments import (
    Select,
    keyed,
    keys_of,
    number,
    one_of,
    read_conditions,
    several,
    text,
    word_of,
)
from labrig_earth.server.base import VariableArgument, options_of, toolbox
from labrig_earth.server.operations import Asked, draw_operation

STYLES = ("area", "outline", "hazard", "line", "route", "closed_route", "points", "values")
PROJECTIONS = (
    *("auto", "plate_carree", "robinson", "equal_area", "lambert", "mercator", "polar_north", "polar_south"),
    "utm",
)
STYLE = {
    "style": one_of(STYLES),
    "label": text(),
    "column": text("Of values, for colours."),
    "unit": text(),
    "where": {
        "type": "object",
        "description": "Column: value.",
        "additionalProperties": {"type": "string"},
    },
    "layer": text(),
}
OF_BOTH = {"title": text(), "unit": text(), "missing": number("No value.")}
OF_MAPS = {
    **OF_BOTH,
    "bbox": several("number", "[west, south, east, north]"),
    "region": text("As Italy."),
    "projection": one_of(PROJECTIONS),
    "colours": text("As viridis."),
    "low": number(),
    "high": number(),
    "label": text(),
    "classes": {
        "type": "object",
        "description": 'Names by number: {"4": "forest"}.',
        "additionalProperties": {"type": "string"},
    },
    "vectors": several("string", "Variables east, north."),
    "styles": {"type": "array", "items": keyed(STYLE), "description": "One for each of layers."},
}
OF_SERIES = {
    **OF_BOTH,
    "names": several("string", "Of lines."),
    "threshold": number(),
    "threshold_name": text(),
}


@toolbox.tool(
    title="Plot",
    read_only=False,
    picture=True,
    words="map, world map, coastlines, country borders, projection, Robinson, polar, colour scale, contour, "
    "heatmap, satellite scene, raster, temperature or precipitation field, wind, time series chart, line, members, "
    "anomaly, polygons, png, figure",
)
async def plot(
    kind: Annotated[str, word_of(("map", "series"), "series: along time.")],
    files: Annotated[
        list[str],
        Field(max_length=8, description="A grid; series: up to 8."),
    ] = [],  # noqa: B006 - pydantic copies it
    layers: Annotated[list[str], Field(max_length=8, description="Features on a map.")] = [],  # noqa: B006
    variable: VariableArgument = "",
    select: Select = {},  # noqa: B006
    options: Annotated[dict[str, Any], keys_of("Of a map or a series.", **{**OF_MAPS, **OF_SERIES})] = {},  # noqa: B006
) -> Pictures:
    """Draw a map (coast lines, scale, units) or a series (band for members).

    It makes a heatmap of a field or scene with coastlines and borders, diverging colours centred on zero, Robinson
    projection.

    Example: {"kind": "map", "files": ["@data/town/people.tif"]}
    """
    if kind not in ("map", "series"):
        raise LabrigError(f"There is no plot {kind!r}", where="kind", expected="map or series")
    allowed = OF_MAPS if kind == "map" else OF_SERIES
    if kind == "map" and len(files) > 1:
        raise LabrigError(f"A map shows one grid, and {len(files)} are given", where="files")
    given = options_of(options, tuple(allowed))
    if isinstance(given.get("styles"), list):
        given["styles"] = [_read_style(each) for each in given["styles"]]
    arguments = {"variable": variable, "select": select, **given}
    return await draw_operation(Asked(f"plot_{kind}", {"data": files, "layers": layers}, arguments))


def _read_style(style: Any) -> Any:
    """Return the style of a layer, with its conditions by their columns."""
    if not isinstance(style, dict) or not style.get("where"):
        return style
    return {**style, "where": read_conditions(style["where"])}
