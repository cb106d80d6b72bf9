"""Risk: CLIMADA, and what it is fed.

- `setup`: what ``labrig setup climada`` brings
- `tables`: CSV tables, their columns within ranges
- `hazard`, `exposure`, `functions`: events, assets, and which share of a value an intensity destroys
- `direct`: the same impacts by NumPy, and what CLIMADA gave held against them
- `climada`: the tool ``impact_climada_run``
"""
