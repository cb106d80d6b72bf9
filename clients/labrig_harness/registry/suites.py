"""Finding suites: through the entry-point group ``labrig.suites``, so another package can bring its own."""

from __future__ import annotations

from importlib.metadata import entry_points

from labrig.errors import unknown_name
from labrig_harness.suite import Suite


def names() -> list[str]:
    """Return the names of the installed suites."""
    return sorted({each.name for each in entry_points(group="labrig.suites")})


def load(name: str) -> Suite:
    """Return a suite by name.

    Raises
    ------
    LabrigError
        If there is none, with the nearest names.
    """
    for entry in entry_points(group="labrig.suites"):
        if entry.name == name:
            suite: Suite = entry.load()
            return suite
    raise unknown_name("suite", name, names())
