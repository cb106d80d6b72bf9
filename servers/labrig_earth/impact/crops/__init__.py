"""Crops: AquaCrop and DSSAT, from checked inputs to yields whose water balance closes.

- `setup`: what ``labrig setup crops`` brings; ``crops.in`` and ``crops.lock``
- `weather`, `soils`: input files, checked with their units; `evapotranspiration`: where weather has none
- `building`, `building_soil`: daily weather and soil out of gridded data at a place; `building_season`: a sowing day
- `pedotransfer`: what a soil holds by its texture
- `aquacrop_inputs`, `aquacrop`: a run of AquaCrop, from its four files to numbers; its water closes
- `dssat_inputs`, `dssat`: a run of DSSAT, whose events and water are accounted for
- `dssat_outline`: the text files of DSSAT mapped
- `drawing`: a season as a picture
"""
