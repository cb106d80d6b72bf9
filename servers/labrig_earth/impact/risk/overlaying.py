"""The tool ``hazard_overlay_osm``: a hazard laid over roads, closed and slower ones as SUMO's run takes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.risk.maps import MAPS, asked_of
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

MOST_INTENSITY = 1e6
FILES = {"hazard_path": "hazard", "osm_edges_path": "roads"}


def options_of(given: Given) -> dict[str, Any]:
    """Return the options of a call as the child takes them."""
    asked = given.asked()
    disruption = asked.number("disruption_threshold", 0, MOST_INTENSITY, "intensity", 0.4)
    closure = asked.number("closure_threshold", 0, MOST_INTENSITY, "intensity", 0.9)
    if closure < disruption or closure == 0:
        raise LabrigError(
            f"Roads close at {closure:g} and are slower from {disruption:g}",
            where="closure_threshold, disruption_threshold",
            expected="closure above 0 and at least the disruption",
        )
    return {"disruption": disruption, "closure": closure}


@asynccontextmanager
async def lay_over(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Lay a hazard over roads."""
    arguments, inputs = asked_of(given, "overlay", FILES, options_of(given))
    async with how.engines.run(MAPS, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        found = run.result
        disrupted = found["closed"] + found["slow"]
        yield Simulation(
            version=run.version,
            metrics={
                "disrupted_edges_count": Metric(disrupted, "count"),
                "closed_edges_count": Metric(found["closed"], "count"),
                "mean_speed_factor": Metric(found["mean_factor"], "ratio"),
            },
            derived={
                "total_edges": Metric(found["edges"], "count"),
                "length_in_hazard_km": Metric(found["inside_km"], "km"),
                "strongest_intensity": Metric(found["strongest"], "units of the hazard"),
            },
            units=found["units"],
            time=("", "", "event"),
            warnings=run.warnings,
            text=(
                f"Of {found['edges']:,} roads {found['closed']:,} are closed and {found['slow']:,} slower; "
                f"disruptions.json is what impact_sumo_run takes"
            ),
            folder=run.folder,
            wall_s=run.wall_s,
        )


SIMULATOR = Simulator(
    tool="hazard_overlay_osm",
    engine=MAPS,
    backends=("labrig",),
    files={
        "hazard_path": "polygons (GeoJSON, GeoPackage, zipped Shapefile) with a number intensity, hazard_intensity, "
        "depth_m or value; or CSV: edge_id, intensity",
        "osm_edges_path": "roads: OSM XML or PBF, lines with edge_id, id or osm_id, roads.json of make_input (roads), "
        "or, for a hazard by edge, CSV: edge_id",
    },
    options={
        "disruption_threshold": "intensity from which a road is slower, 0.4",
        "closure_threshold": "intensity from which it is closed, 0.9",
    },
    run=lay_over,
    check=lambda given: tuple(f"{name}: {value:g}" for name, value in options_of(given).items()),
    question=lambda given: asked_of(given, "overlay", FILES, options_of(given)),
)
