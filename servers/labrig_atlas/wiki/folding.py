"""Titles and words without case and accents, as they are looked up."""

from __future__ import annotations

import re

from labrig.folding import without_accents

_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """Return a text without case, accents and doubled white space; ø and ß become o and ss."""
    return " ".join(without_accents(text).casefold().translate(_LETTERS).split())


_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


def words_of(text: str) -> list[str]:
    """Return the words of a text: letters and digits in a row."""
    return _WORD.findall(text)
