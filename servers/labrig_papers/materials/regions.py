"""Which words of a text are the formula of the sample, and which describe it or are of something else."""

from __future__ import annotations

import re
from dataclasses import dataclass

from labrig_papers.materials.elements import DOPANTS, SYMBOLS, WORDS
from labrig_papers.materials.elements import NAMES as ELEMENT_NAMES
from labrig_papers.materials.names import Named, key, molecules, names
from labrig_papers.materials.variables import NAMES, PLACEHOLDERS

_OTHER_BEFORE = re.compile(r"(?:\b(?:in|on|onto|using|with|from|by|into|of)|%)\s*$", re.IGNORECASE)
_OTHER_AFTER = re.compile(
    r"^\s*(?:crucibles?|substrates?|flux|buffers?|targets?|powders?|site|sites|tubes?|ampoules?|solution)\b"
)
_ELEMENT_NAMES = "|".join(sorted({*ELEMENT_NAMES, *DOPANTS}, key=len, reverse=True))
_DOPED = re.compile(
    r"(?P<amount>\d+(?:\.\d+)?\s*(?:at\.?|mol\.?|wt\.?)?\s*-?%\s*)?\b"
    rf"(?P<symbol>[A-Z][a-z]?|(?i:{_ELEMENT_NAMES}))(?P<joint>-|\s)"
    r"(?P<how>doped|substituted|intercalated|added|alloyed)\b"
)
_OFF_STOICHIOMETRY = re.compile(
    rf"(?<![A-Za-z])(?!(?:hydrogen|H)-rich)(?:(?P<symbol>[A-Z][a-z]?|(?i:{_ELEMENT_NAMES}))(?:-|\s)(?i:deficient|poor|rich|excess|vacant)"
    r"|(?i:non-?stoichiometric|off-?stoichiometric))(?![A-Za-z])"
)
"""Words by which a formula without fractions is not that of the sample: oxygen-deficient SmFeAsO."""
_LABELLED = re.compile(
    r"\b(?:samples?|specimens?|crystals?|batch(?:es)?|films?|wires?|pellets?|run|No\.?)\s*$", re.IGNORECASE
)
_LABEL = re.compile(r"[A-Z]\d{0,2}")
"""What stands behind "sample" and is no formula: sample B1."""
_CLASS_AFTER = re.compile(
    r"\s*-?\s?(?:based|\w*(?:cuprate|pnictide|chalcogenide|arsenide|phosphide|selenide|sulph?ide|telluride|oxide|nitride|carbide|"
    r"boride|silicide|hydride|fluoride|chloride|bromide|iodide)s?|alloys?|compounds?|superconductors?)\b",
    re.IGNORECASE,
)
"""Behind the name of an element: what is named is a class of compounds, "iron pnictides"."""
_PERCENT = re.compile(r"(?P<amount>\d+(?:\.\d+)?)\s*%\s*(?P<symbol>[A-Z][a-z]?)-(?=[A-Z])")
_PREFIX = re.compile(r"^(?:\d{1,2}(?:[HTRCM]|Hb)\^?['′]?-|T_?d-|[αβγκλθ]\d?'{0,2}-|T'-)")
"""Polytypes and phases: 2H-, 2M-, 4Hb-, 1T′-, T_{d}-, β-."""
_TOKEN = re.compile(r"\S+")
_SYMBOL = "|".join(sorted(SYMBOLS, key=len, reverse=True))
_PIECE = re.compile(
    rf"(?:<\d+>|{'|'.join(map(re.escape, molecules()))}|{_SYMBOL}|{'|'.join(PLACEHOLDERS)}|D(?![a-z])"
    rf"|[()\[\],/·*+-]|\d*\.?\d+\.?|[{NAMES}](?![a-z])|(?<=[+\-\d])d(?![a-z]))"
)


@dataclass(frozen=True)
class Region:
    """Words that are a formula or a name.

    Attributes
    ----------
    text
        Without spaces.
    named
        What it stands for, if it is a name.
    number
        A number behind a name (YBCO 6.57), None where there is none.
    other
        Why it is no formula of the sample (a crucible, a substrate), else empty.
    """

    text: str
    named: Named | None = None
    number: float | None = None
    other: str = ""


@dataclass(frozen=True)
class Found:
    """The regions of a text, its other words, and what of its composition is only named: a dopant, a deficiency."""

    regions: tuple[Region, ...]
    words: tuple[str, ...]
    dopant: str = ""
    deviation: str = ""


