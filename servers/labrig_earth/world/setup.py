"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "f9c19d9ade70744d6e4e33e93b51115872d6c14df7812624332df6a1168b814a"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``, a root for an agent; truth.json beside it says what was planted."""
