"""Group core: what is in a NetCDF file, and parts of it."""

from __future__ import annotations

import functools

from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import core as arguments

tool = functools.partial(offer, "core", read_only=True)

tool("describe_netcdf_variables", "Describe NetCDF variables", arguments.DescribeNetcdfVariables)
tool("inspect_netcdf", "Inspect NetCDF", arguments.InspectNetcdf)
tool("read_netcdf_data", "Read NetCDF data", arguments.ReadNetcdfData)
