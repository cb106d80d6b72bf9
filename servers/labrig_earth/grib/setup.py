"""What ``labrig setup grib`` brings: ecCodes and cfgrib (Apache-2.0) in a Python of their own."""

from pathlib import Path

from labrig.sideenv import PythonEnv
from labrig_earth.impact import inside

GRIB_ENV = PythonEnv(
    name="grib",
    title="Reader of GRIB: ecCodes",
    folder="earth/grib",
    lock=Path(__file__).with_name("grib.lock"),
    prepare=Path(inside.__file__).with_name("prepare.py"),
    imports=("eccodes", "cfgrib.dataset", "netCDF4"),
    shown=("eccodes", "cfgrib"),
    default=False,
    requires_python=">=3.11,<3.14",
)
