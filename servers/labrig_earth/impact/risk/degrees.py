"""Coordinates of a run of CLIMADA are degrees of WGS 84, and nothing else."""

from __future__ import annotations

from labrig.errors import LabrigError

CRS = ("EPSG:4326", "OGC:CRS84")
"""Systems whose coordinates are degrees of latitude and longitude."""


def require_degrees(crs: str, where: str) -> None:
    """Refuse a reference system other than WGS 84 in degrees: two files of two systems never meet."""
    if crs.strip().upper() not in CRS:
        raise LabrigError(
            f"The coordinates are in {crs[:60]!r}",
            where=where,
            expected="EPSG:4326: latitude and longitude, degrees",
            try_="make_input of kind assets or hazard turns layers and grids into degrees",
        )
