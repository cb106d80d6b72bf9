"""Values with exact evidence out of scientific PDFs: rooms that work without MCP.

- ``materials/``: formulas and space groups, in any writing.
- ``properties/``: the closed list of property names, and what other names mean.
- ``quantities/``: values in marked text and in cells, with what surrounds them.
- ``values/``: numbers, units and values as papers print them.
"""
