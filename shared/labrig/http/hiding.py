"""Keeping keys out of a request and its response: known ones by value, others by the name they are sent under.

Known keys are those of `labrig.redaction`. What else is sent under a name that only credentials have is hidden too,
so that a key in an agent's URL is not written down, and an exchange recorded with one key replays with another, or
with none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit, urlunsplit

from labrig import redaction
from labrig.canonical import sha256

MASK = redaction.MASK
NAMES = re.compile(
    r"(?:^|[-_.])(?:(?:api|access|subscription|private)[-_]?key|access[-_]?key[-_]?id"
    r"|(?:access|auth|refresh|id|security)?[-_]?token|(?:client)?[-_]?secret|password|passwd|pwd"
    r"|signature|sig|credential|app[-_]?id|session[-_]?id|authorization|auth)$",
    re.IGNORECASE,
)
"""Names of parameters whose values are credentials, at the end of a name."""
HEADERS = re.compile(
    r"(?:key|token|secret|password|signature|credential|authorization|cookie)$", re.IGNORECASE
)
"""Names of headers whose values are credentials: X-RapidAPI-Key, X-ELS-Insttoken."""
MAYBE = re.compile(r"^(?:key|k|code)$", re.IGNORECASE)
"""Names that are as often a word (OpenStreetMap's ``key=highway``): hidden where the value looks like a credential."""
LOOKS = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[^\s]{8,}|[^\s]{20,}")
"""What looks like a credential: only that is looked for in bodies, where an ordinary word would be damaged."""

OVERLAP = 1 << 14
"""Bytes of a piece that are looked through again with the next: longer than any spelling of an ordinary key."""
DIGITS = 16
"""Of a digest that stands for a credential. With eight, two of 80,000 page tokens are likely to be one."""


def plain(text: str, hidden: tuple[str, ...] = ()) -> str:
    """Return a text for an error: without known keys and those given, without user and password in a URL."""
    return redaction.redact(re.sub(r"(?<=//)[^/@\s]*@", "", text), hidden)


class KeyWatch:
    """Looks for keys in bytes that come in pieces.

    Parameters
    ----------
    hidden
        What is looked for beside the known keys.
    """

    def __init__(self, hidden: tuple[str, ...]) -> None:
        self._hidden = hidden
        self._tail = b""

    def found(self, piece: bytes) -> bool:
        """Tell whether a key has turned up, in this piece or across its beginning."""
        data = self._tail + piece
        self._tail = data[-OVERLAP:]
        return redaction.redact_bytes(data, self._hidden) != data


def _secret(name: str, value: str) -> bool:
    if MAYBE.match(name):
        return (
            len(value) >= 20
            and bool(re.search(r"\d", value))
            and bool(re.search(r"[A-Za-z]", value))
            and " " not in value
        )
    return NAMES.search(name) is not None


def mask(value: str) -> str:
    """Return what stands for a credential: ``[key]`` for a known one, so that another key is the same request.

    For others a digest is added: a name such as ``page_token`` says which page is meant, and two pages are two
    requests.
    """
    if value == MASK or redaction.redact(value) != value:
        return MASK
    return f"[key:{sha256(value.encode('utf-8', 'surrogateescape'))[:DIGITS]}]"


def values(url: str, headers: Mapping[str, str], body: bytes) -> tuple[str, ...]:
    """Return what is hidden of this request beside the known keys: credentials by their names, longest first."""
    found: set[str] = set()
    parts = urlsplit(url)
    found.update(unquote(each) for each in (parts.username, parts.password) if each)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if "form-urlencoded" in headers.get("content-type", ""):
        pairs += parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    found.update(value for name, value in pairs if _secret(name, value))
    for name, value in headers.items():
        if HEADERS.search(name):
            found.update((value, *value.split()))  # Bearer TOKEN
    if "json" in headers.get("content-type", ""):
        found.update(
            value for name, value in _MEMBER.findall(body.decode("utf-8", "replace")) if _secret(name, value)
        )
    return tuple(sorted((each for each in found if LOOKS.fullmatch(each)), key=len, reverse=True))


_MEMBER = re.compile(r'"([\w.-]{1,60})"\s*:\s*"((?:[^"\\]|\\.){1,4000})"')


def url(full: str, hidden: tuple[str, ...]) -> str:
    """Return a URL without user, password and keys; credentials of any length are masked under their names."""
    parts = urlsplit(full)
    netloc = parts.netloc.rpartition("@")[2]
    return redaction.redact(urlunsplit((parts.scheme, netloc, parts.path, _form(parts.query), "")), hidden)


def address(text: str) -> str:
    """Return what may be a URL for an error, as `url` does; what is none as `plain` does."""
    try:
        return url(text, ())
    except ValueError:
        return plain(text)


def _form(text: str) -> str:
    """Return a query, or the body of a form, with a mask in place of each credential."""
    words = []
    for word in text.split("&"):
        name, _, value = word.partition("=")
        plain_value = unquote_plus(value, errors="surrogateescape")
        secret = value and (plain_value == MASK or _secret(unquote_plus(name), plain_value))
        words.append(f"{name}={mask(plain_value)}" if secret else word)
    return "&".join(words)


def header(name: str, value: str, hidden: tuple[str, ...]) -> str:
    """Return the value of a header without keys."""
    return mask(value) if HEADERS.search(name) else redaction.redact(value, hidden)


def somebodys(headers: Iterable[tuple[str, str]]) -> bool:
    """Tell whether headers hold a credential other than the known keys."""
    return any(HEADERS.search(name) and mask(value).startswith("[key:") for name, value in headers)


def data(body: bytes, media: str, hidden: tuple[str, ...]) -> bytes:
    """Return a body without keys; the credentials in a form or in JSON are masked under their names, as in a URL."""
    if "form-urlencoded" in media:
        body = _form(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    elif "json" in media:
        text = _MEMBER.sub(_member, body.decode("utf-8", "surrogateescape"))
        body = text.encode("utf-8", "surrogateescape")
    return redaction.redact_bytes(body, hidden)


def _member(found: re.Match[str]) -> str:
    name, value = found.groups()
    return (
        found[0][: found.start(2) - found.start()] + mask(value) + '"' if _secret(name, value) else found[0]
    )
