"""Titles and words without case and accents, as they are looked up."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """Return a text without case, accents and doubled white space; ø and ß become o and ss."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return " ".join(bare.casefold().translate(_LETTERS).split())


_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


def words_of(text: str) -> list[str]:
    """Return the words of a text: letters and digits in a row."""
    return _WORD.findall(text)
