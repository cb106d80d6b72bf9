"""Natural Earth 1:110m and 1:50m (public domain), which ship with the server: nothing is downloaded.

- `shapes`: land, coast lines, borders and countries as shapely geometries
- `regions`: the polygon of a country, continent or subregion by its name
- `README.md`: source and version of the two files
"""
