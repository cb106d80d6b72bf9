"""What runs in the child of a run: standard library and the engine's own Python, nothing else of this server.

- `entering`: the module that children load; it enters the run's folder and calls the engine
- `aquacrop_engine`, `dssat_engine`, `sumo_engine`, `energyplus_engine`: AquaCrop, DSSAT, SUMO and EnergyPlus, in their
  own Pythons
- `prepare`: the last step of `labrig setup` for a side environment of engines
"""
