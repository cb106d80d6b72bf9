"""One page has one identity, however it is addressed: its wiki and its title; a fragment is the section asked.

The rules for titles are MediaWiki's (manual, "Page title"): underscores are spaces, white space is collapsed, the
case of the first letter does not count, ``%41`` is never part of a title, and neither are ``# < > [ ] | { }``. What a
redirect leads to is known by the store.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, quote, unquote_to_bytes, urlsplit

from labrig.errors import LabrigError

WIKIPEDIA = "wikipedia.org"
HOST = "en.wikipedia.org"
MOST_TITLE_BYTES = 255
"""Of a title in UTF-8, by MediaWiki's rule."""

_TWIN = re.compile(r"wiki\.[a-z0-9-]+\.invalid")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")
_SPACES = re.compile(r"[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e]")
_FORBIDDEN = re.compile(r"[#<>\[\]|{}\x00-\x1f\x7f-\x9f\ufffd]")
_SAFE = "/:;@$!*(),~-_."
"""Left as they are in an address, as MediaWiki leaves them."""
_REFERENCE = re.compile(r"&(?:amp|#\d{1,6}|#[xX][0-9A-Fa-f]{1,5});")
"""As a link stands in the source of a page; its ``#`` is not that of a section."""
_ENTITY = re.compile(r"&(?:[A-Za-z]+|#\d+|#[xX][0-9A-Fa-f]+);")

_REASONS = {
    "special": "special pages are made anew for whoever asks",
    "media": "it leads to a file, not to text",
    "file": "it describes a file and has no article",
    "image": "it describes a file and has no article",
    "category": "a category is a list of pages; the categories of a page stand on that page",
    "template": "a template is a part of pages",
    "module": "a module is a program",
    "mediawiki": "it is a text of the interface",
    "user": "it belongs to a person who edits",
    "portal": "a portal is a collection of links",
    "draft": "a draft is not an article yet",
    "wikipedia": "it is about the project and not an article",
    "project": "it is about the project and not an article",
    "wp": "it is about the project and not an article",
    "help": "it is about the use of the wiki",
    "timedtext": "it holds the subtitles of a file",
    "talk": "it is a discussion, not an article",
}
"""Why pages of a namespace are not read, by its English name, which every Wikipedia knows; ``X talk`` is ``talk``."""
_LOCAL = {
    "de": {
        "datei": "file",
        "spezial": "special",
        "kategorie": "category",
        "benutzer": "user",
        "vorlage": "template",
    },
    "fr": {
        "fichier": "file",
        "spécial": "special",
        "catégorie": "category",
        "modèle": "template",
        "aide": "help",
    },
    "es": {
        "archivo": "file",
        "especial": "special",
        "categoría": "category",
        "usuario": "user",
        "ayuda": "help",
    },
    "it": {"speciale": "special", "categoria": "category", "utente": "user", "aiuto": "help"},
    "pt": {"ficheiro": "file", "especial": "special", "categoria": "category", "ajuda": "help"},
    "nl": {"bestand": "file", "speciaal": "special", "categorie": "category", "gebruiker": "user"},
}
"""Names of the same namespaces in some large languages; elsewhere the English ones alone are recognised."""
_OTHER_QUERIES = {
    "oldid": "an older version of a page",
    "diff": "the difference of two versions",
    "curid": "a page by its number",
    "pageid": "a page by its number",
}


@dataclass(frozen=True)
class Identity:
    """A page of a wiki. Two of one page are equal, whatever section or variant was asked.

    Attributes
    ----------
    host
        Of the wiki as it is read on a desk: ``en.wikipedia.org``.
    title
        With spaces, its first letter a capital.
    section
        The anchor that was asked, decoded, with spaces; empty for the page.
    variant
        The variant of the language that was asked: ``zh-tw``.
    """

    host: str
    title: str
    section: str = field(default="", compare=False)
    variant: str = field(default="", compare=False)

    @property
    def language(self) -> str:
        """The language edition: ``en``; a fictional world's wiki is in English."""
        return self.host.partition(".")[0] if self.host.endswith(f".{WIKIPEDIA}") else "en"

    @property
    def address(self) -> str:
        """The page's URL, without a section."""
        return f"https://{self.host}/wiki/{quote(self.title.replace(' ', '_'), safe=_SAFE)}"

    def titled(self, title: str) -> Identity:
        """Return the identity of another title of the same wiki, with its own section if the title names one."""
        return _titled(title, self.host, title)

    def __str__(self) -> str:
        anchor = f"#{quote(self.section.replace(' ', '_'), safe=_SAFE)}" if self.section else ""
        return self.address + anchor


