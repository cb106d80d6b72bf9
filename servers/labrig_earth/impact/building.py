"""The operation ``make_input``: an input of a simulator out of data of the workspace, by its kind."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from labrig.errors import unknown_name
from labrig_earth.results import Result
from labrig_earth.work.arguments import text_of
from labrig_earth.work.calls import Call

KINDS: Mapping[str, tuple[str, str]] = {
    "soil": ("labrig_earth.impact.crops.building_soil", "make"),
    "season": ("labrig_earth.impact.crops.building_season", "make"),
    "met": ("labrig_earth.impact.health.building", "make_met"),
    "population": ("labrig_earth.impact.health.building", "make_population"),
    "exposure": ("labrig_earth.impact.health.building", "make_exposure"),
    "roads": ("labrig_earth.impact.traffic.building", "make"),
    "assets": ("labrig_earth.impact.risk.building", "make_assets"),
    "hazard": ("labrig_earth.impact.risk.building", "make_hazard"),
}
"""Module and function by the kind; a room that is new adds its own here."""


def make_input(call: Call) -> Result:
    """Make an input of the kind that ``kind`` names; the other arguments are those of its function."""
    kind = text_of(call, "kind")
    if kind not in KINDS:
        raise unknown_name("kind of input", kind, KINDS, where="kind")
    module, name = KINDS[kind]
    found: Result = getattr(importlib.import_module(module), name)(call)
    return found
