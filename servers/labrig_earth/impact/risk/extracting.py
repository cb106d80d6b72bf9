"""The tool ``extract_exposure_layers``: assets with values, people, and shares of crops and town."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.risk.maps import MAPS, asked_of
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator

FILES = {
    "osm_assets_path": "assets",
    "sentinel_stats_path": "satellite",
    "population_path": "population",
}


def options_of(given: Given) -> dict[str, Any]:
    """Return the options of a call as the child takes them."""
    asked = given.asked()
    name = "default_asset_value_usd"
    return {"default_value": asked.number(name, 0, 1e15, "USD") if asked.has(name) else None}


@asynccontextmanager
async def take_layers(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Take assets out of a layer."""
    arguments, inputs = asked_of(given, "layers", FILES, options_of(given))
    async with how.engines.run(MAPS, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        found = run.result
        yield Simulation(
            version=run.version,
            metrics={
                "total_asset_value_usd": Metric(found["total_asset_value_usd"], "USD"),
                "exposed_population": Metric(found["exposed_population"], "people"),
                "cropland_fraction": Metric(found["cropland_fraction"], "ratio"),
            },
            derived={
                "asset_count": Metric(found["asset_count"], "count"),
                "urban_fraction": Metric(found["urban_fraction"], "ratio"),
            },
            units=[],
            time=("", "", "event"),
            warnings=run.warnings,
            text=(
                f"{found['asset_count']:,} assets of {found['total_asset_value_usd']:.6g} USD; "
                "exposure_layers.csv is what impact_climada_run takes"
            ),
            folder=run.folder,
            wall_s=run.wall_s,
        )


SIMULATOR = Simulator(
    tool="extract_exposure_layers",
    engine=MAPS,
    backends=("labrig",),
    files={
        "osm_assets_path": "OSM XML or PBF (its buildings); a layer, or CSV with latitude, longitude: value, "
        "asset_value_usd or replacement_cost_usd; asset_id; asset_type",
        "sentinel_stats_path": "CSV: cropland_fraction or crop_fraction, urban_fraction (0 to 1), area_km2 as weight",
        "population_path": "a grid of people in each cell, or CSV: population",
    },
    lists=("sentinel_stats_path", "population_path"),
    options={"default_asset_value_usd": "USD of an asset that states no value; none is assumed"},
    run=take_layers,
    check=lambda given: tuple(f"{name}: {value:g}" for name, value in options_of(given).items() if value),
    question=lambda given: asked_of(given, "layers", FILES, options_of(given)),
)
