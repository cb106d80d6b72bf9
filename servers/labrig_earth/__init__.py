"""Gridded data, satellite scenes, GIS and plots: rooms that work without MCP."""
