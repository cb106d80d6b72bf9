"""Numbers with a letter that name a thing and are no values: polytypes, stars, grants, samples, chains of a protein."""

from __future__ import annotations

import re

_POLYTYPE = re.compile(r"(?<![\w.,])(?P<name>\d{1,2}[THR])(?=['′]?_?\{?d?\}?-\(?[A-Z])")
"""1T-TaS2, 2H-, 3R-: Ramsdell's names of stackings; what a page names so once is no value in its other places."""
_OF_POLYTYPE = re.compile(
    r"(?<![\w.,])\d{1,2}[THR]['′]?(?=[\s-](?:poly(?:type|morph)|phase|structure|stacking|crystal|layer|coordination)s?\b)"
)
_LABELLED = re.compile(
    r"\b(?i:samples?|specimens?|crystals?|chains?|residues?|batch|device|run|station|beamline|column|position|group|type|"
    r"model|grade|catalog(?:ue)?|grants?|projects?|contracts?|No\.?)\s(?P<number>\d{1,6})\s?[A-Z](?![\w/·^-]|\s(?:and|to)\s\d)",
)
"""Behind these words a whole number with one capital is a name: sample 3 A, chain 12 V."""
_CATALOGUED = re.compile(
    r"\b(?:HD|HIP|HR|BD|GJ|NGC|IC|UGC|PSR|SN|GRB|TYC|KOI|WASP|HAT-P|Kepler|TOI|SAO|[A-Z]{2,5}(?=\s\d{5}))"
    r"[\s-]?[+-]?(?P<number>\d{1,7})(?:[+-]\d+)?\s?[A-Za-z]{1,2}\b"
)
"""Names of stars, galaxies and planets: the letter is a component."""
_GRANTED = re.compile(r"(?<![\w.])(?P<number>(?:19|20)\d\d)-0\d+\s?[A-Z]?\b")
"""2008-048T: a year and a number with a zero before it."""
_LISTED = re.compile(r"(?<![\w.])(?P<number>\d{1,3})\.\s+[A-Z][a-z]?\s[A-Za-z]{2,}")
"""1. A large number, and at 0. As the sum: a point that ends something, and a word."""
_OF_SYMBOLS = re.compile(
    r"(?<![\w.])(?:(?P<number>1)/[A-Z](?![\w^·])|(?<=[\^_]\{\()(?P<counted>\d+)[A-Z]\)\}|(?<=\d/)(?P<under>\d+)[a-z](?![\w^]))"
)
"""1/A, x^{(3N)}, 1/2m: letters of a formula."""
_OVER_A_SYMBOL = re.compile(r"(?<![\w.])(?P<number>\d+)/(?P<symbol>[A-Z])(?![\w^/·])")


def names_of_things(text: str) -> dict[int, int]:
    """Return where names begin whose numbers are no values, each with where it ends."""
    found: dict[int, int] = {}
    polytypes = {match["name"] for match in _POLYTYPE.finditer(text)}
    if polytypes:
        every = re.compile(rf"(?<![\w.,])(?:{'|'.join(map(re.escape, sorted(polytypes)))})(?!\w)")
        found |= {match.start(): match.end() for match in every.finditer(text)}
    found |= {match.start(): match.end() for match in _OF_POLYTYPE.finditer(text)}
    found |= {match.start(match.lastgroup or 0): match.end() for match in _OF_SYMBOLS.finditer(text)}
    for pattern in (_LABELLED, _CATALOGUED, _GRANTED, _LISTED):
        found |= {match.start("number"): match.end() for match in pattern.finditer(text)}
    for match in _OVER_A_SYMBOL.finditer(text):
        if re.search(rf"\b(?:where|and|with|here)\s{match['symbol']}\s(?:is|denotes|being|are)\b", text):
            found[match.start("number")] = match.end()  # n = 4/A, where A is the cell area
    return found
