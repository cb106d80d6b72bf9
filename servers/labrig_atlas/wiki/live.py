"""The live Wikipedia, or another MediaWiki, as a store: its interface for programs (api.php), asked through
`labrig.http`.

A page is one request, ``action=parse`` with ``redirects=1`` (manual: API:Parsing wikitext); its HTML is parsed in a
child. The coordinates beside a title are an indicator (Module:Coordinates), which is not part of the text.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from labrig.errors import Code, LabrigError
from labrig.http.hosts import Limit
from labrig.http.retrying import retry_after
from labrig.http.services import Service
from labrig.http.statuses import DEFAULT_WAIT_S
from labrig_atlas.wiki.about import About
from labrig_atlas.wiki.apart import MOST_BYTES, page_apart
from labrig_atlas.wiki.identity import Identity
from labrig_atlas.wiki.page import Page
from labrig_atlas.wiki.stores import Found

if TYPE_CHECKING:
    from labrig.http import Client, Response
    from labrig.isolation.children import Children


LIMIT = Limit(per_second=5, concurrent=2)
"""Wikimedia asks for few requests at a time (API:Etiquette), names no number, and refuses what is more with 429."""
TERMS = "https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy"
LICENCE = "CC BY-SA 4.0"
MOST_FOUND = 50
TIMEOUT_S = 20.0
PATIENCE_S = 15.0
_TAGS = re.compile(r"<[^>]*>")
_CODES: dict[str, Code] = {
    **dict.fromkeys(("missingtitle", "nosuchpageid", "pagecannotexist", "nosuchrevid"), "not_found"),
    **dict.fromkeys(
        ("invalidtitle", "invalidtitle-general", "badvalue", "cirrussearch-query-too-long"), "bad_input"
    ),
    **dict.fromkeys(
        ("ratelimited", "concurrency-limit", "maxlag", "cirrussearch-too-busy-error", "readonly"),
        "rate_limited",
    ),
}


def service(language: str = "en") -> Service:
    """Return the service of a language edition: its setting for another address is ``http.url_wikipedia_LANGUAGE``,
    without the language for English."""
    name = "wikipedia" if language == "en" else f"wikipedia_{language.replace('-', '_')}"
    return Service(
        name, f"https://{language}.wikipedia.org/w/api.php", limit=LIMIT, contact=True, terms=TERMS
    )


WIKIPEDIA = service()


class LiveWiki:
    """Pages of the language editions of Wikipedia, as they are now.

    Parameters
    ----------
    client
        What asks; it belongs to somebody else, who closes it.
    by
        What parses: `labrig_atlas.wiki.apart.readers`.
    """

    def __init__(self, client: Client, by: Children, *, language: str = "en") -> None:
        self._client, self._by, self._language = client, by, language

    @property
    def source(self) -> str:
        """What it is, in one line."""
        return f"{self._language}.wikipedia.org, live, {LICENCE}"

    async def get(self, identity: Identity) -> Page:
        """Return a page as it is now, redirects followed.

        Raises
        ------
        LabrigError
            ``not_found`` for a title without a page; what `labrig.http` and `page_apart` raise.
        """
        answer, said = await self._parsed(identity)
        about = _about(identity, said, answer)
        whole = _html(said) + _indicators(said)
        return await page_apart(
            self._by, whole.encode("utf-8", "replace"), about, content_type="text/html; charset=utf-8"
        )

    async def html(self, identity: Identity) -> str:
        """Return the HTML of a page's text, as the wiki gives it."""
        return _html((await self._parsed(identity))[1])

    async def search(self, text: str, n: int = 5) -> list[Found]:
        """Return the pages that the wiki's own search finds, with its excerpts."""
        if not text.strip() or n < 1:
            return []
        asked = {
            "list": "search",
            "srsearch": text[:300],
            "srlimit": min(n, MOST_FOUND),
            "srprop": "snippet",
            "srnamespace": 0,
        }
        said = (await self._asked(self._language, {"action": "query", **asked}))[1]
        found = []
        for each in _list(said, "query", "search"):
            identity = Identity(f"{self._language}.wikipedia.org", str(each.get("title", "")))
            words = html.unescape(_TAGS.sub("", str(each.get("snippet", ""))))
            found.append(Found(identity.title, identity.address, " ".join(words.split())[:300]))
        return found

    async def titles(self, beginning: str = "", n: int = 20) -> list[str]:
        """Return titles that begin so, as the wiki orders them; none for an empty beginning."""
        if not beginning.strip() or n < 1:
            return []
        asked = {
            "list": "prefixsearch",
            "pssearch": beginning[:200],
            "pslimit": min(n, MOST_FOUND),
            "psnamespace": 0,
        }
        said = (await self._asked(self._language, {"action": "query", **asked}))[1]
        return [str(each.get("title", "")) for each in _list(said, "query", "prefixsearch")]

    async def close(self) -> None:
        """Close nothing: client and children belong to who made them."""

    async def _parsed(self, identity: Identity) -> tuple[Response, dict[str, Any]]:
        """Ask for a page; return the answer and what it says of the page."""
        asked = {
            "action": "parse",
            "page": identity.title,
            "redirects": 1,
            "prop": "text|langlinks|categories|properties|revid|indicators",
            "disableeditsection": 1,
            "disabletoc": 1,
            "variant": identity.variant or None,
        }
        answer, whole = await self._asked(identity.language, asked, where=identity.address)
        said = whole.get("parse")
        if not isinstance(said, dict) or not isinstance(said.get("text"), str):
            raise LabrigError("The wiki answered without a page", where=answer.url, code="unreachable")
        return answer, said

    async def _asked(
        self, language: str, asked: dict[str, Any], where: str = ""
    ) -> tuple[Response, dict[str, Any]]:
        """Ask api.php, and return the answer and its JSON; an error in it becomes ours."""
        answer = await self._client.ask(
            service(language),
            params={**asked, "format": "json", "formatversion": 2},
            max_bytes=2 * MOST_BYTES,
            timeout_s=TIMEOUT_S,
            patience_s=PATIENCE_S,
        )
        said = answer.json()
        if not isinstance(said, dict):
            raise LabrigError(
                "The wiki answered with something else than was asked", where=answer.url, code="unreachable"
            )
        error = said.get("error")
        if error:
            raise _refusal(error if isinstance(error, dict) else {}, where or answer.url, answer)
        return answer, said


