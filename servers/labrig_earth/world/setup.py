"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "83993af3257eea3384d0559d73ff4066964a1a2beb0f9b294344bb5764bc9b8c"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``, a root for an agent; truth.json beside it says what was planted."""
