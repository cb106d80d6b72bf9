"""What installed packages declare, read once a process: every reading looks into the folder of each package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points

from labrig.errors import LabrigError, unknown_name


@cache
def entries(group: str) -> EntryPoints:
    """Return the entry points of a group: ``labrig.servers``, ``labrig.suites``."""
    return entry_points(group=group)


def one(group: str, name: str, what: str) -> EntryPoint:
    """Return the entry point of a name.

    Raises
    ------
    LabrigError
        If there is none, or two packages bring different ones: which of them is meant nobody knows.
    """
    found = {each.value: each for each in entries(group) if each.name == name}
    if not found:
        raise unknown_name(what, name, sorted({each.name for each in entries(group)}))
    if len(found) > 1:
        raise LabrigError(
            f"{len(found)} packages bring a {what} of the name {name!r}",
            where=", ".join(sorted(found)),
            try_="uninstall one of them, or rename its entry point",
        )
    return next(iter(found.values()))