def regions_of(text: str) -> Found:
    """Return the formulas and names in a plain text without its assignments of variables."""
    dopant = ""
    match = _DOPED.search(text) or _PERCENT.search(text)
    if match and (match["symbol"] in SYMBOLS or len(match["symbol"]) > 2):
        dopant = match.group(0).strip()
        text = text.replace(match.group(0), " ", 1)
    deviation = ""
    match = _OFF_STOICHIOMETRY.search(text)
    if match and (match["symbol"] is None or match["symbol"] in SYMBOLS or len(match["symbol"]) > 2):
        deviation = match.group(0)
        text = text.replace(deviation, " ", 1)
    for phrase in ("molecular hydrogen", "magnesium diboride", "sulfur hydride", "sulphur hydride"):
        text = re.sub(phrase, phrase.replace(" ", "\u00b0"), text, flags=re.IGNORECASE)
    text = re.sub(r"\b([A-Z][A-Za-z]{0,5})\s?-\s?(\d{3,4})(?!\d)", r"\1-\2", text)
    text = re.sub(r"\bT l\b", "Tl", re.sub(r"\bP b\b", "Pb", text))  # symbols that a typesetter drew apart
    text = re.sub(r"\(\s*([^()]{2,30}(?:\([^()]{1,8}\)[^()]{0,12})?)\s*\)", _spoken, text)
    tokens = list(_TOKEN.finditer(text))
    regions: list[Region] = []
    words: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        named = _named(token.group(0), tokens[at + 1].group(0) if at + 1 < len(tokens) else "")
        if named is not None:
            region, used = named
            end = tokens[at + used - 1].end()
            regions.append(_placed(region, text[: token.start()], text[end:]))
            at += used
            continue
        end = at
        while end < len(tokens) and _is_piece(tokens[end].group(0), first=end == at):
            if (
                end > at
                and _named(tokens[end].group(0), "") is not None
                and not _element(tokens[end].group(0))
            ):
                break
            end += 1
            so_far = text[tokens[at].start() : tokens[end - 1].end()]
            if so_far.endswith(";") or (so_far.endswith(",") and so_far.count("(") <= so_far.count(")")):
                break
        while end > at and re.fullmatch(r"[,+\-·*/]|[a-z]", tokens[end - 1].group(0)) and end - at > 1:
            if tokens[end - 1].group(0) in NAMES:
                break
            end -= 1
        joined = "".join(each.group(0) for each in tokens[at:end]).rstrip(",;.")
        joined = _PREFIX.sub("", joined).rstrip("([")
        if end > at and re.search(r"[A-Z]", joined):
            region = Region(_balanced(joined))
            first = tokens[at].group(0)
            if first in WORDS and end - at > 1 and not re.match(r"[\d.]", tokens[at + 1].group(0)):
                region = Region(region.text, other=f"{first!r} may be a word or an element")
            regions.append(_placed(region, text[: token.start()], text[tokens[end - 1].end() :]))
            at = end
        else:
            words.append(token.group(0).strip("(),;").replace("\u00b0", " "))
            at += 1
    return Found(tuple(regions), tuple(word for word in words if word), dopant, deviation)


def _spoken(match: re.Match[str]) -> str:
    """Return a name in brackets, (Hg-1201), as a word of its own; what else stands in brackets stays."""
    return f" {match[1]} " if key(match[1]) in names() else match.group(0)


def _placed(region: Region, before: str, after: str) -> Region:
    """Return the region, marked as no sample where the words around it say so."""
    if region.other:
        return region
    if _LABEL.fullmatch(region.text) and _LABELLED.search(before):
        return Region(region.text, region.named, region.number, "a label of a sample")
    if region.named is not None and region.text.casefold() in ELEMENT_NAMES and _CLASS_AFTER.match(after):
        return Region(region.text, region.named, region.number, "followed by " + after.split()[0])
    if _OTHER_AFTER.match(after):
        return Region(region.text, region.named, region.number, "followed by " + after.split()[0])
    if re.search(
        r"(?:\bgrown (?:in|from|on)|\b(?:on|onto|using|without|free of|instead of)|%)\s*(?:an?\s)?$", before
    ) or (_OTHER_BEFORE.search(before) and re.match(r"\s*crucible", after)):
        return Region(region.text, region.named, region.number, "preceded by " + before.split()[-1])
    return region


def _named(token: str, following: str) -> tuple[Region, int] | None:
    """Return the region of a name with the tokens that it takes, None where the token is no name."""
    bare = token.strip(",;").replace("\u00b0", " ")
    bare = bare if bare.count("(") == bare.count(")") else bare.strip("()")
    if not bare:
        return None
    found = names().get(key(bare))
    if found is not None and not (found.oxygen and re.search(r"CO7$", bare)):
        number = None
        if found.oxygen and re.fullmatch(r"\d\.?\d*", following):
            value = float(following)
            if found.oxygen[0] <= value <= found.oxygen[1]:
                number = value
        return Region(bare, found, number), 2 if number is not None else 1
    if match := re.fullmatch(r"([A-Za-z]+CO)[-_]?(\d\.?\d*)", bare):  # YBCO6.57
        found = names().get(key(match[1]))
        if found and found.oxygen and found.oxygen[0] <= float(match[2]) <= found.oxygen[1]:
            return Region(bare, found, float(match[2])), 1
    return None


def _element(token: str) -> bool:
    return token in SYMBOLS


def _is_piece(token: str, *, first: bool) -> bool:
    """Return whether a token is made of symbols, amounts and brackets only."""
    token = token.rstrip(";")
    token = _PREFIX.sub("", token)
    if not token or (token.startswith("(") and not re.search(r"[A-Z]", token) and first):
        return False
    at = 0
    while at < len(token):
        match = _PIECE.match(token, at)
        if match is None:
            return False
        at = match.end()
    if first and not re.search(r"[A-Z]", token) and not re.match(r"[(\[<]", token):
        return False
    return not re.fullmatch(r"\d{3,}", token)


def _balanced(text: str) -> str:
    """Return a region without a bracket of the sentence around it."""
    while text.count("(") < text.count(")") and text.endswith(")"):
        text = text[:-1]
    while text.count("(") > text.count(")") and text.startswith("("):
        text = text[1:]
    if text.startswith("(") and text.endswith(")") and text.find(")") == len(text) - 1:
        text = text[1:-1]
    return text
