"""Choices in a text: whole words, the longest first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from labrig_suites.science_gym.grading.one_number import one_number

_ENDS = " '\"`*_#.,;:!?()[]{}"
_START = re.compile(rf"(?:[{re.escape(_ENDS.replace('.', ''))}]|\.(?!\d))+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_PAIR = re.compile("(yes|no), (yes|no)")
_YES_NO = re.compile(r"\b(?:yes|no)\b")


def plain(text: str) -> str:
    """Return a text in lower case, with single spaces, without quotes, marks and points at its ends.

    >>> plain(" “**Not  possible.**” ")
    'not possible'
    """
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    text = " ".join(text.split())
    start = _START.match(text)
    return text[start.end() if start else 0 :].rstrip(_ENDS)


def chosen(parts: Sequence[str], choices: Sequence[str]) -> set[str]:
    """Return the choices that an answer names.

    Case, quotes and a leading point (``.csv``) do not matter. Where all choices are pairs of yes and no, the words yes
    and no of the answer, in their order, are its pair. A number alone names the choice of equal value (0.1 for "0.10").

    >>> choices = ("csv", "json", "jsonl")
    >>> (
    ...     chosen(["It is .jsonl"], choices),
    ...     sorted(chosen(["json, not csv"], choices)),
    ...     chosen(["json5"], choices),
    ... )
    ({'jsonl'}, ['csv', 'json'], set())
    >>> chosen(["Yes/no"], ("yes, yes", "yes, no")), chosen(["yes", "no"], ("yes, yes", "yes, no"))
    ({'yes, no'}, {'yes, no'})
    """
    text = plain(", ".join(parts))
    if choices and all(_PAIR.fullmatch(each) for each in choices):
        pair = ", ".join(_YES_NO.findall(text))
        return {pair} if pair in choices else set()
    named = {plain(each): each for each in choices}
    if "" in named or len(named) < len(choices):  # they differ by case or marks alone
        return {each for each in choices if each == ", ".join(parts).strip()}
    words = "|".join(_word(each) for each in sorted(named, key=len, reverse=True))
    found = {named[each[0]] for each in re.finditer(words, text)} if words else set()
    return found or _equal(text, choices)


def _word(choice: str) -> str:
    """Return a pattern of a choice that stands alone: no letter or digit beside it, and no digit behind a point."""
    before = r"(?<![\w])" + (r"(?<!\d[.,])(?<![-+.])" if choice[0].isdigit() else "")
    after = r"(?![\w])" + (r"(?![.,]\d)" if choice[-1].isdigit() else "")
    return before + re.escape(choice) + after


def _equal(text: str, choices: Sequence[str]) -> set[str]:
    number = one_number(text) if re.fullmatch(r"[-+\d.e]+", text) else None
    return {each for each in choices if number is not None and one_number(each) == number}
