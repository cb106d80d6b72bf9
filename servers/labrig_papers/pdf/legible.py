"""Whether the text of a page is a language, or noise that a font's wrong map makes of it: ``7KH WUDQVLWLRQ``."""

from __future__ import annotations

import re

LEAST_LETTERS = 300
"""Letters of words of four and more by which a text is judged."""
COMMON = frozenset("aeioàáâãäåèéêëìíîïòóôõö")
LEAST_COMMON = 0.25
"""Share of these letters: 0.30 and more on 141 pages of papers, 0.05 to 0.15 where letters stand for others."""
_WORD = re.compile(r"(?<![\w^_{])[^\W\d_]{4,}(?![\w^_{])")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]+")


def is_noise(text: str) -> bool:
    """Tell whether a text, marked up or plain, has letters enough to judge, and the common ones are rare among them.

    >>> (
    ...     is_noise("7KH WUDQVLWLRQ WHPSHUDWXUH VHWV LQ " * 20),
    ...     is_noise("The transition temperature sets in. " * 20),
    ... )
    (True, False)
    """
    letters = "".join(word for word in _WORD.findall(text) if _LATIN.fullmatch(word)).casefold()
    share = sum(each in COMMON for each in letters) / (len(letters) or 1)
    return len(letters) >= LEAST_LETTERS and share < LEAST_COMMON
