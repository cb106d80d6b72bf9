"""Indices that xclim computes, in a Python of its own: droughts (SPI, SPEI), fire weather (FWI), growing seasons.

- `setup`: what ``labrig setup climate`` brings; ``climate.in`` and ``climate.lock``
- `preparing`: a file in the units and steps that xclim takes, from variables of any convention
- `computing`: from the prepared file to one that an operation reads again
- `inside`: what runs there
"""
