"""Requests and responses as plain data, free of keys: what is recorded, compared and handed on.

A request has two faces. Its fields are redacted: they make its `key`, they are written to the ledger, they stand in
errors. Its `wire` is what is really sent; only the transport reads it, and nothing writes it down.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

import httpx2

from labrig.canonical import content_hash, sha256
from labrig.errors import LabrigError
from labrig.http import hiding
from labrig.http.stored import Stored

METHODS = ("GET", "HEAD", "POST")
Origin = Literal["network", "cache", "ledger"]
Params = Mapping[str, Any] | Sequence[tuple[str, Any]]

CLIENTS = frozenset(
    (
        *("host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection"),
        *("te", "trailer", "upgrade", "http2-settings", "expect"),
    )
)
"""Headers that say where a message ends and goes; two readers of them may see two requests in one."""
NOT_PART = frozenset(
    ("user-agent", "from", "accept-encoding", "cookie", "authorization", "proxy-authorization")
)
"""Headers that say who asks, not what: two requests that differ in them alone are the same."""
NOT_KEPT = frozenset(
    (
        *("connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "alt-svc"),
        *("content-encoding", "content-length"),
        *("set-cookie", "set-cookie2", "nel", "report-to", "strict-transport-security"),
    )
)
"""Headers of a response that speak of the connection or the person, or of a body that was packed."""
SEVEN_BIT = ("utf7", "utf16", "utf32", "iso2022", "hz")
"""Encodings whose text may well be valid UTF-8 and mean something else: where one is stated, it is believed."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")


@dataclass(frozen=True)
class Wire:
    """What is sent, keys and all. Its `repr` shows nothing."""

    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    hidden: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Request:
    """One request, without its keys.

    Attributes
    ----------
    method
        One of `METHODS`.
    url
        In one form: scheme and host in lower case, no default port, no fragment.
    headers
        Those that are part of what is asked, names in lower case, sorted.
    body
        Bytes; empty for GET and HEAD.
    wire
        What is sent.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    wire: Wire = field(default=Wire("", (), b"", ()), repr=False, compare=False)

    @classmethod
    def make(
        cls,
        method: str,
        url: str,
        *,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        form: Params | None = None,
        data: Any = None,
        hidden: tuple[str, ...] = (),
    ) -> Request:
        """Put a request together, and its keys out of sight.

        Parameters
        ----------
        params
            Added to the URL's query, None values left out.
        body, form, data
            At most one: bytes or text as they are, a form, or anything that becomes JSON.
        hidden
            What is hidden beside its own credentials: those of the request that it follows.

        Raises
        ------
        LabrigError
            ``bad_input`` for another method, an invalid URL, or two bodies.
        """
        method = method.upper()
        if method not in METHODS:
            raise LabrigError(
                f"The method {method!r} is not sent", where="method", expected=", ".join(METHODS)
            )
        if sum(each is not None for each in (body, form, data)) > 1:
            raise LabrigError("A request has one body", where="body, form, data", expected="one of them")
        given = {name.lower(): value for name, value in (headers or {}).items()}
        try:
            full = canonical_url(url, params)
            content = body.encode() if isinstance(body, str) else bytes(body or b"")
            if form is not None:
                content = urlencode(_pairs(form)).encode()
            elif data is not None:
                content = _as_json(data)
        except UnicodeEncodeError as error:  # half of a surrogate pair, which JSON can say
            raise LabrigError(
                f"This cannot be sent: {error.object[error.start : error.end]!a} is not a character",
                where="url, params or body",
            ) from error
        if form is not None:
            given.setdefault("content-type", "application/x-www-form-urlencoded")
        elif data is not None:
            given.setdefault("content-type", "application/json")
        if content and method != "POST":
            raise LabrigError(f"A {method} request has no body", where="body", try_="POST, or params=")
        for name, value in given.items():
            if name in CLIENTS:
                raise LabrigError(f"The header {name} is the client's own", where="headers")
            if not (isinstance(value, str) and _NAME.fullmatch(name) and _VALUE.fullmatch(value)):
                raise LabrigError("This is not a header", where=repr(hiding.plain(f"{name}: {value}"))[:200])
        hidden = tuple(
            sorted({*hiding.values(full, given, content), *hidden}, key=lambda each: (-len(each), each))
        )
        shown = {
            name: hiding.header(name, value, hidden) for name, value in given.items() if name not in NOT_PART
        }
        return cls(
            method,
            hiding.url(full, hidden),
            tuple(sorted(shown.items())),
            hiding.data(content, given.get("content-type", ""), hidden),
            Wire(full, tuple(given.items()), content, hidden),
        )

    @property
    def key(self) -> str:
        """What makes two requests the same: a hash of method, URL, headers and body."""
        return content_hash([self.method, self.url, [list(each) for each in self.headers], sha256(self.body)])

    @property
    def host(self) -> str:
        """Host, and port where it is not the scheme's own."""
        return urlsplit(self.url).netloc

    def __str__(self) -> str:
        size = f" ({len(self.body):,} bytes, sha256 {sha256(self.body)[:12]})" if self.body else ""
        return f"{self.method} {self.url}{size}"


def _as_json(data: Any) -> bytes:
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise LabrigError(f"The body cannot be sent as JSON: {error}", where="data") from error


