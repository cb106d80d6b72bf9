"""Sub-tools of TerraAgent by their published names, a room for each group.

- `common`: how a call becomes a published payload, its files in the workspace; groups switched on
- `activating`: the tool that switches groups on
- `core`, `ensemble_verify`, `visualization`, `geo_osm`: the groups
"""

from labrig_earth.server.terra import activating, core, ensemble_verify, geo_osm, visualization

__all__ = ["activating", "core", "ensemble_verify", "geo_osm", "visualization"]
