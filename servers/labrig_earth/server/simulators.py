"""Simulators of crops by their published names, arguments and envelope; in toolset ``simulators``.

Behind each stands the engine itself. An argument that only drove a formula in its place is refused with the reason.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common
from labrig_earth.terra.arguments.kinds import Number

WeatherArgument = Annotated[
    str, Field(description="CSV: date, tmin_c, tmax_c, precipitation_mm, et0_mm (list_inputs).")
]


@common.simulator_tool("Run AquaCrop", seed=23, timeout_seconds=600)
async def impact_aquacrop_run(
    weather_daily_path: WeatherArgument,
    soil_path: Annotated[str, Field(description="JSON: type, or layers.")],
    crop_path: Annotated[str, Field(description="JSON: name, planting (MM-DD), parameters.")],
    management_path: Annotated[str, Field(description="JSON: start, end, irrigation, initial_water, ...")],
    ensemble_weather_daily_paths: Annotated[
        list[str], Field(max_length=60, description="Further weather, each run as well.")
    ] = [],  # noqa: B006 - pydantic copies it
    yield_threshold_t_ha: Annotated[Number, Field(description="A season below it fails, t/ha.")] = 2.5,
    *,
    shared: Common,
) -> Published:
    """Run AquaCrop: yield, biomass, evapotranspiration, irrigation and water stress of each season, day by day.

    FAO's water-driven crop model: wheat, maize, .. with irrigations and soils.
    """
    return await common.run_simulator(
        "impact_aquacrop_run",
        {
            "weather_daily_path": weather_daily_path,
            "soil_path": soil_path,
            "crop_path": crop_path,
            "management_path": management_path,
            "ensemble_weather_daily_paths": ensemble_weather_daily_paths,
        },
        {"yield_threshold_t_ha": yield_threshold_t_ha},
        shared,
    )


@common.simulator_tool("Run DSSAT", seed=29, timeout_seconds=900)
async def impact_dssat_run(
    weather_daily_path: Annotated[
        str, Field(description="CSV: date, tmin_c, tmax_c, precipitation_mm, srad_mj_m2 (list_inputs).")
    ],
    soil_profile_path: Annotated[str, Field(description="JSON: layers with texture and carbon.")],
    cultivar_path: Annotated[str, Field(description="JSON: crop, cultivar (code or name).")],
    treatment_path: Annotated[
        str, Field(description="JSON: site, start, planting, irrigation, fertilizer, ...")
    ],
    *,
    shared: Common,
) -> Published:
    """Run DSSAT: yield, biomass, phenology, evapotranspiration, water and nitrogen stress of a season, day by day.

    Grain yields of maize, wheat, .. by kg N/ha of fertilizer.
    """
    return await common.run_simulator(
        "impact_dssat_run",
        {
            "weather_daily_path": weather_daily_path,
            "soil_profile_path": soil_profile_path,
            "cultivar_path": cultivar_path,
            "treatment_path": treatment_path,
        },
        {},
        shared,
    )
