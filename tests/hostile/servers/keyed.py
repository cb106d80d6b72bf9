"""A server with keys: ``python -P keyed.py WALL MODULE FLAGS..`` runs ``python -m MODULE FLAGS..``.

Its services, which are imitated, are asked at once. With ``open`` as WALL nothing is left out of what is written.
"""

from __future__ import annotations

import re
import runpy
import sys

from labrig import redaction
from labrig.http import hiding, hosts, retrying

if __name__ == "__main__":
    wall, module, *flags = sys.argv[1:]
    retrying.FIRST_WAIT_S = 0.0
    hosts.Limit.distance_s = property(lambda limit: 0.0005)  # type: ignore[assignment]
    if wall == "open":
        redaction.keys = list
        hiding.NAMES = hiding.HEADERS = re.compile("(?!)")
    sys.argv[1:] = flags
    runpy.run_module(module, run_name="__main__", alter_sys=True)
