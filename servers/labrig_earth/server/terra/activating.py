"""The tool by which groups of sub-tools are switched on, as the paper's agent does it.

The list of tools stays as it is: it is fixed when the server starts. With ``earth.activation=on`` a tool of a group
that is not switched on is refused; without it, switching is recorded and nothing else.
"""

from __future__ import annotations

import json

from labrig.answer import Published
from labrig.toolbox import session
from labrig_earth.server.base import ACTIVATION, toolbox
from labrig_earth.server.terra import common


@toolbox.tool(
    title="Switch groups of tools on",
    read_only=True,
    faithful=True,
    toolsets=("terra", *(f"terra-{group}" for group in common.GROUPS)),
)
async def reset_equipped_tools(
    core: bool = False,
    ensemble_verify: bool = False,
    visualization: bool = False,
    geo_osm: bool = False,
    seasonal: bool = False,
    air_quality: bool = False,
    data_crawl: bool = False,
    era5_obs: bool = False,
    forecast_models: bool = False,
    satellite: bool = False,
    basic: bool = False,
) -> Published:
    """Switch groups of tools on; those that are left out are switched off."""
    here = session()
    wanted = {
        "core": core,
        "ensemble_verify": ensemble_verify,
        "visualization": visualization,
        "geo_osm": geo_osm,
        "seasonal": seasonal,
        "air_quality": air_quality,
        "satellite": satellite,
        "data_crawl": data_crawl,
        "era5_obs": era5_obs,
        "forecast_models": forecast_models,
        "basic": basic,
    }
    on = [group for group in common.GROUPS if wanted[group]]
    common.activate(here, frozenset(on))
    counts = bool(toolbox.setting(here.state.options, ACTIVATION.name))
    said = {
        "active": on,
        "enforced": counts,
        "tools": {
            group: [
                spec.name
                for spec in toolbox.specs
                if f"terra-{group}" in spec.toolsets and spec.name != "reset_equipped_tools"
            ]
            for group in on
        },
    }
    return Published(json.dumps(said), source="labrig earth")
