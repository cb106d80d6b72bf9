"""What the tests know of the atlas server: places that are and are not, points, dates, addresses of pages, code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from hostile.guard import Guard
from hostile.servers.atlas import CASES
from hostile.servers.case import Call
from hostile.servers.target import Target
from labrig.sandbox.profiles import profiles
from labrig_atlas.server import code, paper_code
from support.fuzzing import Vocabulary, mangled
from support.sandbox_rig import skip_unless

WALL_S = 0.5
"""Of a run of code: endless ones are drawn."""
PLACES = (
    "Ulm",
    "Springfield",
    "Zürich, Switzerland",
    "48.40, 9.99",
    "Atlantis",
    "0, -30",
    "North Pole",
    "91, 0",
    "",
)
COUNTRIES = ("France", "CH", "GEO", "Georgia", "Wakanda", "the Netherlands", "")
PAGES = (
    "https://en.wikipedia.org/wiki/Ulm",
    "https://en.m.wikipedia.org/wiki/ulm?action=raw#Geography",
    "Albert Einstein",
    "https://en.wikipedia.org/wiki/Special:Random",
    "https://example.org/",
    "http://127.0.0.1:22/",
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
    "//[::1]/x",
)
DATES = ("2024-01-15", "2024-12-25", "2026-07-02", "1830-01-01", "2024-02-30", "tomorrow", "")
CODE = (
    "print(6 * 7)",
    "while True: pass",
    "raise SystemExit(3)",
    "1/0",
    "import socket; socket.socket()",
    "(",
)
NUMBER = st.sampled_from([0.0, 48.4, -91.0, 180.0, 361.0, 1e300, float("nan"), float("inf")])


def _text(words: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(words) | mangled(st.sampled_from(words))


def _sensible(handles: list[str]) -> dict[str, st.SearchStrategy[Any]]:
    place, day = _text(PLACES), _text(DATES)
    kinds = (
        "museums near Ulm",
        "museum",
        "parks near Springfield",
        "Temple of the Tooth",
        "near",
        "x near y near z",
    )
    ids = (
        "earth:c:2820256",
        "earth:p:2820256:museum:0",
        "earth:p:2820256:museum:99999",
        "earth:x:1,2",
        "twin-1:c:1",
        ":",
    )
    return {
        **dict.fromkeys(("address", "origin", "destination", "near", "place"), place),
        **dict.fromkeys(("places", "origins", "destinations"), st.lists(place, max_size=4)),
        **dict.fromkeys(("date", "start_date", "end_date", "start", "end"), day),
        "query": _text((*kinds, "Einstein", "mountain switzerland", '"', "a OR b")),
        "search_places.query": _text(kinds),
        "place_id": _text(ids),
        "country": _text(COUNTRIES),
        "latitude": NUMBER | st.floats(-90, 90),
        "longitude": NUMBER | st.floats(-180, 180),
        "radius": st.sampled_from([1.0, 5e3, 5e4, 0.0, -1.0, 1e300]),
        "radius_m": st.sampled_from([None, 5e3, 0.0, -1.0, 1e300]),
        "location": st.sampled_from(
            [None, {"latitude": 48.4, "longitude": 9.99}, {"latitude": 99, "longitude": 0}]
        ),
        "locations": st.lists(
            st.sampled_from([{"latitude": 48.4, "longitude": 9.99}, {"latitude": 0, "longitude": 181}]),
            max_size=3,
        ),
        "mode": _text(("driving", "walking", "bicycling", "transit", "straight", "flying")),
        "url": _text(PAGES),
        "section": _text(("", "1", "Geography", "all", "infobox", "99", "-1")),
        "table": st.sampled_from([None, 0, 99, -1]),
        "select": st.lists(
            _text(("daily.precipitation_sum[0]", "daily.time[-1]", "a..b", "[9]")), max_size=3
        ),
        "ticker": _text(("GSK", "ALDR.LA", "NOPE", "")),
        "symbol": _text(("BTC", "ETHUSDT", "ALDR.LA", "NOPE", "")),
        "variables": st.lists(_text(("rain_sum", "sunrise", "rain")), max_size=3),
        "code": st.sampled_from(CODE),
        "files": st.lists(st.sampled_from([*handles, "sha256:0123456789abcdef", "x", "../x"]), max_size=3),
    }


POINT = {"latitude": 48.4, "longitude": 9.99}
RECIPES: dict[str, list[dict[str, Any]]] = {
    "geocode": [{"address": "Ulm"}, {"address": "Springfield"}],
    "reverse_geocode": [POINT],
    "search_places": [
        {"query": "museums near Ulm"},
        {"query": "parks", "near": "48.4, 9.99", "radius_m": 9e3},
    ],
    "find_route": [
        {"origin": "Ulm", "destination": "Stuttgart"},
        {"origin": "Ulm", "destination": "Tokyo", "mode": "straight"},
    ],
    "get_distances": [{"origins": ["Ulm", "Stuttgart"], "destinations": ["Munich"]}],
    "get_elevations": [{"places": ["Ulm", "0, -30"]}],
    "get_country_facts": [{"country": "France"}],
    "fetch_webpage": [
        {"url": "https://en.wikipedia.org/wiki/Ulm"},
        {"url": "Ulm", "section": "all"},
        {"url": "Ulm", "links": True},
    ],
    "search_pages": [{"query": "Einstein"}],
    "get_weather": [{"place": "Ulm", "start_date": "2024-01-15"}, {"place": "48.4, 9.99"}],
    "get_market_history": [
        {"symbol": "ALDR.LA", "date": "2024-12-25"},
        {"symbol": "ALDR.LA", "date": "2024-01-01", "end_date": "2024-12-30"},
    ],
    "weather_historical": [
        POINT | {"start_date": "2024-01-15", "end_date": "2024-01-16"},
        POINT | {"date": "2024-01-15"},
    ],
    "weather_forecast": [POINT],
    "stock_historical_price": [{"ticker": "ALDR.LA", "date": "2024-12-25"}],
    "stock_volume": [{"ticker": "ALDR.LA", "date": "2024-12-25"}],
    "run_python_code": [{"code": "print(6 * 7)"}],
    "web_search": [{"query": "Einstein"}],
    "serper_google_search": [{"query": "Einstein", "sections": ["organic"]}],
    "serper_search": [{"query": "Einstein"}],
    "maps_geocode": [{"address": "Ulm"}],
    "maps_reverse_geocode": [POINT],
    "maps_search_places": [{"query": "museums near Ulm"}],
    "maps_place_details": [{"place_id": "earth:c:2820256"}],
    "maps_distance_matrix": [{"origins": ["Ulm"], "destinations": ["Stuttgart"]}],
    "maps_elevation": [{"locations": [POINT]}],
    "maps_directions": [{"origin": "Ulm", "destination": "Stuttgart"}],
    "countries_population": [{"country": "France"}],
    "countries_area": [{"country": "France"}],
    "python_execute_code": [{"code": "print(6 * 7)"}],
}
RUNS_CODE = ("run_python_code", "python_execute_code")


def _without_code(tool: str) -> int:
    """Return how often a tool is called in a sample: the sandbox takes two seconds of processor time to start."""
    return 0 if tool in RUNS_CODE else 1


def _short(patch: pytest.MonkeyPatch) -> None:
    """End code after half a second."""
    patch.setattr(code, "CALL_LIMITS", replace(code.CALL_LIMITS, wall_s=WALL_S))
    patch.setattr(paper_code, "MOST_S", WALL_S)


VOCABULARY = Vocabulary(
    _sensible,
    RECIPES,
    weight=lambda tool: 1 if tool in RUNS_CODE else 3,
    short=_short,
    needs=skip_unless,
    sample_weight=_without_code,
)


def _with_a_sandbox(guard: Guard) -> list[str]:
    """Have the sandbox's Python."""
    (guard.home / "labrig" / "sandbox").mkdir()
    for env in profiles().values():
        if env.path.is_dir():
            (guard.home / "labrig" / "sandbox" / env.path.name).symlink_to(env.path.resolve())
    return []


TARGET = Target(
    canary=Call("run_python_code", {"code": "print(6 * 7)"}),  # so that the sandbox has been started
    right=lambda result: "42" in str(result.get("structuredContent", {}).get("text")),
    ordinary=Call("geocode", {"address": "Ulm"}),
    endless=Call("run_python_code", {"code": "while True: pass"}),
    arguments=RECIPES,
    lay_out=_with_a_sandbox,
    needs=skip_unless,
    cases=lambda: CASES,
)
