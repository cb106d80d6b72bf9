"""Candidates for quantities in marked text, each with what an agent needs to choose among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.properties.listing import aliases, key, properties
from labrig_papers.properties.matching import fits
from labrig_papers.quantities.scanning import Found, bare_numbers, scan
from labrig_papers.quantities.surroundings import (
    Standing,
    citations_in,
    formulas_near,
    sentence_of,
    standing_of,
)
from labrig_papers.values.reading import Value
from labrig_papers.values.registry import known

MOST_CHARS = 2_000_000


@dataclass(frozen=True)
class Candidate:
    """A value in a text.

    Attributes
    ----------
    page
        As given to `find_quantities`.
    start, end
        Span in the text of the page, qualifier and unit included.
    text
        As printed.
    value
        As read; None with the `problem` where it cannot be (an exponent that lost its place, emu/mol).
    name
        The quantity named last before it in its sentence, empty if none is known.
    quote, quote_start
        Its sentence or row, and where that begins.
    formulas
        Formulas near it, nearest first.
    citations
        Citation marks of the sentence.
    standing
        measured, calculated or cited.
    competing
        Other values of the same dimension and quantity, as ``36 K (p. 1, measured)``.
    """

    page: int
    start: int
    end: int
    text: str
    value: Value | None
    problem: str
    name: str
    quote: str
    quote_start: int
    formulas: tuple[str, ...]
    citations: tuple[str, ...]
    standing: Standing
    competing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data; what is empty is left out."""
        fields: dict[str, Any] = {
            "page": self.page,
            "span": [self.start, self.end],
            "text": self.text,
            **({} if self.value is None else {k: v for k, v in self.value.to_dict().items() if k != "text"}),
            "problem": self.problem,
            "name": self.name,
            "quote": self.quote,
            "formulas": list(self.formulas),
            "citations": list(self.citations),
            "standing": self.standing,
            "competing": list(self.competing),
        }
        return {key_: each for key_, each in fields.items() if each not in (None, "", [])}


def find_quantities(
    pages: Sequence[str], dimension: str = "", quantity: str = "", first_page: int = 1
) -> tuple[Candidate, ...]:
    """Return the quantities in the marked text of pages, in reading order.

    Parameters
    ----------
    pages
        Marked text of each page.
    dimension
        Only those of a named dimension (``temperature``); ``"1"`` gives bare numbers that follow a known name.
    quantity
        Only those whose `Candidate.name` is this.
    first_page
        Number of the first page.

    Raises
    ------
    LabrigError
        If the dimension is unknown or the text is too long.
    """
    dimensions = {each.name for each in known().dimensions} | {"1", "magnetisation"}
    if dimension and dimension not in dimensions:
        raise LabrigError(
            f"There is no dimension {dimension[:60]!r}",
            where="dimension",
            expected="one of " + ", ".join(sorted(dimensions)),
        )
    if sum(map(len, pages)) > MOST_CHARS:
        raise LabrigError(
            "The text is too long", where="pages", expected=f"at most {MOST_CHARS} characters", code="limit"
        )
    found: list[Candidate] = []
    for number, text in enumerate(pages, first_page):
        units = list(scan(text))
        taken = [(each.start, each.end) for each in units]
        here = [_candidate(text, number, each) for each in units]
        for each in bare_numbers(text):
            if not any(start <= each.start < end for start, end in taken):
                candidate = _candidate(text, number, each)
                if candidate.name in _without_unit():
                    here.append(candidate)
        found += sorted(here, key=lambda candidate: candidate.start)
    found = _side_by_side(found)
    return tuple(
        each
        for each in found
        if (not dimension or (each.value is not None and each.value.unit.dimension == dimension))
        and (not quantity or each.name == quantity)
    )


@lru_cache(maxsize=1)
def _without_unit() -> frozenset[str]:
    """Return the quantities whose values have no unit."""
    own = {each.quantity for each in properties() if each.dimension == "1"}
    return frozenset(
        own
        | {
            "normalized_jump",
            "residual_resistivity_ratio",
            "gl_parameter",
            "electron_phonon_coupling",
            "anisotropy",
        }
    )


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    names = sorted((alias for alias in aliases() if alias), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, names))})(?![a-z0-9])")


def _candidate(text: str, page: int, found: Found) -> Candidate:
    sentence = sentence_of(text, found.start, found.end)
    quote = text[sentence.start : sentence.end].strip()
    before = key(text[max(sentence.start, found.start - 100) : found.start])
    named = [aliases()[each.group(0)].lstrip("!") for each in _named().finditer(before)]
    dimension = found.value.unit.dimension if found.value is not None else ""
    name = next((each for each in reversed(named) if _may_be(each, dimension)), "")
    return Candidate(
        page,
        found.start,
        found.end,
        found.text,
        found.value,
        found.problem,
        name,
        quote,
        sentence.start,
        formulas_near(text, found.start, found.end),
        citations_in(quote),
        standing_of(quote),
    )


@lru_cache(maxsize=1)
def _dimensions() -> dict[str, frozenset[str]]:
    """Return the dimensions that the values of each quantity of the list have."""
    found: dict[str, set[str]] = {}
    for each in properties():
        found.setdefault(each.quantity, set()).add(each.dimension)
    return {quantity: frozenset(each) for quantity, each in found.items()}


def _may_be(quantity: str, dimension: str) -> bool:
    """Tell whether a value of a dimension may be of a quantity: 3.78 Å is no space group, 2.1 T/K no temperature."""
    known_ones = _dimensions().get(quantity)
    return not known_ones or not dimension or any(fits(each, dimension) for each in known_ones)


def _side_by_side(found: list[Candidate], most: int = 6) -> list[Candidate]:
    """Return the candidates, each with the other values of its dimension and quantity."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for each in found:
        if each.value is not None:
            groups.setdefault((each.value.unit.dimension, each.name), []).append(each)
    placed = []
    for each in found:
        others: dict[str, None] = {}
        if each.value is not None and each.name:
            for other in groups[each.value.unit.dimension, each.name]:
                if other is not each and other.value is not None and other.value.si() != each.value.si():
                    others.setdefault(f"{' '.join(other.text.split())} (p. {other.page}, {other.standing})")
        placed.append(replace(each, competing=tuple(others)[:most]))
    return placed
