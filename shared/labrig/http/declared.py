"""Services that several servers ask, declared once: where they are, how often they may be asked, what they want.

What Overpass and Open-Meteo say in place of an answer is read here, too.
"""

from __future__ import annotations

import re

from labrig.errors import LabrigError
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

OVERPASS = Service(
    "overpass",
    "https://overpass-api.de/api",
    # Its rules of April 2026: no two at once, 30 s after a refusal.
    limit=Limit(per_second=0.5, concurrent=1, after_429_s=30),
    contact=True,
    terms="https://dev.overpass-api.de/overpass-doc/en/preface/commons.html",
)
"""OpenStreetMap by a query. https://wiki.openstreetmap.org/wiki/Overpass_API"""

WINDOWS_S = {"Minutely": 60.0, "Hourly": 3600.0, "Daily": 86_400.0, "Monthly": 86_400.0}
"""How long to wait at most after "Hourly API request limit exceeded"; Open-Meteo says so with 429, without a header."""


def serper(section: str) -> Service:
    """Return Serper (https://serper.dev), which has Google's results, with its key in a server's own section."""
    return Service(
        "serper",
        "https://google.serper.dev",
        limit=Limit(per_second=5, concurrent=2),
        key=Key(section, "serper_key", header="X-API-KEY", get_it="https://serper.dev"),
        terms="https://serper.dev/terms",
    )


def open_meteo(name: str, host: str) -> Service:
    """Return one of Open-Meteo's services: 600 requests a minute, 10,000 a day, for what is not commercial."""
    return Service(
        name,
        f"https://{host}.open-meteo.com/v1",
        limit=Limit(per_second=5, concurrent=2, after_429_s=60),  # its shortest limit is of a minute
        terms="https://open-meteo.com/en/terms",
    )


def overpass_refusal(remark: str, where: str) -> LabrigError:
    """Return the error for what Overpass remarks in an answer of status 200, or for its page of status 400."""
    if "<" in remark:
        words = " ".join(re.sub(r"<[^>]*>", " ", remark[:20_000]).split())
        return LabrigError(f"Overpass does not take this question: {words[-300:]}", where=where)
    spent = "timed out" in remark or "out of memory" in remark
    return LabrigError(
        f"Overpass answers: {remark[:300]}",
        where=where,
        try_="a smaller area, fewer tags" if spent else "the same call later",
        code="limit" if spent else "unreachable",
    )


def open_meteo_refusal(reason: str, where: str) -> LabrigError:
    """Return the error for the reason that Open-Meteo gives; ``rate_limited`` where a window's limit is used up."""
    found = re.search(rf"({'|'.join(WINDOWS_S)}) API request limit exceeded", reason)
    return LabrigError(
        f"Open-Meteo answers: {found[0] if found else reason[:300] or 'no reason is given'}",
        where=where,
        code="rate_limited" if found else "bad_input",
        retry_after_s=WINDOWS_S[found[1]] if found else None,
    )
