"""What tools of our servers were called, so that records of runs before a change still score."""

from __future__ import annotations

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


def name_today(tool: str) -> str:
    """Return a tool's name today, without the server that some clients put before it.

    >>> name_today("earth__aggregate"), name_today("aggregate_grid"), name_today("verify")
    ('aggregate_grid', 'aggregate_grid', 'verify')
    """
    own = tool.rpartition("__")[2] or tool
    return FORMER.get(own, own)
