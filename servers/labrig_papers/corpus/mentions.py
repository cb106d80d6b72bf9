"""Which formulas a text names: each printed form with a key that is the same for every way of writing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from labrig_papers.materials.formulas import MOST_CHARS, normalize_formula
from labrig_papers.materials.names import key as key_of_name
from labrig_papers.materials.names import names
from labrig_papers.materials.writing import plain

AROUND = 150
"""Characters before and after a formula with variables in which their values are looked for."""
_WORD = re.compile(r"[^\s,;:\"“”‘’?!=]+")
_TWO_ELEMENTS = re.compile(r"[A-Z].*[A-Z]")
_POINTS, _BRACKETS = ".,;:'\"–—-*†‡", "()[]{}"


@dataclass(frozen=True)
class Mention:
    """A formula in a text.

    Attributes
    ----------
    printed
        Without markup.
    key
        Atomic fractions by element, such as ``B0.6667 Mg0.3333``: equal for MgB2, B2Mg and Mg2B4.
    elements
        Symbols in alphabetical order, such as ``B-Mg``.
    at
        Where it begins in the plain text.
    """

    printed: str
    key: str
    elements: str
    at: int


def mentions(text: str) -> Iterator[Mention]:
    """Yield the formulas and names of materials in a text, marked up or plain, each place of each once.

    A formula with variables counts with the values that stand within `AROUND` characters ("x = 0.15"), and with each of
    several; without any it is left out, as are elements and acronyms that could be read as elements.
    """
    text = plain(text)
    before: re.Match[str] | None = None
    for match in _WORD.finditer(text):
        word = _bare(match.group())
        phrase = f"{_bare(before.group())} {word}" if before else ""
        start = match.start() + match.group().find(word)
        if phrase.islower() and key_of_name(phrase) in names():  # magnesium diboride
            assert before is not None
            word, start = phrase, before.start()
        before = match
        if not 1 < len(word) <= MOST_CHARS or not (
            _TWO_ELEMENTS.search(word) or key_of_name(word) in names()
        ):
            continue
        compositions = _of(word, "")
        if compositions is None:
            compositions = _of(word, text[max(0, start - AROUND) : start + len(word) + AROUND])
        for composition in compositions or ():
            if len(composition) > 1:
                yield Mention(word, key(composition), elements(composition), start)


def _bare(word: str) -> str:
    """Return a word without punctuation, and without brackets that are not part of it."""
    word = word.strip(_POINTS)
    whole = word[:1] + word[-1:] in ("()", "[]") and not set(word[1:-1]) & set("()[]")
    return word.strip(_POINTS + _BRACKETS) if whole or word.count("(") != word.count(")") else word


def key(composition: Mapping[str, float]) -> str:
    """Return atomic fractions by element, to four decimals."""
    atoms = sum(composition.values())
    return " ".join(f"{symbol}{composition[symbol] / atoms:.4f}" for symbol in sorted(composition))


def elements(composition: Mapping[str, float]) -> str:
    """Return the symbols in alphabetical order."""
    return "-".join(sorted(composition))


@lru_cache(maxsize=20_000)
def _of(word: str, around: str) -> tuple[dict[str, float], ...] | None:
    """Return the compositions of a word; None where only values of its variables lack."""
    found = normalize_formula(word, context=around)
    if found.composition:
        return (dict(found.composition),)
    if found.reason == "several_values":
        several = [normalize_formula(each).composition for each in found.alternatives]
        return tuple(dict(each) for each in several if each)
    return None if found.reason == "variable_without_value" and not around else ()
