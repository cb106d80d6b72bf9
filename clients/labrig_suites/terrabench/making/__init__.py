"""Items from a seed: files, a question, the calls that answer it, and the true numbers, computed without any server.

- `domains`: the eight domains, their variable and words (``domains.toml``)
- `world`: a made world's arrays and town, in memory
- `grids`: the item's own fields, of the world's weather; `town`: its zone and sites; `hours`: its weather by the hour
- `documents`: its report as PDF; `crops`: its field, and `crop_engine`, AquaCrop for true values
- `farms`: its farm, and `dssat_engine`, DSSAT for true values
- `risk`: its coast, with storms, houses and what they lose
- `buildings`: its depot and a year of weather, and `building_engine`, EnergyPlus for true values
- `traffic`: its streets and trips, and `traffic_engine`, SUMO for true values
- `scenes`: what satellites saw of a ground, and `sites`: which ground of which domain (``sites.toml``)
- `reanalysis`: hours over a country, and what is asked of them (``spells.toml``)
- `engines`: how an engine is asked for true values, in its own Python
- `case`: what the stages of one item share; `plan`: calls, questions and formulas while an item is put together
- `stages_grids`, `stages_forecast`, `stages_town`, `stages_heat`, `stages_satellite`, `stages_reanalysis`,
  `stages_crops`, `stages_buildings`, `stages_traffic`, `stages_risk`, `stages_dssat`, `stages_document`: parts of
  workflows, each with its sentences, calls and truths
- `assembling`: which stages an item of a domain and level has, and the sample that comes of them
"""
