"""Where a redirect leads, and what goes along."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from labrig.errors import LabrigError
from labrig.http import hiding
from labrig.http.messages import Request

REDIRECTS = frozenset({301, 302, 303, 307, 308})
EVERYBODYS = frozenset(
    (
        *("accept", "accept-encoding", "accept-language", "content-type"),
        *("range", "if-none-match", "if-modified-since"),
    )
)
"""Headers that cannot be credentials."""


def redirected(asked: Request, status: int, to: str) -> Request:
    """Return the request that a redirect asks for: RFC 9110, section 15.4.

    To another origin, http to https of one host excepted, go only headers that cannot be credentials. To the same one,
    a credential of this request that stands in the new address is put back there: it was taken out of the answer.
    """
    try:
        url = urljoin(asked.wire.url, to.strip())
    except ValueError as error:
        raise LabrigError(
            f"{asked.host} redirects to an invalid URL: {hiding.plain(to)[:200]!r}",
            where=str(asked),
            code="unreachable",
        ) from error
    method, body = asked.method, asked.wire.body
    if status == 303 or (status in (301, 302) and method == "POST"):
        method, body = ("HEAD" if method == "HEAD" else "GET"), b""
    here, there = urlsplit(asked.wire.url), urlsplit(url)
    same = (here.scheme, here.netloc) == (there.scheme, there.netloc) or (
        (here.scheme, there.scheme) == ("http", "https")
        and here.hostname == there.hostname
        and (here.port or 80, there.port or 443) == (80, 443)
    )
    if body and not same and (asked.body != body or asked.wire.hidden):
        raise LabrigError(
            f"{asked.host} sends a body that holds a key on to another host",
            where=hiding.plain(url)[:300],
            code="refused",
        )
    headers = {
        name: value
        for name, value in asked.wire.headers
        if (same or name in EVERYBODYS) and (body or not name.startswith("content-"))
    }
    if same and hiding.MASK in url:
        url = _with_credentials(url, asked)
    return Request.make(method, url, headers=headers, body=body or None, hidden=asked.wire.hidden)


def _with_credentials(url: str, asked: Request) -> str:
    """Return a URL with the words of a request's own URL where it has what they look like without keys."""
    sent = {hiding.plain(word, asked.wire.hidden): word for word in re.split("[/?&]", asked.wire.url)}
    words = re.split("([/?&])", url)
    return "".join(sent.get(word, word) if hiding.MASK in word else word for word in words)
