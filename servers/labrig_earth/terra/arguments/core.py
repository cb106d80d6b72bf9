"""Arguments of group core: what is in a NetCDF file, and parts of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    FILE,
    MAY_BE_EMPTY,
    Count,
    File,
    Numbers,
    Text,
    Texts,
    Wholes,
)

ATTRIBUTES = ("long_name", "standard_name", "units", "short_name", "description")

NetcdfPath = Annotated[File, Field(description="A path, @root/.., or a handle.")]
Preview = Annotated[Count, Field(ge=0, le=100)]


class DescribeNetcdfVariables(Arguments):
    """Say which variables NetCDF files hold: dimensions, types, units, coordinates."""

    netcdf_path: Annotated[str | list[str], FILE, Field(description="Several files are combined.")]
    variables: Texts = []
    include_coords: bool = True
    coord_preview: Preview = 3
    include_dataset_attrs: bool = True
    attr_keys: Annotated[Texts, MAY_BE_EMPTY] = list(ATTRIBUTES)
    engine: Annotated[Text, Field(description="Recorded: the content decides.")] = "netcdf4"


class InspectNetcdf(Arguments):
    """Say what is in a NetCDF file, with minimum, maximum, mean and standard deviation of each variable."""

    netcdf_path: NetcdfPath
    variables: Texts = []
    coord_preview: Preview = 3


class ReadNetcdfData(Arguments):
    """Read a part of a variable: minimum, maximum, mean, standard deviation, and the first values."""

    netcdf_path: NetcdfPath
    variable: Annotated[Text, Field(description="Where there are several.")] = ""
    time_indices: Wholes = []
    start_time: Annotated[Text, Field(description="2020, 2020-06 or 2020-06-01.")] = ""
    end_time: Annotated[Text, Field(description="Its whole period counts.")] = ""
    years: Wholes = []
    months: Wholes = []
    days: Wholes = []
    hours: Wholes = []
    lat_range: Annotated[Numbers, Field(description="[south, north], degrees; both ends count.")] = []
    lon_range: Annotated[Numbers, Field(description="[west, east].")] = []
    lat_indices: Wholes = []
    lon_indices: Wholes = []
    sample_limit: Annotated[Count, Field(ge=0, le=1000)] = 20
    include_stats: bool = True
