"""The MCP face of the Earth server.

- `base`: what the rooms share: toolbox, children, from named files to an Answer
- `grids`, `features`: the tools
- `workspace`: files and jobs beside them
"""

from labrig_earth.server import features, grids, workspace
from labrig_earth.server.base import toolbox

__all__ = ["features", "grids", "toolbox", "workspace"]
