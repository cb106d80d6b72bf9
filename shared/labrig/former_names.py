"""What tools of our servers were called: records of runs before a change still score, and a refusal names followers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

FORMER = {
    "extract": "sample_grid",
    "aggregate": "aggregate_grid",
    "combine": "derive_variable",
    "regrid_or_reproject": "regrid_variable",
    "index": "spectral_index",
    "series": "read_values",
    "look_up": "look_up_database",
    "outline": "outline_paper",
    "search_text": "search_paper",
    "render": "show_page",
    "search": "search_files",
}
"""Until version 0.2 -> since then."""

FORMER_BY_DO = {
    "gis": {
        "query": "query_features",
        "measure": "measure_features",
        "distance": "measure_distances",
        "nearest": "measure_distances",
        "buffer": "reshape_features",
        "shape": "reshape_features",
        "overlay": "overlay_layers",
        "expose": "find_exposed_features",
        "join": "join_table",
        "summarise": "summarise_table",
        "route": "route_on_streets",
        "reach": "route_on_streets",
    }
}
"""One tool until version 0.2 -> by its argument `do`, the tools since then."""


def name_today(tool: str, arguments: Mapping[str, Any] | None = None) -> str:
    """Return a tool's name today, without the server that some clients put before it.

    >>> name_today("earth__aggregate"), name_today("aggregate_grid"), name_today("verify")
    ('aggregate_grid', 'aggregate_grid', 'verify')
    >>> name_today("gis", {"do": "buffer"}), name_today("gis", {"do": "dig"})
    ('reshape_features', 'gis')
    """
    own = tool.rpartition("__")[2] or tool
    does = FORMER_BY_DO.get(own, {})
    return FORMER.get(own) or does.get(str((arguments or {}).get("do")), own)


def names_today(offered: Collection[str]) -> set[str]:
    """Return the names today of tools that were offered; of one that several have followed, all of them."""
    names = {name_today(tool) for tool in offered}
    return names.union(*(FORMER_BY_DO[each].values() for each in names & FORMER_BY_DO.keys()))


def followers_of(tool: str) -> list[str]:
    """Return the tools that followed one, in the order of its operations.

    >>> followers_of("index"), followers_of("gis")[:2], followers_of("plot")
    (['spectral_index'], ['query_features', 'measure_features'], [])
    """
    several = FORMER_BY_DO.get(tool, {}).values()
    return list(dict.fromkeys([FORMER[tool]] if tool in FORMER else several))
