"""A world made from a seed: files in real formats, with planted properties that are known exactly.

- `make`: the whole world in a folder, with truth.json and contents.json; ``python -m labrig_earth.world.make``
- `setup`: the entry of ``labrig setup earth-world``
- `sizes`: how much of everything there is, and where it lies
- `climate`: days with a trend and a hot spell, global months with an ENSO signal, NDVI that follows rain
- `forecast`: an ensemble with its hindcast, whose bias is known
- `air`: a year of hourly air quality with days of smog
- `scenes`: satellite scenes with clouds and a step in NDVI, a terrain model
- `town`: streets, buildings, amenities, a river and a flooded quarter; people on a grid
- `streets`: the network of the town, and the routes in it
- `tables`: yields of crops that follow rain
- `impacts`: soil by depth, and hours of the hot spell with radiation
- `seasons`: a hindcast of 24 years and 25 members, its forecast, and what was observed
- `cyclone`: two days of a cyclone on levels of pressure and at the surface, with its track
- `writing`: NetCDF, GeoTIFF, GeoPackage and text with the label of what is synthetic, and a hash of what they hold
"""
