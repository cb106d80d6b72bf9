"""Tools of a world that nobody has, in the paper's JSON: any question has an answer, made from its words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from labrig_suites.amazing_race.making.pages import Pages


class RaceTools:
    """Answers to the paper's tools; each call is kept in `calls`."""

    def __init__(self, pages: Pages) -> None:
        self.points = {page.name: page.point for page in pages.by_title.values()}
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((tool, dict(arguments)))
        digest = hashlib.sha256(f"{tool} {json.dumps(arguments, sort_keys=True)}".encode()).hexdigest()
        chance = int(digest[:8], 16)
        match tool:
            case "maps_geocode":
                point = self.points.get(arguments["address"]) or (chance % 90, chance % 180)
                return {"location": {"lat": point[0], "lng": point[1]}}
            case "maps_elevation":
                return {"results": [{"elevation": chance % 3000 + 0.5}]}
            case "maps_search_places":
                return {"places": [{"rating": chance % 40 / 10 + 1}] * (chance % 21)}
            case "maps_distance_matrix":
                status = "OK" if chance % 7 else "ZERO_RESULTS"
                return {
                    "results": [{"elements": [{"status": status, "distance": {"value": chance % 5_000_000}}]}]
                }
            case "maps_directions":
                return {"routes": [{"duration": {"value": chance % 500_000}}] if chance % 7 else []}
            case "weather_historical":
                return {arguments["select"][0]: chance % 300 / 10}
            case "countries_population":
                return {"population": chance % 10**8}
            case "countries_area":
                return {"area_km2": chance % 10**6}
            case _:
                return {"close_price": chance % 10_000 / 7, "volume": chance % 10**6}
