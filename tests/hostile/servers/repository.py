"""Attacks on the repository server alone: files that take their reader long, or much memory.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from hostile.guard import descendants
from hostile.servers.acts import in_order
from hostile.servers.case import Act, Case
from hostile.servers.channels import MINE, THEIRS, Http, Reply
from labrig.tables.apart import LIMITS, MOST

if TYPE_CHECKING:
    from hostile.servers.attack import Rig

TABLES = "Tables that are described"
LONG_S = 10.0
AT_ONCE = 12
LISTS = b"[" + b",".join([b"[[[[]]]]"] * 1_400_000) + b"]"
"""12 MB that become 400 MB."""


def circle(rig: Rig) -> str:
    """Describe an HDF5 file of 6,000 groups within each other, the innermost of which holds the outermost."""
    import h5py

    assert rig.guard.ground is not None
    path = rig.guard.ground / "circle.h5"
    with h5py.File(path, "w", libver="latest") as file:
        group = file
        for _ in range(6_000):
            group = group.create_group("g")
        group["back"] = file["/"]
    began = time.monotonic()
    reply = rig.call("describe_table", {"path": path.name})
    path.unlink()
    return reply.word if time.monotonic() - began < LONG_S else "took long"


def lists(rig: Rig) -> str:
    """Describe a file of lists a dozen times at once, with two tokens where there are two."""
    assert rig.guard.ground is not None
    path = rig.guard.ground / "lists.json"
    path.write_bytes(LISTS)
    most, over = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.wait(0.05):
            most = max(most, sum(map(_own_memory, descendants(rig.server.process.pid))))

    def ask(number: int) -> Reply:
        if isinstance(rig.server, Http):
            return rig.kept(
                rig.server.call("describe_table", {"path": path.name}, 120, token=(MINE, THEIRS)[number % 2])
            )
        return rig.call("describe_table", {"path": path.name}, 120)

    watching = threading.Thread(target=watch)
    watching.start()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        replies = list(pool.map(ask, range(AT_ONCE)))
    over.set()
    watching.join()
    path.unlink()
    allowed = MOST * (LIMITS.data_bytes or 0)
    return in_order(each.word for each in replies) if most < allowed else f"{most / 1e9:.1f} GB"


def _own_memory(pid: int) -> int:
    """Return the bytes of memory that no other process shares, 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(
        int(line.split()[1]) * 1024 for line in lines if line.startswith(("Private_Dirty:", "Private_Clean:"))
    )


CASES = (
    Case(
        TABLES,
        "groups in a circle",
        "an HDF5 file of 6,000 groups within each other, the innermost of which holds the outermost: 10 s at most",
        Act(circle),
        ("partial",),
    ),
    Case(
        TABLES,
        "a dozen files of lists",
        "JSON lists within lists, 12 MB that become 400 MB, a dozen at once with two tokens: 3 GiB at most",
        Act(lists),
        ("ok",),
        theirs=True,
    ),
)
