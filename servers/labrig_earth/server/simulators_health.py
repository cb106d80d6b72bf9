"""Simulators of heat and health by their published names, arguments and envelope; in toolset ``simulators``.

Where the published tool assumed a baseline rate (200 per 100,000), this one asks for it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common
from labrig_earth.terra.arguments.kinds import Number


@common.simulator_tool("Compute UTCI", seed=37, timeout_seconds=120)
async def impact_health_utci(
    met_timeseries_path: Annotated[
        str, Field(description="CSV: time, tair_c, rh_pct, wind_10m_m_s, tmrt_c or radiation (list_inputs).")
    ],
    strong_stress_threshold_c: Annotated[
        Number, Field(description="Dangerous heat from here on, degC.")
    ] = 32.0,
    *,
    shared: Common,
) -> Published:
    """Compute UTCI hour by hour: mean, 95th percentile, hours of each category, hours of dangerous heat, days.

    Hours outside of the range of UTCI (10 m wind 0.5 to 17 m/s) have none, and are counted. utci_daily.csv is an
    exposure for impact_health_erf.

    Heat stress on the universal thermal climate index from temperature, humidity, wind and mean radiant temperature.
    """
    return await common.run_simulator(
        "impact_health_utci",
        {"met_timeseries_path": met_timeseries_path},
        {"strong_stress_threshold_c": strong_stress_threshold_c},
        shared,
    )


@common.simulator_tool("Apply an exposure response", seed=41, timeout_seconds=120)
async def impact_health_erf(
    exposure_series_path: Annotated[
        str, Field(description="CSV: date, and the exposure; utci_daily.csv is one.")
    ],
    population_exposed_path: Annotated[str, Field(description="CSV: persons; or group, persons.")],
    erf_spec_path: Annotated[
        str,
        Field(
            description="JSON: form, beta, beta_ci, reference_exposure, outcome, step, baseline_period, .."
        ),
    ],
    baseline_rate_per_100k: Annotated[
        Number | None,
        Field(description="Cases per 100,000 in the spec's baseline_period; none is assumed."),
    ] = None,
    baseline_cases_column: Annotated[
        str | None, Field(description="Of the exposure file, in place of a rate.")
    ] = None,
    exposure_column: Annotated[str, Field(description="Such as utci_max_c.")] = "exposure",
    *,
    shared: Common,
) -> Published:
    """Attributable cases and fraction of an exposure, with the interval of its slope, step by step and in all."""
    options: dict[str, object] = {"exposure_column": exposure_column}
    if baseline_rate_per_100k is not None:
        options["baseline_rate_per_100k"] = baseline_rate_per_100k
    if baseline_cases_column:
        options["baseline_cases_column"] = baseline_cases_column
    return await common.run_simulator(
        "impact_health_erf",
        {
            "exposure_series_path": exposure_series_path,
            "population_exposed_path": population_exposed_path,
            "erf_spec_path": erf_spec_path,
        },
        options,
        shared,
    )
