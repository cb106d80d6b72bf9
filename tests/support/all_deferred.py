"""A server of which no tool is listed at once: ``python -m support.all_deferred NAME`` and the flags of labrig-NAME.

A client's search leaves out what is listed already; so it is asked for every tool.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from labrig.serving.serve import main
from labrig_harness.registry import servers

if __name__ == "__main__":
    toolbox = servers.toolbox(sys.argv[1])
    toolbox.specs[:] = [replace(spec, first=False) for spec in toolbox.specs]
    sys.exit(main(toolbox, sys.argv[2:]))
