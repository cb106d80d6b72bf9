"""Values with exact evidence out of scientific PDFs: rooms that work without MCP.

- ``values/``: numbers, units and values as papers print them.
"""
