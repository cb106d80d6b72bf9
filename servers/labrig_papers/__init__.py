"""Values with exact evidence out of scientific PDFs: rooms that work without MCP.

- ``materials/``: formulas and space groups, in any writing.
- ``values/``: numbers, units and values as papers print them.
"""