def canonical_url(url: str, params: Params | None = None) -> str:
    """Return a URL in one form, with parameters added; its own query stays as it is.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not an absolute http or https URL.
    """
    try:
        parsed = httpx2.URL(url.strip())
        parts = urlsplit(str(parsed.copy_with(fragment=None)))
    except (httpx2.InvalidURL, ValueError, TypeError, AttributeError) as error:
        raise _no_url(url, str(error)) from error
    if parts.scheme not in ("http", "https"):
        raise LabrigError(
            f"{parts.scheme or 'A URL without a scheme'} is not fetched: {hiding.plain(url)[:300]!r}",
            where="url",
            expected="an absolute URL with http or https",
            code="refused" if parts.scheme else "bad_input",
        )
    if not parts.hostname:
        raise _no_url(url, "it has no host")
    query = parts.query
    if params and (added := urlencode(_pairs(params))):
        query = f"{query}&{added}" if query else added
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", query, ""))


def _no_url(url: object, why: str) -> LabrigError:
    return LabrigError(
        f"This is not a URL: {why}",
        where=repr(hiding.plain(str(url)))[:300],
        expected="an absolute URL with http or https",
    )


def _pairs(given: Params) -> list[tuple[str, str]]:
    """Return parameters as pairs of text; lists give several, None none, True and False are written small."""
    pairs = given.items() if isinstance(given, Mapping) else given
    found: list[tuple[str, str]] = []
    for name, value in pairs:
        for scalar in value if isinstance(value, list | tuple) else (value,):
            if scalar is not None:
                found.append((str(name), str(scalar).lower() if isinstance(scalar, bool) else str(scalar)))
    return found


@dataclass(frozen=True)
class Hop:
    """One redirect that was followed."""

    status: int
    url: str
    to: str


@dataclass(frozen=True)
class Response:
    """What a service answered, without keys.

    Attributes
    ----------
    url
        Where it came from, after redirects.
    headers
        Names in lower case; those of `NOT_KEPT` are gone.
    body
        Unpacked. Empty where it is `stored`.
    redirects
        In order.
    retrieved_at
        When the network gave it: ISO 8601, UTC, seconds.
    origin
        Whether it came from the network just now, from the polite cache, or from the ledger.
    stored
        The body, where it lies in a file.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    redirects: tuple[Hop, ...] = ()
    retrieved_at: str = ""
    origin: Origin = field(default="network", compare=False)
    stored: Stored | None = None

    @property
    def ok(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def media_type(self) -> str:
        """The type that the service states, without parameters; empty if it states none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def sha256(self) -> str:
        """Of the body."""
        return self.stored.sha256 if self.stored else sha256(self.body)

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return self.stored.size if self.stored else len(self.body)

    @property
    def text(self) -> str:
        """The body as text; see `decoded`."""
        return decoded(self._here(), self.headers.get("content-type", ""))[0]

    @property
    def encoding(self) -> str:
        """In which encoding `text` was read; it may not be the stated one."""
        return decoded(self._here(), self.headers.get("content-type", ""))[1]

    def _here(self) -> bytes:
        if self.stored is not None:
            raise LabrigError(
                f"This body of {self.stored.size:,} bytes is not in memory",
                where=str(self.stored.path),
                try_="read that file",
            )
        return self.body

    def json(self) -> Any:
        """Return the body read as JSON.

        Raises
        ------
        LabrigError
            ``unreachable`` if it is not, saying what came instead.
        """
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise LabrigError(
                f"{urlsplit(self.url).netloc} was to answer in JSON, and sent {self._instead()}",
                where=self.url,
                try_="the same call later; if it stays, the address or the service has changed",
                code="unreachable",
            ) from error

    def _instead(self) -> str:
        text = self.text
        if not text.strip():
            return "an empty body"
        if re.match(r"\s*(<!doctype html|<html)", text, re.IGNORECASE):
            title = re.search(r"<title[^>]*>(.*?)</title>", text[:20_000], re.IGNORECASE | re.DOTALL)
            named = f" titled {' '.join(title[1].split())[:120]!r}" if title else ""
            return f"an HTML page{named}"
        stated = self.media_type or "a body without a type"
        return f"{stated} that begins {' '.join(text[:200].split())[:80]!r}"

    def source(self) -> dict[str, Any]:
        """Return where this came from, for the provenance of an answer: the same in a replay."""
        return {
            "url": self.url,
            "status": self.status,
            "sha256": self.sha256,
            "retrieved_at": self.retrieved_at,
        }


def decoded(body: bytes, content_type: str) -> tuple[str, str]:
    """Return a body as text, and the encoding it was read in.

    In this order: a byte order mark, UTF-8 if all of it is, the stated encoding, Windows-1252. Services state
    ISO 8859-1 for UTF-8 by mistake, never the other way: text in an 8-bit encoding is hardly ever valid UTF-8.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if body.startswith(mark):
            return body.decode(name, "replace"), name.removesuffix("-sig")
    stated = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
    name = ""
    if stated:
        try:
            name = codecs.lookup(stated[1]).name
        except (LookupError, ValueError):
            name = ""
    believed = name.replace("_", "").replace("-", "").startswith(SEVEN_BIT)
    order = [name, "utf-8"] if believed else ["utf-8", name]
    for encoding in order:
        if encoding and encoding not in ("iso8859-1", "ascii"):  # browsers read both as Windows-1252
            try:
                return body.decode(encoding), encoding
            except (UnicodeDecodeError, LookupError):
                continue
    return body.decode("cp1252", "replace"), "cp1252"


def now() -> str:
    """Return the time as ledgers and sources write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
