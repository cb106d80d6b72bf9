"""Values with exact evidence out of scientific PDFs: rooms that work without MCP.

- ``materials/``: formulas and space groups, in any writing.
- ``pdf/``: PDF files as pages of marked-up text, of which every character has its box.
- ``values/``: numbers, units and values as papers print them.
"""
