"""The files of a workspace: write, read, list. All are the paper's tools, with the limits of its released code."""

from labrig.tools.files import offer
from labrig_phreeqc.server.base import BOTH, toolbox

offer(toolbox, such_as="a PHREEQC input", toolsets=BOTH)
