"""Sub-tools of TerraAgent by their published names, a room for each group.

- `common`: how a call becomes a published payload, its files in the workspace; groups switched on
- `activating`: the tool that switches groups on
- `models`: a run of a learned forecast model
- `stores`: files of Copernicus' stores, put into the workspace
- `core`, `ensemble_verify`, `visualization`, `geo_osm`, `seasonal`, `air_quality`, `data_crawl`,
  `forecast_models`: the groups
"""

from labrig_earth.server.terra import (
    activating,
    air_quality,
    core,
    data_crawl,
    ensemble_verify,
    forecast_models,
    geo_osm,
    seasonal,
    visualization,
)

__all__ = [
    "activating",
    "air_quality",
    "core",
    "data_crawl",
    "ensemble_verify",
    "forecast_models",
    "geo_osm",
    "seasonal",
    "visualization",
]
