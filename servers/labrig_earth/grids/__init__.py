"""Fields on grids, as functions over xarray objects that work in a notebook.

- `axes`: which axes a grid has, whatever they are called
- `conventions`: what values cover in time, and which run they are from
- `describing`: what is in a grid, and what a user should know first
- `operations`: these as tools name them, from files to a result
- `times`: calendar, step, gaps and ranges of a time axis
- `units`: units read and converted, their dimensions checked
"""
