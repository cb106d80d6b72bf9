"""A child of ours that reads what others have made closes itself in first, by the walls that this system has."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from labrig.isolation import boot, inside

SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"),
    *("/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom"),
)
WALLS = ("capabilities", "landlock", "seccomp")


def close_in(inputs: Sequence[int], *, writable: int | None = None) -> dict[str, str]:
    """Close this process in, which must have one thread: it reads its Python and its inputs, and nothing else is left.

    No file can be written outside `writable`, no process, program or socket be made, no other process be reached. Call
    it when what is to be read is open; modules can still be imported.

    Parameters
    ----------
    inputs
        Descriptors of files that may be read, beside those that Python itself needs.
    writable
        Descriptor of the one folder in which files may be made, read, changed and removed.

    Returns
    -------
    dict
        The walls that this system lacks, each with the reason; on other systems than Linux all.
    """
    if sys.platform != "linux":
        return dict.fromkeys(WALLS, f"{sys.platform} has none")
    from labrig.isolation.inside import walls

    modules = {*sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix}
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - pathlib raises where there is none
    # Modules may lie in a folder of the home, and never in the home itself or above it.
    own = {
        path
        for path in modules
        if Path(path).is_absolute() and Path(path).resolve() not in {home, *home.parents}
    }
    missing = unavailable()
    while wanted := [wall for wall in WALLS if wall not in missing]:
        try:
            walls.Walls(wanted, [*sorted(own), *SYSTEM], []).put_up(dict, writable=writable, inputs=inputs)
            return missing
        except walls.WallError as error:
            missing[error.wall if error.wall in wanted else wanted[0]] = str(error)
    return missing


def behind_walls(argv: Sequence[str], files: Sequence[str | Path] = ()) -> list[str]:
    """Return the command by which a program starts behind the walls of `inside.program`; elsewhere than on Linux, as it
    is.

    Parameters
    ----------
    argv
        The program's path and its arguments.
    files
        Files and folders that it may read, and start programs of, beside its own and the system's libraries.
    """
    if sys.platform != "linux":
        return list(argv)
    ours = {"labrig": "/nowhere", "labrig.isolation": "/nowhere"}
    ours["labrig.isolation.inside"] = str(Path(inside.__file__).resolve().parent)
    words = boot.words("labrig.isolation.inside.program", ours)
    may_read = [str(Path(argv[0]).resolve()), *map(str, files), *SYSTEM]
    return [sys.executable, "-I", *words, json.dumps(may_read), *argv]


def summary() -> str:
    """Return the walls that are put up here, and why the others are not, in a line."""
    missing = unavailable()
    had = ", ".join(wall for wall in WALLS if wall not in missing) or "no wall"
    return "; ".join([had, *(f"not {wall}: {why}" for wall, why in missing.items())])


def unavailable() -> dict[str, str]:
    """Return the walls that a process cannot put up here, each with the reason."""
    if sys.platform != "linux":
        return dict.fromkeys(WALLS, f"{sys.platform} has none")
    from labrig.isolation.inside import walls

    return {wall: why for wall, why in walls.available().items() if why and wall in WALLS}
