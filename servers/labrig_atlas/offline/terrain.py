"""Real heights of the Earth on a coarse grid, which ``labrig setup atlas-terrain`` brings out of a wheel.

The grid is pvlib's: 5 minutes of arc (some 9 km), steps of 28 m from -450 m on, made from Mapzen's terrain tiles. It is
asked by the setting ``elevation=terrain`` alone, so that what the tables say does not change with what is installed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

from labrig.errors import LabrigError, Lacking, over_limit
from labrig.sideenv import SideEnv
from labrig_atlas.facts import Elevation
from labrig_atlas.offline.elevation import KNOWN, MOST_POINTS, elevation
from labrig_atlas.world.database import World

FILE = "Altitude.h5"
TERRAIN = SideEnv(
    name="atlas-terrain",
    title="heights of the Earth, 5 minutes of arc (pvlib 0.16.1)",
    distribution="pvlib==0.16.1",
    pattern=f"pvlib/data/{FILE}",
    target="atlas/terrain-0.16.1",
    sha256={FILE: "d3cad4677889aca72b92cbc4882e3f95024bf288888ec549362bd44563d0defd"},
    default=False,
)
SOURCE = "Mapzen terrain tiles (SRTM, GMTED2010, ETOPO1 and national data), as pvlib 0.16.1 carries them (BSD-3-Clause)"
READ = "import h5py, sys; sys.stdout.buffer.write(h5py.File(sys.argv[1])['Altitude'][:].tobytes())"
CELLS = 12
"""Of a degree."""
STEP_M, LOWEST_M, SEA = 28, -450, 255
"""Of a cell's byte, as in ``pvlib.location.lookup_altitude``."""
METHOD = "a cell of 5 minutes of arc (9 km), in steps of 28 m"


def elevations(world: World, points: Sequence[tuple[float, float]]) -> tuple[Elevation, ...]:
    """Return the height of each of 1 to 512 points (degrees WGS 84), in metres above sea level.

    A known point has the height of the table, as without the grid; another has that of its cell, which is 0 at sea. Of
    373 weather stations half lie within 24 m of their cell, and 95 % within 311 m.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no point, in a world that is not the Earth; ``limit`` for too many; ``unavailable``
        where the grid was not brought, was changed, or h5py is not installed.
    """
    if world.fictional:
        raise LabrigError(f"The world {world.name} is not the Earth", where="the setting elevation")
    if not points:
        raise LabrigError("No point was given", where="locations", expected=f"1 to {MOST_POINTS} points")
    if len(points) > MOST_POINTS:
        raise over_limit(f"Elevations of {len(points)} points were asked for", MOST_POINTS, where="locations")
    grid = _grid()
    found = []
    for point in points:
        told = elevation(world, *point)
        if told.method != KNOWN:
            point = told.latitude, told.longitude
            told = Elevation(*point, _height(grid, *point), METHOD, SOURCE, resolution_m=9_300.0)
        found.append(told)
    return tuple(found)


def _height(grid: bytes, latitude: float, longitude: float) -> float:
    row = min(int((90 - latitude) * CELLS), 180 * CELLS - 1)
    value = grid[row * 360 * CELLS + int((longitude + 180) * CELLS) % (360 * CELLS)]
    return 0.0 if value == SEA else float(value * STEP_M + LOWEST_M)


@cache
def _grid() -> bytes:
    """Return the bytes of all cells, from north to south and from west to east."""
    path = TERRAIN.path / FILE
    if not path.is_file():
        raise Lacking(
            TERRAIN.name, "There are no real heights", where=str(path), try_=f"labrig setup {TERRAIN.name}"
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != TERRAIN.sha256[FILE]:
        raise LabrigError(
            "The grid of heights was changed",
            where=str(path),
            try_=f"labrig setup {TERRAIN.name} --force",
            code="unavailable",
        )
    # In a program of its own, without our environment: h5py is a library that no server loads, and it is asked once.
    command = [sys.executable, "-I", "-c", READ, str(path)]
    read = subprocess.run(command, capture_output=True, env={}, check=False)
    if b"No module named 'h5py'" in read.stderr:
        raise LabrigError(
            "Real heights are read by h5py, which is not installed",
            where="the setting elevation",
            try_="pip install h5py",
            code="unavailable",
        )
    if read.returncode or len(read.stdout) != 180 * CELLS * 360 * CELLS:
        raise LabrigError("h5py could not read the grid of heights", where=str(path), code="unavailable")
    return read.stdout
