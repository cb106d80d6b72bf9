"""Weather for simulators by the published names, arguments and envelope; in toolset ``simulators``.

The published ``weather_to_epw`` put a file without a place at 0 N, 0 E, and humidity and wind where there were none.
Here they are asked for.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common
from labrig_earth.terra.arguments.kinds import Number

OutputPath = Annotated[str, Field(description="In the workspace, where the main output goes besides.")]


@common.simulator_tool("Make days of months", seed=7, timeout_seconds=120, left_out=("output_dir", "backend"))
async def weather_monthly_to_daily(
    monthly_weather_path: Annotated[
        str, Field(description="CSV: month, tmin_c, tmax_c, precipitation_mm, .. (list_inputs).")
    ],
    *,
    shared: Common,
    wet_day_fraction: Annotated[Number, Field(description="Where there is no wet_days.")] = 0.35,
    output_path: OutputPath = "",
) -> Published:
    """Draw days by a seed whose monthly means and sums are those of a table of months: weather_daily.csv."""
    return await common.run_and_place(
        "weather_monthly_to_daily",
        {"monthly_weather_path": monthly_weather_path},
        {"wet_day_fraction": wet_day_fraction},
        shared,
        {"weather_daily.csv": output_path},
    )


@common.simulator_tool("Write an EPW file", seed=11, timeout_seconds=120, left_out=("output_dir", "backend"))
async def weather_to_epw(
    weather_timeseries_path: Annotated[
        str, Field(description="CSV, a year of hours or days, with humidity, wind, radiation (list_inputs).")
    ],
    *,
    shared: Common,
    city: Annotated[str, Field(description="For the header.", max_length=80)] = "-",
    country: Annotated[str, Field(description="For the header.", max_length=80)] = "-",
    latitude: Annotated[Number | None, Field(description="Degrees north; needed.")] = None,
    longitude: Annotated[Number | None, Field(description="Degrees east; needed.")] = None,
    timezone: Annotated[Number | None, Field(description="Hours ahead of UTC; needed.")] = None,
    elevation_m: Annotated[Number | None, Field(description="m; needed.")] = None,
    output_path: OutputPath = "",
) -> Published:
    """Write an EPW file of 8,760 hours and its design days; what is not known has the format's code for missing.

    29 February of a leap year is left out, and the result says so.
    """
    place = {"latitude": latitude, "longitude": longitude, "timezone": timezone, "elevation_m": elevation_m}
    return await common.run_and_place(
        "weather_to_epw",
        {"weather_timeseries_path": weather_timeseries_path},
        {
            "city": city,
            "country": country,
            **{name: value for name, value in place.items() if value is not None},
        },
        shared,
        {"weather.epw": output_path},
    )
