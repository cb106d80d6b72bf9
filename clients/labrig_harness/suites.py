"""Finding suites: through the entry-point group ``labrig.suites``, so another package can bring its own."""

from __future__ import annotations

from labrig.errors import LabrigError
from labrig_harness.registry.entries import entries, one, unimportable
from labrig_harness.suite import Suite


def names() -> list[str]:
    """Return the names of the installed suites."""
    return sorted({each.name for each in entries("labrig.suites")})


def load(name: str) -> Suite:
    """Return a suite by name.

    Raises
    ------
    LabrigError
        If there is none, with the nearest names, there are two, or it cannot be imported.
    """
    entry = one("labrig.suites", name, "suite")
    try:
        suite = entry.load()
    except Exception as error:  # whatever a module does at import is not to take the house down
        raise unimportable("suite", entry, error) from error
    if not isinstance(suite, Suite):
        raise LabrigError(f"The entry point of suite {name!r} is not a Suite", where=entry.value)
    return suite
