"""What runs of maps share: their child, and from the files of a call to what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given

MAPS = Engine("maps", "Maps", "labrig_earth.impact.risk.maps_engine")


def asked_of(
    given: Given, do: str, files: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the arguments and the files of the child; `files` are its names by argument."""
    for name in files:
        if len(given.several(name)) > 1:
            raise LabrigError(f"{len(given.several(name))} files are given", where=name, expected="one")
    there = {role: given.one(name) for name, role in files.items() if given.several(name)}
    arguments = {
        "do": do,
        "files": {role: each.name for role, each in there.items()},
        "options": dict(options),
    }
    return arguments, {role: each.content for role, each in there.items()}
