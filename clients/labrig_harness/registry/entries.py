"""What installed packages declare, read once a process: every reading looks into the folder of each package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoints, entry_points


@cache
def entries(group: str) -> EntryPoints:
    """Return the entry points of a group: ``labrig.servers``, ``labrig.suites``."""
    return entry_points(group=group)
