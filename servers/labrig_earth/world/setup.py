"""The entry of ``labrig setup earth-world``: the full world of one seed, below LABRIG_HOME."""

from __future__ import annotations

from labrig.sideenv import MadeEnv

EARTH_WORLD = MadeEnv(
    name="earth-world",
    title="A synthetic world of Earth data",
    program="labrig_earth.world.make",
    seed=7,
    target="earth/world-1",
    sha256={"contents.json": "badaaf11cda8a2ccbb0b85c2bdfa02032e102fdd1050e414120cbe14841a8cd8"},
    listing="contents.json",
)
"""Its data lie in the folder ``data``, a root for an agent; truth.json beside it says what was planted."""