def _refusal(error: dict[str, Any], where: str, answer: Response) -> LabrigError:
    code, info = str(error.get("code", "")), str(error.get("info", ""))
    ours = _CODES.get(code, "unreachable")
    what = (
        "There is no such page"
        if ours == "not_found"
        else f"The wiki refuses this ({code or 'no code'}): {info}"
    )
    try_ = "a search for some of its words" if ours == "not_found" else ""
    wait = retry_after(dict(answer.headers), answer.retrieved_at)
    waits = (DEFAULT_WAIT_S if wait is None else wait) if ours == "rate_limited" else None
    return LabrigError(what, where=where, try_=try_, code=ours, retry_after_s=waits)


def _about(identity: Identity, said: dict[str, Any], answer: Response) -> About:
    """Return what the wiki says of a page besides its text."""
    title = str(said.get("title") or identity.title)
    found = Identity(identity.host, title)
    properties = said.get("properties")
    hops = _list(said, "redirects")
    editions = said.get("langlinks")
    revision = said.get("revid")
    return About(
        address=found.address,
        title=title,
        language=identity.language,
        source=f"{identity.host}, {title!r}, revision {revision}, retrieved {answer.retrieved_at[:10]}, {LICENCE}",
        categories=tuple(
            str(each.get("category", "")).replace("_", " ")
            for each in _list(said, "categories")
            if not each.get("hidden")
        ),
        languages=len(editions) if isinstance(editions, list) else None,
        disambiguation=isinstance(properties, dict) and "disambiguation" in properties,
        redirected_from=str(hops[0].get("from", "")) if hops else "",
    )


def _html(said: dict[str, Any]) -> str:
    return str(said["text"])


def _indicators(said: dict[str, Any]) -> str:
    """Return what stands beside the title, as a page holds it."""
    given = said.get("indicators")
    parts = given.values() if isinstance(given, dict) else ()
    return f'<div class="mw-indicators">{"".join(str(each) for each in parts)}</div>'


def _list(said: Any, *keys: str) -> list[dict[str, Any]]:
    """Return a list of tables in an answer, empty where it has none."""
    for key in keys:
        said = said.get(key) if isinstance(said, dict) else None
    return [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
