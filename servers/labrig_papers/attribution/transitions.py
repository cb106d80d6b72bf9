"""Which temperatures of a clause are those of a transition to superconductivity: those that its words tie to one.

A temperature counts where a symbol or a word of the transition stands before it with nothing between that could be of
something else ("T_{c} reaches 9 K", "superconductivity in MgB2 near 39 K"), or right behind it ("the 39 K
superconductor"). One at which something was measured, a bound of a range that begins or ends at T_{c}, and one of
another transition are none: in doubt a temperature is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from labrig_papers.attribution.samples import FORMULA

_SYMBOL = (
    r"(?<![\w∆Δ)/])(?:T\^[A-Za-zρχ]{1,5}c|T_?\{?[cC]\}?[0-3]?(?:[\s,^_{(]{0,2}(?:ons(?:et)?|on|zero|mid|max(?:imum)?|min|end|bulk|R\s?=\s?0|0)"
    r"\b[})]?)?(?:\s?[’'`]?\s?s\b)?)(?:\s?\((?![A-Z][a-z]?\))[^()]{1,16}\))?(?![A-Za-z])"
)
_SHOWN = (
    r"superconduct(?:ivity|ors?|s|ing)\b(?:\s(?:phase\s)?transitions?|\s(?:critical|transition|onset)\b)?"
    r"(?:\s(?:temperatures?|states?|phase)(?=\s(?:below|\())|\stemperatures?)?"
    r"|(?:transition|critical) temperatures?"
    r"|zero[ -]resist\w+|(?:drops?|falls?|dropped|fell|goes|went|decreases?|vanish\w*) (?:\w+ly )?to zero"
    r"|resist\w+ vanish\w+"
    r"|Meissner \w+|diamagneti\w+(?: (?:signal|transition|response|shielding|onset))?"
)
_ANCHOR = re.compile(rf"(?P<symbol>{_SYMBOL})|\b(?i:(?P<shown>{_SHOWN}))")
_TRAILS = re.compile(
    r"\b(?:above|below|from|between|near|at|beyond|around|to|through|across|until|than|crossing|over|versus|vs\.?)"
    r"\s(?:the\s|its\s|their\s)?(?:superconducting\s|bulk\s)?(?:(?:transition|critical)\s(?:temperature\s)?)?$",
    re.IGNORECASE,
)
"""Before a symbol or a word of the transition: a temperature is told by it, and not the other way round."""
_OF_ORDER = re.compile(
    r"\b(?:Curie|N[ée]+l|(?:anti|ferri?o?)?-?(?:ferro)?magnetic|structural|glass|metal|insulator|density|wave|order)\b[^,;]{0,30}$",
    re.IGNORECASE,
)
_UNDER = re.compile(r"\s*(?:[<≤≲]|(?:below|under|less than|lower than|at most)\b)", re.IGNORECASE)
"""A temperature of transition that is under a bound; superconductivity below 5 K is another thing."""
_TIED = re.compile(r"^\s?(?:of|is|was|=|≈|~|∼|≃|\(|,)")
_LINK = re.compile(
    r"(?:[\s=~≈≃∼≅≲≳<>≤≥(:,–—-]|\[[\d,\s–-]+\]|\^?\{?\d+[\d,–-]*\}?(?:\)|(?=\s))|\((?:Refs?\.\s)?[\d,\s–-]+\)"
    r"|(?:H|P|p|R|x|y|H_?c2)\s?=\s?[\d.]+|\(\s?\d[\d.]*\s?(?:T|GPa|kbar|Oe)\s?\)"
    r"|(?!T)[A-Z]{3,5}(?![\w-])|(?i:of|is|was|are|were|be|been|being|at|about|around|near|nearly|close|to|up|with|the|an?|as|high|low|only|just|even|"
    r"approximately|approx\.?|roughly|ca\.?|exactly|precisely|well|already|also|both|not|yet|first|already|"
    r"reach(?:es|ed|ing)?|increas(?:es|ed|ing)|decreas(?:es|ed|ing)|ris(?:es|ing)|rose|enhanced|raised|suppressed|lowered|"
    r"reduced|exceed(?:s|ed|ing)?|ranges?|ranging|var(?:ies|ying)|from|above|below|under|sets?|in|appear(?:s|ed|ing)?|occur(?:s|red|ring)?|"
    r"emerges?|develops?|begins?|starts?|onsets?|temperatures?|maxim(?:um|a)|max|highest|record|lowest|values?|"
    r"estimated|determined|found|observed|detected|seen|confirmed|measured|reported|defined|obtained|taken|discovered|"
    r"transitions?|critical|mid-?points?|offset|zero|resistance|resistivity|magneti[sz]ation|susceptibility|sharp(?:ly)?|abruptly|"
    r"that|which|has|have|having|shows?|exhibits?|for|this|these|those|our|its|their|compounds?|materials?|samples?|"
    r"(?:single[ -])?crystals?(?:line)?|(?:thin[ -])?films?|polycrystal\w*|powders?|bulk|system|phases?|respectively|"
    r"pressures?|ambient|optimal(?:ly)?|optimum|doped|doping|pure|pristine|layered|binary|ternary|oxides?|"
    r"marks?|becomes?|turns?|superconduct\w+|T_?\{?c\}?|R)(?![\w-]))"
)
_NEXT = re.compile(
    rf"(?:at|under|and)\s[\d.]+\s?(?:GPa|kbar)|[\s,;()=~≈≃∼–—-]|{_SYMBOL}|(?:and|or|to|up|at|about|near|from|for|in|of|the|is|was|around|then|"
    r"further|increas(?:es|ed)|decreas(?:es|ed)|raised|reduced)\b"
    r"|\d?[HTR]['′d]?-|x\s?=\s?[\d.]+"
)
"""Between the temperatures of a list, names left out: "39.2 and 39.1 K", "(26 K), A (43 K)", "from 26 K to 43 K"."""
_GOES_ON = re.compile(r"[,;(–—-]|\b(?:and|or|to)\b")
_ASIDE = re.compile(r"\s\((?![^()]*\bT\s?[=<>])[^()]{0,80}\)(?=\s)")
_BEHIND = re.compile(
    r"\s?-?\s?(?:bulk\s)?(?:superconduct(?:ors?|ivity)\b|superconducting\s(?:phase\s)?transition|\(\s?T_?c\s?\)"
    r"|(?:for|as)\s(?:the\s)?(?:T_?c\b|(?:superconducting\s)(?:transition|critical)))",
    re.IGNORECASE,
)
_BECOMES = re.compile(
    r",?\s(?:[\w().′'-]+\s){0,4}?(?:becomes?|became|turns?|goes|enters?|undergoes|superconducts|shows?|exhibits?|"
    r"displays?)\s(?:(?:an?|the|in|into|bulk|to)\s)*(?:superconduct|zero[ -]resist)"
    r"|,?\s(?:superconductivity|superconducting transition)\s(?:is\s(?:found|observed|induced|seen)|"
    r"(?:was|has been)\s\w+|sets in|appears?|appeared|emerges?|occurs?|develops?)\b",
    re.IGNORECASE,
)
_FALL = re.compile(
    r"(?:^|,\s|\s)(?:below|at|on cooling (?:below|to)|under)\s(?:about\s|~\s?|≈\s?|∼\s?)?$", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\s(?:wide|broad|lower|higher|larger|smaller|above|below|apart|more|less|range|interval)\b"
)
_AT_TEMPERATURE = re.compile(r"(?<![\w∆Δ])T\s?(?:[=~≈∼<>≤≥≲≳]|is\b)")


def transitions_in(clause: str, temperatures: Sequence[tuple[int, int]]) -> set[int]:
    """Return which temperatures of a clause are those of a transition to superconductivity.

    Parameters
    ----------
    temperatures
        Where each begins, with its qualifier, and ends, in their order.
    """
    told: set[int] = set()
    for place, (start, end) in enumerate(temperatures):
        before = temperatures[place - 1] if place else (0, 0)
        if _CHANGE.match(clause, end):
            continue
        between = clause[before[1] : start]
        is_next = before[0] in told and place and _GOES_ON.search(between) and _is_all(_NEXT, between)
        if is_next or _is_behind(clause, before[1], start) or _is_before(clause, start, end):
            told.add(start)
    return told


def _is_behind(clause: str, after: int, start: int) -> bool:
    """Tell whether words of the transition stand before a temperature, and between them nothing of anything else."""
    anchors = list(_ANCHOR.finditer(clause, after, start))
    if not anchors:
        return False
    anchor = anchors[-1]
    between = clause[anchor.end() : start]
    is_named = bool(anchor["symbol"]) or anchor["shown"].lower().rstrip("s").endswith(
        ("temperature", "transition")
    )
    if is_named and (_UNDER.match(clause, start) or _OF_ORDER.search(clause[: anchor.start()])):
        return False
    if _AT_TEMPERATURE.search(between):
        return False
    if is_named and _TRAILS.search(clause[: anchor.start()]) and not _TIED.match(clause[anchor.end() :]):
        return False
    return _is_all(_LINK, between)


def _is_all(link: re.Pattern[str], between: str) -> bool:
    """Tell whether a text is made of such pieces alone, beside formulas."""
    between, at = FORMULA.sub(" ", _ASIDE.sub(" ", between)), 0
    while piece := link.match(between, at):
        at = piece.end()
    return at == len(between)


def _is_before(clause: str, start: int, end: int) -> bool:
    """Tell whether words of the transition stand right behind a temperature."""
    falls = _FALL.search(clause[:start]) or re.match(r"(?:below|at)\s", clause[start:end], re.IGNORECASE)
    if falls:
        return _BECOMES.match(clause, end) is not None
    return _BEHIND.match(clause, end) is not None
