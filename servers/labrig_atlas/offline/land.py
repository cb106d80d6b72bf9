"""Land and sea, in cells of 0.1 degree."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from labrig_atlas.world.database import World

CELLS = 10
"""Of a degree."""


def is_land(world: World, latitude: float, longitude: float) -> bool:
    """Whether a third or more of the cell of a point (degrees) is land; lakes count as land."""
    row = min(int((90 - latitude) * CELLS), 180 * CELLS - 1)
    column = int((longitude + 180) * CELLS) % (360 * CELLS)
    edges = world.kept.setdefault("land", {}).get(row)
    if edges is None:
        ((runs,),) = world.ask("SELECT runs FROM land WHERE row = ?", row)
        edges = list(accumulate(int(run, 36) for run in runs.split()))
        world.kept["land"][row] = edges
    return bool(bisect_right(edges, column) % 2)
