"""Data as they are found: opened by their content, their conventions known and said.

- `formats`: which format a file or folder has, by its first bytes
- `layers`: what is in a file of features
- `bounds`: what values cover in time, as bounds of times state it
- `opening`: grids, rasters and vectors as xarray and geopandas objects
"""
