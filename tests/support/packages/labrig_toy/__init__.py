"""A small server with a toolbox, to see what a process of it is, leaves and dies of."""

from __future__ import annotations

import ctypes
import json
import os
import random
import subprocess
import sys
import threading
import time

from labrig.answer import Published
from labrig.config import setting
from labrig.toolbox import Toolbox, session

toolbox = Toolbox("toy", "Toy", "Says what its process is.")
looks = 0

KEPT = {  # what an import may leave behind
    "thread": lambda: threading.Thread(target=time.sleep, args=(600,), daemon=True).start(),
    "file": lambda: globals().update(kept=open(os.devnull)),  # noqa: SIM115 - a file that stays open is what is tried
    "error": lambda: sys.exit("the toy cannot be loaded"),
}
LOADED_BY = getattr(sys.modules["__main__"].__spec__, "name", "")
"""The program that imported the toy: a fork is the server's own program afterwards."""
if "labrig.serving.warm" in LOADED_BY:
    KEPT.get(os.environ.get("TOY_KEEPS", ""), lambda: None)()


@toolbox.tool(read_only=True, title="Look", faithful=True)
async def look() -> Published:
    """Say what this process is, and count how often it was asked."""
    global looks
    looks += 1
    main = sys.modules["__main__"].__spec__
    seen = {
        "main": LOADED_BY or (main.name if main else ""),
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "cwd": os.getcwd(),
        "setting": setting("toy", "word"),
        "variables": sorted(name for name in os.environ if name.startswith("TOY_")),
        "random": random.random(),
        "workspace": str(session().workspace.folder),
        "looks": looks,
        "open": len(os.listdir("/proc/self/fd")),
    }
    return Published(json.dumps(seen))


@toolbox.tool(read_only=False, title="Leave", faithful=True)
async def leave() -> Published:
    """Start a program in a session of its own that would go on for ever."""
    left = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    return Published(str(left.pid))


@toolbox.tool(read_only=False, title="Die", faithful=True)
async def die(how: str) -> Published:
    """End the process: `exit`, or a crash."""
    print("the reactor is on fire", file=sys.stderr, flush=True)
    if how == "exit":
        os._exit(7)
    ctypes.string_at(0)
    return Published("alive")
