"""A page of the web by the site's rules for programs: HTML, plain text, JSON or XML, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig.http.client import Client
    from labrig.http.messages import Response

TIMEOUT_S = 20.0
PATIENCE_S = 10.0
HTML = frozenset(("", "text/html", "application/xhtml+xml"))
_PLAIN = frozenset(
    (
        "application/json",
        "application/xml",
        "application/ld+json",
        "application/rss+xml",
        "application/atom+xml",
    )
)


async def fetch_page(client: Client, address: str, *, most_bytes: int) -> Response:
    """Return what is at an address, if it is a page.

    Raises
    ------
    LabrigError
        What the client says: private addresses are refused, and so is what the site's robots.txt forbids; ``refused``
        for pictures, PDF and other files.
    """
    answer = await client.get(
        address, robots=True, max_bytes=most_bytes, timeout_s=TIMEOUT_S, patience_s=PATIENCE_S
    )
    media = answer.media_type
    if media not in HTML and media not in _PLAIN and not media.startswith("text/"):
        raise LabrigError(
            f"This is no page to read, it is {media} of {answer.size:,} bytes",
            where=answer.url,
            expected="HTML, plain text, JSON or XML",
            code="refused",
        )
    return answer
