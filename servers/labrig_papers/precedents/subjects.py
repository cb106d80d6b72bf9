"""Which names in a text are of materials that it may speak of: no part, no medium, no system, no abbreviation."""

from __future__ import annotations

import re

from labrig_papers.corpus.mentions import Mention
from labrig_papers.materials.names import key as key_of_name
from labrig_papers.materials.names import molecules

_PART = re.compile(
    r"[\])}]?[\s-](?:\w+\s)?(?:planes?|(?:mono|bi|tri)?layers?|sheets?|slabs?|blocks?|chains?|ladders?|ribbons?|octahedr\w+|tetrahedr\w+|"
    r"pyramids?|units?|molecules?|ions?|anions?|cations?|groups?|flux|targets?|buffers?|substrates?|templates?|crucibles?|"
    r"impurit\w+|inclusions?|precipitates?|reservoirs?|hosts?|[Bb]ased|as\s(?:an?|the)\s(?:[\w-]+\s){0,2}(?:medium|source|flux|substrate|"
    r"precursor|reference|standard|impurity|dopant))\b"
)
"""Behind a name: a part of a crystal, or what it was grown on, from or in."""
_APART = re.compile(
    r"(?:\b(?:(?:grown|deposited|prepared|made|sputter\w*|films?|\w*layers?)\son\s(?:an?\s|the\s)?(?:[\w-]+\s){0,2}"
    r"|(?:in|of)\s(?:the\s)?presence\sof\s|impurit\w+\s(?:phases?\s)?(?:of\s)?(?:\w+\s)?|mol(?:-%)?\s|buffer\s(?:layer\s)?of\s(?:\w+\s)?"
    r"|traces?\sof\s|substrates?\s(?:of\s)?|(?:without|using)\s|precipitat\w+\s(?:\w+\s){0,6}"
    r"|(?i:peaks?|reflections?|lines?)\s(?:\w+\s)?(?:due\sto|of|from)\s)|(?<![A-Za-z])(?:RE|Ln|AE|[AMRXLQ])\s?)$"
)
"""Before a name: the same, or a letter that stands for one of several elements."""
_WATER = re.compile(r"(?:[-−–+]?[xyzδ])?\s?[·⋅•．∙.]\s?(?:\d*\.?\d*|[xyzn])\s?[HD]_?2")
"""Behind a name: it goes on as a hydrate."""
_FUNCTION = re.compile(r"[A-Z][a-z]?\([A-Z][a-z]?\)")
_SYSTEM = re.compile(r"(?:[A-Z][a-z]?){2,}CuO|(?:[A-Z][a-z]?){5,}")
_CAPITALS = re.compile(r"[A-Z]{2,3}")
_MOLECULES = frozenset(map(key_of_name, molecules()))
_FIELD = re.compile(r"[BH][Cc]\d")
GENERIC = re.compile(
    r"(?<![A-Za-z\d])(?:RE|Ln|AE|[AMRXLQ])(?:\d|[xyz]|\d-[xyz])?\s?(?=(?:[A-Z][a-z]?[\d.]*){1,5}\d)"
)
"""A formula with a letter for one of several elements: AOs2O6, LnFeAsO."""


def may_be_subject(text: str, mention: Mention) -> bool:
    """Tell whether a text may say something of a material that it names.

    FC, P(B), YBaCuO and CuO of "CuO chains" are read as formulas, and none is what a sentence is about.
    """
    word, behind, before = mention.printed, text[mention.at + len(mention.printed) :], text[: mention.at]
    if _CAPITALS.fullmatch(word) or _FUNCTION.fullmatch(word) or _SYSTEM.fullmatch(word):
        return False
    if (
        key_of_name(word) in _MOLECULES
        or "Tc" in word
        or _FIELD.fullmatch(word)
        or re.search(r"[A-Za-z\d],$", before)
        or re.match(r",[\w,]", behind)
    ):
        return False  # a symbol; a piece of a formula that was read as letters and commas
    return not (_PART.match(behind) or _WATER.match(behind) or _APART.search(before))
