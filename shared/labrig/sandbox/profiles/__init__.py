"""The Pythons that code in the sandbox may get, by name; each is brought by who needs it.

- `science`: the usual packages of science
- `earth`: these, and the formats and geometry of Earth data

A profile is a module with a `Profile`, its requirements beside it (``NAME.in``, and ``NAME.lock`` from ``make lock``),
and an entry point of the group ``labrig.sandbox_profiles``, which any package may have.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from labrig.errors import LabrigError
from labrig.sideenv import PROFILES_GROUP
from labrig.sideenv.own_python import PythonEnv

PREPARE = Path(__file__).parents[1] / "prepare.py"
"""What every profile's Python runs at the end of its installation."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Profile(PythonEnv):
    """A Python for code in the sandbox: a side environment without any code of Labrig.

    Attributes
    ----------
    warm
        What is imported before the first fork; other packages are imported by the run that asks for them.
    cold
        What is not, though packages of `warm` would import it: it starts threads, which a fork would leave behind.
    """

    warm: tuple[str, ...]
    cold: tuple[str, ...] = ()


@cache
def profiles() -> dict[str, Profile]:
    """Return the profiles of the installed packages by name. Entry points are read once."""
    found: dict[str, Profile] = {}
    for entry in entry_points(group=PROFILES_GROUP):
        try:
            loaded = entry.load()
        except ImportError as error:  # a package whose extra is not installed
            log.warning("profile %s of the sandbox cannot be loaded: %s", entry.name, error)
            continue
        if not isinstance(loaded, Profile):
            raise LabrigError(
                f"The entry point {entry.value} is not a profile", where=PROFILES_GROUP, code="internal"
            )
        found[entry.name] = loaded
    return found
