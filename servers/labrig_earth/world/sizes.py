"""How much of everything there is in a world, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass

from labrig.errors import unknown_name

UTM = "EPSG:32633"
ORIGIN = (330_000.0, 5_350_000.0)
"""South-west corner of the town in UTM 33N, metres (easting, northing)."""


@dataclass(frozen=True)
class Size:
    """Numbers that make a world large or small.

    Attributes
    ----------
    years
        Of daily fields, the last is 2020.
    west, south, east, north, step
        Centres of the outermost cells of the daily fields and their spacing, degrees.
    globe_step
        Spacing of the global months, degrees.
    hindcast_years, members, leads
        Of the ensemble.
    air_days, air_side
        Days of hourly air quality in 2020, and cells along a side of its grid.
    blocks
        Blocks of the town along a side, 100 m each; scenes and people cover it.
    dates
        Of the scenes.
    """

    years: int
    west: float
    south: float
    east: float
    north: float
    step: float
    globe_step: float
    hindcast_years: int
    members: int
    leads: int
    air_days: int
    air_side: int
    blocks: int
    dates: tuple[str, ...]

    @property
    def side_m(self) -> int:
        """Metres along a side of the town's square."""
        return self.blocks * 100 + 120


SIZES = {
    "full": Size(
        years=30, west=0, south=42, east=20, north=56, step=1, globe_step=2.5, hindcast_years=24, members=15, leads=6,
        air_days=366, air_side=16, blocks=50,
        dates=("2019-06-14", "2020-05-09", "2020-06-13", "2022-06-18", "2022-07-13"),
    ),
    "small": Size(
        years=4, west=10, south=46, east=15, north=50, step=1, globe_step=15, hindcast_years=3, members=3, leads=2,
        air_days=20, air_side=4, blocks=8, dates=("2020-06-13", "2022-06-18"),
    ),
}  # fmt: skip


def size_of(name: str) -> Size:
    """Return a size by its name; LabrigError for another."""
    if name not in SIZES:
        raise unknown_name("size", name, tuple(SIZES), where="size")
    return SIZES[name]
