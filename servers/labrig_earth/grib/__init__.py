"""GRIB, read by ecCodes in a Python of its own: its PROJ and ours cannot be loaded into one process.

- `setup`: what ``labrig setup grib`` brings; ``grib.in`` and ``grib.lock``
- `converting`: files among the inputs of a call that are GRIB, as NetCDF
- `inside`: what runs there
"""
