"""Whether a value is the paper's own measurement, calculated, or of others; what was denied or hoped for."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

Standing = Literal["measured", "calculated", "cited"]

_RAISED = (
    r"(?<=[A-Za-z%)]) \^\{?\d+(?:\s?[,–-]\s?\d+)*\)?\}?(?=[\s,.;:)]|$)"
    r"|(?:(?<=[A-Za-z]{4})|(?<=[,.;)])|(?<=[A-Za-zÅ%])(?=\^\{?\d\d))\^\{?\d+(?:\s?[,–-]\s?\d+)*\)?\}?"
)
"""With markup or, in the pages of a corpus, without: ``^{13,14}``, ``^13,14``."""
_IN_BRACKETS = r"\[\s?(?!(?:0[01]{2}|[01]{3}\s?\][\s-]?(?:direction|axis|plane)))\d+(?:\s?[,–-]\s?\d+)*\s?\]"
_OF_YEAR = (
    r"\b[A-Z][\w’'-]+(?:\set\sal\.?|\s(?:&|and)\s[A-Z][\w’'-]+)?,?\s\(?(?:19|20)\d\d[a-z]?(?=[);,\s]|$)"
)
_NO_NOTE = re.compile(rf"{_IN_BRACKETS}|\bet al\b|{_OF_YEAR}|\bRefs?\.\s?\[?\d+")
_CITED = re.compile(rf"{_NO_NOTE.pattern}|{_RAISED}")
"""Marks in brackets (no directions of a crystal), raised ones behind a word or a sign, for right behind a unit stands
its power; names with a year: Konacki (2005a), (Griffin 1977; Mazeh et al. 2002)."""
_OF_METHOD = re.compile(
    r"\b(?:formula|model|equation|relation|law|method|approximation|theory|code|package|functional|procedure|program|"
    r"algorithm|expression|scheme|technique|software|\w+meter|instrument|apparatus|beamline|set-?up)(?:s|e)?,?"
    rf"\s?(?:(?:of|in|from)\s)?(?:Refs?\.\s?)?(?:{_IN_BRACKETS}|\^\{{\d+(?:\s?[,–-]\s?\d+)*\}})",
    re.IGNORECASE,
)
"""A mark that cites the way by which a value was found, and not the value."""
_OF_EQUATION = re.compile(
    rf"=\s?(?![\d.+−-])[^\s=]{{2,40}}\s\(?(?:Refs?\.\s)?(?:{_IN_BRACKETS}|{_RAISED})\)?"
)
"""A mark right behind an equation of symbols: δE = Δ^{2}/E_{F} (Ref. [35])."""
_OF_FIT = re.compile(
    rf"\bfit(?:s|ted)?\b(?:[^.;]|\.(?=\d)){{0,80}}?\b(?:with|using|by|to)\s(?:[^.;]|\.(?=\d)){{0,60}}?\s(?:{_IN_BRACKETS}|{_RAISED})",
    re.IGNORECASE,
)
"""A mark of what one fits with."""
_AFTER_EQUATION = re.compile(
    rf"=(?!\s?[\d.+−~-])\s?[^.;,=\[\]]{{2,60}}?[)}}]\s{_IN_BRACKETS}(?=\s(?:and|allow|gives?|yields?|one|we)\b)"
)
_OF_WAY = re.compile(
    r"\b(?:anneal\w*|grown|synthesi[sz]ed|prepared|fabricated|sintered|polished|cleaved|enriched|deposited|sealed|reacted|"
    r"described|reported elsewhere|(?:performed|carried out|conducted)\s(?:by|using|with)\s"
    r"(?:an?|the|standard|conventional))\b"
    r"(?:(?!\b(?:found|show|exhibit|observ|reveal))(?:[^.;]|\.(?=\d))){0,220}?"
    rf"\.?\s?(?:{_IN_BRACKETS}|{_RAISED})(?=\s?[.;]|$)",
    re.IGNORECASE,
)
"""A mark at the end of what was done to a sample cites the way in which others do it."""
_ASIDE = re.compile(
    rf"\((?=[^()]*(?:\s[=≈∼~≃]\s|\b(?:is|are|was|were)\b))[^()]*\)\s?(?:{_IN_BRACKETS}|{_RAISED})"
)
"""A clause in brackets with a mark of its own, which says nothing of what stands before it."""
_INSIDE = re.compile(rf"\([^()]*\s[=≈∼~≃]\s[^()]*\s{_IN_BRACKETS}\s?\)")
"""A value in brackets with its mark: (γ = −5.77 MHz/T [30])."""
_IN_ASIDE = re.compile(
    rf"\((?=(?:[^\s()]+\s){{4,}})(?![^()]*\b(?:see|Refs?|review|references|and)\b)[^()]*(?:\s{_IN_BRACKETS}|{_RAISED})\s?\)"
)
"""A clause in brackets that ends in a mark, which is of it alone: (assuming a surface as given by theory^{13})."""
_LATELY = re.compile(r"\s*(?:very |more |quite )?recently,?\s(?!we\b|our\b)", re.IGNORECASE)
"""Of what was made lately by others, a mark cites them."""
_BY_OTHERS = re.compile(
    r"\b(?:earlier|previous(?:ly)?|prior)\s+(?:work\w*|report\w*|stud\w*|author\w*|group\w*|result\w*|value\w*|measure\w*)"
    r"|\b(?!(?:here|have|been|will|also|were|data|this)\b)[a-z]{4,}\s(?:et al\.?\s|and co-?workers\s)?"
    r"reported\b(?!\s(?:here|in this))"
    r"|\b(?:several|some|many|other|recent|the first)\s(?:[\w-]+\s){0,3}?"
    r"(?:results?|experiments?|stud(?:y|ies)|measurements?|calculations?|reports?|works?|groups?|authors?),?\s"
    r"(?:[\w,]+\s){0,5}?(?:claim|report|suggest|show|indicat|found|find|reveal|evidenc|support)\w*"
    r"|\b(?:is|are) (?:well[- ])?known (?:to|for|as)\b|\bsince (?:its|their) discovery\b"
    r"|\bit (?:is|was) (?:\w+ly )?reported that\b|\breported (?:by|in|earlier|previously|for)\b"
    r"|\bliterature\b|\bhas been reported\b|\bhave been reported\b"
    r"|\b(?:his|her|(?-i:[A-Z][\w-]+[’']s))\s(?:own\s)?"
    r"(?:velocit|measure|data|value|result|observ|analys|estimate|sample|crystal|film|experiment)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we(?!\s(?:admit|assume|note|compare|recall|consider|discuss|refer|take|use)\b)"
    r"|our|ours|this work|this study|here|the present|in the present \w+)\b",
    re.IGNORECASE,
)
_OWN_FINDING = re.compile(
    r"\b(?:we|one)\s(?:(?!(?:previous|earl|recent)\w*)\w+ly\s|(?:can|could)\s)?"
    r"(?:find|found|observ|measur|obtain|estimat|determin|deduc|deriv|extract|calculat|see\b|saw\b|get\b)\w*",
    re.IGNORECASE,
)
"""Of what one says to have found, a mark at the end of the sentence cites the way."""
_EARLIER = re.compile(r"\b(?:previous(?:ly)?|earlier|before|Refs?\.)", re.IGNORECASE)
_GIVEN = re.compile(
    r"\b(?:taking(?: into account)?|considering|given|assuming)\s(?:[^,.;]|\.\d){0,60}\s(?:of|is|=|≈|~)\s*$",
    re.IGNORECASE,
)
"""What stands right before a number that goes into a theory, and does not come from it."""
_CALCULATED = re.compile(
    r"\b(?:calculat\w*|by setting|assuming(?=\s\S{1,12}\s?[=≈~∼])|"
    r"substitut(?:ion of|ing)\s(?:[^.;]|\.\d){0,90}?\s(?:gives|yields|we (?:get|obtain))|"
    r"comput(?:ed|ations?|es)|predict\w*|theoretical\w*|(?<!functional )theory|"
    r"ab[ -]initio|first[ -]principles|DFT|"
    r"simulat\w*|expected|band[ -]structure|would be|"
    r"could (?:reach|have|be(?!\s(?:\w+ly\s)?(?:detect|observ|seen|found|determin|fit|describ|resolv|achiev|caused|"
    r"constru|interpret|attribut|explain|understood|due)))|"
    r"should (?:reach|have)|may reach|hypothetical|extrapolat\w*|WHH|Werthamer[\w-]*|McMillan|Allen[-–]Dynes|"
    r"Monte[ -]Carlo|mock|"
    r"(?:artificial|synthetic) (?:data|sets?|spectr\w+|velocit\w+|light curves?|images?|catalog\w*))\b",
    re.IGNORECASE,
)
_ASSUMING = re.compile(r"\bassuming\b", re.IGNORECASE)
"""Before a number, which then rests on what is assumed; behind one it says how data were taken together."""
_OF_THEORY = re.compile(
    r"\b(?:(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated|Pauli|paramagnetic)\s+(?:BCS\s+)?"
    r"(?:value|limit|ratio|result|prediction)s?)(?:\s+(?:of|is|=|for|near|about))*[\s(~≈=]*$",
    re.IGNORECASE,
)
"""What stands right before a number of theory: "the BCS value 1.43"; it says nothing of other numbers."""
_OF_EXPERIMENT = re.compile(
    r"\b(?:experimental(?:ly determined)?|measured|observed)\s+"
    r"(?:values?|[A-Za-zχγλξ]{1,2}(?:_\{[^{}]*\})?(?=\s(?:of|=|≈)))(?:\s+(?:of|is|=|for|near|about))*"
    r"(?:\s*[A-Za-zΔ∆ξλ]\w{0,2}(?:_\{[^{}]*\})?)?[\s(~≈≃'=]*$",
    re.IGNORECASE,
)
"""What stands right before a number of experiment, to which theory is held: "the experimental value T_{c} ≃ 8.5 K"."""
_EXPERIMENT = re.compile(r"\b(?:experiment\w*|measured|measurements?|observed)\b", re.IGNORECASE)
"""What makes a number before words of theory one of experiment: "the curves measured at 4 K and the theoretical"."""
_NOT_REPORTED = re.compile(
    r"\b(?:never|not|no)\b[^.;]{0,20}\breported\b[^.;]{0,24}\bliterature\b", re.IGNORECASE
)
_OWN_FIGURE = re.compile(
    r"\b(?:shown|seen|presented|displayed|plotted|depicted|illustrated|given|evident|summari[sz]ed|listed)\s(?:\w+\s){0,2}"
    r"(?:in|by|from)\s(?:the\s(?:\w+\s)?(?:inset\s(?:of|to)\s)?)?(?:Figs?\b|Tables?\b|insets?\b|figures?\s\d)"
    r"(?!\.?\s?\d*\s?(?:of|in)\s(?:Ref|\[))",
    re.IGNORECASE,
)
"""What a sentence shows in a figure of its paper is of the paper, whom else it may cite."""
_DEVIATION = re.compile(r"\b(?:deviat|differ|discrepan|exceed)\w*", re.IGNORECASE)
"""How far experiment is from theory is a finding."""
_AGAINST_EXPERIMENT = re.compile(
    r",?\s(?:\w+\s){1,4}?(?:than|with|to)\s(?:the\s|our\s)?(?:experiment|measured|observed)\w*", re.IGNORECASE
)
"""Behind a part whose value is held against experiment, and so comes from theory."""
_OBTAINED = re.compile(
    r",?\s?we (?:can |could )?(?:obtain|estimate|derive|calculate|deduce|infer)\b", re.IGNORECASE
)
"""What one obtains from what the part before it set."""
_OF_INPUT = re.compile(
    r"\b(?:(?:extrapolat|fit)\w*\b[^.;]{0,60}|using\s(?:the\s|our\s)?(?:\w+\s)?data)\s"
    r"(?:in|between|over|within|from|range|range of)\s(?:the\s(?:range|interval)\s)?"
    r"(?:of\s|from\s|T\s?=\s?)?(?:[\d.]+\s?\w{1,3}\s[<≤]\s?T\s?|[\d.]+\s(?:to|and)\s)?$",
    re.IGNORECASE,
)
"""Before the range of what was measured, over which one extrapolates or fits."""
_BRACKETED = re.compile(r"\((?:[^\s()]+\s){2,}[^()]*\)")
_PARTS = re.compile(
    r";(?!\s(?:this|these)\b)|,?\s(?:so that|reminiscent (?:of|to)|while|whereas|but(?! rather)|although|though"
    r"|compared (?:with|to)|compares? (?:well |favou?rably )?(?:with|to)|similar(?:ly)? to"
    r"|(?:is |are )?comparable (?:to|with)|which (?:lies|agrees?|compares?|falls|exceeds|coincides|"
    r"(?:is|are|was) (?:\w+ly )?"
    r"(?:close|similar|comparable|consistent|larger|smaller|higher|lower|of the (?:same )?order))"
    r"|(?:which |\w+ly )?(?:reassur|indicat|suggest|imply|confirm|demonstrat|support|reflect)(?:ing|es|s)\b"
    r"|where(?=\s\S{1,14}\s?[=≈~∼≃])|as (?:(?:is|also|already) )*(?:reported|observed|found|seen|noted)"
    r"|without (?:the|any)|(?:is |are )?(?:at odds|in line|in contradiction|in disagreement) with"
    r"|in contrast|in (?:very |rather )?(?:(?:good|excellent|fair|close|best|perfect|full) )?agreement with"
    r"|agrees? (?:well )?with|consistent with|(?:well |slightly |somewhat |much |far )?(?:below|above) the"
    r"|we (?:can |could )?(?:obtain|estimate|derive|calculate|deduce|infer)|which (?:could|may|might|can)"
    r"|(?:higher|lower|larger|smaller|greater|less|more) than)\b",
    re.IGNORECASE,
)
"""Where a sentence goes over from what is said to what it is held against."""
_COMMA = re.compile(r",\s(?!\S{1,12}\s?[=≈~∼≃])")
"""Where a comparison ends, and not at the next of its values."""
_LOOKED_FOR = re.compile(r",?\s(?:which correspond(?:s|ed)|corresponding) to\b", re.IGNORECASE)
"""Where it goes over from what the authors did to what they did it for."""
_COMPARISON = re.compile(
    r",?\s(?:in (?:\w+ ){0,2}agreement|agrees?|consistent|compare[sd]?|similar(?:ly)? to"
    r"|as (?:\w+ ){0,2}(?:reported|observed|found))\b",
    re.IGNORECASE,
)


def has_raised_marks(text: str) -> bool:
    """Tell whether a paper may cite by raised numbers: where it cites by brackets or years, these are footnotes."""
    others = max(len(re.findall(_IN_BRACKETS, text)), len(re.findall(_OF_YEAR, text)))
    return others < SOME or FEW * len(re.findall(_RAISED, text)) > others


_SUPPLEMENT = re.compile(
    r"\[(\d{1,3})\]\s(?:See\s)?(?:also\s)?(?:the\s)?Supplement(?:al|ary)\b"
    r"|\bSupplement(?:al|ary)\s(?:Materials?|Information|Notes?|Data)\s\[(\d{1,3})\]",
    re.IGNORECASE,
)


def own_notes(text: str) -> frozenset[str]:
    """Return the numbers under which a paper cites its own supplement: "[20] See Supplemental Material at"."""
    return frozenset(match[1] or match[2] for match in _SUPPLEMENT.finditer(text))


def without_notes(text: str, notes: frozenset[str]) -> str:
    """Return a text of the same length without the marks of some notes."""
    if not notes:
        return text
    marks = rf"(?:\bRefs?\.\s)?\[(?:{'|'.join(sorted(notes))})\]"
    return re.sub(marks, lambda match: " " * len(match.group()), text)


SOME, FEW = 10, 4
"""Marks of one kind by which a paper is known to cite so, where it has four times as many as of another."""


def citations_in(sentence: str, raised: bool = True) -> tuple[str, ...]:
    """Return the citation marks of a sentence, as printed, with raised numbers or without."""
    marks = _CITED if raised else _NO_NOTE
    return tuple(dict.fromkeys(match.group(0) for match in marks.finditer(sentence)))


def standing_of(sentence: str, at: int, raised: bool = True) -> Standing:
    """Return whether a value is the paper's own measurement, calculated, or of others.

    Parameters
    ----------
    sentence
        That states it.
    at
        Where in the sentence the value begins.
    raised
        Raised numbers are marks; else they are of notes.

    A sentence is taken part by part: "We find 36.9 K, while Smith et al. reported 35 K" has one of each. A part says
    what it says itself; else what an earlier part said goes on, but for one that speaks of own work. A comparison ends
    at its comma.
    """
    at, sentence = len(_one_line(sentence[:at])), _one_line(sentence)
    if _OF_THEORY.search(sentence[:at]):
        return "calculated"
    if _OF_INPUT.search(sentence[:at]):
        return "measured"
    if _OF_EXPERIMENT.search(sentence[:at]):
        return "measured"
    sentence = without_foreign_marks(sentence, at)
    marks = _CITED if raised else _NO_NOTE
    is_shown = _OWN_FIGURE.search(sentence) is not None
    standing: Standing = "measured"
    before: Standing = "measured"
    for first, last in _parts_of(sentence):
        if first > at:
            break
        part = sentence[first:last]
        found = _OWN_FINDING.search(part, 0, max(0, at - first)) and not _EARLIER.search(part)
        is_compared = _COMPARISON.match(part) is not None
        standing, before = (standing, standing) if is_compared else (before, before)
        if _GIVEN.search(sentence[first:at]) and not marks.search(part):
            standing = "measured"
        elif (marks.search(part) and not (found or is_shown)) or _BY_OTHERS.search(
            _NOT_REPORTED.sub(" ", part)
        ):
            standing = "cited"
        elif _ASSUMING.search(sentence[first:at]) or (
            (theory := _CALCULATED.search(_without_asides(_without_theory(part), at - first)))
            and not (
                (at <= first + theory.start() or _DEVIATION.search(part))
                and _EXPERIMENT.search(sentence[first:at])
            )
        ):
            standing = "calculated"
        elif first and _EXPERIMENT.search(sentence, first, max(first, min(last, at))):
            standing = "measured"
        elif _AGAINST_EXPERIMENT.match(sentence, last):
            standing = "calculated"
        elif _OWN.search(part) and not (before == "calculated" and _OBTAINED.match(part)):
            standing = "measured"
        before = before if is_compared else standing
    return standing


def without_foreign_marks(sentence: str, at: int = -1) -> str:
    """Return a sentence of the same length without the marks of methods, and of asides in which the value is not."""

    def blank(match: re.Match[str]) -> str:
        mark = max(match.group().rfind("["), match.group().rfind("^"))
        kept = match.start() <= at < match.end() and match.group()[0] == "("
        blanked = match.group()[:mark] + " " * (len(match.group()) - mark)
        return match.group() if kept else blanked[:-1] + match.group()[-1]

    ways = () if _LATELY.match(sentence) else (_OF_WAY,)
    for pattern in (_OF_METHOD, _OF_EQUATION, _AFTER_EQUATION, _OF_FIT, *ways, _ASIDE, _INSIDE, _IN_ASIDE):
        sentence = pattern.sub(blank, sentence)
    return sentence


def _without_asides(part: str, at: int) -> str:
    """Return a part of the same length without the clauses in brackets in which a place is not."""
    return _BRACKETED.sub(
        lambda match: match.group() if match.start() <= at < match.end() else " " * len(match.group()), part
    )


def _parts_of(sentence: str) -> list[tuple[int, int]]:
    """Return where the parts of a sentence begin and end."""
    cuts = {match.start() for match in _PARTS.finditer(sentence)}
    for match in _COMPARISON.finditer(sentence):
        if match.start() in cuts and (comma := _COMMA.search(sentence, match.end())):
            cuts.add(comma.start())
    cuts |= {
        match.start() for match in _LOOKED_FOR.finditer(sentence) if _OWN.search(sentence, 0, match.start())
    }
    return list(pairwise([0, *sorted(cuts - {0}), len(sentence)]))


FINDING = (
    r"(?:(?:yet|been|be|any|it)\s)*(?:observ|find|found|detect|see[ns]?\b|show|exhibit|reveal|report|superconduct|order|"
    r"undergo|become|occur|appear|present|evidenc|obtain|reach|display|transit|develop|exist)"
)
_SIGN = (
    r"(?:\w+\s){0,3}?(?:sign|evidence|indication|trace|signature|hint|superconduct|transition|anomal|order|kink|peak|jump|"
    r"feature|Meissner|drop|phase|zero)"
)
_DENIED = re.compile(
    rf"\b(?:(?:not|never|neither|nor|fail\w* to)\s{FINDING}|(?:no|without|neither|nor)\s(?:any\s)?{_SIGN}"
    r"|(?:absence|lack) of\b|non-?superconduct)[^,;]{0,60}$",
    re.IGNORECASE,
)
"""What is denied is a finding: "without pressure at 5 K" denies nothing, nor does "does not depend on"."""
_NO_DENIAL = re.compile(
    r"\b(?:not only|no doubt|(?:no|not) (?:more|less|later|fewer|larger|higher|lower|longer) than)\b"
    r"|\bno\.\s*\d*",
    re.IGNORECASE,
)


def is_calculated(said: str) -> bool:
    """Tell whether words say outright that what they are of is calculated, as the first sentence of a caption may."""
    return _CALCULATED.search(_without_theory(_one_line(said))) is not None


def is_denied(sentence: str, at: int) -> bool:
    """Tell whether the words before a value deny what it is of: "did not observe superconductivity down to 40 mK"."""
    return _DENIED.search(_NO_DENIAL.sub(" ", _one_line(sentence[:at]))) is not None


def _one_line(said: str) -> str:
    """Return a text with one space for all that parts its words, as between lines set far apart."""
    return re.sub(r"\s+", " ", said)


def _without_theory(part: str) -> str:
    """Return a part of a sentence without the words that speak of one number of theory, or of what one expects."""
    part = re.sub(
        r"\b(?:verif(?:y|ies)|confirms?|observed?|reveals?) the expected\b"
        r"|\b(?:as|than|contrary to what is|unlike what is)\s(?:is\s|was\s)?(?:expected|predicted|anticipated)\b",
        lambda match: " " * len(match.group()),
        part,
        flags=re.IGNORECASE,
    )
    return re.sub(
        r"\b(?:BCS|weak[ -]coupling|theoretical|predicted|expected|calculated)\s+(?:BCS\s+)?"
        r"(?:value|limit|ratio|result)s?",
        lambda match: " " * len(match.group()),
        part,
        flags=re.IGNORECASE,
    )
