"""Rows of a table that are no waters: means, extremes, counts, blanks, limits of detection and of drinking water.

A row is known by its name, in the languages that tables of laboratories come in. The name counts as a whole, with what
commonly stands around it (``Mean of 12``, ``Mittelwert (n = 5)``, ``Field blank 2``), so that Mean Street and Median
Creek remain wells. Short names that wells have too (``P90``, ``SD``, ``MW``) count only beside a row that is beyond
doubt.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from labrig.folding import without_accents

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_WHAT = {name: what for what, names in _WORDS["names"].items() for name in names}
_WELLS_TOO, _QUALIFIERS, _OF = (frozenset(_WORDS[key]) for key in ("wells_too", "qualifiers", "of"))
_OF_A_BLANK = _QUALIFIERS | frozenset(_WORDS["of_a_blank"])
_QUANTILE = re.compile(
    r"(\d{1,2}(?:th|st|nd|rd)?(?: %)? )?(?:percentile|perzentil|quantile?|quartile?|centile|percentil)"
    r"( \d{1,2}(?: %)?)?|(?:lower|upper|first|third) quartile"
)
MOST_LETTERS = 60
"""Letters of a name that can be one; longer ones are descriptions of samples."""

_SHORT_QUANTILE = re.compile(r"p ?\d{1,2}|q ?[1-4]")


def no_samples(names: Sequence[str], groups: Collection[str] = ()) -> Mapping[int, str]:
    """Return the rows that are no samples, by their place, with what each is: ``{7: "a mean"}``.

    Parameters
    ----------
    names
        Of the rows of a table.
    groups
        Texts of its group column: ``Mean chalk`` is a mean where the rows of a group are called ``chalk``.
    """
    plain_groups = {_plain(each) for each in groups}
    found = {number: _what(_plain(name), plain_groups) for number, name in enumerate(names)}
    sure = any(is_sure for what, is_sure in found.values() if what)
    return {number: what for number, (what, is_sure) in found.items() if what and (is_sure or sure)}


def _what(name: str, groups: Collection[str]) -> tuple[str, bool]:
    """Return what a plain name says, and whether no well would have it."""
    if len(name) > MOST_LETTERS:
        return "", False
    if _SHORT_QUANTILE.fullmatch(name):
        return "a quantile", False
    if name in _WELLS_TOO:
        return _WHAT[name], False
    if name in _WHAT:
        return _WHAT[name], True
    if _QUANTILE.fullmatch(name):
        return "a quantile", True
    for long in _WORDS["anywhere"]:
        if re.fullmatch(rf"(?:feld|labor|tages|jahres|gesamt)?{long}(?:en?|s)?(?: .*)?", name):
            return _WHAT[long], True
    words = name.split()
    for first in range(len(words)):
        for last in range(len(words), first, -1):
            stem = " ".join(words[first:last])
            what = _WHAT.get(stem) or _WHAT.get(stem.removesuffix("s"))
            if what is None or stem in _WELLS_TOO:
                continue
            before, after = words[:first], words[last:]
            blank = what == "a blank"
            allowed = _OF_A_BLANK if blank else _QUALIFIERS
            if not set(before) <= allowed:
                continue
            if not after or set(after) <= allowed or " ".join(after) in groups or after[0] in _OF:
                return what, True
            if _is_number(after, blank or after[0] in ("n", "no")):
                return what, True
    return "", False


def _is_number(words: Sequence[str], numbered: bool) -> bool:
    """Tell whether words only number a row (``blank 2``, ``n 12``) or are a year."""
    digits = [each for each in words if each.isdigit()]
    rest = [each for each in words if not each.isdigit()]
    if not digits or not set(rest) <= {"n", "no", "nr"}:
        return False
    return numbered or all(len(each) == 4 for each in digits)


def _plain(name: str) -> str:
    """Return a name in small letters without accents, brackets and marks; ``%`` and digits stay."""
    kept = unicodedata.normalize("NFKC", without_accents(name.casefold()))
    return " ".join(re.sub(r"[^\w%]+|_", " ", kept).split())
