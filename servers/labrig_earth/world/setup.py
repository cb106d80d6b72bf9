"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "bba1bc47e7ebe4364db1189e5a1d24b438dd0174742875849a5c12ec1bf5d1a5"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``; truth.json beside it says what was planted."""
