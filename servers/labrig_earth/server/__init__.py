"""The MCP face of the Earth server.

- `base`: what the rooms share: the toolbox with its settings, what works for all callers
- `operations`: from named files through a child to an Answer
- `arguments`: those that are objects or one of several words, as tools/list says them; conditions read
- `places`: which names of a workspace are data, and one of them opened
- `sidecars`: files beside the one that a call names
- `finding`, `grids`, `features`, `pictures`: the tools
- `workspace`: files and jobs beside them
- `code`: Python of an agent, in a toolset of its own
- `online`: STAC services and parts of what lies on the network, in another
- `impact`: their inputs checked, runs compared and drawn
- `scenarios`: one perturbation of all their inputs
- `terra`: sub-tools of TerraAgent by their published names, in toolsets of their groups
- `simulators`, `simulators_buildings`, `simulators_health`, `simulators_risk`, `simulators_traffic`,
  `simulators_weather`: simulators by their published names
- `simulating`: what these share
"""

from labrig_earth.server import finding, grids, features, pictures, workspace, code, online  # isort: skip - as tools/list has them
from labrig_earth.server import simulators, simulators_health, simulators_weather  # isort: skip
from labrig_earth.server import simulators_buildings, simulators_risk, simulators_traffic  # isort: skip
from labrig_earth.server import impact, scenarios  # isort: skip - after those
from labrig_earth.server import terra  # isort: skip - after those
from labrig_earth.server.base import toolbox

__all__ = [
    "code",
    "features",
    "finding",
    "grids",
    "impact",
    "online",
    "pictures",
    "scenarios",
    "simulators",
    "simulators_buildings",
    "simulators_health",
    "simulators_risk",
    "simulators_traffic",
    "simulators_weather",
    "terra",
    "toolbox",
    "workspace",
]
