"""Whether a value is the paper's own measurement, calculated, or of others; what was denied or hoped for."""

from __future__ import annotations

import re
from typing import Literal

Standing = Literal["measured", "calculated", "cited"]

_CITED = re.compile(
    r"\[\s?(?!(?:0[01]{2}|[01]{3}\s?\][\s-]?(?:direction|axis|plane)))\d+(?:\s?[,–-]\s?\d+)*\s?\]|\bet al\b"
    r"|(?<=[A-Za-z%)]) \^\{\d+(?:\s?[,–-]\s?\d+)*\}(?=[\s,.;:)]|$)"
    r"|\b[A-Z][\w’'-]+(?:\set\sal\.?|\s(?:&|and)\s[A-Z][\w’'-]+)?,?\s\(?(?:19|20)\d\d[a-z]?(?=[);,\s]|$)"
    r"|(?:(?<=[A-Za-z]{4})|(?<=[,.;)])|(?<=[A-Za-z])(?=\^\{\d\d))\^\{\d+(?:\s?[,–-]\s?\d+)*\}|\bRefs?\.\s?\[?\d+"
)
"""Marks in brackets (no directions of a crystal), raised ones behind a word or a sign, for right behind a unit stands
its power; names with a year: Konacki (2005a), (Griffin 1977; Mazeh et al. 2002)."""
_BY_OTHERS = re.compile(
    r"\b(?:earlier|previous(?:ly)?|prior)\s+(?:work\w*|report\w*|stud\w*|author\w*|group\w*|result\w*|value\w*|measure\w*)"
    r"|\b(?!(?:here|have|been|will|also|were|data|this)\b)[a-z]{4,}\s(?:et al\.?\s|and co-?workers\s)?"
    r"reported\b(?!\s(?:here|in this))"
    r"|\breported (?:by|in|earlier|previously|for)\b|\bliterature\b|\bhas been reported\b|\bhave been reported\b"
    r"|\b(?:his|her|(?-i:[A-Z][\w-]+[’']s))\s(?:own\s)?"
    r"(?:velocit|measure|data|value|result|observ|analys|estimate|sample|crystal|film|experiment)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|our|ours|this work|this study|here|the present|in the present \w+)\b", re.IGNORECASE
)
_CALCULATED = re.compile(
    r"\b(?:calculat\w*|comput(?:ed|ations?|es)|predict\w*|theoretical\w*|(?<!functional )theory|"
    r"ab[ -]initio|first[ -]principles|DFT|"
    r"simulat\w*|expected|band[ -]structure|would be|"
    r"could (?:reach|have|be(?!\s(?:\w+ly\s)?(?:detect|observ|seen|found|determin|fit|describ|resolv|achiev|caused)))|"
    r"should (?:reach|have)|may reach|hypothetical|extrapolat\w*|WHH|Werthamer[\w-]*)\b",
    re.IGNORECASE,
)
_OF_THEORY = re.compile(
    r"\b(?:(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated|Pauli|paramagnetic)\s+(?:BCS\s+)?"
    r"(?:value|limit|ratio|result|prediction)s?)(?:\s+(?:of|is|=|for|near|about))*[\s(~≈=]*$",
    re.IGNORECASE,
)
"""What stands right before a number of theory: "the BCS value 1.43"; it says nothing of other numbers."""
_OF_EXPERIMENT = re.compile(
    r"\b(?:experimental(?:ly determined)?|measured|observed)\s+values?(?:\s+(?:of|is|=|for|near|about))*"
    r"(?:\s*[A-Za-zΔ∆ξλ]\w{0,2}(?:_\{[^{}]*\})?)?[\s(~≈≃'=]*$",
    re.IGNORECASE,
)
"""What stands right before a number of experiment, to which theory is held: "the experimental value T_{c} ≃ 8.5 K"."""
_PARTS = re.compile(
    r";|,?\s(?:so that|reminiscent (?:of|to)|while|whereas|but|although|though"
    r"|compared (?:with|to)|compares? (?:well |favou?rably )?(?:with|to)"
    r"|in contrast|in (?:good |excellent |fair |close )?agreement with|agrees? (?:well )?with|consistent with"
    r"|(?:well |slightly |somewhat |much |far )?(?:below|above) the"
    r"|we (?:can |could )?(?:obtain|estimate|derive|calculate|deduce|infer)|which (?:could|may|might|can)"
    r"|(?:higher|lower|larger|smaller|greater|less|more) than)\b",
    re.IGNORECASE,
)
"""Where a sentence goes over from what is said to what it is held against."""


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
    if _OF_EXPERIMENT.search(sentence[:at]):
        return "measured"
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


_FINDING = (
    r"(?:(?:yet|been|be|any|it)\s)*(?:observ|find|found|detect|see[ns]?\b|show|exhibit|reveal|report|superconduct|order|"
    r"undergo|become|occur|appear|present|evidenc|obtain|reach|display|transit|develop|exist)"
)
_SIGN = (
    r"(?:\w+\s){0,3}?(?:sign|evidence|indication|trace|signature|hint|superconduct|transition|anomal|order|kink|peak|jump|"
    r"feature|Meissner|drop|phase|zero)"
)
_DENIED = re.compile(
    rf"\b(?:(?:not|never|neither|nor|fail\w* to)\s{_FINDING}|(?:no|without|neither|nor)\s(?:any\s)?{_SIGN}"
    r"|(?:absence|lack) of\b|non-?superconduct)[^,;]{0,60}$",
    re.IGNORECASE,
)
"""What is denied is a finding: "without pressure at 5 K" denies nothing, nor does "does not depend on"."""
_NO_DENIAL = re.compile(
    r"\b(?:not only|no doubt|(?:no|not) (?:more|less|later|fewer|larger|higher|lower|longer) than)\b"
    r"|\bno\.\s*\d*",
    re.IGNORECASE,
)


def is_denied(sentence: str, at: int) -> bool:
    """Tell whether the words before a value deny what it is of: "did not observe superconductivity down to 40 mK"."""
    return _DENIED.search(_NO_DENIAL.sub(" ", sentence[:at])) is not None


def _without_theory(part: str) -> str:
    """Return a part of a sentence without the words that speak of one number of theory alone."""
    return re.sub(
        r"\b(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated)\s+(?:BCS\s+)?"
        r"(?:value|limit|ratio|result)s?",
        " ",
        part,
        flags=re.IGNORECASE,
    )
