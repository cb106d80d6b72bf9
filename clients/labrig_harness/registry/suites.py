"""Finding suites: through the entry-point group ``labrig.suites``, so another package can bring its own."""

from __future__ import annotations

from labrig.errors import unknown_name
from labrig_harness.registry.entries import entries
from labrig_harness.suite import Suite


def names() -> list[str]:
    """Return the names of the installed suites."""
    return sorted({each.name for each in entries("labrig.suites")})


def load(name: str) -> Suite:
    """Return a suite by name.

    Raises
    ------
    LabrigError
        If there is none, with the nearest names.
    """
    for entry in entries("labrig.suites"):
        if entry.name == name:
            suite: Suite = entry.load()
            return suite
    raise unknown_name("suite", name, names())
