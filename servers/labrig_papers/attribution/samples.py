"""Of which material a value is: as its sentence pairs them, else the nearest that is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from labrig_papers.attribution.sentences import sentence_of
from labrig_papers.materials.elements import SYMBOLS
from labrig_papers.materials.names import key, molecules, names

_SYMBOL = "|".join(sorted(SYMBOLS, key=len, reverse=True))
_AMOUNT = r"(?:_\{[^{}]{1,16}\}|\d+(?:\.\d+)?(?:[-−+±][xyzδ](?![a-z]))?|[xyzδ](?=[A-Z(\[]|\b))"
"""As a subscript, or in a text without markup: La2-xSrxCuO4."""
_MOLECULE = "|".join(map(re.escape, molecules()))
_GROUP = rf"(?:[(\[](?:(?:{_MOLECULE}|{_SYMBOL}|(?:TM|RE|Ln)(?=_)){_AMOUNT}?,?)+[)\]]{_AMOUNT}?)"
_LETTERS = r"(?:TM|RE|Ln)(?=_)"
"""For one of several elements, in a formula with amounts."""
FORMULA = re.compile(
    rf"(?:(?<![A-Za-z\d_{{])|(?<=\bof))(?:(?:{_SYMBOL}|{_LETTERS}){_AMOUNT}?|{_GROUP}){{2,}}(?![a-z])"
)
_NAME = re.compile(r"\b[A-Z][A-Za-z()]{0,6}-?\d{3,4}\b|\b[A-Z][A-Za-z]{0,2}[A-Z]{2,4}\b")


LONGEST_FORMULA = 120
LONGEST_WORD = 12
"""Letters of a formula without an amount, LiZrNCl; what is longer is a word in capitals."""
_OF = re.compile(
    r"\s*\)?\s*(?:for|of|in)\s(?:the\s|our\s|single[- ]crystal(?:s|line)?\s(?:of\s)?|"
    r"(?:(?:co-?)?intercalated|parent|pristine|undoped|bulk|pure)\s)*$"
)
_IN_BRACKETS = re.compile(
    r"(?:\^\{[\d,–-]+\}|\s?\[[\d,–-]+\])?"
    r"\s*(?:\((?:[^()]|\([^()]{0,8}\)){0,60}|\[[^\[\]]{0,40})$"
)
_ELEMENT = re.compile(
    r"\b(?:[Tt]ungsten|[Ii]ndium|[Nn]iobium|[Ll]ead|[Tt]in|[Aa]lumini?um|[Mm]ercury|[Tt]antalum|[Gg]allium|[Zz]inc|[Vv]anadium|"
    r"[Cc]opper|[Ss]ilver|[Gg]old|[Pp]latinum|[Nn]ickel|[Ii]ron)\b(?=\^\{|\s?[\[(])"
    r"|(?<![\w-])(?:In|Pb|Sn|Al|Nb|Hg|Ta|V|Ga|Zn|Ti|Re|Mo)(?=\s[\[(]\s?T_?\{?c)"
)
"""The name of an element before a bracket or a mark, as "tungsten^{24} (Tc = 15 mK)"."""
_ASIDE = re.compile(r"\s(?:alloy|(?:\w+\s)?(?:plane|sheet|substrate|crucible|capsule|gasket|flux))s?\b")
"""Behind a name: it is of an apparatus, or of what a sample was grown from or on; others go before it."""
_NO_SAMPLE = re.compile(
    r"[-–]type\b"
    r"|\s+as\s+(?:an?|the)\s+(?:[\w-]+\s+){0,2}(?:medium|source|flux|substrate|precursor|reference)\b"
)
"""Behind a name: it is a type of structure, or fills a cell."""
_TRADED = re.compile(r"FC-?\d\d")
"""Fluorinert, a medium for pressure."""
_OTHER_CLAUSE = re.compile(r"\b(?:while|whereas|but|compared)\b")
_JOINED = re.compile(r"(?:\sand|\s?,)\s[^\s.;,]{1,16}\s?[~≈∼=]?\s?")
_PAIRED = re.compile(r"\brespectively\b", re.IGNORECASE)
_PARTS = re.compile(r";\s|,?\s(?=(?:while|whereas|but)\b)")


def formulas_near(text: str, start: int, end: int, most: int = 4, reach: int = 400) -> tuple[str, ...]:
    """Return formulas and known names near a span, nearest first: those of its sentence, of those before it, behind it.

    What is named to compare ("small compared with those in A") comes after the others. A text is looked back over
    for twice as far as ahead.
    """
    sentence = sentence_of(text, start, end)
    low, high = max(0, start - 2 * reach), min(len(text), end + reach)
    while low and not text[low - 1].isspace():
        low -= 1  # no formula is cut
    compared = [match.span() for match in COMPARED.finditer(text, low, high)]
    found: dict[str, tuple[int, int]] = {}
    longer = high + LONGEST_FORMULA  # one that begins within reach is read to its end
    for match in (*FORMULA.finditer(text, low, longer), *_NAME.finditer(text, low, longer)):
        written = match.group(0)
        if match.start() >= high or _TRADED.fullmatch(written) or _NO_SAMPLE.match(text, match.end()):
            continue
        if match.re is _NAME and key(written) not in names():
            continue
        if match.re is FORMULA and not re.search(r"\d", written) and (len(written) < 3 or written.isupper()):
            continue
        if (
            match.re is FORMULA
            and not re.search(r"\d", written)
            and key(written) not in names()
            and len(written) > LONGEST_WORD
        ):
            continue
        outside = 0 if sentence.start <= match.start() < sentence.end else 1 if match.start() < start else 3
        outside += 4 * (_ASIDE.match(text, match.end()) is not None)
        outside += any(first <= match.start() < last for first, last in compared)
        outside += match.start() > end and _OTHER_CLAUSE.search(text, end, match.start()) is not None
        distance = (
            start - match.end() if match.end() <= start else match.start() - end + 40
        )  # what follows is further
        rank = (outside, max(distance, 0))
        if written not in found or rank < found[written]:
            found[written] = rank
    return tuple(sorted(found, key=lambda written: (found[written], written))[:most])


SERIES = re.compile(r"\b\w*(?:intercalat|substitut|dop(?:ed|ing)\b|alloyed)\w*|\bseries\b", re.IGNORECASE)
"""Words by which a compound without fractions is the parent of what is spoken of."""


def of_title(title: str) -> str:
    """Return the one material that a title names; none where it names several, or the parent of a series."""
    return "" if SERIES.search(title) else _named_alone(title)


def parent_of(title: str) -> str:
    """Return the material that a title names as what is doped or intercalated: "Intercalated SnSe2"."""
    return _named_alone(title) if SERIES.search(title) else ""


def _named_alone(title: str) -> str:
    named = {written for _, _, written in written_in(COMPARED.sub(" ", title))}
    return named.pop() if len(named) == 1 else ""


_PARENT = re.compile(r"\b(?:parent|pristine|undoped|unintercalated)\b(?!\s(?:of\s)?\(?[A-Z])")
_DERIVED = re.compile(
    r"\b(?:superconducting|doped|intercalated|substituted) (?:compounds?|samples?|phases?)\b", re.IGNORECASE
)
"""Words for the parent of a series, and for others of it."""


COMPARED = re.compile(
    r"\b(?:(?:compared|in contrast|in comparison|in analogy) (?:to|with)|unlike|"
    r"(?:similar(?:ly|it(?:y|ies))?|comparable|(?:iso)?structural|related) (?:to|with)|as in|than (?:in|that of))"
    r"\s[^,;.]{1,60}",
    re.IGNORECASE,
)
"""Words that name a material to hold another against it."""


_NICKNAME = re.compile(r"(?<![\w-])((?:[A-Z][\w–-]*doped\s)?)([A-Z][A-Za-z]{0,6}-?\d{4})\b")
_MEANS = re.compile(r"\s?\((?:the\s|so-called\s|hereafter\s)?")


def nicknames(text: str) -> dict[str, tuple[str, str]]:
    """Return the formulas that a paper gives names to, by name: LaFeAsO_{1−x}H_{x} (H-doped La1111 series).

    With each formula comes the kind of doping that the name was given with.
    """
    found: dict[str, tuple[str, str]] = {}
    for match in FORMULA.finditer(text):
        behind = _MEANS.match(text, match.end())
        named = _NICKNAME.match(text, behind.end()) if behind else None
        if named and key(match.group()) not in names():
            found.setdefault(named[2], (match.group(), named[1]))
    return found


def spelled_out(text: str, start: int, written: str, meant: Mapping[str, tuple[str, str]]) -> str:
    """Return the formula of a nickname near a place; the name itself where it is that of another doping."""
    if written not in meant:
        return written
    formula, doping = meant[written]
    nearest = min(
        (match for match in _NICKNAME.finditer(text) if match[2] == written),
        key=lambda match: abs(match.start() - start),
        default=None,
    )
    other = nearest[1] if nearest else ""
    return written if other and other.replace("-", "") != doping.replace("-", "") else formula


def nearness(text: str, start: int, end: int, written: str) -> str:
    """Return in words how far from a span the nearest mention of a material is: it is near, and may be another's."""
    reach = range(max(0, start - 800), min(len(text), end + 400))
    places = [each for each in reach if text.startswith(written, each)]
    if not places:
        return ""
    gaps = {each: start - each - len(written) if each < start else each - end for each in places}
    nearest = min(gaps, key=lambda each: abs(gaps[each]))
    sentence = sentence_of(text, start, end)
    outside = "" if sentence.start <= nearest < sentence.end else ", in another sentence"
    return f"nearest, {max(0, gaps[nearest])} characters {'before' if nearest < start else 'behind'}{outside}"


