"""The program that solves: a fork server (`forkserver`), started by `labrig.isolation.boot`.

``DESCRIPTOR LIBRARY`` serves on the socket of that number. ``--closed LIBRARY`` prints, as JSON, what keeps a run in:
the walls that cannot be had here, with the reasons, and why PEEK and POKE are not switched off.
"""

from __future__ import annotations

import gc
import json
import socket
import sys

from labrig_phreeqc.engine.basic_words import switch_off
from labrig_phreeqc.engine.closing import Closing
from labrig_phreeqc.engine.forkserver import ForkServer


def main() -> None:
    """``DESCRIPTOR|--closed LIBRARY``."""
    what, library = sys.argv[1:]
    words = switch_off(library)
    closing = Closing()
    if what == "--closed":
        print(json.dumps({"missing": closing.missing, "basic": words}))
        return
    gc.disable()  # a collection in a child would copy the pages it shares
    ForkServer(socket.socket(fileno=int(what)), library, closing).serve()
