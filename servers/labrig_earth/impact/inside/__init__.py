"""What runs in the child of a run: standard library and the engine's own Python, nothing else of this server.

- `entering`: the module that children load; it enters the run's folder and calls the engine
- `aquacrop_engine`, `dssat_engine`, `sumo_engine`, `energyplus_engine`, `climada_engine`: AquaCrop, DSSAT, SUMO,
  EnergyPlus and CLIMADA, in their own Pythons
- `climada_stubs`: what stands in for modules that CLIMADA imports and an impact does not use
- `prepare`: the last step of `labrig setup` for a side environment of engines
"""
