"""The Python of the sandbox that ``labrig setup`` brings: the usual packages of science."""

from pathlib import Path

from labrig.sandbox.profiles import PREPARE, Profile

SCIENCE = Profile(
    name="sandbox",
    title="Python of the sandbox",
    folder="sandbox/science",
    lock=Path(__file__).with_suffix(".lock"),
    prepare=PREPARE,
    imports=(
        "numpy",
        "pandas",
        "scipy.stats",
        "sklearn",
        "matplotlib.pyplot",
        "seaborn",
        "sympy",
        "statsmodels.api",
        "openpyxl",
        "python_calamine",
        "xarray",
        "netCDF4",
        "h5py",
        "pyarrow.parquet",
    ),
    shown=("numpy", "pandas", "scipy", "scikit-learn", "matplotlib"),
    warm=(
        *("numpy", "pandas", "scipy.stats", "scipy.optimize", "sklearn.linear_model", "matplotlib.pyplot"),
        *("json", "csv", "re", "math", "statistics", "datetime", "collections", "itertools", "io", "pathlib"),
    ),
    cold=("pyarrow",),
)
