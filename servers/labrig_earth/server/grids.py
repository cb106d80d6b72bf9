"""Tools on grids: described, cut, aggregated, combined, put on another grid, counted in polygons."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer
from labrig_earth.server.arguments import (
    FORMULA,
    OF_VALUES,
    Select,
    flag,
    keys_of,
    number,
    one_of,
    several,
    text,
    word_of,
)
from labrig_earth.server.base import (
    DataArgument,
    JobArgument,
    PolygonsArgument,
    VariableArgument,
    options_of,
    toolbox,
)
from labrig_earth.server.operations import Asked, answer_operation

STATISTICS = (
    *("mean", "sum", "min", "max", "median", "std", "count", "percentile", "exceedance", "spells"),
    *("climatology", "anomaly", "degree_days", "trend", "class_areas", "spi", "spei", "growing_season"),
)
OF_ZONES = (
    *("mean", "sum", "min", "max", "count", "std", "median", "majority", "minority", "variety"),
    *("fractions", "percentile"),
)
QUANTITIES = (
    *("wind_speed", "wind_direction", "relative_humidity", "dew_point", "specific_humidity"),
    *("vapour_pressure", "vapour_pressure_deficit", "heat_index", "wet_bulb", "vorticity", "divergence"),
    *("water_vapour", "vapour_transport", "slope", "aspect", "add", "subtract", "multiply", "divide"),
    *("convert", "water_balance", "fwi"),
)
METHODS = (
    *("conservative", "linear", "nearest", "cubic", "bilinear", "average", "mode", "min", "max", "med"),
    *("q1", "q3", "sum", "rms"),
)
WATER = flag("Metres to kg m-2.")
GROUP = text()
OF_POLYGONS = {
    "names": text("Column of names."),
    "layer": text("Of the polygons."),
    "polygons_crs": text("If unstated."),
}
OF_SAMPLE = {
    "method": one_of(("nearest", "linear"), "Of a point."),
    **OF_VALUES,
    "water": WATER,
    "group": GROUP,
}
OF_DERIVED = {"formula": FORMULA, **OF_VALUES, "water": WATER, "group": GROUP}
OF_REGRID = {
    "source_crs": text("If unstated."),
    "missing": OF_VALUES["missing"],
    "format": OF_VALUES["format"],
    "group": GROUP,
}
OF_ZONAL = {
    "percentile": number("0 to 100."),
    **{name: OF_VALUES[name] for name in ("unit", "stated_unit", "missing")},
    "group": GROUP,
    **OF_POLYGONS,
}
OF_STATISTIC = {
    "percentile": number("0 to 100."),
    "threshold": number("Of spells, .."),
    "unit": text("Of the threshold."),
    "compare": one_of(("above", "below")),
    "least_steps": {"type": "integer", "description": "Of a spell."},
    "base": several("string", "[first, last year]."),
    "by": one_of(("day", "month", "season")),
    "window": {"type": "integer", "description": "Days; months of spi."},
    "base_temperature": number("Of degree days."),
    "kind": one_of(("growing", "heating", "cooling")),
    "cap": number("Of growing."),
    "method": one_of(("theil_sen", "ols"), "Of a trend."),
    "classes": several("number"),
}
"""Options of a statistic; each has some of them."""

GENERAL = {
    "cells": one_of(("exactextract", "fractional", "centres"), "In polygons."),
    "least_part": number("Of a period, 0 to 1."),
    "utc_offset_h": number("Of local days."),
    "accumulated": one_of(("step", "since_00")),
    **OF_POLYGONS,
    **{name: OF_VALUES[name] for name in ("stated_unit", "missing", "format")},
    "water": WATER,
    "group": GROUP,
}
"""Options of `aggregate_grid` that are none of a statistic's own."""


@toolbox.tool(
    title="Describe data",
    read_only=True,
    words="list the variables in a netCDF, columns, bands, layers, dimensions, coordinates, attributes, metadata, "
    "header, time span, calendar, CRS, EPSG, projection, extent, resolution, units, fill and missing values, what is "
    "inside a file: nc, tif, GeoTIFF, GRIB, gpkg, shp, shapefile, zarr, geopackage, missing times, gaps, invalid or "
    "broken geometry, TopologyException",
)
async def describe_data(
    data: DataArgument,
    variable: VariableArgument = "",
    layer: Annotated[str, Field(description="Or a group.")] = "",
) -> Answer:
    """Say what is in a file: variables or columns, units, axes, CRS, extent, times, gaps; what may go wrong.

    What is inside an nc, tif, zarr, gpkg, shp or csv: dimensions, time span, broken geometry.

    Example: {"data": "@data/climate/daily.nc"}
    """
    arguments = {"variable": variable, "layer": layer, "group": layer}
    return await answer_operation(Asked("describe_data", {"data": [data]}, arguments))


