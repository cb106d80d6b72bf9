"""The program that solves: a fork server, or one run where there is no fork; started by `labrig.isolation.boot`.

``DESCRIPTOR LIBRARY`` is a fork server (`forkserver`) on the socket of that number. ``--once LIBRARY`` is one run: the
request is the first frame on stdin, the input the second, the result frames go to stdout. ``--closed LIBRARY`` prints,
as JSON, what keeps a run in: the walls that cannot be had here, with the reasons, and why PEEK and POKE are not
switched off.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import threading

from labrig_phreeqc.engine import frames
from labrig_phreeqc.engine.basic_words import switch_off
from labrig_phreeqc.engine.closing import Closing
from labrig_phreeqc.engine.frames import Bytes
from labrig_phreeqc.engine.solving import load, open_status, solve


def main() -> None:
    """``DESCRIPTOR|--once|--closed LIBRARY``."""
    what, library = sys.argv[1:]
    words = switch_off(library)
    closing = Closing()
    if what == "--closed":
        print(json.dumps({"missing": closing.missing, "basic": words}))
    elif what == "--once":
        once(library, closing)
    else:
        from labrig_phreeqc.engine.forkserver import ForkServer

        gc.disable()  # a collection in a child would copy the pages it shares
        ForkServer(socket.socket(fileno=int(what)), library, closing).serve()


def once(library: str, closing: Closing) -> None:
    """Serve one run over stdin and stdout, in this process, which ends when stdin closes."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    _, raw = frames.read(lambda n: os.read(source, n))
    request = json.loads(raw)
    _, text = frames.read(lambda n: os.read(source, n))
    send = frames.writer(lambda data: _write_all(sink, data))
    instance = load(library, request["database"])
    if isinstance(instance, str):
        send(frames.REFUSED, instance.encode())
        return
    allowed = request["limits"]
    if hasattr(os, "fork"):
        from labrig_phreeqc.engine.forkserver import end_when_closed

        end_when_closed(source)
    else:
        threading.Thread(target=_end_with_parent, args=(source,), daemon=True).start()
    status_fd = open_status()
    closing.close_in(allowed)
    solve(instance, text, int(allowed["output_bytes"]), send, status_fd)
    os._exit(0)


def _end_with_parent(source: int) -> None:
    """End this process when the parent closes stdin, which it keeps open during the run."""
    os.read(source, 1)
    os._exit(75)


def _write_all(fd: int, data: Bytes) -> None:
    view = memoryview(data)
    while view.nbytes:
        view = view[os.write(fd, view) :]
