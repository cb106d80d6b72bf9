"""Where words stand in a paper, with the line round them and its boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from labrig.errors import LabrigError
from labrig_papers.attribution.samples import FORMULA
from labrig_papers.evidence.folding import fold_caseless, without_commands
from labrig_papers.pdf.page import Box, Page

LONGEST = 200
LONGEST_FORMULA = 60
SAME = 5e-4
"""Shares of atoms that differ by no more are the same."""
ROUND = 90
"""Characters to either side of a hit that are shown with it."""


@dataclass(frozen=True)
class Hit:
    """A place at which the words stand; what is shown of it is found when it is asked for, since few of many are."""

    of: Page
    start: int
    end: int

    @property
    def page(self) -> int:
        """The number of its page."""
        return self.of.number

    @property
    def quote(self) -> str:
        """The text round it."""
        return _round(self.of, self.start, self.end)

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes of the words themselves, one a line."""
        return tuple(self.of.boxes_of(self.start, self.end))


def search_text(pages: Sequence[Page], query: str) -> list[Hit]:
    """Return all places at which a text stands, in the order of the paper.

    Case, white space, scripts and forms of signs do not matter, so ``La1.85Sr0.15CuO4`` finds
    ``La_{1.85}Sr_{0.15}CuO_{4}``. A formula, or a name such as YBCO, also finds others of its composition:
    ``(La_{0.925}Sr_{0.075})_{2}CuO_{4}``.

    Raises
    ------
    LabrigError
        For an empty query, or one of more than 200 characters.
    """
    wanted = fold_caseless(without_commands(query))
    if not wanted.text or len(query) > LONGEST:
        raise LabrigError(
            "The query is empty" if not wanted.text else "The query is too long",
            where="query",
            expected=f"1 to {LONGEST} characters",
        )
    found: list[Hit] = []
    composition = _composition(query) if len(query) <= LONGEST_FORMULA else None
    for page in pages:
        taken = len(found)
        hay = fold_caseless(page.text)
        start = hay.text.find(wanted.text)
        while start >= 0:
            first, last = hay.places[start], hay.places[start + len(wanted.text) - 1] + 1
            found.append(Hit(page, first, last))
            start = hay.text.find(wanted.text, start + len(wanted.text))
        if composition:
            found += _of_composition(page, composition, [(each.start, each.end) for each in found[taken:]])
    return sorted(found, key=lambda each: (each.page, each.start))


@lru_cache(maxsize=4096)
def _composition(formula: str) -> tuple[tuple[str, float], ...] | None:
    """Return the shares of the atoms of a formula of two elements or more, None for any other text."""
    from labrig_papers.materials.formulas import normalize_formula

    try:
        read = normalize_formula(formula)
    except LabrigError:
        return None
    total = sum(read.composition.values())
    if read.status not in ("resolved", "nominal") or len(read.composition) < 2 or not total:
        return None
    return tuple(sorted((element, amount / total) for element, amount in read.composition.items()))


def _of_composition(
    page: Page, composition: tuple[tuple[str, float], ...], taken: Sequence[tuple[int, int]]
) -> list[Hit]:
    """Return the formulas of a page that have the same composition, in whatever way they are written."""
    found = []
    for match in FORMULA.finditer(page.text):
        first, last = match.span()
        if any(start < last and first < end for start, end in taken):
            continue
        other = _composition(match.group())
        if other and [each for each, _ in other] == [each for each, _ in composition]:
            shares = zip(other, composition, strict=True)
            if all(abs(one - two) <= SAME for (_, one), (_, two) in shares):
                found.append(Hit(page, first, last))
    return found


def _round(page: Page, start: int, end: int) -> str:
    """Return the text round a place, from word to word."""
    left, right = max(0, start - ROUND), min(len(page.text), end + ROUND)
    while left > 0 and left > start - ROUND - 20 and not page.text[left - 1].isspace():
        left -= 1
    while right < len(page.text) and right < end + ROUND + 20 and not page.text[right].isspace():
        right += 1
    return " ".join(page.text[left:right].split())
