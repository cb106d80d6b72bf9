"""Pictures of Earth data: maps and time series, in the style of the house. Nothing is downloaded.

- `projections`: which projection a map has, and its window
- `colours`: colour maps that colour-blind people can read, and their limits
- `fields`: gridded fields as cells with edges, made coarser where no page could show them
- `layers`: features on a map, with a style for each purpose: hazard, route, area, points
- `overlays`: contours, of members too, and hatching over a field
- `maps`: a map of a field, arrows and layers, with coast lines, a labelled grid, and a colour bar
- `imagery`: a field over a satellite picture, on the picture's own grid
- `series`: values along time, with bands
- `operations`: these as the tool ``plot`` names them
"""
