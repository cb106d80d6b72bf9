"""Data as they are found: opened by their content, their conventions known and said.

- `elsewhere`: files whose values lie in other files are refused
- `formats`: which format a file or folder has, by its first bytes
- `projected`: axes of a projection in metres
- `corners`: corners of cells that are no rectangles, from bounds or a mesh
- `parquet`: tables of Parquet and GeoParquet
- `compressed`: what zip, gzip and bzip2 hold
- `layers`: what is in a file of features
- `tables`: tables of text, with coordinates however they are written
- `bounds`: what values cover in time, as bounds of times state it
- `stations`: values at places that make no grid
- `opening`: grids, rasters and vectors as xarray and geopandas objects
- `cubes`: many files as one; `dates`: dates in their names
"""
