"""What the Python of ``labrig setup climate`` runs.

- `xclim_engine`: an index of a prepared file
"""
