"""The sentence or row of a value, formulas near it, citation marks, and whether it is measured, calculated or cited."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from labrig_papers.materials.elements import SYMBOLS
from labrig_papers.materials.names import key, names

Standing = Literal["measured", "calculated", "cited"]

_END = re.compile(r"[.!?](?:[ \t]?\n?\[\d[^\]]*\]|\^\{[\d,\s-]+\})?\s+(?=[A-Z(\[\d])|\n\s*\n")
_NO_END = re.compile(
    r"(?:\b(?:Figs?|Refs?|Eqs?|No|Nos|Sec|Tab|al|vs|ca|cf|i\.e|e\.g|approx|resp|Dr|Prof|St|at|wt|mol|f\.u|u"
    r"|Phys|Rev|Lett)|(?<![\d)}] )(?<![/·])\b[A-Z])$"
)
_CITED = re.compile(
    r"\[\s?(?!(?:0[01]{2}|[01]{3}\s?\][\s-]?(?:direction|axis|plane)))\d+(?:\s?[,–-]\s?\d+)*\s?\]|\bet al\b"
    r"|(?:(?<=[A-Za-z]{4})|(?<=[,.;)])|(?<=[A-Za-z])(?=\^\{\d\d))\^\{\d+(?:\s?[,–-]\s?\d+)*\}|\bRefs?\.\s?\[?\d+"
)
"""Marks in brackets (no directions of a crystal), raised ones behind a word or a sign: behind a unit stands a power."""
_BY_OTHERS = re.compile(
    r"\b(?:earlier|previous(?:ly)?|prior)\s+(?:work\w*|report\w*|stud\w*|author\w*|group\w*|result\w*|value\w*|measure\w*)"
    r"|\breported (?:by|in|earlier|previously|for)\b|\bliterature\b|\bhas been reported\b|\bhave been reported\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|our|ours|this work|this study|here|the present|in the present \w+)\b", re.IGNORECASE
)
_CALCULATED = re.compile(
    r"\b(?:calculat\w*|comput(?:ed|ations?|es)|predict\w*|theoretical\w*|theory|ab[ -]initio|first[ -]principles|DFT|"
    r"simulat\w*|expected|band[ -]structure|would be|hypothetical|extrapolat\w*|WHH|Werthamer[\w-]*)\b",
    re.IGNORECASE,
)
_OF_THEORY = re.compile(
    r"\b(?:(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated|Pauli|paramagnetic)\s+(?:BCS\s+)?"
    r"(?:value|limit|ratio|result|prediction)s?)(?:\s+(?:of|is|=|for|near|about))*[\s(~≈=]*$",
    re.IGNORECASE,
)
"""What stands right before a number of theory: "the BCS value 1.43"; it says nothing of other numbers."""
_PARTS = re.compile(
    r";|,?\s(?:while|whereas|but|although|though|compared (?:with|to)|compares? (?:well |favou?rably )?(?:with|to)"
    r"|in contrast|in (?:good |excellent |fair |close )?agreement with|agrees? (?:well )?with|consistent with"
    r"|(?:well |slightly |somewhat |much |far )?(?:below|above) the"
    r"|we (?:obtain|estimate|derive|calculate|deduce|infer)"
    r"|(?:higher|lower|larger|smaller|greater|less|more) than)\b",
    re.IGNORECASE,
)
"""Where a sentence goes over from what is said to what it is held against."""
_SYMBOL = "|".join(sorted(SYMBOLS, key=len, reverse=True))
_AMOUNT = r"(?:_\{[^{}]{1,16}\}|\d+(?:\.\d+)?)"
_GROUP = rf"(?:[(\[](?:(?:{_SYMBOL}){_AMOUNT}?,?)+[)\]]{_AMOUNT}?)"
FORMULA = re.compile(rf"(?<![A-Za-z\d_{{])(?:(?:{_SYMBOL}){_AMOUNT}?|{_GROUP}){{2,}}(?![a-z])")
_NAME = re.compile(r"\b[A-Z][A-Za-z()]{0,6}-?\d{3,4}\b|\b[A-Z][A-Za-z]{0,2}[A-Z]{2,4}\b")


LONGEST_FORMULA = 120


@dataclass(frozen=True)
class Span:
    """A part of a text."""

    start: int
    end: int


def sentence_of(text: str, start: int, end: int) -> Span:
    """Return the sentence around a span, or the row of a table (cells parted by tabs or bars)."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    line = text[line_start:line_end]
    if line.count("\t") >= 2 or line.count(" | ") >= 2:
        return Span(line_start, line_end)
    first = 0
    for match in _END.finditer(text, max(0, start - 1500), start):
        if not _NO_END.search(text[max(0, match.start() - 8) : match.start()]):
            first = match.end()
    first = first or (max(0, start - 1500) and text.find(" ", max(0, start - 1500)) + 1)
    last = min(len(text), end + 1500)
    for match in _END.finditer(text, end, last):
        if not _NO_END.search(text[max(0, match.start() - 8) : match.start()]):
            last = match.start() + 1
            break
    return Span(first, max(last, end))


