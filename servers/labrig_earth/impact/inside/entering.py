"""The module that children of runs load: it enters the folder of a run, closes itself in, and calls the engine.

An engine is a module with ``run(arguments, inputs, outputs)``, from a JSON object and two folders to a JSON object. It
refuses with `labrig.isolation.inside.answering.Refused`. Whatever it prints is kept apart from its answer. This file is
also loaded by the Python of a side environment, so it needs the standard library alone.
"""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labrig.isolation.inside.answering import FIRST_FILE

APART = 100
"""Files are moved to descriptors from here on, away from those that an engine's libraries opened before the fork."""
WALLS = ("capabilities", "landlock", "seccomp")
WALLS_OF_PROGRAMS = ("capabilities", "landlock")
"""Of an engine that starts programs, which seccomp refuses: they are in these walls too."""
SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"),
    *("/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom"),
)


def work(question: Any) -> bytes:
    """Run an engine in its folder and return what it gives as JSON.

    Parameters
    ----------
    question
        ``engine``: its module, ``folder``: that of the run, in which ``inputs`` lies and ``outputs`` is filled,
        ``seed``, ``programs``: whether it starts other programs, ``arguments``; ``files``: what those are called
        that come as descriptors. The engine finds their paths as ``files`` of its arguments.
    """
    top = Path(question["folder"])
    inputs, outputs = top / "run" / "inputs", top / "run" / "outputs"
    for name in ("TMPDIR", "HOME"):
        os.environ[name] = str(top / name.lower())
    tempfile.tempdir = os.environ["TMPDIR"]
    os.chdir(outputs)
    engine = importlib.import_module(question["engine"])
    _seed(question["seed"])
    places = [
        fcntl.fcntl(FIRST_FILE + number, fcntl.F_DUPFD_CLOEXEC, APART)
        for number in range(len(question.get("files", [])))
    ]
    _close_in(top, places, programs=question["programs"])
    arguments = question["arguments"]
    if places:
        paths = [f"/proc/self/fd/{place}" for place in places]
        arguments = {**arguments, "files": dict(zip(question["files"], paths, strict=True))}
    made = engine.run(arguments, inputs, outputs)
    return json.dumps(made, allow_nan=False).encode()


def _seed(seed: int) -> None:
    """Fix the seeds that libraries take their random numbers from."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def _close_in(top: Path, files: Sequence[int], *, programs: bool) -> None:
    """Put up the walls that this system has: nothing is read but the engine and its inputs, nothing written outside the
    folder of the run, nobody reached over TCP (Landlock 4), and no program started but the engine's own."""
    if sys.platform != "linux":
        return
    from labrig.isolation.inside import walls

    readable: Sequence[str] = [
        *sorted({path for path in (*sys.path, sys.prefix, sys.base_prefix) if Path(path).is_absolute()}),
        *SYSTEM,
    ]
    executable = [sys.prefix, os.path.realpath(sys.executable), *SYSTEM] if programs else []
    all_walls = WALLS_OF_PROGRAMS if programs else WALLS
    missing = {wall for wall, why in walls.available().items() if why}
    while wanted := [wall for wall in all_walls if wall not in missing]:
        folder = os.open(top, os.O_PATH | os.O_DIRECTORY)
        try:
            walls.Walls(wanted, readable, [], executable=executable).put_up(
                dict, writable=folder, inputs=files
            )
            return
        except walls.WallError as error:
            missing.add(error.wall if error.wall in wanted else wanted[0])
        finally:
            os.close(folder)
