"""The MCP face of the PHREEQC server: tools and what clients are told of them, a room for each subject.

- `base`: what the rooms share: toolbox, engine, arguments
- `files`, `runs`, `outputs`, `definitions`, `waters`, `variation`, `pictures`: tools, a room for each subject
"""

from labrig_phreeqc.server import definitions, files, outputs, pictures, runs, variation, waters
from labrig_phreeqc.server.base import toolbox

__all__ = ["definitions", "files", "outputs", "pictures", "runs", "toolbox", "variation", "waters"]
