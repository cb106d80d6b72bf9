"""What the Python of ``labrig setup grib`` runs.

- `grib_engine`: the messages of a file as the variables of a NetCDF file
"""
