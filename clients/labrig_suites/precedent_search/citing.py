"""Whether an answer cites the paper that the truth rests on: by DOI, by title, and by a quote that stands there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labrig_suites.precedent_search.payload import Source, numbers

PAPER, CODE = 0.9, 0.8
"""Ratio of titles: the paper says at least 0.9, its code takes more than 0.8."""
SHORTEST_QUOTE, MOST_COMPARED = 12, 60
_ADDRESS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def same_doi(one: str, other: str) -> bool:
    """Tell whether two texts are one DOI, as an address or bare; DOIs know no capitals."""
    first, second = (_ADDRESS.sub("", each.strip()).casefold() for each in (one, other))
    return bool(first) and first == second


def likeness(one: str, other: str) -> float:
    """Return how alike two titles are: the ratio of difflib, whatever their capitals."""
    if not one.strip() or not other.strip():
        return 0.0
    return difflib.SequenceMatcher(None, one.casefold()[:500], other.casefold()[:500]).ratio()


def cited(sources: Sequence[Source], truths: Iterable[Mapping[str, Any]]) -> dict[str, bool]:
    """Return by what an answer cites one of the papers of the truth.

    ``doi``, ``title`` (by the paper's ratio), ``title_code`` (by the code's), ``any`` (DOI or title).
    """
    truths = list(truths)
    doi = any(same_doi(each.doi, str(truth.get("doi", ""))) for each in sources for truth in truths)
    ratio = max(
        (
            likeness(each.title, str(truth.get("title", "")))
            for each in sources[:MOST_COMPARED]
            for truth in truths
        ),
        default=0.0,
    )
    title = ratio >= PAPER
    return {"doi": doi, "title": title, "title_code": ratio > CODE, "any": doi or title}


def proved(sources: Sequence[Source], truths: Iterable[Mapping[str, Any]], kelvin: Sequence[float]) -> bool:
    """Tell whether a source is one of the truth, with a quote that stands in it and holds one of the temperatures.

    Where the truth has no text of its papers, the source alone is asked for.
    """
    for truth in truths:
        for each in sources:
            if not cited([each], [truth])["any"]:
                continue
            text = truth.get("text")
            if not isinstance(text, str):
                return True
            quote = bare(each.quote)
            holds = any(
                abs(number - value) <= 1e-3 * value
                for number in numbers(plain(each.quote))
                for value in kelvin
            )
            if len(quote) >= SHORTEST_QUOTE and quote in bare(text) and holds:
                return True
    return False


def plain(text: str) -> str:
    """Return a text without marks of scripts."""
    return re.sub(r"[_^]\{([^{}]*)\}", r"\1", text).replace("$", "")


def bare(text: str) -> str:
    """Return a text as it is compared: without marks, white space and capitals."""
    return re.sub(r"\s+", "", plain(text)).casefold()
