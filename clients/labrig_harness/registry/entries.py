"""What installed packages declare, read once a process: every reading looks into the folder of each package."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points

from labrig.errors import LabrigError, unknown_name

OURS = "labrig"
"""The distribution of this project."""


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


def distribution(entry: EntryPoint) -> str:
    """Return the distribution that brought an entry point, by its normalized name; empty where nobody knows."""
    return re.sub(r"[-_.]+", "-", entry.dist.name).lower() if entry.dist is not None else ""


def unimportable(what: str, entry: EntryPoint, error: Exception) -> LabrigError:
    """Return the error for an entry point that cannot be imported: why, who brought it, and how it is brought."""
    by = distribution(entry)
    if by == OURS:
        where, try_ = entry.value, f"pip install '{OURS}[{entry.name}]'" if what == "server" else ""
    elif entry.dist is None:
        where, try_ = entry.value, ""
    else:
        where = f"{entry.value}, which the distribution {by} {entry.dist.version} brings"
        lacks = (
            f", which should bring the module {error.name}" if isinstance(error, ModuleNotFoundError) else ""
        )
        try_ = f"pip install --upgrade --force-reinstall {by}{lacks}; or pip uninstall {by}"
    return LabrigError(
        f"The {what} {entry.name!r} cannot be imported: {type(error).__name__}: {error}",
        where=where,
        try_=try_,
        code="unavailable",
    )
