"""What ``labrig setup climate`` brings: xclim (Apache-2.0) in a Python of its own, since it needs LLVM (numba)."""

from pathlib import Path

from labrig.sideenv import PythonEnv
from labrig_earth.impact import inside

CLIMATE_ENV = PythonEnv(
    name="climate",
    title="Climate indices: xclim",
    folder="earth/climate",
    lock=Path(__file__).with_name("climate.lock"),
    prepare=Path(inside.__file__).with_name("prepare.py"),
    imports=("xclim.indices", "netCDF4"),
    shown=("xclim",),
    default=False,
    requires_python=">=3.11,<3.14",
)
