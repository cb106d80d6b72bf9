"""Rows of a table that name material and source of the rows below them, and captions that cite by material."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labrig_papers.attribution.samples import written_in
from labrig_papers.attribution.standing import citations_in, without_foreign_marks

_OWN = re.compile(r"\b(?:this|present) (?:work|study|paper)\b", re.IGNORECASE)
_NUMBER = re.compile(r"[<>≤≥~∼≈±+−–-]?\s*\.?\d")
_CLAUSE = re.compile(r"[;.]\s+(?=[A-Z])|;\s")


def is_group(cells: Sequence[str]) -> bool:
    """Tell whether a row has a name and at most a source, and no value: ``URhSi | | This work``."""
    filled = [each for each in cells if each.strip()]
    if not filled or len(cells) < 3 or len(filled) > 2 or not re.search(r"[A-Za-z]{2}", filled[0]):
        return False
    return not any(_NUMBER.match(each) for each in filled)


def source_of(cells: Sequence[str]) -> str:
    """Return what a row says of where its values are from: ``[18]``, ``This work``; empty where it says nothing."""
    text = " ".join(each for each in cells if each.strip())
    if own := _OWN.search(text):
        return own.group()
    cited = citations_in(text)
    return cited[0] if cited else ""


def is_own(source: str) -> bool:
    """Tell whether a source is the paper itself."""
    return _OWN.search(source) is not None


def cited_by_caption(caption: str) -> dict[str, str]:
    """Return the materials whose values a caption takes from others, with the mark: "UGe2 is from [18]".

    Where marks stand right behind names, as in "URhSi, URhGe[18] and UGe2[25]", they are of these alone.
    """
    found: dict[str, str] = {}
    for clause in _CLAUSE.split(without_foreign_marks(caption)):
        if cited := citations_in(clause):
            named = [(written, citations_in(_WORD + clause[end:])) for _, end, written in written_in(clause)]
            marked = {
                written: marks[0] for written, marks in named if marks and _is_next(clause, written, marks[0])
            }
            found |= marked or {written: cited[0] for written, _ in named}
    return found


_TAKEN = re.compile(
    r"\b(?:taken|adopted|adapted|reproduced|reprinted|quoted|compiled|collected|cited)\s(?:\w+\s)?(?:from|after|by|in)\b"
    r"|\b(?:data|values?|parameters?|results?)\s(?:are\s|were\s)?(?:from|of|by)\s(?:Refs?\b|[A-Z][\w-]+\set\sal|\[)",
    re.IGNORECASE,
)


def source_of_caption(caption: str) -> str:
    """Return the mark of whom a caption takes all its values from, "Data taken from Ref. 4": it names no material."""
    for clause in _CLAUSE.split(without_foreign_marks(caption)):
        taken = _TAKEN.search(clause)
        if taken and not written_in(clause) and not _OWN.search(clause) and (cited := citations_in(clause)):
            return cited[0]
    return ""


_WORD = "word"  # a raised mark is one behind letters


def _is_next(clause: str, written: str, mark: str) -> bool:
    """Tell whether a mark stands right behind a name."""
    return re.search(rf"{re.escape(written)}\s?{re.escape(mark)}", clause) is not None
