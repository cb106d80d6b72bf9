"""Services that several servers ask, declared once: where they are, how often they may be asked, what they want."""

from __future__ import annotations

from labrig.http.hosts import Limit
from labrig.http.services import Key, Service

NOMINATIM = Service(
    "nominatim",
    "https://nominatim.openstreetmap.org",
    limit=Limit(per_second=1, concurrent=1),  # its usage policy
    contact=True,
    terms="https://operations.osmfoundation.org/policies/nominatim/",
)
"""Places of OpenStreetMap by their names. https://nominatim.org/release-docs"""


def serper(section: str) -> Service:
    """Return Serper (https://serper.dev), which has Google's results, with its key in a server's own section."""
    return Service(
        "serper",
        "https://google.serper.dev",
        limit=Limit(per_second=5, concurrent=2),
        key=Key(section, "serper_key", header="X-API-KEY", get_it="https://serper.dev"),
        terms="https://serper.dev/terms",
    )
