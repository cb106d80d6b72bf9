"""What services know of a work, its DOI in any writing, and when two titles are the same."""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

SAME_TITLE = 0.9
"""Ratio of difflib from which two titles are one: that of the paper on evidence verification."""
LONGEST = 1_000
MOST_AUTHORS, ABSTRACT = 8, 600
_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/[^\s\"{}|\\^\x00-\x1f]{1,300})", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_INSIDE = re.compile(r"\s+(?=<su[bp]\b)|(?<=>)\s+(?=</mml:|<mml:(?!math\b))")
"""Space that Crossref has within formulas: before an index, and between the parts of MathML, which it indents."""


@dataclass(frozen=True)
class Work:
    """A work, as a service describes it.

    Attributes
    ----------
    doi, arxiv
        Lower case without address; number without ``arXiv:``. Empty where there is none.
    pdf
        Address of a free PDF, where the service names one.
    source
        The service.
    """

    title: str
    authors: tuple[str, ...]
    year: int | None
    doi: str
    source: str
    arxiv: str = ""
    journal: str = ""
    pdf: str = ""
    abstract: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the work as plain data; what is empty is left out, authors and abstract are shortened."""
        more = len(self.authors) - MOST_AUTHORS
        authors = [*self.authors[:MOST_AUTHORS], *([f"and {more} more"] if more > 0 else [])]
        cut = self.abstract[:ABSTRACT] + (" …" if len(self.abstract) > ABSTRACT else "")
        found = {**self.__dict__, "title": self.title[:400], "authors": [each[:100] for each in authors]}
        return {
            name: each for name, each in (found | {"abstract": cut}).items() if each not in ("", None, [])
        }


@dataclass(frozen=True)
class Copy:
    """A free copy of a work.

    Attributes
    ----------
    pdf, page
        Address of the file, and of the page that leads to it; one of them may be empty.
    version, licence, host
        As the service has them: ``publishedVersion``, ``cc-by``, ``repository``.
    """

    pdf: str
    source: str
    page: str = ""
    version: str = ""
    licence: str = ""
    host: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the copy as plain data; what is empty is left out."""
        return {name: each for name, each in self.__dict__.items() if each}


def read_doi(text: str) -> str:
    """Return the DOI that a text is, in lower case; empty where it is none.

    DOIs of the 1990s hold ``<`` and ``>`` (SICI, ANSI/NISO Z39.56), which web pages write as entities.

    >>> read_doi("https://doi.org/10.1103/PhysRevB.63.220504")
    '10.1103/physrevb.63.220504'
    """
    plain = html.unescape(text.strip())
    found = _DOI.fullmatch(unquote(plain) if "%" in plain else plain)
    return found[1].rstrip(".,;").casefold() if found else ""


def plain_title(text: str) -> str:
    """Return a title or abstract without tags and entities (Crossref escapes some twice), with single spaces."""
    bare = _TAG.sub("", _INSIDE.sub("", text))
    for _ in range(2):
        bare = html.unescape(bare)
    return " ".join(_TAG.sub("", bare).split())


def similarity(one: str, other: str) -> float:
    """Return how alike two titles are, from 0 to 1: the ratio of difflib, whatever their capitals."""
    first, second = (plain_title(each).casefold()[:LONGEST] for each in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


def merged(works: Iterable[Work]) -> list[Work]:
    """Return works with those of one DOI made one: the first, with what the others have beside it."""
    found: dict[str, Work] = {}
    for work in works:
        key = work.doi or (
            f"arxiv:{work.arxiv.partition('v')[0]}" if work.arxiv else f"{work.title.casefold()}"
        )
        first = found.get(key)
        if first is None:
            found[key] = work
            continue
        source = first.source if work.source in first.source else f"{first.source}, {work.source}"
        lacking = {
            name: getattr(work, name)
            for name in ("year", "arxiv", "journal", "pdf", "abstract")
            if not getattr(first, name)
        }
        found[key] = replace(first, source=source, **lacking)
    return list(found.values())
