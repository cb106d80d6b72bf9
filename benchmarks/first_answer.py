"""The first answer of ``labrig call earth``, from the shell, beside the bare import of the libraries that it rests on.

All of it counts: the command, the server that it starts, and the process behind walls that reads the file.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import netCDF4

from labrig_earth.work.inside import KEPT_OUT, WARM

ROUNDS = 7
RATIO = 1.5
IMPORTS = f"""
import sys
from importlib import import_module
import pyproj
for name in {KEPT_OUT!r}:
    sys.modules.setdefault(name, None)
for name in {WARM!r}:
    import_module(name)
"""


def seconds(argv: list[str]) -> float:
    """Return how long a command takes."""
    started = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the ratio: the median of pairs that were measured in turn."""
    with tempfile.TemporaryDirectory() as folder:
        with netCDF4.Dataset(f"{folder}/rows.nc", "w") as file:
            for name, units in (("latitude", "degrees_north"), ("longitude", "degrees_east")):
                file.createDimension(name, 20)
                file.createVariable(name, "f8", (name,))[:] = range(20)
                file[name].units = units
            file.createVariable("t2m", "f4", ("latitude", "longitude"))[:] = 280.0
        asked = json.dumps({"data": f"@{Path(folder).name}/rows.nc"})
        call = [sys.executable, "-m", "labrig_cli", "call", "earth", "describe_data", asked, "--root", folder]
        imports = [sys.executable, "-c", IMPORTS]
        for argv in (imports, call):
            seconds(argv)
        pairs = [(seconds(imports), seconds(call)) for _ in range(ROUNDS)]
    ratio = statistics.median(answer / libraries for libraries, answer in pairs)
    print(
        f"labrig call earth describe_data, as a ratio to the import of its libraries (at most {RATIO}): {ratio:.2f}; "
        f"{statistics.median(answer for _, answer in pairs):.1f} s of the clock"
    )