@toolbox.tool(
    title="Sample a grid",
    read_only=False,
    words="extract the value, values or time series at a point, points, pixel, cell, lat, lon, latitude, longitude, "
    "coordinates, station, location, city, nearest, interpolate, raster, level, profile; clip a box, subset, select, "
    "slice, cut or crop a region or years from a netCDF file, WRF, ERA5, GRIB, save to csv",
)
async def sample_grid(
    data: DataArgument,
    variables: Annotated[list[str], Field(max_length=50, description="None for all.")] = [],  # noqa: B006 - pydantic copies it
    select: Select = {},  # noqa: B006
    point: Annotated[list[float] | None, Field(description="[latitude, longitude].")] = None,
    options: Annotated[dict[str, Any], keys_of("Options.", **OF_SAMPLE)] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Cut out a box, a time, a level or a point; many values become a file.

    Extract the value or series of a pixel, station, lat/lon from a netCDF such as ERA5.

    Example: {"data": "@data/climate/daily.nc", "point": [48.0, 12.0], "select": {"end": "2017-01-05"}}
    """
    more = options_of(options, tuple(OF_SAMPLE))
    arguments = {"variables": variables, "select": select, "point": point, **more}
    return await answer_operation(Asked("extract", {"data": [data]}, arguments), job=job)


@toolbox.tool(
    title="Aggregate a grid",
    read_only=False,
    words="monthly, seasonal, annual, yearly, daily, hourly, six-hourly, climatology, normals, anomalies, "
    "departures, trend, mean, average, averaging, sum, summing, total, minimum, maximum, percentile, standard "
    "deviation, number of days, time series of temperature, precipitation, rainfall, wind or SST over a region or "
    "country, resample, season, DJF, JJA, ONDJFM, tropical nights, summer days, frost days, hot days, heat wave, dry "
    "spell, growing degree days, growing season length, drought index SPI SPEI, file, netCDF, nc, ERA5, CMIP6",
)
async def aggregate_grid(
    data: DataArgument,
    statistic: Annotated[str, word_of(STATISTICS, "What is computed.")] = "mean",
    variable: VariableArgument = "",
    over: Annotated[
        str, word_of(("time", "space", "both"), "time: a map; space: a series; with polygons both.")
    ] = "",
    polygons: PolygonsArgument = "",
    every: Annotated[str, word_of(("day", "month", "season", "year"), "Default: all.")] = "",
    daily: Annotated[str, word_of(("mean", "sum", "min", "max"), "First make days.")] = "",
    select: Select = {},  # noqa: B006
    unit: Annotated[str, Field(description="Of the result.")] = "",
    options: Annotated[dict[str, Any], keys_of("Of the statistic.", **{**GENERAL, **OF_STATISTIC})] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Give statistics over time, area-weighted space or polygons (space first).

    It gives monthly, daily, seasonal (DJF), climatology, anomalies, trends (Mann-Kendall, Sen slope) of annual
    max, longest run of consecutive dry days (spells), tropical nights (exceedance), degree days, drought (spi,
    spei), km2 of forest (class_areas).

    Example: {"data": "@data/climate/daily.nc", "variable": "t2m", "statistic": "spells", "daily": "max",
    "over": "both", "options": {"threshold": 30, "unit": "degC", "least_steps": 3}}
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


@toolbox.tool(
    title="Derive a variable",
    read_only=False,
    words="wind speed and direction from u and v components (uas, vas, u10, v10), relative and specific humidity, "
    "dew point, vapour pressure deficit, wet bulb, heat index, vorticity, divergence, integrated vapour transport, "
    "slope and aspect of a DEM, unit conversion, Kelvin to Celsius, kg m-2 s-1 to mm, add, subtract, multiply, "
    "divide, ratio or difference of two fields or rasters, raster calculator, fire weather index FWI, water balance, "
    "evapotranspiration",
)
async def derive_variable(
    data: DataArgument,
    what: Annotated[str, word_of(QUANTITIES, "What is computed.")],
    variables: Annotated[
        dict[str, str],
        Field(
            description="By role: temperature, dew_point, humidity, specific_humidity, pressure, precipitation, "
            "wind, u, v; first, second."
        ),
    ] = {},  # noqa: B006
    other: Annotated[str, Field(description="File of the second.")] = "",
    select: Select = {},  # noqa: B006
    options: Annotated[dict[str, Any], keys_of("Options.", **OF_DERIVED)] = {},  # noqa: B006
) -> Answer:
    """Compute a quantity from others, arithmetic of two fields on one grid, another unit.

    It gives heat index, wind speed (u, v), relative humidity, dew point, slope; kg m-2 s-1 to mm d-1.

    Example: {"data": "@data/climate/daily.nc", "what": "convert", "variables": {"first": "t2m"},
    "options": {"unit": "degC"}}
    """
    roles = {role: name for role, name in variables.items() if role not in ("first", "second")}
    arguments = {
        "what": what,
        "variables": roles,
        "variable": variables.get("first", ""),
        "other_variable": variables.get("second", ""),
        "select": select,
        **options_of(options, tuple(OF_DERIVED)),
    }
    return await answer_operation(Asked("combine", {"data": [data], "other": [other]}, arguments))


@toolbox.tool(
    title="Regrid or reproject a variable",
    read_only=False,
    words="resample, reproject, interpolate, align, raster, tif, cell or pixel size, resolution, degree, coarsen, "
    "upscale, downsample, another grid, regular lat lon grid, curvilinear, CRS, EPSG, UTM, ERA5 to 1 degree, warp, "
    "remap, regridding, conservative, bilinear, nearest neighbour",
)
async def regrid_variable(
    data: DataArgument,
    variable: VariableArgument = "",
    resolution: Annotated[float | None, Field(description="Degree, or unit of crs.")] = None,
    like: Annotated[str, Field(description="File whose grid is taken.")] = "",
    crs: Annotated[str, Field(description="Such as EPSG:32633.")] = "",
    method: Annotated[
        str, word_of(METHODS, "Default conservative; with crs bilinear, of classes nearest.")
    ] = "",
    select: Select = {},  # noqa: B006
    options: Annotated[dict[str, Any], keys_of("Options.", **OF_REGRID)] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Resample or reproject a raster or variable: another grid, pixel size or CRS.

    It does a conservative remap or bilinear interpolation onto the grid of a target file or a resolution (0.1° to
    0.25°).

    Example: {"data": "@data/climate/daily.nc", "variable": "t2m", "resolution": 2, "select": {"end": "2017-01-02"}}
    """
    arguments = {
        "variable": variable,
        "resolution": resolution,
        "crs": crs,
        "resampling" if crs else "method": method,
        "select": select,
        **options_of(options, tuple(OF_REGRID)),
    }
    return await answer_operation(
        Asked("regrid_or_reproject", {"data": [data], "like": [like]}, arguments), job=job
    )


@toolbox.tool(
    title="Zonal statistics",
    read_only=False,
    words="mean rainfall, average precipitation, temperature, population, NDVI, DEM or elevation values per "
    "polygon, country, state, county, watershed, field, district, shape, shapes, shapefile; sum, total, count, "
    "median, majority of raster pixels in polygons, features, area; mask, extract or clip a NetCDF file, tif or "
    "raster by a shapefile or geojson; land cover percentages, fractions, world map",
)
async def zonal_statistics(
    data: DataArgument,
    polygons: PolygonsArgument,
    statistics: Annotated[
        list[Annotated[str, word_of(OF_ZONES)]], Field(max_length=12, description="Of each polygon.")
    ] = ["mean", "min", "max", "count"],  # noqa: B006
    variable: VariableArgument = "",
    select: Select = {},  # noqa: B006
    options: Annotated[dict[str, Any], keys_of("Options.", **OF_ZONAL)] = {},  # noqa: B006
    job: JobArgument = False,
) -> Answer:
    """Give statistics of cells in polygons, a cell counting by its part inside, for each time.

    Find mean, max, percentile of a raster (rainfall, NDVI) for every country, municipality or park, fractions of land
    cover (forest); mask by a shapefile.

    Example: {"data": "@data/town/people.tif", "polygons": "@data/town/districts.geojson", "statistics": ["sum"]}
    """
    more = options_of(options, tuple(OF_ZONAL))
    arguments = {"statistics": statistics, "variable": variable, "select": select, **more}
    return await answer_operation(
        Asked("zonal_statistics", {"data": [data], "polygons": [polygons]}, arguments), job=job
    )
