"""Group core: what is in a NetCDF file, and parts of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import Count, Numbers, Text, Texts, Wholes, called

GROUP = "core"
TOOLSETS = ("terra", f"terra-{GROUP}")
ATTRIBUTES = ("long_name", "standard_name", "units", "short_name", "description")

PathArgument = Annotated[str, Field(description="A path, @root/.., or a handle.")]


@toolbox.tool(title="Describe NetCDF variables", read_only=True, faithful=True, toolsets=TOOLSETS)
async def describe_netcdf_variables(
    netcdf_path: Annotated[str | list[str], Field(description="Several files are combined.")],
    variables: Texts = [],  # noqa: B006 - pydantic copies it
    include_coords: bool = True,
    coord_preview: Annotated[Count, Field(ge=0, le=100)] = 3,
    include_dataset_attrs: bool = True,
    attr_keys: Texts = list(ATTRIBUTES),  # noqa: B006
    engine: Annotated[Text, Field(description="Recorded: the content decides.")] = "netcdf4",
) -> Published:
    """Say which variables NetCDF files hold: dimensions, types, units, coordinates."""
    paths = [netcdf_path] if isinstance(netcdf_path, str) else netcdf_path
    arguments = {
        "variables": variables,
        "include_coords": include_coords,
        "coord_preview": coord_preview,
        "include_dataset_attrs": include_dataset_attrs,
        "attr_keys": attr_keys,
    }
    return await called(GROUP, "describe_netcdf_variables", {"files": paths}, arguments)


@toolbox.tool(title="Inspect NetCDF", read_only=True, faithful=True, toolsets=TOOLSETS)
async def inspect_netcdf(
    netcdf_path: PathArgument,
    variables: Texts = [],  # noqa: B006
    coord_preview: Annotated[Count, Field(ge=0, le=100)] = 3,
) -> Published:
    """Say what is in a NetCDF file, with minimum, maximum, mean and standard deviation of each variable."""
    arguments = {"variables": variables, "coord_preview": coord_preview}
    return await called(GROUP, "inspect_netcdf", {"file": [netcdf_path]}, arguments)


@toolbox.tool(title="Read NetCDF data", read_only=True, faithful=True, toolsets=TOOLSETS)
async def read_netcdf_data(
    netcdf_path: PathArgument,
    variable: Annotated[Text, Field(description="Where there are several.")] = "",
    time_indices: Wholes = [],  # noqa: B006
    start_time: Annotated[Text, Field(description="2020, 2020-06 or 2020-06-01.")] = "",
    end_time: Annotated[Text, Field(description="Its whole period counts.")] = "",
    years: Wholes = [],  # noqa: B006
    months: Wholes = [],  # noqa: B006
    days: Wholes = [],  # noqa: B006
    hours: Wholes = [],  # noqa: B006
    lat_range: Annotated[Numbers, Field(description="[south, north], degrees; both ends count.")] = [],  # noqa: B006
    lon_range: Annotated[Numbers, Field(description="[west, east].")] = [],  # noqa: B006
    lat_indices: Wholes = [],  # noqa: B006
    lon_indices: Wholes = [],  # noqa: B006
    sample_limit: Annotated[Count, Field(ge=0, le=1000)] = 20,
    include_stats: bool = True,
) -> Published:
    """Read a part of a variable: minimum, maximum, mean, standard deviation, and the first values."""
    arguments = {
        "variable": variable,
        "time_indices": time_indices,
        "start_time": start_time,
        "end_time": end_time,
        "years": years,
        "months": months,
        "days": days,
        "hours": hours,
        "lat_range": lat_range,
        "lon_range": lon_range,
        "lat_indices": lat_indices,
        "lon_indices": lon_indices,
        "sample_limit": sample_limit,
        "include_stats": include_stats,
    }
    return await called(GROUP, "read_netcdf_data", {"file": [netcdf_path]}, arguments)
