"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "570e5cdb5350075411a407780e827664703d5ef2a64d402f82e6f35547691e04"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``; truth.json beside it says what was planted."""
