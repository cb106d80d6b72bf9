"""Names of papers that are addresses: ``https://...`` and arXiv numbers such as ``arXiv:2101.00001v2``."""

from __future__ import annotations

import re

from labrig.http.hosts import Limit
from labrig.http.services import Service

ARXIV = Service(
    "arxiv",
    "https://export.arxiv.org",
    limit=Limit(
        per_second=1 / 3, concurrent=1
    ),  # "no more than one request every three seconds", one at a time
    terms="https://info.arxiv.org/help/api/tou.html",
)
LONGEST = 2_000
_NUMBER = re.compile(
    r"(?:arxiv:\s?|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/)"
    r"(?P<number>\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,2})?)(?:\.pdf)?",
    re.IGNORECASE,
)
"""An address of arXiv counts as its number: programs are to ask export.arxiv.org, not the site that people read."""


def is_address(named: str) -> bool:
    """Tell whether a name is one of the network and not of the workspace."""
    return named[:8].lower().startswith(("http://", "https://", "arxiv:"))


def arxiv_number(named: str) -> str:
    """Return the number that a name or an address of arXiv states (``2101.00001v2``, ``cond-mat/0101001``), or none."""
    found = _NUMBER.fullmatch(named.strip())
    return found["number"] if found else ""