def identity_of(address: str, *, host: str = HOST, hosts: Collection[str] = ()) -> Identity:
    """Return the identity of a page that is named by its address or its title.

    Parameters
    ----------
    address
        A URL of a wiki (desktop or mobile host, ``/wiki/``, ``index.php?title=``, a variant's path), or a title.
    host
        The wiki that a title without host belongs to.
    hosts
        Other hosts that are wikis, beside those of Wikipedia and of fictional worlds.

    Raises
    ------
    LabrigError
        ``bad_input`` for what names no page or has an invalid title; ``refused`` for pages that are no articles
        (``File:``, ``Special:``, talk, an old version) and for URLs with a user name.
    """
    given = _REFERENCE.sub(lambda each: html.unescape(each.group()), address.strip())
    if not given:
        raise _no_page(address, "it is empty")
    if len(given) > 8_000:
        raise _no_page(address, "it is longer than 8,000 characters")
    url = _as_url(given)
    if url is None:
        return _titled(given, host, given)
    found = _wiki_host(url, hosts)
    if found is None:
        raise LabrigError(
            "This is not a page of a wiki",
            where=given,
            expected=f"an address such as https://{host}/wiki/Mont_Blanc, or a title",
        )
    return _of_url(url, found, given)


def is_wiki(address: str, hosts: Collection[str] = ()) -> bool:
    """Return whether a text is the address of a page of a wiki that `identity_of` knows; a bare title is none."""
    try:
        url = _as_url(address.strip())
        return url is not None and _wiki_host(url, hosts) is not None
    except LabrigError:
        return False


def normal_title(text: str) -> str:
    """Return a title in its one form: NFC, single spaces, a capital first; an empty text for an empty title."""
    spaced = _SPACES.sub(" ", unicodedata.normalize("NFC", _MARKS.sub("", text)))
    spaced = spaced.lstrip(": ").rstrip(" ")
    spaced = spaced.rstrip("/ ") or spaced
    first = spaced[:1].upper()
    capital = first if len(first) == 1 else spaced[:1]  # an ß stays: it has no single capital
    return unicodedata.normalize("NFC", capital + spaced[1:])


def anchor_of(text: str) -> str:
    """Return a fragment as the words of a heading: decoded, with spaces; what is no section's becomes empty."""
    text = text.partition(":~:")[0]
    if text.startswith(("/", "?")):  # the picture viewer's and the mobile page's own
        return ""
    return _SPACES.sub(" ", _decoded(text, text)).strip(" ")


def _as_url(given: str) -> str | None:
    """Return an address with its scheme; None for what is a title."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", given):
        return given
    if given.startswith("//"):
        return f"https:{given}"
    first = re.split(r"[/?#]", given, maxsplit=1)[0].lower()
    known = first == WIKIPEDIA or first.endswith(f".{WIKIPEDIA}") or _TWIN.fullmatch(first)
    return f"https://{given}" if known and first != given.lower() else None


def _wiki_host(url: str, hosts: Collection[str]) -> str | None:
    """Return the desktop host of a URL's wiki, None where it is no wiki."""
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise _no_page(url, str(error)) from None
    if parts.scheme.lower() not in ("http", "https"):
        raise LabrigError(
            f"Addresses with {parts.scheme}: are not read",
            where=url,
            expected="http or https",
            code="refused",
        )
    if parts.username is not None or parts.password is not None:
        raise LabrigError("An address with a user name is not read", where=url, code="refused")
    if name in hosts or (f"{name}:{port}" in hosts if port else False):
        return f"{name}:{port}" if port and f"{name}:{port}" in hosts else name
    if port not in (None, 80, 443):
        return None
    if _TWIN.fullmatch(name):
        return name
    if name in (WIKIPEDIA, f"www.{WIKIPEDIA}", f"m.{WIKIPEDIA}"):
        return HOST
    front = name.removesuffix(f".{WIKIPEDIA}")
    if front == name:
        return None
    language, _, device = front.partition(".")
    return (
        f"{language}.{WIKIPEDIA}" if _LANGUAGE.fullmatch(language) and device in ("", "m", "zero") else None
    )


