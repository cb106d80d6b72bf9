"""EnergyPlus by its published name, arguments and envelope; in toolset ``simulators``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common
from labrig_earth.terra.arguments.kinds import Number

Proxy = Annotated[Number | None, Field(description="Of a formula; refused.")]


@common.simulator_tool("Run EnergyPlus", seed=43, timeout_seconds=600)
async def impact_energyplus_run(
    building_idf_path: Annotated[
        str, Field(description="IDF of 25.2, or JSON: a box by its numbers (list_inputs).")
    ],
    weather_epw_path: Annotated[str, Field(description="EPW of 8,760 hours.")],
    cooling_setpoint_c: Annotated[
        Number | None, Field(description="Constant, in place of the building's.")
    ] = None,
    heating_setpoint_c: Annotated[
        Number | None, Field(description="Constant, in place of the building's.")
    ] = None,
    default_floor_area_m2: Proxy = None,
    base_load_w_m2: Proxy = None,
    cooling_sensitivity_w_m2_per_c: Proxy = None,
    heating_sensitivity_w_m2_per_c: Proxy = None,
    *,
    shared: Common,
) -> Published:
    """Run EnergyPlus: energy, peak demand, heating, cooling and hours out of set points, hour by hour.

    Heating demand of an office or house (IDF) with other glazing, in the weather of an EPW.
    """
    return await common.run_simulator(
        "impact_energyplus_run",
        {"building_idf_path": building_idf_path, "weather_epw_path": weather_epw_path},
        {
            "cooling_setpoint_c": cooling_setpoint_c,
            "heating_setpoint_c": heating_setpoint_c,
            "default_floor_area_m2": default_floor_area_m2,
            "base_load_w_m2": base_load_w_m2,
            "cooling_sensitivity_w_m2_per_c": cooling_sensitivity_w_m2_per_c,
            "heating_sensitivity_w_m2_per_c": heating_sensitivity_w_m2_per_c,
        },
        shared,
    )
