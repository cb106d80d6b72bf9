"""Tools that do the same by different names: the paper's, its public code's, and our own."""

from __future__ import annotations

FAMILIES = {
    "page": ("fetch_webpage",),
    "search": ("web_search", "serper_search", "serper_google_search", "search_pages"),
    "geocode": ("maps_geocode", "geocode"),
    "reverse": ("maps_reverse_geocode", "reverse_geocode"),
    "places": ("maps_search_places", "search_places"),
    "details": ("maps_place_details",),
    "matrix": ("maps_distance_matrix", "distance_matrix"),
    "elevation": ("maps_elevation", "elevation"),
    "route": ("maps_directions", "route"),
    "weather": ("weather_historical", "weather_forecast", "weather"),
    "code": ("python_execute_code", "python_generate_code", "run_python_code"),
    "country": ("countries_population", "countries_area", "country_facts"),
    "market": (
        *("stock_historical_price", "stock_volume", "crypto_historical_price", "crypto_volume"),
        "market_history",
    ),
}
_FAMILY = {name: family for family, names in FAMILIES.items() for name in names}

PAPER_TOOLS = (
    *("fetch_webpage", "web_search", "maps_geocode", "maps_reverse_geocode", "maps_search_places"),
    *("maps_place_details", "maps_distance_matrix", "maps_elevation", "maps_directions"),
    *("weather_historical", "weather_forecast", "python_execute_code", "python_generate_code"),
    *("countries_population", "countries_area", "stock_historical_price", "stock_volume"),
    *("crypto_historical_price", "crypto_volume"),
)
"""The 19 tools of Table 5."""


def family(tool: str) -> str:
    """Return what a tool does, a key of `FAMILIES`; its own name for a tool that is not known."""
    return _FAMILY.get(tool, tool)
