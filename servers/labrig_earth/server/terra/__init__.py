"""Sub-tools of TerraAgent by their published names, a room for each group.

- `offering`: from the declared arguments of a sub-tool (`labrig_earth.terra.arguments`) to a tool
- `common`: how a call becomes a published payload, its files in the workspace; groups switched on
- `activating`: the tool that switches groups on
- `models`: a run of a learned forecast model; `weights`: what it needs for that, opened and hashed
- `stores`: files of Copernicus' stores, put into the workspace; `imagery`: scenes of Sentinel-2
- `core`, `ensemble_verify`, `visualization`, `geo_osm`, `seasonal`, `air_quality`, `data_crawl`, `era5_obs`,
  `forecast_models`, `satellite` (with `describing`), `basic` (with `math_agent`): the groups
"""

from labrig_earth.server.terra import (
    activating,
    air_quality,
    basic,
    core,
    data_crawl,
    describing,
    ensemble_verify,
    era5_obs,
    forecast_models,
    geo_osm,
    math_agent,
    satellite,
    seasonal,
    visualization,
)

__all__ = [
    "activating",
    "air_quality",
    "basic",
    "core",
    "data_crawl",
    "describing",
    "ensemble_verify",
    "era5_obs",
    "forecast_models",
    "geo_osm",
    "math_agent",
    "satellite",
    "seasonal",
    "visualization",
]
