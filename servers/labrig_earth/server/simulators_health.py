"""Simulators of heat and health by their published names, arguments and envelope; in toolset ``simulators``.

Where the published tool assumed a baseline rate (200 per 100,000), this one asks for it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.server import simulating as common
from labrig_earth.server.base import toolbox


@toolbox.tool(title="Compute UTCI", read_only=False, faithful=True, toolsets=("simulators",))
async def impact_health_utci(
    met_timeseries_path: Annotated[
        str, Field(description="CSV: time, tair_c, rh_pct, wind_10m_m_s, tmrt_c or radiation (list_inputs).")
    ],
    strong_stress_threshold_c: Annotated[
        common.Number, Field(description="Dangerous heat from here on, degC.")
    ] = 32.0,
    run_id: common.RunId = "",
    instance_id: common.InstanceId = "instance-001",
    scenario_name: common.ScenarioName = "baseline",
    scenario_description: common.ScenarioDescription = "",
    assumptions: common.Assumptions = {},  # noqa: B006 - pydantic copies it
    seed: common.Seed = 37,
    model_version: common.ModelVersion = "",
    container_image: common.ContainerImage = "",
    threads: common.Threads = 1,
    cpu_cores: common.CpuCores = None,
    memory_gb: common.MemoryGb = None,
    timeout_seconds: common.TimeoutSeconds = 120,
    output_dir: common.OutputDir = common.OUTPUT_DIR,
    backend: common.Backend = None,
) -> Published:
    """Compute UTCI hour by hour: mean, 95th percentile, hours of each category, hours of dangerous heat, days.

    Hours outside of the range of UTCI (10 m wind 0.5 to 17 m/s) have none, and are counted. utci_daily.csv is an
    exposure for impact_health_erf.
    """
    return await common.simulated(
        "impact_health_utci",
        {"met_timeseries_path": met_timeseries_path},
        {"strong_stress_threshold_c": strong_stress_threshold_c},
        common.common_of(locals()),
    )


@toolbox.tool(title="Apply an exposure response", read_only=False, faithful=True, toolsets=("simulators",))
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
        common.Number | None,
        Field(description="Cases per 100,000 in the spec's baseline_period; none is assumed."),
    ] = None,
    baseline_cases_column: Annotated[
        str | None, Field(description="Of the exposure file, in place of a rate.")
    ] = None,
    exposure_column: Annotated[str, Field(description="Such as utci_max_c.")] = "exposure",
    run_id: common.RunId = "",
    instance_id: common.InstanceId = "instance-001",
    scenario_name: common.ScenarioName = "baseline",
    scenario_description: common.ScenarioDescription = "",
    assumptions: common.Assumptions = {},  # noqa: B006
    seed: common.Seed = 41,
    model_version: common.ModelVersion = "",
    container_image: common.ContainerImage = "",
    threads: common.Threads = 1,
    cpu_cores: common.CpuCores = None,
    memory_gb: common.MemoryGb = None,
    timeout_seconds: common.TimeoutSeconds = 120,
    output_dir: common.OutputDir = common.OUTPUT_DIR,
    backend: common.Backend = None,
) -> Published:
    """Attributable cases and fraction of an exposure, with the interval of its slope, step by step and in all."""
    options: dict[str, object] = {"exposure_column": exposure_column}
    if baseline_rate_per_100k is not None:
        options["baseline_rate_per_100k"] = baseline_rate_per_100k
    if baseline_cases_column:
        options["baseline_cases_column"] = baseline_cases_column
    return await common.simulated(
        "impact_health_erf",
        {
            "exposure_series_path": exposure_series_path,
            "population_exposed_path": population_exposed_path,
            "erf_spec_path": erf_spec_path,
        },
        options,
        common.common_of(locals()),
    )