def _of_url(url: str, host: str, given: str) -> Identity:
    parts = urlsplit(url)
    try:
        query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=100)
    except ValueError as error:
        raise _no_page(given, str(error)) from None
    for name, what in _OTHER_QUERIES.items():
        if name in query:
            raise LabrigError(
                f"This names {what}", where=given, expected=f"https://{host}/wiki/TITLE", code="refused"
            )
    action = query.get("action", ["view"])[-1]
    if action not in ("view", "render", ""):
        raise LabrigError(
            f"This is the action {action!r} on a page, not the page",
            where=given,
            expected=f"https://{host}/wiki/TITLE",
            code="refused",
        )
    path, variant = parts.path, query.get("variant", [""])[-1]
    first, _, rest = path.lstrip("/").partition("/")
    language = host.partition(".")[0]
    if "title" in query:
        title = quote(query["title"][-1])  # it is decoded already
    elif rest and first == "w" and rest.partition("/")[0] == "index.php":
        title = rest.partition("/")[2]
    elif rest and first in ("wiki", "index.php"):
        title = rest
    elif rest and first.startswith(f"{language}-") and _LANGUAGE.fullmatch(first):
        title, variant = rest, first
    else:
        raise _no_page(given, "it has no title")
    found = _titled(title, host, given)
    return replace(found, section=anchor_of(parts.fragment) or found.section, variant=variant)


def _titled(text: str, host: str, given: str) -> Identity:
    """Return the identity of a title, percent-encoded or not, with a section or without."""
    title, _, anchor = _plain(text, given).partition("#")
    title = normal_title(title)
    if not title:
        raise _no_page(given, "its title is empty")
    bad = _FORBIDDEN.search(title)
    if bad:
        raise _no_page(given, f"a title does not hold {bad.group()!r}")
    if title in (".", "..") or title.startswith(("./", "../")) or re.search(r"/\.{1,2}(/|$)", title):
        raise _no_page(given, "a title is no relative path")
    if len(title.encode("utf-8", "surrogatepass")) > MOST_TITLE_BYTES:
        raise _no_page(given, f"a title has at most {MOST_TITLE_BYTES} bytes")
    if any("\ud800" <= letter <= "\udfff" for letter in title):
        raise _no_page(given, "it holds half a character")
    _refuse_namespace(title, host, given)
    return Identity(host, title, anchor_of(anchor))


def _decoded(text: str, given: str) -> str:
    """Return a text without percent-encoding, also where it was encoded twice: no title holds ``%41``."""
    for _ in range(3):
        if not _ESCAPED.search(text):
            return text
        try:
            text = unquote_to_bytes(text).decode("utf-8")
        except UnicodeError:
            raise _no_page(given, "its percent-encoding is not UTF-8") from None
    if _ESCAPED.search(text):
        raise _no_page(given, "it is percent-encoded again and again")
    return text


def _plain(text: str, given: str) -> str:
    """Return a title without percent-encoding and without references such as ``&amp;``."""
    for _ in range(3):
        before = text
        text = _ENTITY.sub(lambda each: html.unescape(each.group()), _decoded(text, given))
        if text == before:
            return text
    raise _no_page(given, "it is encoded again and again")


def _refuse_namespace(title: str, host: str, given: str) -> None:
    name, colon, _ = title.partition(":")
    if not colon:
        return
    name = name.strip().lower()
    name = _LOCAL.get(host.partition(".")[0], {}).get(name, name)
    reason = _REASONS.get(
        "talk" if name.removesuffix(" talk") in _REASONS and name.endswith(" talk") else name
    )
    if reason:
        raise LabrigError(
            f"Pages of the namespace {title.partition(':')[0]}: are not read: {reason}",
            where=given,
            expected="an article",
            code="refused",
        )


def _no_page(given: object, why: str) -> LabrigError:
    return LabrigError(
        f"This names no page: {why}",
        where=str(given),
        expected=f"an address such as https://{HOST}/wiki/Mont_Blanc, or a title",
    )
