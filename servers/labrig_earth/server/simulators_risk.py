"""Risk by published names, arguments and envelopes; in toolset ``simulators``.

The published tools assumed a value of 100,000 USD, a cropland of 0.5 and a town of 0.3 where nothing was known, and
gave an asset without a curve that of all others. Here they are asked for, or left out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Published
from labrig_earth.impact.envelope import Common
from labrig_earth.server import simulating as common
from labrig_earth.terra.arguments.kinds import Number

Copy = Annotated[str, Field(description="In the workspace, where it goes besides.")]


@common.simulator_tool("Run CLIMADA", seed=31, timeout_seconds=900)
async def impact_climada_run(
    hazard_event_set_path: Annotated[
        str, Field(description="CSV or JSON: events, frequency, intensity at places (list_inputs).")
    ],
    exposure_path: Annotated[
        str, Field(description="CSV: exposure_id, latitude, longitude, value, impact_function_id, ...")
    ],
    impact_functions_path: Annotated[
        str, Field(description="JSON: hazard_type, intensity_unit, functions (mdd, paa or emanuel_2011), ...")
    ],
    *,
    shared: Common,
) -> Published:
    """Run CLIMADA: impact by event and asset, expected annual impact, exceedance curve; computed again by NumPy.

    Expected annual damage (USD) from tropical cyclones or floods to exposed assets.
    """
    return await common.run_simulator(
        "impact_climada_run",
        {
            "hazard_event_set_path": hazard_event_set_path,
            "exposure_path": exposure_path,
            "impact_functions_path": impact_functions_path,
        },
        {},
        shared,
    )


@common.simulator_tool(
    "Lay a hazard over roads", seed=19, timeout_seconds=120, left_out=("output_dir", "backend")
)
async def hazard_overlay_osm(
    hazard_path: Annotated[
        str, Field(description="Polygons with intensity or depth_m, or CSV: edge_id, intensity.")
    ],
    osm_edges_path: Annotated[str, Field(description="OSM data, lines, or roads.json of make_input.")],
    *,
    shared: Common,
    disruption_threshold: Annotated[Number, Field(description="Slower from this intensity.")] = 0.4,
    closure_threshold: Annotated[Number, Field(description="Closed from this one.")] = 0.9,
    output_overlay_path: Copy = "",
    output_disruptions_path: Copy = "",
) -> Published:
    """Lay a hazard over roads: which are closed, which slower; disruptions.json is for impact_sumo_run."""
    return await common.run_and_place(
        "hazard_overlay_osm",
        {"hazard_path": hazard_path, "osm_edges_path": osm_edges_path},
        {"disruption_threshold": disruption_threshold, "closure_threshold": closure_threshold},
        shared,
        {"hazard_overlay.csv": output_overlay_path, "disruptions.json": output_disruptions_path},
    )


@common.simulator_tool("Extract exposure", seed=17, timeout_seconds=120, left_out=("output_dir", "backend"))
async def extract_exposure_layers(
    osm_assets_path: Annotated[
        str, Field(description="OSM data (buildings), a layer, or CSV with latitude, longitude, value.")
    ],
    sentinel_stats_path: Annotated[str, Field(description="CSV: cropland_fraction, urban_fraction.")] = "",
    population_path: Annotated[str, Field(description="A grid of people, or CSV: population.")] = "",
    *,
    shared: Common,
    default_asset_value_usd: Annotated[
        Number | None, Field(description="USD of an asset that states none.")
    ] = None,
    output_path: Copy = "",
) -> Published:
    """Take assets with values out of OSM data, a layer or a table: exposure_layers.csv for impact_climada_run."""
    return await common.run_and_place(
        "extract_exposure_layers",
        {
            "osm_assets_path": osm_assets_path,
            "sentinel_stats_path": sentinel_stats_path,
            "population_path": population_path,
        },
        {} if default_asset_value_usd is None else {"default_asset_value_usd": default_asset_value_usd},
        shared,
        {"exposure_layers.csv": output_path},
    )
