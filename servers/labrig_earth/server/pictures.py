"""The tool that draws: a map or a time series, shown and kept as a file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Pictures
from labrig.errors import LabrigError
from labrig_earth.server.base import SelectArgument, VariableArgument, options_of, toolbox
from labrig_earth.server.operations import Asked, draw_operation

OF_MAPS = (
    *("vectors", "styles", "region", "projection", "colours", "low", "high", "classes", "label", "bbox"),
    *("title", "unit", "missing"),
)
OF_SERIES = ("names", "threshold", "threshold_name", "title", "unit", "missing")


@toolbox.tool(title="Plot", read_only=False, picture=True)
async def plot(
    kind: Annotated[str, Field(description="map or series.")],
    files: Annotated[
        list[str],
        Field(max_length=8, description="A grid; series: up to 8."),
    ] = [],  # noqa: B006 - pydantic copies it
    layers: Annotated[list[str], Field(max_length=8, description="Features on a map.")] = [],  # noqa: B006
    variable: VariableArgument = "",
    select: SelectArgument = {},  # noqa: B006
    options: Annotated[
        dict[str, Any],
        Field(
            description="title, unit, missing; map: bbox, region, projection, colours, low, high, classes, "
            "vectors [u, v], styles [{style, label, column, where, layer}]; series: names, threshold."
        ),
    ] = {},  # noqa: B006
) -> Pictures:
    """Draw a map (coast lines, scale, units) or a series (band for members)."""
    if kind not in ("map", "series"):
        raise LabrigError(f"There is no plot {kind!r}", where="kind", expected="map or series")
    allowed = OF_MAPS if kind == "map" else OF_SERIES
    if kind == "map" and len(files) > 1:
        raise LabrigError(f"A map shows one grid, and {len(files)} are given", where="files")
    arguments = {"variable": variable, "select": select, **options_of(options, allowed)}
    return await draw_operation(Asked(f"plot_{kind}", {"data": files, "layers": layers}, arguments))
