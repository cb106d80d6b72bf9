"""What the child of a map's run does: a hazard laid over roads, or assets taken out of a layer.

It is loaded by a process that forks: pyproj comes first, pyarrow, whose threads a fork leaves behind, is kept out, and
databases that PROJ closes by number in a fork are opened above the numbers of a run's files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

FIRST_NUMBER = 64
_taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(FIRST_NUMBER)]
sys.modules.setdefault("pyarrow", None)  # type: ignore[arg-type]

import pyproj  # noqa: E402 - before any other library

# isort: split
import geopandas  # noqa: E402
import pyogrio  # noqa: E402, F401
import shapely  # noqa: E402

from labrig_earth.data.formats import Place  # noqa: E402
from labrig_earth.impact.risk.layers import take_layers  # noqa: E402
from labrig_earth.impact.risk.overlay import lay_over  # noqa: E402

pyproj.Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True).transform(9, 50)
geopandas.GeoSeries(geopandas.points_from_xy([9.0], [50.0]), crs="EPSG:4326").to_crs("EPSG:32632")
for _each in _taken:
    os.close(_each)

DO = {"overlay": lay_over, "layers": take_layers}


def run(arguments: Mapping[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Do what ``do`` names with the files that ``files`` names by role; with ``check`` nothing is kept of it."""
    places = {role: Place(str(inputs / role), name) for role, name in arguments["files"].items()}
    found: dict[str, Any] = DO[arguments["do"]](places, arguments["options"], outputs)
    return {
        "version": f"labrig maps {version('labrig')} with geopandas {geopandas.__version__}, shapely "
        f"{shapely.__version__}",
        **found,
    }
