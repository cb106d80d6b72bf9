"""Gridded data, satellite scenes, GIS and plots: rooms that work without MCP.

- `results`: what every operation gives back
- `data`: files by their content, opened by the one library that each format has here
- `natural_earth`: land, coast lines, borders and named regions, which ship with the server
"""
