"""Risk: CLIMADA, what it is fed, and hazards laid over maps.

- `setup`: what ``labrig setup climada`` brings
- `degrees`: the one reference system
- `hazard`, `exposure`, `functions`: events, assets, and which share of a value an intensity destroys
- `direct`: the same impacts by NumPy, and what CLIMADA gave held against them
- `climada`: the tool ``impact_climada_run``; `drawing`: its picture
- `overlay`, `layers`: a hazard laid over roads, and assets out of a layer; `maps_engine`: the child that does it
- `building`: events out of grids or polygons, assets out of a grid
- `maps`, `overlaying`, `extracting`: the tools ``hazard_overlay_osm`` and ``extract_exposure_layers``
"""