def formulas_near(text: str, start: int, end: int, most: int = 4, reach: int = 400) -> tuple[str, ...]:
    """Return formulas and known names near a span, nearest first, those of its sentence before others."""
    sentence = sentence_of(text, start, end)
    low, high = max(0, start - reach), min(len(text), end + reach)
    found: dict[str, tuple[int, int]] = {}
    longer = high + LONGEST_FORMULA  # one that begins within reach is read to its end
    for match in (*FORMULA.finditer(text, low, longer), *_NAME.finditer(text, low, longer)):
        written = match.group(0)
        if match.start() >= high:
            continue
        if match.re is _NAME and key(written) not in names():
            continue
        if match.re is FORMULA and not re.search(r"\d", written) and (len(written) < 3 or written.isupper()):
            continue
        if (
            match.re is FORMULA
            and not re.search(r"\d", written)
            and key(written) not in names()
            and len(written) > 6
        ):
            continue
        outside = 0 if sentence.start <= match.start() < sentence.end else 1
        distance = (
            start - match.end() if match.end() <= start else match.start() - end + 40
        )  # what follows is further
        rank = (outside, max(distance, 0))
        if written not in found or rank < found[written]:
            found[written] = rank
    return tuple(sorted(found, key=lambda written: (found[written], written))[:most])


def citations_in(sentence: str) -> tuple[str, ...]:
    """Return the citation marks of a sentence, as printed."""
    return tuple(dict.fromkeys(match.group(0) for match in _CITED.finditer(sentence)))


def standing_of(sentence: str, at: int) -> Standing:
    """Return whether a value is the paper's own measurement, calculated, or of others.

    Parameters
    ----------
    sentence
        That states it.
    at
        Where in the sentence the value begins.

    A sentence is taken part by part: "We find 36.9 K, while Smith et al. reported 35 K" has one of each. A part says
    what it says itself; else what an earlier part said goes on, but for one that speaks of own work.
    """
    if _OF_THEORY.search(sentence[:at]):
        return "calculated"
    parts: list[tuple[int, int]] = []
    start = 0
    for match in _PARTS.finditer(sentence):
        parts.append((start, match.start()))
        start = match.start()
    parts.append((start, len(sentence)))
    standing: Standing = "measured"
    for first, last in parts:
        if first > at:
            break
        part = sentence[first:last]
        if _CITED.search(part) or _BY_OTHERS.search(part):
            standing = "cited"
        elif _CALCULATED.search(_without_theory(part)):
            standing = "calculated"
        elif _OWN.search(part):
            standing = "measured"
    return standing


def _without_theory(part: str) -> str:
    """Return a part of a sentence without the words that speak of one number of theory alone."""
    return re.sub(
        r"\b(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated)\s+(?:BCS\s+)?"
        r"(?:value|limit|ratio|result)s?",
        " ",
        part,
        flags=re.IGNORECASE,
    )
