"""Look-ups in a world that is open: functions that take it first and give a record of `labrig_atlas.facts`.

- `geocoding`: from names to points; `points`: points written as text; `reversing`: from points to names
- `nearby`: places by kind or name, and by their id; `made_places`: museums, restaurants and others, made up
- `places`: rows as places, and places around a point; `land`: land and sea
- `routing`: ways and matrices over made-up roads; `elevation`: known, interpolated, or the sea; `terrain`: real
  heights on a coarse grid
- `weather`: past and coming days, made up; `climate`: what is usual; `sun`: sunrise and daylight; `dates`: as text
- `markets`: fictional shares and coins; `trading_days`: calendars of their exchanges
- `countries`: figures of countries
- `geodesy`: the shortest way over the ellipsoid
"""
