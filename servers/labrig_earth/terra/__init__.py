"""TerraAgent's sub-tools as operations of children: their published names and payloads, over the rooms beside this one.

- `arguments`: what calls ask, a class for each sub-tool
- `marks`: how a payload names a file that is to be put in place
- `payloads`: what a published tool answers, and the files that it names
- `netcdf`: group core, what is in a file and a part of it
- `fields`: group ensemble_verify, its fields: grids, anomalies, means, spread, probabilities, confidence
- `checks`: the rest of it: calibration, heat waves, lagged ensembles, verification
- `era5_fields`: group era5_obs, its fields: winds, humidity, moisture, kinematics, shear
- `era5_times`, `era5_regions`: the rest of it: over time, and over regions
- `maps`: group visualization
- `osm`: group geo_osm
- `satellite`: group satellite, its composites: indices, areas, true colours
- `satellite_composites`: of it, the composite of the scenes of a call; `satellite_files`: its files
- `satellite_pictures`: of it, pictures with shapes and fields, and for a model
- `basics`: group basic
- `seasonal`: group seasonal, its files, seasons, categories, anomalies
- `seasonal_bias`: of it, corrections of bias
- `seasonal_regions`: of it, ENSO, masks and tables
- `seasonal_files`: what its files hold
- `regridding`, `tracks`, `forecasts`: group forecast_models: grids, cyclones, what goes into a network and out of it
- `replay`: calls of a published trace played against a server, and what differs
- `operations`: all of them by name
"""
