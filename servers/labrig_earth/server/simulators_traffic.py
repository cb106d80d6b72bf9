"""SUMO by its published name, arguments and envelope; in toolset ``simulators``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common


@common.simulator_tool("Run SUMO", seed=47, timeout_seconds=600)
async def impact_sumo_run(
    network_path: Annotated[str, Field(description="SUMO's .net.xml, or JSON: nodes, edges (list_inputs).")],
    routes_path: Annotated[
        str, Field(description="CSV: id, depart_s, from, to; or SUMO's trips and vehicles.")
    ],
    disruptions_path: Annotated[
        str, Field(description="JSON: closed_edges, speed_factors, seeds (10), end_s, rerouting_share, ...")
    ],
    *,
    shared: Common,
) -> Published:
    """Run SUMO: travel times, delays and cancelled trips, and what a closure adds to the same trips over seeds.

    What closing a bridge or road does to travel times in the rush hour, from net.xml and rou.xml.
    """
    return await common.run_simulator(
        "impact_sumo_run",
        {"network_path": network_path, "routes_path": routes_path, "disruptions_path": disruptions_path},
        {},
        shared,
    )
