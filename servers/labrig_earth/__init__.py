"""Gridded data, satellite scenes, GIS and plots: rooms that work without MCP.

- `server`: the MCP face
- `results`: what every operation gives back
- `grib`: GRIB by ecCodes, in a Python of its own
- `indices`: droughts, fire weather, growing seasons by xclim, in another
- `data`: files by their content, opened by the one library that each format has here
- `grids`: fields on grids: described, cut, aggregated, combined, regridded
- `atmosphere`: levels of pressure, moisture and its transport, vorticity, shear
- `work`: operations run in children, behind walls
- `natural_earth`: land, coast lines, borders and named regions, which ship with the server
- `world`: a synthetic world from a seed, whose planted properties are known exactly
- `gis`: layers of points, lines and polygons, measured and laid over each other; routes on streets
- `satellite`: indices of scenes, with scale, offset and clouds, and their change
- `plots`: maps and time series that could be published
- `impact`: simulators of what weather does to crops, people and houses
- `ensembles`: several forecasts of one thing, what they say together
- `seasonal`: seasonal forecasts: seasons, bias, categories, ENSO
- `verification`: forecasts held against what happened, and calibrated
- `terra`: sub-tools of TerraAgent by their published names, over these rooms
- `cyclones`: tropical cyclones in fields: centres, and the tracks that they make
- `forecasting`: learned forecast models with weights that the operator has
- `catalogue`: which data there are here and on the network, and parts of the latter as files
"""
