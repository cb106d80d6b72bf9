"""Arguments of TerraAgent's sub-tools, each declared once, for the face and for the child that works.

- `declared`: how they are declared
- `kinds`: kinds of arguments, and the limits of their values
- `core`, `ensemble_verify`, `visualization`, `geo_osm`, `seasonal`, `era5_obs`, `forecast_models`, `satellite`: of the
  groups; a sub-tool without a child has its arguments in its signature
"""
