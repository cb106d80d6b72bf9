"""The climate of a point, and what departs from it day by day: made up, smooth in space and from one day to the next.

The means are rough fits to the Earth's: temperature falls with the square of the latitude and 6.5 K a kilometre,
seasons grow with latitude and land, rain is heavy at the equator, rare about 25 degrees and common about 50.
Departures are moving sums of noise by address at the nodes of a grid, interpolated between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import cos, floor, fsum, pi, radians, sin

from labrig_atlas.offline.elevation import elevation
from labrig_atlas.offline.land import is_land
from labrig_atlas.world.database import World
from labrig_atlas.world.noise import normal

GRID_DEG = 3.0
"""Between nodes: weather is alike within about 300 km."""
MEMORY = {"heat": 0.75, "wet": 0.5, "wind": 0.4}
"""How much of a departure is left a day later."""
DAYS = 10
"""That a departure is a sum over."""
LAPSE_K_M = 0.0065


@dataclass(frozen=True)
class Climate:
    """What is usual at a point: degrees WGS 84, metres, and the share of land within 800 km, 0 to 1."""

    latitude: float
    longitude: float
    elevation_m: float
    land: float

    def mean_c(self, day: date) -> float:
        """Return the usual mean temperature of a day, degrees C."""
        a = abs(self.latitude)
        level = 27.0 - 0.0062 * a**2 - LAPSE_K_M * max(self.elevation_m, -500.0)
        return level + a / 90 * (10 + 16 * self.land) * self._season(day)

    def spread_k(self) -> float:
        """Return the standard deviation of daily means about the usual, K."""
        return 1.0 + 3.2 * min(abs(self.latitude) / 50, 1.0) * (0.6 + 0.4 * self.land)

    def range_k(self) -> float:
        """Return the usual difference between the extremes of a dry day, K."""
        return 5.0 + 7.0 * self.land

    def wet_share(self, day: date) -> float:
        """Return the part of days with precipitation, 0.02 to 0.7."""
        a = abs(self.latitude)
        usual = 0.5 - 0.36 * min(a / 25, 1.0) if a < 25 else 0.14 + 0.3 * min((a - 25) / 25, 1.0)
        if a > 60:
            usual -= 0.006 * (a - 60)
        if a < 25:
            usual *= 1 + 0.7 * self._season(day)
        return min(max(usual * (1.1 - 0.4 * self.land), 0.02), 0.7)

    def wet_day_mm(self) -> float:
        """Return the mean precipitation of a day that has some, mm."""
        return 4.0 + 7.0 * max(1 - abs(self.latitude) / 35, 0.0)

    def wind_km_h(self) -> float:
        """Return the usual strongest wind of a day, km/h."""
        return 13.0 + 9.0 * sin(radians(min(abs(self.latitude) * 1.6, 90))) * (1.2 - 0.5 * self.land)

    def _season(self, day: date) -> float:
        """Return 1 in the middle of summer and -1 in that of winter; the sea is later than the land."""
        peak = 197 + 20 * (1 - self.land) + (0 if self.latitude >= 0 else 182.6)
        return cos(2 * pi * (day.timetuple().tm_yday - peak) / 365.25)


def climate(world: World, latitude: float, longitude: float) -> Climate:
    """Return the climate of a point (degrees)."""
    near = is_land(world, latitude, longitude)
    around = 0
    for reach in (1.4, 3.6, 7.2):  # degrees
        for turn in range(12):
            angle = 2 * pi * turn / 12
            other = max(-89.95, min(89.95, latitude + reach * cos(angle)))
            aside = reach * sin(angle) / max(cos(radians(latitude)), 0.05)
            around += is_land(world, other, (longitude + aside + 180) % 360 - 180)
    height = elevation(world, latitude, longitude).elevation_m if near else 0.0
    return Climate(latitude, longitude, height, (around + near) / 37)


def departure(world: World, what: str, latitude: float, longitude: float, day: date) -> float:
    """Return how far a day is from the usual, of about the standard normal distribution.

    Parameters
    ----------
    what
        ``heat``, ``wet`` or ``wind``: of each there is one field over the world.
    """
    row, column = latitude / GRID_DEG, longitude / GRID_DEG
    south, west = floor(row), floor(column)
    total = square = 0.0
    for i in (0, 1):
        for j in (0, 1):
            weight = (1 - abs(row - south - i)) * (1 - abs(column - west - j))
            total += weight * _node(
                world, what, south + i, (west + j) % round(360 / GRID_DEG), day.toordinal()
            )
            square += weight**2
    return float(total / square**0.5)


def _node(world: World, what: str, row: int, column: int, ordinal: int) -> float:
    kept: dict[tuple[str, int, int, int], float] = world.kept.setdefault("weather_nodes", {})
    key = (what, row, column, ordinal)
    if key not in kept:
        if len(kept) > 50_000:
            kept.clear()
        memory = MEMORY[what]
        total = fsum(
            memory**back * normal("weather", world.seed, what, row, column, ordinal - back)
            for back in range(DAYS)
        )
        kept[key] = total / fsum(memory ** (2 * back) for back in range(DAYS)) ** 0.5
    return kept[key]
