"""Quotes held against the text of pages.

A quote is compared without white space, marks of scripts and print forms, and it must begin and end where words and
numbers do: "6.9 K" is not evidence where the page says "36.9 K".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.text import signs

LEAST, MOST = 8, 800
"""Characters of a quote without white space. A shorter one says nothing; a longer one is a page and no quote."""


@lru_cache(maxsize=512)
def folded(text: str) -> tuple[str, tuple[bool, ...]]:
    """Return a text without spaces and marks, and of each character whether a gap stands before it."""
    plain = unicodedata.normalize("NFKD", re.sub(r"[_^{}$]", "", signs(text))).casefold()
    characters, gaps, gap = [], [], True
    for each in plain:
        if each.isspace():
            gap = True
        elif not unicodedata.combining(each):
            characters.append(each)
            gaps.append(gap)
            gap = False
    return "".join(characters), tuple(gaps)


def on_page(quote: str, page: str) -> bool:
    """Tell whether a quote stands on a page, given as its text."""
    if len(quote) > 4 * MOST:
        return False
    wanted, _ = folded(quote)
    if not LEAST <= len(wanted) <= MOST:
        return False
    text, gaps = folded(page)
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        begins = gaps[at] or not (_joined(text[at - 1]) and _joined(text[at]))
        ends = end == len(text) or gaps[end] or not (_joined(text[end - 1]) and text[end].isalnum())
        if begins and ends:
            return True
        at = text.find(wanted, at + 1)
    return False


def _joined(character: str) -> bool:
    return character.isalnum() or character == "."


def holds(quote: str, printed: str) -> bool:
    """Tell whether a quote holds what is printed for a value, as a number or word of its own.

    Of a number its digits are looked for, since a table has the unit in its head.
    """
    number = re.search(r"\d+(?:\.\d+)?|\.\d+", signs(printed).replace(",", ""))
    plain = signs(quote[: 4 * MOST])
    if number is None or re.search(r"[A-Za-z]{3}", printed):
        return bool(folded(printed)[0]) and folded(printed)[0] in folded(plain)[0]
    numbers = re.findall(r"\d+(?:\.\d+)?|\.\d+", plain.replace(",", ""))
    return number[0] in numbers


def grounded(quote: str, page: object, pages: Sequence[str]) -> bool:
    """Tell whether a quote stands on the page that is named for it, counted from 1."""
    if not isinstance(page, int) or isinstance(page, bool) or not 1 <= page <= len(pages):
        return False
    return on_page(quote, pages[page - 1])
