"""The MCP face of the Earth server.

- `base`: what the rooms share: toolbox, children, from named files to an Answer
- `grids`, `features`: the tools
- `workspace`: files and jobs beside them
- `code`: Python of an agent, in a toolset of its own
"""

from labrig_earth.server import grids, features, workspace, code  # isort: skip - the order of tools/list
from labrig_earth.server.base import toolbox

__all__ = ["code", "features", "grids", "toolbox", "workspace"]
