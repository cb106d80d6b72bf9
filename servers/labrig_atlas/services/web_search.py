"""Searching the web: Serper (Google's results), Brave, or a SearXNG of one's own.

https://serper.dev, https://api-dashboard.search.brave.com/app/documentation, https://docs.searxng.org/dev/search_api.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import unescape
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service, declared
from labrig_atlas.services.checks import checked_text
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

KEYLESS = "the backend searxng, a server of your own that needs no key (LABRIG_HTTP_URL_SEARXNG)"
KEYED = "the backend brave or serper with a key"
SERPER = Provider(
    declared.serper("atlas"),
    title="Serper",
    credit="results of Google Search, under Serper's terms",
    homepage="https://serper.dev",
    questions=("search",),
    at_most="5 requests/s, 20 results a search",
)
BRAVE = Provider(
    Service(
        "brave",
        "https://api.search.brave.com/res/v1",
        limit=Limit(per_second=1, concurrent=1),  # 50 in its plans of 2026, one in earlier ones
        key=Key("atlas", "brave_key", header="X-Subscription-Token", get_it="https://brave.com/search/api/"),
        terms="https://api-dashboard.search.brave.com/terms-of-service",
    ),
    title="Brave Search",
    credit="results of Brave Search; to store them, the plan must include storage rights",
    homepage="https://brave.com/search/api/",
    questions=("search",),
    at_most="stated: 50 requests/s and a monthly credit, by plan; 1 request/s, 20 results a search",
)
SEARXNG = Provider(
    Service(
        "searxng",
        "http://127.0.0.1:8888",
        limit=Limit(per_second=1, concurrent=1),
        terms="https://docs.searxng.org/admin/settings/settings_search.html",
    ),
    title="SearXNG",
    credit="results of the search engines that the operator's own server asks, under their terms",
    homepage="https://docs.searxng.org",
    questions=("search",),
    at_most="1 request/s; its settings must allow the format json",
    needs="LABRIG_HTTP_URL_SEARXNG",
)
MOST_HITS = 20
BRAVE_MOST = (400, 50)
"""Characters and words of a question to Brave, which refuses longer ones with 422."""
BRAVE_LANGUAGES = {
    "ja": "jp",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-cn": "zh-hans",
    "zh-tw": "zh-hant",
}
"""Where Brave's ``search_lang`` is another code than that of ISO 639-1 or of Google."""


@dataclass(frozen=True)
class Hit:
    """One result: its place in the service's order, from 1."""

    position: int
    title: str
    url: str
    snippet: str
    date: str = ""


@dataclass(frozen=True)
class WebSearch:
    """Results in the service's order; `answer` and `facts` are what it shows beside them, where it does."""

    query: str
    hits: tuple[Hit, ...]
    source: str
    answer: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    suggestions: tuple[str, ...] = ()


def _checked(query: str, limit: int) -> str:
    if not 1 <= limit <= MOST_HITS:
        raise LabrigError(f"{limit} results are not given", where="num_results", expected=f"1 to {MOST_HITS}")
    return checked_text(query, "query")


def _plain(text: str) -> str:
    """Return a snippet, which is HTML, without the tags that mark its words."""
    return unescape(re.sub(r"</?(?:strong|b|em|mark)>", "", text))


def _code(text: str, letters: str, where: str) -> str:
    """Return a code of a country or language, which goes into a question as it is."""
    if not re.fullmatch(r"[A-Za-z]{2}(-[A-Za-z]{2,4})?", text):
        raise LabrigError(f"This is not a code: {text!r:.40}", where=where, expected=letters)
    return text.lower()


def _read_hits(results: Iterable[Value], url: str, snippet: str, date: str) -> list[Hit]:
    """Return the results of a service, by the names that it gives address, words and date."""
    return [
        Hit(number, each["title"].text(""), each[url].text(), each[snippet].text(""), each[date].text(""))
        for number, each in enumerate(results, 1)
    ]


def _hits(query: str, found: list[Hit], limit: int) -> tuple[Hit, ...]:
    if not found:
        raise LabrigError(
            f"Nothing is found for {query!r}", where="query", try_="fewer words", code="not_found"
        )
    return tuple(found[:limit])


