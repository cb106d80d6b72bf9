"""Which page an address names: the same for each way of writing it, as far as the address alone can tell."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote, urlsplit

_MOBILE = re.compile(r"^([a-z-]+)\.m\.")


def page_of(url: str) -> str:
    """Return the page that an address names, as ``host/Title``; an address of another site without its fragment.

    Percent-encoding, underscores and spaces, mobile hosts, http and https, queries, fragments, a final slash and the
    case of a title's first letter make no other page. A redirect does, since no address tells where it leads.

    >>> page_of("https://en.m.wikipedia.org/wiki/St_George%27s_College#History")
    "en.wikipedia.org/St George's College"
    >>> page_of("http://en.wikipedia.org/w/index.php?title=mont_Blanc&action=raw")
    'en.wikipedia.org/Mont Blanc'
    """
    try:
        parts = urlsplit(url.strip())
        host = _MOBILE.sub(r"\1.", (parts.hostname or "").lower())
    except ValueError:  # such as a bracket that is not closed
        return url.strip()
    if parts.path.startswith("/wiki/"):
        title = unquote(parts.path.removeprefix("/wiki/"))
    elif parts.path.endswith("/index.php") and "title" in parse_qs(parts.query):
        title = parse_qs(parts.query)["title"][0]
    else:
        return f"{host}{unquote(parts.path).rstrip('/')}"
    title = " ".join(title.replace("_", " ").split()).rstrip("/")
    return f"{host}/{title[:1].upper()}{title[1:]}"


def title_of(url: str) -> str:
    """Return the title that an address of an encyclopedia names, as text; empty for other addresses."""
    page = page_of(url)
    return page.partition("/")[2] if "/wiki/" in url or "title=" in url else ""
