"""Searching the web by Serper, whose answers are Google's results as JSON, and pages for a reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from labrig.errors import LabrigError, unknown_name
from labrig.http.declared import serper

if TYPE_CHECKING:
    from labrig.http import Client

SERPER = serper("earth")
KINDS = ("search", "news", "places")
MOST_RESULTS, MOST_TEXT = 20, 500
LISTS = ("organic", "news", "places")
_CODE = re.compile(r"[A-Za-z]{2}(-[A-Za-z]{2,4})?")


async def search_web(
    client: Client, query: str, *, kind: str, results: int, language: str, country: str
) -> dict[str, Any]:
    """Return what Serper answers.

    Parameters
    ----------
    kind
        One of `KINDS`.
    language, country
        Codes (ISO 639-1, ISO 3166-1 alpha-2), or empty.

    Raises
    ------
    LabrigError
        ``bad_input`` and ``not_found`` for invalid arguments; ``unavailable`` without a key
        (``LABRIG_EARTH_SERPER_KEY``); ``unreachable`` for an answer that is no object.
    """
    asked = " ".join(query.split())
    if not asked or len(asked) > MOST_TEXT or not asked.isprintable():
        raise LabrigError(
            "This cannot be searched for", where="query", expected=f"1 to {MOST_TEXT} characters"
        )
    if kind.casefold() not in KINDS:
        raise unknown_name("kind of search", kind, KINDS, where="search_type")
    data: dict[str, Any] = {"q": asked, "num": results}
    for key, code, where in (("hl", language, "language"), ("gl", country, "country")):
        if code and not _CODE.fullmatch(code):
            raise LabrigError(
                f"This is no code: {code[:40]!r}", where=where, expected="two letters, such as en"
            )
        if code:
            data[key] = code.lower()
    answer = (await client.ask(SERPER, kind.casefold(), method="POST", data=data)).json()
    if not isinstance(answer, dict):
        raise LabrigError("Serper did not answer with results", where=SERPER.name, code="unreachable")
    return answer


def without_front_pages(answer: Mapping[str, Any], most: int) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Return results without those that are the front page of a site, at most so many, and what was left out."""
    kept, left = dict(answer), []
    for name in ("organic", "news"):
        results = answer.get(name)
        if not isinstance(results, list):
            continue
        good = [each for each in results if isinstance(each, dict)]
        for each in good:
            if _is_front_page(str(each.get("link", ""))):
                left.append(
                    {"section": name, "title": str(each.get("title", "")), "link": str(each.get("link", ""))}
                )
        kept[name] = [each for each in good if not _is_front_page(str(each.get("link", "")))][:most]
    return kept, left


def links_of(answer: Mapping[str, Any]) -> list[str]:
    """Return the addresses of the results, each once."""
    found = [
        each["link"]
        for name in LISTS
        for each in answer.get(name) or ()
        if isinstance(each, dict) and isinstance(each.get("link"), str)
    ]
    return [each for each in dict.fromkeys(found) if each.startswith(("http://", "https://"))]


def _is_front_page(link: str) -> bool:
    parts = urlsplit(link)
    return parts.path.strip("/").casefold() in ("", "index.html", "index.htm", "home") and not parts.query
