"""Land and sea in cells of 0.1 degree, as lines of runs: sea first, lengths in base 36, from 90 north and 180 west."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

CELLS = 10
"""Of a degree."""


def row_of(latitude: float) -> int:
    """Return the number of the row of a latitude (degrees)."""
    return min(int((90 - latitude) * CELLS), 180 * CELLS - 1)


def edges_of(line: str) -> list[int]:
    """Return the columns at which sea and land change, the first being the end of the first sea."""
    return list(accumulate(int(run, 36) for run in line.split()))


def on_land(edges: Sequence[int], longitude: float) -> bool:
    """Whether the cell of a longitude (degrees) is land in a row."""
    return bool(bisect_right(edges, int((longitude + 180) * CELLS) % (360 * CELLS)) % 2)


class LandMask:
    """All rows at once, for code that builds a world."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    @cached_property
    def _edges(self) -> list[list[int]]:
        return [edges_of(line) for line in self.lines]

    def is_land(self, latitude: float, longitude: float) -> bool:
        """Whether a third or more of the cell of a point (degrees) is land; lakes count as land."""
        return on_land(self._edges[row_of(latitude)], longitude)

    def water_share(self, latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
        """Return the part of a straight line in degrees that is over water, 0 to 1, ends left out."""
        across = (longitude2 - longitude1 + 180) % 360 - 180
        along = latitude2 - latitude1
        count = max(int(max(abs(across), abs(along)) * CELLS), 3)
        wet = sum(
            not self.is_land(
                latitude1 + along * step / count, (longitude1 + across * step / count + 180) % 360 - 180
            )
            for step in range(1, count)
        )
        return wet / (count - 1)
