"""Documents of a corpus by words and formulas, and what the corpus has of a material at all.

A formula in a question is looked up by its composition, so that no way of writing it is missed. Documents that name
all formulas of the question come alone, ranked by its words (BM25); where none does, those with the same elements are
given apart, since they are about other materials.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.corpus.mentions import Mention, mentions
from labrig_papers.corpus.store import count, pages_of
from labrig_papers.materials.writing import plain

MOST_CHARS = 1000
MOST_HITS = 50
EVERYWHERE = 2_000
"""Documents with all words of a question from which on these words can be everywhere: see `_ranked`."""
AROUND = 160
"""Characters of an excerpt on each side."""
_WORDS = re.compile(r"\w+", re.UNICODE)
_LITTLE = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "the",
        "to",
        "with",
    ]
)


@dataclass(frozen=True)
class Hit:
    """A document that was found.

    Attributes
    ----------
    sha256, path, title, doi, year
        See `store.Document`.
    pages
        On which the formulas stand, or the words of the excerpt.
    printed
        The formulas as they are printed there.
    excerpt
        Of the first of these pages, around what was found.
    """

    sha256: str
    path: str
    title: str
    doi: str
    year: int | None
    pages: tuple[int, ...]
    printed: tuple[str, ...]
    excerpt: str

    def to_dict(self) -> dict[str, Any]:
        """Return the hit as plain data; what is empty is left out."""
        found = {**self.__dict__, "pages": list(self.pages), "printed": list(self.printed)}
        return {name: each for name, each in found.items() if each not in ("", None, [])}


@dataclass(frozen=True)
class Found:
    """What a corpus has for a question.

    Attributes
    ----------
    documents
        In the corpus.
    formulas
        Of the question: printed form and key.
    total
        Documents that fit, of which `hits` are the first.
    relatives
        Where no document names the formulas: documents with the same elements in other amounts.
    """

    documents: int
    formulas: tuple[Mention, ...]
    total: int
    hits: tuple[Hit, ...]
    relatives: tuple[Hit, ...] = field(default=())


def search(database: sqlite3.Connection, question: str, limit: int = 10) -> Found:
    """Return documents by the formulas and words of a question.

    Raises
    ------
    LabrigError
        For an empty or too long question, and one without any word or formula.
    """
    if not isinstance(question, str) or not 0 < len(question.strip()) <= MOST_CHARS:
        raise LabrigError(
            f"The question has {len(question)} characters", where="query", expected=f"1 to {MOST_CHARS}"
        )
    if not 1 <= limit <= MOST_HITS:
        raise LabrigError(f"The limit is {limit}", where="limit", expected=f"1 to {MOST_HITS}")
    named = tuple({each.key: each for each in mentions(question)}.values())
    text = plain(question)
    for each in named:
        text = text.replace(each.printed, " ")
    words = [word for word in _WORDS.findall(text) if word.casefold() not in _LITTLE]
    if not named and not words:
        raise LabrigError(
            "There is no word or formula in the question", where="query", expected="such as MgB2 film"
        )
    chosen = _naming(database, [each.key for each in named])
    if named and not chosen:
        near = _with_elements(database, [each.elements for each in named])
        relatives = tuple(_hit(database, number, words, named, True) for number in near[:limit])
        return Found(count(database), named, 0, (), relatives)
    ranked, total = _ranked(database, words, chosen if named else None)
    return Found(
        count(database),
        named,
        total,
        tuple(_hit(database, each, words, named) for each in ranked[:limit]),
    )


def _naming(database: sqlite3.Connection, keys: Sequence[str]) -> list[int]:
    """Return the documents that name all formulas, those with the most mentions first."""
    mentioned: dict[int, int] = {}
    for place, key in enumerate(keys):
        rows = database.execute(
            "SELECT document, count(*) FROM mentions WHERE key=? GROUP BY document", (key,)
        )
        here = dict(rows.fetchall())
        mentioned = (
            here if place == 0 else {each: mentioned[each] + here[each] for each in mentioned if each in here}
        )
    return sorted(mentioned, key=lambda each: (-mentioned[each], each))


def _with_elements(database: sqlite3.Connection, systems: Sequence[str]) -> list[int]:
    found: dict[int, None] = {}
    for system in systems:
        rows = database.execute(
            "SELECT DISTINCT document FROM mentions WHERE elements=? ORDER BY document", (system,)
        )
        found |= dict.fromkeys(each for (each,) in rows)
    return list(found)


def _ranked(
    database: sqlite3.Connection, words: Sequence[str], among: Sequence[int] | None
) -> tuple[list[int], int]:
    """Rank documents by words: by all of them that stand anywhere, where that finds any, else by some.

    Words that more than half of the documents have tell little apart: those with them in the title come first, without
    BM25, which would count each word in every document. Documents of `among`, where it is given, come last if they
    have no word.

    Returns
    -------
    tuple
        The documents, the best first, and how many fit.
    """
    here, there = (
        "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1",
        "SELECT count(*) FROM words WHERE words MATCH ?",
    )
    had = [quoted for word in words if database.execute(here, (quoted := f'"{word}"',)).fetchone()]
    if not had:
        return list(among or ()), len(among or ())
    every, either = " ".join(had), " OR ".join(had)
    (total,) = database.execute(there, (every,)).fetchone()
    if total > max(EVERYWHERE, count(database) // 2):
        ranked = list(dict.fromkeys([*_with(database, f"title : ({every})"), *_with(database, every)]))
    else:
        ranked = _by_bm25(database, every, among)
        if not ranked:
            ranked = _by_bm25(database, either, among)
        total = len(ranked)
    if among is None:
        return ranked, total
    named = set(among)
    ranked = [each for each in ranked if each in named]
    known = set(ranked)
    return [*ranked, *(each for each in among if each not in known)], len(among)


def _with(database: sqlite3.Connection, wanted: str) -> list[int]:
    """Return documents in the order in which they were added."""
    return [each for (each,) in database.execute("SELECT rowid FROM words WHERE words MATCH ?", (wanted,))]


def _by_bm25(database: sqlite3.Connection, wanted: str, among: Sequence[int] | None) -> list[int]:
    """Return documents by BM25, words of a title counting five times."""
    within = "" if among is None else " AND +rowid IN (SELECT value FROM json_each(?))"
    rows = database.execute(
        "SELECT rowid FROM (SELECT rowid, bm25(words, 5.0, 1.0) AS worth FROM words"
        f" WHERE words MATCH ?{within} LIMIT -1) ORDER BY worth, rowid",
        (wanted, *([] if among is None else [json.dumps(list(among))])),
    )
    return [each for (each,) in rows]


def _hit(
    database: sqlite3.Connection,
    number: int,
    words: Sequence[str],
    named: Sequence[Mention],
    by_elements: bool = False,
) -> Hit:
    column = "elements" if by_elements else "key"
    mentioned = [
        row
        for each in named
        for row in database.execute(
            f"SELECT page, printed FROM mentions WHERE document=? AND {column}=? ORDER BY page",
            (number, getattr(each, column)),
        )
    ]
    pages = tuple(sorted({page for page, _ in mentioned}))
    page, excerpt = _excerpt(database, number, words, mentioned)
    sha256, path, title, doi, year = database.execute(
        "SELECT sha256, path, title, doi, year FROM documents WHERE id=?", (number,)
    ).fetchone()
    printed = tuple(dict.fromkeys(each for _, each in mentioned))
    return Hit(sha256, path, title, doi, year, pages or ((page,) if page else ()), printed[:8], excerpt)


def _excerpt(
    database: sqlite3.Connection, number: int, words: Sequence[str], mentioned: Sequence[tuple[int, str]]
) -> tuple[int, str]:
    """Return the page with the most words of the question, of those that name its formulas, and what stands there."""
    wanted = {page for page, _ in mentioned}
    best, at, text = (-1, 0), 0, ""
    for page, here in pages_of(database, number):
        if wanted and page not in wanted:
            continue
        folded = here.casefold()
        found = [place for word in words if (place := folded.find(word.casefold())) >= 0]
        if (len(found), -page) > best:
            printed = next((each for where, each in mentioned if where == page), "")
            at = here.find(printed) if printed in here and printed else min(found, default=0)
            best, text = (len(found), -page), here
    if not text:
        return 0, ""
    return -best[1], " ".join(text[max(0, at - AROUND) : at + AROUND].split())
