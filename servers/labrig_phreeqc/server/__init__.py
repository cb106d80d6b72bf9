"""The MCP face of the PHREEQC server: tools and what clients are told of them, a room for each subject."""

from labrig_phreeqc.server import definitions, files, outputs, runs
from labrig_phreeqc.server.base import toolbox

__all__ = ["definitions", "files", "outputs", "runs", "toolbox"]
