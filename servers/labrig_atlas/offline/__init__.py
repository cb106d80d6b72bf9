"""Look-ups in a world that is open: functions that take it first and give a record of `labrig_atlas.facts`.

- `geocoding`: from names to points; `points`: points written as text; `reversing`: from points to names
- `places`: rows as places, and places around a point; `land`: land and sea
- `countries`: figures of countries
- `geodesy`: the shortest way over the ellipsoid
"""
