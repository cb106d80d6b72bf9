"""Become a program of somebody else behind the walls that let a program start: ``FILES PROGRAM ARGUMENTS..``.

It reads ``FILES`` (a JSON list, folders with all beneath them) and starts what lies there, writes nothing, and makes no
TCP connection (Landlock 4). A wall that the system lacks is left out, as `labrig.isolation.closing` does.
"""

from __future__ import annotations

import json
import os
import sys

from . import walls

WALLS = ("capabilities", "landlock")


def main() -> None:
    """Put up the walls and start the program; never returns."""
    files = json.loads(sys.argv[1])
    for wanted in (WALLS, WALLS[:1], ()):
        try:
            walls.Walls(wanted, files, [], executable=files).put_up(dict, writable=None, inputs=[])
            break
        except walls.WallError:
            continue
    os.execv(files[0], sys.argv[2:])
