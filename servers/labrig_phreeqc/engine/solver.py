"""The program that solves: a fork server (`forkserver`), started by `labrig.isolation.boot`.

``DESCRIPTOR LIBRARY`` serves on the socket of that number, and ends when that closes; if it cannot see that, the kernel
ends it with the process that started it. ``--closed LIBRARY`` prints, as JSON, what keeps a run in:
the walls that cannot be had here, with the reasons, and why PEEK and POKE are not switched off.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys

from labrig.isolation.inside import forking
from labrig_phreeqc.engine.basic_words import switch_off
from labrig_phreeqc.engine.closing import Closing
from labrig_phreeqc.engine.forkserver import FAILED, ForkServer


def main() -> None:
    """``DESCRIPTOR|--closed LIBRARY``."""
    what, library = sys.argv[1:]
    forking.die_with(os.getppid(), FAILED)
    words = switch_off(library)
    closing = Closing()
    if what == "--closed":
        print(json.dumps({"missing": closing.missing, "basic": words}))
        return
    gc.disable()  # a collection in a child would copy the pages it shares
    ForkServer(socket.socket(fileno=int(what)), library, closing).serve()
