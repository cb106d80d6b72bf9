"""SUMO by its published name, arguments and envelope; in toolset ``simulators``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.server import simulating as common
from labrig_earth.server.base import toolbox


@toolbox.tool(title="Run SUMO", read_only=False, faithful=True, toolsets=("simulators",))
async def impact_sumo_run(
    network_path: Annotated[str, Field(description="SUMO's .net.xml, or JSON: nodes, edges (list_inputs).")],
    routes_path: Annotated[
        str, Field(description="CSV: id, depart_s, from, to; or SUMO's trips and vehicles.")
    ],
    disruptions_path: Annotated[
        str, Field(description="JSON: closed_edges, speed_factors, seeds (10), end_s, rerouting_share, ...")
    ],
    run_id: common.RunId = "",
    instance_id: common.InstanceId = "instance-001",
    scenario_name: common.ScenarioName = "baseline",
    scenario_description: common.ScenarioDescription = "",
    assumptions: common.Assumptions = {},  # noqa: B006
    seed: common.Seed = 47,
    model_version: common.ModelVersion = "",
    container_image: common.ContainerImage = "",
    threads: common.Threads = 1,
    cpu_cores: common.CpuCores = None,
    memory_gb: common.MemoryGb = None,
    timeout_seconds: common.TimeoutSeconds = 600,
    output_dir: common.OutputDir = common.OUTPUT_DIR,
    backend: common.Backend = None,
) -> Published:
    """Run SUMO: travel times, delays and cancelled trips, and what a closure adds to the same trips over seeds."""
    return await common.simulated(
        "impact_sumo_run",
        {"network_path": network_path, "routes_path": routes_path, "disruptions_path": disruptions_path},
        {},
        common.common_of(locals()),
    )
