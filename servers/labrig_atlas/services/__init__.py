"""Live services, each a small adapter on `labrig.http`: what is asked, and how answers become records of `facts`.

- `backends`: for each question the backends that answer it: what the face dispatches by
- `provider`: a service with licence and credit; the reply that names who answered
- `inquiry`: one question: asks, keeps where each answer came from
- `checks`, `values`: arguments before they are sent; JSON read with its types, what is odd named with its place
- `google`: which of Google's interfaces answers: `google_maps` (the package googlemaps), or `google_places` and
  `google_routes`, for newer keys
- `nominatim`, `overpass`, `osrm`: names, places nearby and ways, from OpenStreetMap
- `open_meteo`, `heights`: weather and elevation; Open-Elevation and OpenTopoData
- `world_bank`, `rest_countries`: population and area of a country
- `web_search`: Serper, Brave, SearXNG
- `binance`, `yahoo`: prices of coins (candles) and of stocks, now and on past days
"""
