"""One perturbation carried through the inputs of every engine, so that all of them meet the same world.

- `perturbation`: what is changed, as a caller states it
- `warming`: air, humidity, the sky's radiation and evapotranspiration of a warmer world
- `rain`: less or more precipitation, by amounts or by days
- `tables`: daily and hourly CSV files; `epw_files`: EPW; `design_days`: those of an IDF; `settings`: JSON files;
  `events`: hazards
- `closure`: what was changed by how much, and whether the inputs agree with each other
- `compiling`: the operation ``compile_scenario``, from the inputs of a call to pairs of runs
"""