async def serper(
    client: Client,
    query: str,
    *,
    limit: int = 5,
    location: str = "",
    country: str = "us",
    language: str = "en",
) -> Reply[WebSearch]:
    """Search with Google's results, through Serper.

    Parameters
    ----------
    location
        Where the search is made, in Google's words: ``Austin, Texas, United States``; empty for the country alone.
    country, language
        Codes: ISO 3166-1 alpha-2 and ISO 639-1.
    """
    asked = _checked(query, limit)
    data: dict[str, Any] = {
        "q": asked,
        "gl": _code(country, "ISO 3166-1 alpha-2", "gl"),
        "hl": _code(language, "ISO 639-1", "hl"),
        "num": limit,
    }
    if location:
        data["location"] = checked_text(location, "location")
    inquiry = Inquiry(client)
    answer = await inquiry.json(SERPER, "search", method="POST", data=data, keyless=KEYLESS, accept={400})
    if "message" in answer:  # of status 400, which is also that of an account without credits
        said = answer["message"].text()
        spent = "credits" in said.lower()
        raise LabrigError(
            f"Serper answers: {said}",
            where=answer.where,
            try_=f"credits at https://serper.dev, or {KEYLESS}" if spent else "",
            code="refused" if spent else "bad_input",
        )
    answer.members()
    found = _read_hits(answer.each("organic"), "link", "snippet", "date")
    graph = answer["knowledgeGraph"]
    facts = {
        key: str(text)
        for key, text in (graph["attributes"].members() if "attributes" in graph else {}).items()
    }
    box = answer["answerBox"]
    return inquiry.reply(
        WebSearch(
            asked,
            _hits(asked, found, limit),
            SERPER.source,
            answer=box["answer"].text("") or box["snippet"].text(""),
            facts=facts,
            suggestions=tuple(each["query"].text("") for each in answer.each("relatedSearches")),
        )
    )


async def brave(
    client: Client, query: str, *, limit: int = 5, country: str = "us", language: str = "en"
) -> Reply[WebSearch]:
    """Search with Brave's own index; codes as in `serper`.

    Raises
    ------
    LabrigError
        ``bad_input`` for more than 400 characters or 50 words, or a code that Brave does not know; ``refused`` for a
        key that it does not know.
    """
    asked = _checked(query, limit)
    if len(asked) > BRAVE_MOST[0] or len(asked.split()) > BRAVE_MOST[1]:
        raise LabrigError(
            "This question is too long for Brave Search",
            where="query",
            expected=f"at most {BRAVE_MOST[0]} characters and {BRAVE_MOST[1]} words",
        )
    code = _code(language, "ISO 639-1", "language")
    inquiry = Inquiry(client)
    answer = await inquiry.json(
        BRAVE,
        "web/search",
        params={
            "q": asked,
            "count": limit,
            "country": _code(country, "ISO 3166-1 alpha-2", "country").upper(),
            "search_lang": BRAVE_LANGUAGES.get(code, code),
        },
        keyless=KEYLESS,
        accept={422},
    )
    _raise_brave(answer)
    marked = _read_hits(answer["web"].each("results"), "url", "description", "page_age")
    found = [replace(each, title=_plain(each.title), snippet=_plain(each.snippet)) for each in marked]
    return inquiry.reply(WebSearch(asked, _hits(asked, found, limit), BRAVE.source))


def _raise_brave(answer: Value) -> None:
    """Raise what Brave says with status 422: of a key that it does not know, or of the parameters of a question."""
    answer.members()
    if "error" not in answer:
        return
    said = answer["error"]
    code, detail = said["code"].text(""), said["detail"].text("")
    errors = said["meta"].each("errors")
    places = ["".join(str(step) for step in each["loc"].elements()[-1:]) for each in errors]
    reasons = [f"{place}: {each['msg'].text('')}" for place, each in zip(places, errors, strict=True)]
    key = code.startswith("SUBSCRIPTION") or "x-subscription-token" in places
    raise LabrigError(
        f"Brave Search answers {code}: {'; '.join(reasons) or detail}",
        where=answer.where,
        try_="check LABRIG_ATLAS_BRAVE_KEY" if key else "",
        code="refused" if key else "bad_input",
    )


async def searxng(client: Client, query: str, *, limit: int = 5, language: str = "en") -> Reply[WebSearch]:
    """Search with a SearXNG of one's own; its address is the setting ``http.url_searxng``.

    Raises
    ------
    LabrigError
        ``unavailable`` without that setting; ``refused`` where its settings do not allow JSON.
    """
    asked = _checked(query, limit)
    if not SEARXNG.service.moved and not client.replays:
        raise LabrigError(
            "There is no address of a SearXNG",
            where="LABRIG_HTTP_URL_SEARXNG",
            expected="the address of a server of your own, with json among search.formats of its settings.yml",
            try_="docker run --publish 8888:8080 searxng/searxng, or " + KEYED,
            code="unavailable",
        )
    inquiry = Inquiry(client)
    try:
        answer = await inquiry.json(
            SEARXNG,
            "search",
            params={"q": asked, "format": "json", "language": _code(language, "ISO 639-1", "language")},
        )
    except LabrigError as error:
        if error.code != "refused":
            raise
        raise LabrigError(
            error.what,
            where=error.where,
            try_="add json to search.formats in its settings.yml",
            code="refused",
        ) from error
    found = _read_hits(answer["results"], "url", "content", "publishedDate")
    silent = len(answer.each("unresponsive_engines"))
    if silent and not found:
        raise LabrigError(
            f"{silent} of the search engines that SearXNG asks did not answer, and the others found nothing",
            where=answer.where,
            try_=f"the same call later, another engine in its settings.yml, or {KEYED}",
            code="unreachable",
        )
    if silent:
        inquiry.notes.append(f"{silent} search engines did not answer SearXNG.")
    return inquiry.reply(
        WebSearch(
            asked,
            _hits(asked, found, limit),
            SEARXNG.source,
            suggestions=answer["suggestions"].texts(),
        )
    )
