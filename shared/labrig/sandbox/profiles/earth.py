"""The same for Earth data, on request. It belongs to a server for Earth data, and lies here until there is one."""

from pathlib import Path

from labrig.sandbox.profiles import PREPARE, Profile
from labrig.sandbox.profiles.science import SCIENCE

EARTH = Profile(
    name="sandbox-earth",
    title="Python of the sandbox for Earth data",
    folder="sandbox/earth",
    lock=Path(__file__).with_suffix(".lock"),
    prepare=PREPARE,
    imports=(*SCIENCE.imports, "rasterio", "shapely", "pyproj", "geopandas", "zarr"),
    shown=("numpy", "pandas", "xarray", "netcdf4", "rasterio"),
    default=False,
    warm=(
        *("numpy", "pandas", "scipy.stats", "matplotlib.pyplot", "xarray", "netCDF4", "rasterio"),
        *("json", "csv", "re", "math", "statistics", "datetime", "collections", "itertools", "io", "pathlib"),
    ),
    cold=SCIENCE.cold,
)
