"""Indices of satellite scenes: bands by their names, scale and offset once, clouds masked, read in pieces. Without MCP.

- `indices`: formulas (NDVI, NDWI, NBR, EVI, ..), each with its source
- `scene`: the bands of a scene in one or several files, their scale, offset, missing cells and cloud mask
- `computing`: an index over a scene, its statistics, the GeoTIFF; the change between two scenes
- `compositing`: the median of scenes over a box, statistics and areas of it; `picturing`: it as a picture
- `drawing`: shapes on a picture whose box is known
- `tallies`: statistics of numbers that come in pieces
- `operations`: these as the tool names them
"""
