"""Arguments of group era5_obs: normals and events of ERA5, winds, moisture, vorticity, shear, regions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig_earth.terra.arguments.declared import Arguments
from labrig_earth.terra.arguments.kinds import (
    MAY_BE_EMPTY,
    Between,
    Count,
    EndsWith,
    File,
    Number,
    Numbers,
    OneOf,
    OptionalFile,
    Text,
    Texts,
)

CLIMATE, EVENTS, DIAGNOSTICS = "./data/era5_climo", "./data/era5_events", "./data/diagnostics"

Levels = Annotated[Numbers, Field(description="hPa; by default all.")]
Year = Annotated[Count, Between(1, 9999)]
NetcdfPath = Annotated[Text, EndsWith(".nc")]


class OfYears(Arguments):
    """What is asked of a variable over a range of years."""

    data_path: File
    variable: str
    start_year: Year
    end_year: Year


class BuildEra5Climatology(OfYears):
    """Mean and standard deviation of each month of the year."""

    time_coord: Text = ""
    output_dir: Text = CLIMATE
    std_of: Annotated[Text, Field(description="steps, or means of months.")] = "steps"


class CountEra5Events(OfYears):
    """Count the steps beyond a threshold, by cell and by year."""

    threshold: Number
    comparison: Annotated[Text, OneOf(">", ">=", "<", "<="), Field(description=">, >=, <, <=.")] = ">="
    time_coord: Text = ""
    output_dir: Text = EVENTS
    threshold_units: Text = ""


class TemporalAggregate(Arguments):
    """Aggregate variables over windows of time."""

    netcdf_path: File
    spec: Annotated[
        dict[str, str],
        Field(description='{"t2m": "1D:max"}: 6h, 1D, MS, YS, QS-DEC; sum, mean, max, min, median.'),
    ]
    align: Annotated[Text, Field(description="When windows begin, 06:00.")] = "00:00"
    output_path: NetcdfPath = "./data/aggregations/temporal_aggregate.nc"


class WindsBasic(Arguments):
    """Speed, and direction whence the wind blows."""

    netcdf_path: File
    u: Text = "u10"
    v: Text = "v10"
    levels: Levels = []
    output_path: NetcdfPath = f"{DIAGNOSTICS}/winds_basic.nc"


class HumidityBasic(Arguments):
    """Dew point, relative humidity (0 to 1), mixing ratio, potential temperature, by q or else d2m."""

    netcdf_path: File
    T: Text = "t2m"
    q: Annotated[Text, MAY_BE_EMPTY] = "q"
    d2m: Text = ""
    p: Annotated[Text, Field(description="Variable, or the axis of levels.")] = "sp"
    output_path: NetcdfPath = f"{DIAGNOSTICS}/humidity_basic.nc"
    formula: Annotated[Text, Field(description="bolton, magnus, buck.")] = "bolton"


class MoistureIntegrals(Arguments):
    """Water vapour of columns and its transport: IWV, IVT_u, IVT_v, IVT."""

    netcdf_path: File
    q: Text = "q"
    u: Text = "u"
    v: Text = "v"
    level_dim: Text = "level"
    levels: Levels = []
    output_path: NetcdfPath = f"{DIAGNOSTICS}/moisture_integrals.nc"
    surface_pressure: Annotated[Text, Field(description="Variable: nothing below it counts.")] = ""


class Kinematics(Arguments):
    """Vorticity, divergence and geostrophic wind on the sphere."""

    netcdf_path: File
    u: Text = "u"
    v: Text = "v"
    level: Annotated[Number | None, Field(description="hPa.")] = None
    geopotential: Annotated[Text, MAY_BE_EMPTY] = "z"
    pressure: Annotated[Text, MAY_BE_EMPTY, Field(description="Where there is no geopotential.")] = "msl"
    output_path: NetcdfPath = f"{DIAGNOSTICS}/kinematics.nc"
    air_density: Annotated[Number, Between(0.1, 2), Field(description="kg m-3, for pressure.")] = 1.225


class VerticalShear(Arguments):
    """Wind at the top of a layer less that at its bottom."""

    netcdf_path: File
    top: Annotated[Number, Between(1e-3), Field(description="hPa.")] = 500.0
    bottom: Annotated[Number, Between(1e-3), Field(description="hPa.")] = 850.0
    u: Text = "u"
    v: Text = "v"
    level_dim: Text = "level"
    output_path: NetcdfPath = f"{DIAGNOSTICS}/vertical_shear.nc"


class RegionReduce(Arguments):
    """Statistics of a region over its cells, by area, and times."""

    netcdf_path: File
    variable: str
    mask_path: OptionalFile = ""
    mask_variable: Text = ""
    region_name: Annotated[Text, Field(description="Country, continent; with a mask its label.")] = ""
    stats: Annotated[Texts, Field(description="mean, max, min, p95 .., area_frac.")] = []
    threshold: Annotated[Number | None, Field(description="Of area_frac: at or above.")] = None
