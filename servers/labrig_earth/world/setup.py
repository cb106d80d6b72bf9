"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "8b834c5e3f95491dcf24dab6018e926dc65da72f0fbda9acb0e753212a2ef03a"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``; truth.json beside it says what was planted."""
