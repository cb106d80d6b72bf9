"""Every simulator by the name of its tool. Rooms are imported when one is asked for: tools/list does without them."""

from __future__ import annotations

import importlib

from labrig.errors import unknown_name
from labrig_earth.impact.simulator import Simulator

ROOMS: dict[str, str] = {
    "impact_aquacrop_run": "labrig_earth.impact.crops.aquacrop",
    "impact_health_erf": "labrig_earth.impact.health.attributable",
    "impact_health_utci": "labrig_earth.impact.health.thermal",
    "weather_monthly_to_daily": "labrig_earth.impact.weather.downscaling",
    "weather_to_epw": "labrig_earth.impact.weather.writing",
    "impact_dssat_run": "labrig_earth.impact.crops.dssat",
    "impact_energyplus_run": "labrig_earth.impact.buildings.energyplus",
    "impact_sumo_run": "labrig_earth.impact.traffic.sumo",
    "impact_climada_run": "labrig_earth.impact.risk.climada",
    "hazard_overlay_osm": "labrig_earth.impact.risk.overlaying",
    "extract_exposure_layers": "labrig_earth.impact.risk.extracting",
}
"""Modules with a `SIMULATOR`, by the tool; a room that is new adds itself here."""


def simulator(tool: str) -> Simulator:
    """Return the simulator of a tool; ``not_found`` for an unknown one, with the nearest names."""
    if tool not in ROOMS:
        raise unknown_name("simulator", tool, ROOMS, where="tool")
    found: Simulator = importlib.import_module(ROOMS[tool]).SIMULATOR
    return found