def written_in(text: str, low: int = 0, high: int | None = None) -> list[tuple[int, int, str]]:
    """Return the formulas and known names of a part of a text: where each begins and ends, and as printed."""
    high = len(text) if high is None else high
    found = []
    for match in (*FORMULA.finditer(text, low, high), *_NAME.finditer(text, low, high)):
        if any(each == match.group(0) for each in formulas_near(text, match.start(), match.start(), 8, 1)):
            found.append((match.start(), match.end(), match.group(0)))
    return sorted(set(found))


def paired(sentence: str, values: Sequence[tuple[int, int, str]], parent: str = "") -> dict[int, str]:
    """Return the material of each value of a sentence, by where the value begins, of those that the words decide.

    Parameters
    ----------
    values
        Where each begins and ends in the sentence, and its dimension.
    parent
        What "the parent compound" is.

    "4.5 K and 7.1 K for A and B, respectively" pairs them in order; "12 K for A" and "A (12 K)" say it outright.
    """
    elements = [(*match.span(), match.group()) for match in _ELEMENT.finditer(sentence)]
    materials = sorted([*written_in(sentence), *elements])
    told: dict[int, str] = {}
    for start, end, _ in values:
        for first, last, written in materials:
            if 0 <= first - end <= 40 and _OF.fullmatch(sentence[end:first]):
                told[start] = written
            elif 0 <= start - last <= 64 and _IN_BRACKETS.fullmatch(sentence[last:start]):
                told.setdefault(start, written)
    for (start, end, _), (following, _, _) in reversed(list(pairwise(values))):
        if following in told and start not in told and _JOINED.fullmatch(sentence[end:following]):
            told[start] = told[following]  # "with γ ~ 1 mJ/mol K^{2} and T_{c} ~ 12 K for A"
    by_words = [(*match.span(), parent) for match in _PARENT.finditer(sentence) if parent]
    if by_words:
        by_words += [(*match.span(), "") for match in _DERIVED.finditer(sentence)]
    materials = sorted([*materials, *by_words])
    for match in _PAIRED.finditer(sentence):
        begins = max([each.end() for each in _PARTS.finditer(sentence, 0, match.start())], default=0)
        behind = _PARTS.search(sentence, match.end())
        ends = behind.start() if behind else len(sentence)
        named = [each for each in materials if begins <= each[0] < ends]
        for dimension in {each[2] for each in values}:
            some = [each for each in values if begins <= each[0] < ends and each[2] == dimension]
            if len(some) == len(named) > 1:
                told |= {
                    start: written
                    for (start, _, _), (_, _, written) in zip(some, named, strict=True)
                    if written
                }
    return told
