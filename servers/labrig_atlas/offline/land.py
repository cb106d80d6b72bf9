"""Whether a point is land, in an open world."""

from __future__ import annotations

from labrig_atlas.world.database import World
from labrig_atlas.world.landmask import edges_of, on_land, row_of


def is_land(world: World, latitude: float, longitude: float) -> bool:
    """Whether a third or more of the cell of 0.1 degree of a point (degrees) is land; lakes count as land."""
    kept: dict[int, list[int]] = world.kept.setdefault("land", {})
    row = row_of(latitude)
    if row not in kept:
        ((line,),) = world.ask("SELECT runs FROM land WHERE row = ?", row)
        kept[row] = edges_of(line)
    return on_land(kept[row], longitude)
