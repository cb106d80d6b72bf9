"""What a run of PHREEQC is closed in by: limits, and the walls of `labrig.isolation.inside` that can be had here.

PHREEQC is a C++ program that runs Basic. Its own bounds do not hold: an array whose size wraps round reaches memory
outside of it, and a long name runs over the stack (``docs/security.md``). So a run has nothing that could be misused:
no descriptor can be opened any more (INCLUDE$, TRANSPORT -dump, the netpath options and Basic LOAD all fail), memory
and processor time are limited, its folder is the root, and on Linux it has no privilege, sees no file (Landlock) and
can make those system calls alone that a calculation needs (seccomp): no new code, no thread, no process.

Standard library only: this module runs in the fork server.
"""

from __future__ import annotations

import os
import resource
import sys

from labrig.isolation.inside import limits, rules, walls

WALLS = ("limits", "capabilities", "landlock", "seccomp")
STDERR_BYTES = 65536
"""RLIMIT_FSIZE rather than 0: last words reach the memory file that is the child's stderr, all that it can write."""
Limits = dict[str, float]


class Closing:
    """The walls of every run of one process, tried in a child of it first.

    Attributes
    ----------
    missing
        Wall -> why this system lacks it.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._walls: walls.Walls | None = None
        if sys.platform != "linux":
            self.missing = dict.fromkeys(WALLS[1:], f"{sys.platform} has none")
            return
        self.missing = {wall: why for wall, why in walls.available().items() if why}
        while self.has("limits"):  # they are what the other walls are put up from
            wanted = [wall for wall in WALLS if self.has(wall)]
            self._walls = walls.Walls(wanted, [], [], rules=rules.CALCULATION)
            failed, why = _tried(self)
            if not failed:
                return
            self.missing[failed] = why
            self._walls = None

    def has(self, wall: str) -> bool:
        """Whether runs have this wall."""
        return wall not in self.missing

    def close_in(self, allowed: Limits) -> None:
        """Give up, for good, everything that a calculation has no use for.

        Raises
        ------
        walls.WallError
            If a wall cannot be put up after all: end the process.
        """
        os.chdir("/")
        table = limits_of(allowed)
        if self._walls is None:
            limits.put_up(table)
        else:
            self._walls.put_up(lambda: table, writable=None, inputs=[])


def limits_of(allowed: Limits) -> dict[int, tuple[int, int]]:
    """Return the limits of a run, soft and hard, by ``resource.RLIMIT_*``."""
    memory, cpu = int(allowed["memory_bytes"]), max(1, int(-(-allowed["cpu_s"] // 1)))
    wanted = {
        "RLIMIT_CORE": (1, 1),  # see `labrig.isolation.inside.limits`
        "RLIMIT_FSIZE": (STDERR_BYTES, STDERR_BYTES),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_CPU": (cpu, cpu + 1),
        "RLIMIT_AS": (memory, memory),
        "RLIMIT_NOFILE": (0, 0),
    }
    return {getattr(resource, name): pair for name, pair in wanted.items() if hasattr(resource, name)}


def _tried(closing: Closing) -> tuple[str, str]:
    """Close in a child; return the wall that could not be put up, and why. A container's filter shows only so."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "limits\nthe child ended"
        try:
            closing.close_in({"memory_bytes": 1 << 40, "cpu_s": 60})
            said = ""
        except walls.WallError as error:
            said = f"{error.wall}\n{error}"
        except BaseException as error:
            said = f"limits\n{type(error).__name__}: {error}"
        finally:
            os.write(writing, said.encode()[:2000])
            os._exit(0 if not said else 1)
    os.close(writing)
    said = os.read(reading, 2000).decode("utf-8", errors="replace")
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    if not said and status:
        return "seccomp", f"a child behind it ended with {os.waitstatus_to_exitcode(status)}"
    wall, _, why = said.partition("\n")
    return wall, why
