"""Tools on grids: described, cut, aggregated, combined, put on another grid, counted in polygons."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig_earth.server.base import (
    DataArgument,
    JobArgument,
    PolygonsArgument,
    SelectArgument,
    VariableArgument,
    options_of,
    toolbox,
)
from labrig_earth.server.operations import Asked, answer_operation

OF_VALUES = ("unit", "stated_unit", "missing", "water", "format", "group")
OF_POLYGONS = ("names", "layer", "polygons_crs")


@toolbox.tool(title="Describe data", read_only=True)
async def describe_data(
    data: DataArgument,
    variable: VariableArgument = "",
    layer: Annotated[str, Field(description="Or a group.")] = "",
) -> Answer:
    """Say what is in a file: variables or columns, units, axes, CRS, extent, times, gaps; what may go wrong."""
    arguments = {"variable": variable, "layer": layer, "group": layer}
    return await answer_operation(Asked("describe_data", {"data": [data]}, arguments))


@toolbox.tool(title="Sample a grid", read_only=False)
async def sample_grid(
    data: DataArgument,
    variables: Annotated[list[str], Field(max_length=50)] = [],  # noqa: B006 - pydantic copies it
    select: SelectArgument = {},  # noqa: B006
    point: Annotated[list[float] | None, Field(description="[latitude, longitude].")] = None,
    options: Annotated[
        dict[str, Any],
        Field(
            description="method (nearest, linear), unit, format (netcdf, zarr, geotiff, csv), stated_unit, missing."
        ),
    ] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Cut out a box, a time, a level or a point; many values become a file."""
    more = options_of(options, ("method", *OF_VALUES))
    arguments = {"variables": variables, "select": select, "point": point, **more}
    return await answer_operation(Asked("extract", {"data": [data]}, arguments), job=job)


GENERAL = ("cells", "least_part", "utc_offset_h", "accumulated", *OF_POLYGONS, *OF_VALUES[1:])
"""Options of `aggregate_grid` that are none of a statistic's own."""


@toolbox.tool(title="Aggregate a grid", read_only=False)
async def aggregate_grid(
    data: DataArgument,
    statistic: Annotated[
        str,
        Field(
            description="mean, sum, min, max, median, std, count, percentile, exceedance, spells, climatology, "
            "anomaly, degree_days, trend, class_areas."
        ),
    ] = "mean",
    variable: VariableArgument = "",
    over: Annotated[
        str, Field(description="time (a map), space (a series) or both (default with polygons).")
    ] = "",
    polygons: PolygonsArgument = "",
    every: Annotated[str, Field(description="day, month, season, year; default all.")] = "",
    daily: Annotated[str, Field(description="First make days: mean, sum, min, max.")] = "",
    select: SelectArgument = {},  # noqa: B006
    unit: Annotated[str, Field(description="Of the result.")] = "",
    options: Annotated[
        dict[str, Any],
        Field(
            description="percentile; threshold, unit, compare (above, below), least_steps; base [start, end], by, "
            "window; base_temperature, kind, cap; method (theil_sen, ols); cells (exactextract, fractional, centres), "
            "names, utc_offset_h, least_part, accumulated (step, since_00), missing (-9999), classes [numbers], format."
        ),
    ] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Statistics over time, area-weighted space or polygons (space first).

    A heat wave: statistic="spells", daily="max", options={"threshold": 30, "unit": "degC", "least_steps": 3}.
    """
    general = {name: options[name] for name in GENERAL if name in options}
    if "cells" in general:
        general["method"] = general.pop("cells")
    arguments = {
        "statistic": statistic,
        "variable": variable,
        "over": over,
        "every": every,
        "daily": daily,
        "select": select,
        "unit": unit,
        "options": {name: value for name, value in options.items() if name not in GENERAL},
        **general,
    }
    return await answer_operation(
        Asked("aggregate", {"data": [data], "polygons": [polygons]}, arguments), job=job
    )


@toolbox.tool(title="Derive a variable", read_only=False)
async def derive_variable(
    data: DataArgument,
    what: Annotated[
        str,
        Field(
            description="wind_speed, wind_direction, relative_humidity, dew_point, specific_humidity, vapour_pressure, "
            "vapour_pressure_deficit, heat_index, wet_bulb, vorticity, divergence, water_vapour, vapour_transport; "
            "slope, aspect; add, subtract, multiply, divide; convert."
        ),
    ],
    variables: Annotated[
        dict[str, str],
        Field(description="By role: temperature, dew_point, humidity, pressure, u, v; first, second."),
    ] = {},  # noqa: B006
    other: Annotated[str, Field(description="File of the second, in the workspace.")] = "",
    select: SelectArgument = {},  # noqa: B006
    options: Annotated[
        dict[str, Any],
        Field(
            description="unit, formula (magnus, bolton, buck), stated_unit, missing, water (m to kg m-2), format."
        ),
    ] = {},  # noqa: B006
) -> Answer:
    """Compute a quantity from others, an arithmetic of two fields on one grid, or another unit."""
    roles = {role: name for role, name in variables.items() if role not in ("first", "second")}
    arguments = {
        "what": what,
        "variables": roles,
        "variable": variables.get("first", ""),
        "other_variable": variables.get("second", ""),
        "select": select,
        **options_of(options, ("formula", *OF_VALUES)),
    }
    return await answer_operation(Asked("combine", {"data": [data], "other": [other]}, arguments))


@toolbox.tool(title="Regrid or reproject a variable", read_only=False)
async def regrid_variable(
    data: DataArgument,
    variable: VariableArgument = "",
    resolution: Annotated[float | None, Field(description="Degree, or unit of crs.")] = None,
    like: Annotated[str, Field(description="A file of the workspace, whose grid is taken.")] = "",
    crs: Annotated[str, Field(description="Reproject to, such as EPSG:32633.")] = "",
    method: Annotated[
        str,
        Field(
            description="conservative (default), linear, nearest; with crs bilinear, nearest, average, mode, ..."
        ),
    ] = "",
    select: SelectArgument = {},  # noqa: B006
    options: Annotated[dict[str, Any], Field(description="source_crs, missing, format.")] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Put a variable on another latitude-longitude grid, or into a CRS."""
    arguments = {
        "variable": variable,
        "resolution": resolution,
        "crs": crs,
        "resampling" if crs else "method": method,
        "select": select,
        **options_of(options, ("source_crs", "missing", "format", "group")),
    }
    return await answer_operation(
        Asked("regrid_or_reproject", {"data": [data], "like": [like]}, arguments), job=job
    )


@toolbox.tool(title="Zonal statistics", read_only=False)
async def zonal_statistics(
    data: DataArgument,
    polygons: PolygonsArgument,
    statistics: Annotated[
        list[str],
        Field(
            max_length=12,
            description="mean, sum, min, max, count, std, median, majority, minority, variety, fractions, percentile.",
        ),
    ] = ["mean", "min", "max", "count"],  # noqa: B006
    variable: VariableArgument = "",
    select: SelectArgument = {},  # noqa: B006
    options: Annotated[
        dict[str, Any],
        Field(description="percentile (0-100), names (column), layer, unit, missing."),
    ] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Statistics of cells in polygons, a cell counting by its part inside, for each time."""
    more = options_of(options, ("percentile", "unit", "stated_unit", "missing", "group", *OF_POLYGONS))
    arguments = {"statistics": statistics, "variable": variable, "select": select, **more}
    return await answer_operation(
        Asked("zonal_statistics", {"data": [data], "polygons": [polygons]}, arguments), job=job
    )
