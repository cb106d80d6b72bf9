"""The module that children of runs load: it enters the folder of a run, closes itself in, and calls the engine.

An engine is a module with ``run(arguments, inputs, outputs)``, from a JSON object and two folders to a JSON object. It
refuses with `labrig.isolation.inside.answering.Refused`. Whatever it prints is kept apart from its answer. This file is
also loaded by the Python of a side environment, so it needs the standard library alone.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WALLS = ("capabilities", "landlock", "seccomp")
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
        ``seed``, ``walls``: whether it works without other programs, ``arguments``.
    """
    top = Path(question["folder"])
    inputs, outputs = top / "run" / "inputs", top / "run" / "outputs"
    for name in ("TMPDIR", "HOME"):
        os.environ[name] = str(top / name.lower())
    tempfile.tempdir = os.environ["TMPDIR"]
    os.chdir(outputs)
    engine = importlib.import_module(question["engine"])
    _seed(question["seed"])
    if question["walls"]:
        _close_in(top)
    made = engine.run(question["arguments"], inputs, outputs)
    return json.dumps(made, allow_nan=False).encode()


def _seed(seed: int) -> None:
    """Fix the seeds that libraries take their random numbers from."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def _close_in(top: Path) -> None:
    """Put up the walls that can be had here: no program is started, nothing written outside the folder of the run."""
    if sys.platform != "linux":
        return
    from labrig.isolation.inside import walls

    readable: Sequence[str] = [
        *sorted({path for path in (*sys.path, sys.prefix, sys.base_prefix) if Path(path).is_absolute()}),
        *SYSTEM,
    ]
    missing = {wall for wall, why in walls.available().items() if why}
    while wanted := [wall for wall in WALLS if wall not in missing]:
        folder = os.open(top, os.O_PATH | os.O_DIRECTORY)
        try:
            walls.Walls(wanted, readable, []).put_up(dict, writable=folder, inputs=())
            return
        except walls.WallError as error:
            missing.add(error.wall if error.wall in wanted else wanted[0])
        finally:
            os.close(folder)
