"""Weather for simulators by the published names, arguments and envelope; in toolset ``simulators``.

The published ``weather_to_epw`` put a file without a place at 0 N, 0 E, and humidity and wind where there were none.
Here they are asked for.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.server import simulating as common
from labrig_earth.server.base import toolbox

OutputPath = Annotated[str, Field(description="In the workspace, where the main output goes besides.")]


@toolbox.tool(title="Make days of months", read_only=False, faithful=True, toolsets=("simulators",))
async def weather_monthly_to_daily(
    monthly_weather_path: Annotated[
        str, Field(description="CSV: month, tmin_c, tmax_c, precipitation_mm, .. (list_inputs).")
    ],
    run_id: common.RunId = "",
    instance_id: common.InstanceId = "instance-001",
    scenario_name: common.ScenarioName = "baseline",
    scenario_description: common.ScenarioDescription = "",
    assumptions: common.Assumptions = {},  # noqa: B006 - pydantic copies it
    seed: common.Seed = 7,
    model_version: common.ModelVersion = "",
    container_image: common.ContainerImage = "",
    threads: common.Threads = 1,
    cpu_cores: common.CpuCores = None,
    memory_gb: common.MemoryGb = None,
    timeout_seconds: common.TimeoutSeconds = 120,
    wet_day_fraction: Annotated[common.Number, Field(description="Where there is no wet_days.")] = 0.35,
    output_path: OutputPath = "",
) -> Published:
    """Draw days by a seed whose monthly means and sums are those of a table of months: weather_daily.csv."""
    return await common.placed(
        "weather_monthly_to_daily",
        {"monthly_weather_path": monthly_weather_path},
        {"wet_day_fraction": wet_day_fraction},
        common.common_of(locals()),
        {"weather_daily.csv": output_path},
    )


@toolbox.tool(title="Write an EPW file", read_only=False, faithful=True, toolsets=("simulators",))
async def weather_to_epw(
    weather_timeseries_path: Annotated[
        str, Field(description="CSV, a year of hours or days, with humidity, wind, radiation (list_inputs).")
    ],
    run_id: common.RunId = "",
    instance_id: common.InstanceId = "instance-001",
    scenario_name: common.ScenarioName = "baseline",
    scenario_description: common.ScenarioDescription = "",
    assumptions: common.Assumptions = {},  # noqa: B006
    seed: common.Seed = 11,
    model_version: common.ModelVersion = "",
    container_image: common.ContainerImage = "",
    threads: common.Threads = 1,
    cpu_cores: common.CpuCores = None,
    memory_gb: common.MemoryGb = None,
    timeout_seconds: common.TimeoutSeconds = 120,
    city: Annotated[str, Field(description="For the header.", max_length=80)] = "-",
    country: Annotated[str, Field(description="For the header.", max_length=80)] = "-",
    latitude: Annotated[common.Number | None, Field(description="Degrees north; needed.")] = None,
    longitude: Annotated[common.Number | None, Field(description="Degrees east; needed.")] = None,
    timezone: Annotated[common.Number | None, Field(description="Hours ahead of UTC; needed.")] = None,
    elevation_m: Annotated[common.Number | None, Field(description="m; needed.")] = None,
    output_path: OutputPath = "",
) -> Published:
    """Write an EPW file of 8,760 hours and its design days; what is not known has the format's code for missing.

    29 February of a leap year is left out, and the result says so.
    """
    place = {"latitude": latitude, "longitude": longitude, "timezone": timezone, "elevation_m": elevation_m}
    return await common.placed(
        "weather_to_epw",
        {"weather_timeseries_path": weather_timeseries_path},
        {
            "city": city,
            "country": country,
            **{name: value for name, value in place.items() if value is not None},
        },
        common.common_of(locals()),
        {"weather.epw": output_path},
    )
