"""Fields on grids, as functions over xarray objects that work in a notebook.

What they are:

- `axes`: which axes a grid has, whatever they are called
- `cells`: areas of cells, and the parts of them that lie in a shape
- `mesh`: cells that are no rectangles, as polygons
- `conventions`: what values cover in time (accumulated, a mean, a moment), and which run they are from
- `describing`: what is in a grid, and what a user should know first
- `doubts`: sums that measure nothing, values that stand for missing ones
- `sizes`: how much is read and written, refused beyond a limit
- `times`: calendar, step, gaps and ranges of a time axis
- `units`: units read and converted, their dimensions checked

What is done with them:

- `selecting`: a box across any meridian, a point, a level
- `periods`: statistics over time, with a rule for periods that are not whole
- `areas`: means over space and over polygons
- `climatology`, `spells`, `trends`: what is usual and how far values are from it; days beyond a threshold; slopes
- `normals`: mean and deviation of each month of the year
- `humidity`, `heat`, `wind`: quantities from others, by formulas that are named
- `terrain`: slope and aspect; `classes`: areas of classes
- `arithmetic`: two fields on one grid
- `regridding`: another grid, another projection
- `zonal`: cells of a raster in polygons
- `writing`: fields as files

From files to results:

- `reading`: a variable of a file, cut to what is selected, in the unit asked for
- `aggregating`: one aggregate, over space and then over time
- `combining`: quantities from others, whose variables are found by their roles
- `reporting`: a few values as they are, many as a file and its range
- `operations`: all of it as tools name them
"""
