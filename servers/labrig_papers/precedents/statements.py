"""Sentences that say of a material that it is superconducting, or that it is not, with the conditions that they state.

Nothing is inferred from the kind of material. A clause counts for the one material that it names; one without a name
counts for that of the clause or the two sentences before it, else of a title that names one material alone. A clause
that names several materials counts for those with which it pairs its temperatures ("4.5 K and 7 K for A and B,
respectively"); one that pairs none, or that speaks of what might be, counts for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from labrig_papers.attribution.carrying import goes_on_citing
from labrig_papers.attribution.samples import COMPARED, SERIES, paired, written_in
from labrig_papers.attribution.sentences import sentence_of
from labrig_papers.attribution.standing import FINDING, Standing, standing_of
from labrig_papers.attribution.transitions import transitions_in
from labrig_papers.corpus.mentions import Mention, mentions
from labrig_papers.materials.writing import plain
from labrig_papers.precedents.subjects import GENERIC, may_be_subject
from labrig_papers.quantities.naming import BOUND
from labrig_papers.quantities.scanning import Found, scan

Says = Literal["superconducting", "not superconducting"]
MOST_KELVIN = 400.0
"""Of a transition or of a search for one; what is above is of an oven."""
LONGEST_QUOTE = 700
BACK = 2
"""Sentences before one without a name in which a material is looked for."""
_DEVICE = (
    r"(?:magnet|solenoid|coil|quantum interf|resonator|qubit|cavit|circuit|electrode|contact|lead|tip|wire|tape|"
    r"detector|bolomet|tunnel|junction)"
)
_SUPERCONDUCT = rf"superconduct(?!\w*(?:-like|\s{_DEVICE}))"
"""No superconducting magnet, in which any sample may lie."""
_SUPER = re.compile(_SUPERCONDUCT, re.IGNORECASE)
_ABOUT = re.compile(
    _SUPERCONDUCT + r"|\bT[\s_{]*[cC]\b|transition temperature|critical temperature|Meissner|zero resist"
    r"|resist\w*[^.;]{0,60}?(?:drops?|falls?|fell|dropped) to zero",
    re.IGNORECASE,
)
_BETWEEN = (
    r"(?:(?:evidence|indication|hint)s?\sfor\s|(?!(?:to|on|about|between|for|with|in|from|by|than|other|longer|doubt|"
    r"\w*(?:change|difference|increase|decrease|enhancement|variation|suppression|effect|influence|dependence|relation|shift|"
    r"anisotropy))\b)[\w-]+\s){0,6}?"
)
"""Between a denial and what is denied: "no sign of bulk superconductivity", but "no relation to"."""
_DENIED = re.compile(
    rf"\b(?:not|never|neither|nor|fail\w* to)\s(?:\w+ly\s)?(?:{FINDING}\w*\s{_BETWEEN}|"
    r"(?:an?\s|in\s)?(?:bulk\s|true\s)?)superconduct"
    rf"|\b(?:no|without|neither|nor|lacks?)\s{_BETWEEN}superconduct"
    r"|superconduct\w*[^.;]{0,70}?\b(?:(?:not|never)\s(?:yet\s)?(?:been\s|be\s)?(?:observ|found|detect|see|present|occur|"
    r"appear|exist|develop|set|report|induc|superconduct|"
    r"show(?=\s*(?:[.,;]|for\b|$))|emerge|arise)|(?:absent|ruled out|excluded)\b)"
    r"|\b(?:absence|lack) of (?:(?:the|any|bulk|a|its)\s){0,2}superconduct"
    r"|\bnon-?superconduct(?!\w*\s(?:\w+\s)?(?:parts?|fraction|volume|phase|region|impurit|matrix|inclusion|component|state))"
    r"|\b(?:remain\w*|stay\w*)\s(?:in the\s)?(?:normal|metallic|insulating|semiconducting|resistive|paramagnetic)\b"
    r"[^.;]{0,60}?\bdown to\b"
    r"|\bno\b[^.;]{0,40}?\bzero resist",
    re.IGNORECASE,
)
_NO_CLAIM = re.compile(
    r"\b(?:whether|might|could|may be|would|possib\w*|candidate\w*|search\w* for|look\w* for|hop\w* (?:for|to)|if it|"
    r"expected|predict\w*|propos\w*|should be|suggest\w*|in order to|to test|further superconduct|other superconduct|"
    r"relevan\w+ (?:to|for)|(?:over|under)doped and (?:over|under)doped|"
    r"(?:border|boundary|edge) of|hosts?\s(?:\w+\s)?(?:for|of)|"
    r"(?:insulator|metal|magnet)(?:[-–]|\sto\s)superconductor)\b"
    r"|\b(?:insufficient|not (?:sufficient|enough)|too (?:low|small|weak))\b"
    r"|\bnot (?:\w+ly )?(?:relat|due|connect|correlat|associat|caus|depend|affect|involv)"
    r"|superconductivity[^.;]{0,40}?\b(?:suppressed|destroyed|lost|vanishes|disappears)",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(
    r"\b(?:not|never|no)\b[^.;]{0,80}\buntil\b|\b(?:cannot|can not|not) be (?:ruled out|excluded)\b"
    r"|\b(?:often|sometimes|usually)\b"
    r"|\bnot (?:fully|entirely|completely|truly|purely)\b|\bto non-?superconduct|\bone non-?superconduct"
    r"|\bnon-?superconduct\w*\s(?:Au|Ag|Cu|Pt|regime)\b"
    r"|\bno (?:\w+\s)?(?:sign|indication) (?:indicating|of where|at what)"
    r"|\bno (?:\w+\s)?superconducting (?:link|gap|coupling|fluctuation)|\d\s?T\b(?![_=<>≤≥])",
    re.IGNORECASE,
)
"""What looks like a denial and is none, or is one in a field of teslas."""
_CLAIMED = re.compile(
    r"\b(?:is|are|was|were|be|been|becomes?|became|remains?|turns?)\s(?:(?:an?|the|also|in|\w+ly|bulk|known|new|novel|only|"
    r"first|high-T\w*|type-I+|[\w-]*(?:band|gap|wave|fermion|based|dimensional))\s)*superconduct"
    r"|\b(?:show|exhibit|display|observe|find|found|reveal|confirm|discover|report|host|support|undergo|ha[sd]|have|having|"
    r"possess|induc|evidence of|of bulk)\w*\s(?:[\w-]+\s){0,4}?superconduct"
    r"|superconduct\w*\s(?:[\w-]+\s){0,4}?(?:in|of|for|at|below)\b"
    r"|(?-i:superconduct(?:ors?,?|ing)\s(?:[\w-]+[\s-])?[A-Z(]|[A-Z]\w*\ssuperconduct)"
    r"|\w\)?,\san?\s(?:[\w-]+\s){0,3}superconduct"
    r"|superconductivity\s(?:\w+\s){0,3}?(?:sets in|appear|emerge|occur|develop|(?:is|was|has been|were)\s\w*(?:found|"
    r"observed|detected|seen|confirmed|established|achieved|reali[sz]ed|reported|induced))"
    r"|superconducting\s(?:transition|phase|state|order|critical|T_?c)",
    re.IGNORECASE,
)
"""How a clause without a temperature says that a thing is superconducting."""
_ANY_TRANSITION = re.compile(r"\b(?:transition|critical) temperature", re.IGNORECASE)
_SHOWN = re.compile(rf"{_SUPERCONDUCT}|Meissner|zero resist|to zero", re.IGNORECASE)
_LISTED = re.compile(
    r"superconduct(?:ors|ing(?:\s[\w-]+){1,3}?),?\s(?:(?:such\s)?as\s|like\s|namely\s)?(?=(?:[\w^′']{1,4}-)?[A-Z])"
)
_NEXT_OF_LIST = re.compile(r"(?:,\s|\s(?:and|or)\s|,\sand\s)?(?:[\w^′']{1,4}-)?")
_UNSAID = re.compile(
    r"\bwhether\b|\bunknown\b|\b(?:not|never|nor) (?:yet )?(?:been )?(?:yet )?"
    r"(?:known|tested|studied|investigated|measured|clear|examined|reported|searched|considered)\b",
    re.IGNORECASE,
)
"""What says that nobody looked, or knows: neither a claim nor its denial."""
_CLAUSE = re.compile(
    r";\s|,?\s(?=(?:while|whereas|but|although|though|in contrast|unlike|however)\b)|,\s(?=and\s(?:that|no|not|its)\b)",
    re.IGNORECASE,
)
_OTHER_TRANSITION = re.compile(
    r"\b(?:ferromagnet|antiferromagnet|Curie|N[ée]el|magnetic order|structural (?:phase )?transition|charge[ -]density|"
    r"spin[ -]density|metal[-–](?:to[-–])?insulator|glass|Verwey|ferroelectric|order[-–]disorder|"
    r"spin[ -]crossover|melting|boiling|vapou?r|supercritical|Bose|superfluid transition|martensit|percolation)\w*",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:compounds|materials|systems|superconductors|families|many|most|others?|several|elsewhere|cuprates?|\w*pnictides?|"
    r"dopings|(?-i:In)(?=\s?[\[(])|\w+ides|TMDs?|diamond|graphite|silicon|polymers?|(?:iron|Fe|copper|nickel)-based|"
    r"heavy[- ]fermions?|"
    r"niobium|lead|tin|indium|alumini?um|mercury|tantalum|(?-i:Nb|Pb|Sn|Al|Hg|Ta|Re|Zn|Cd|Ga|La|Tl|Mo|Au|Ag|Cu|Pt|Ni|Fe|Li))\b",
    re.IGNORECASE,
)
"""What a clause without a name is about, where it is not of the material before it: a class, or an element."""
_DOWN_TO = re.compile(
    r"(?:\b(?:down to|to|until|above|below|at|than|as low as|between|from|and|of|near|around)|T\s?[=<>≤≥≈~∼≳])"
    r"\s*(?:about\s|T\s?[=~≈]\s?)*$",
    re.IGNORECASE,
)
"""What stands before a temperature down to which a search went."""
_CLASS = re.compile(
    r"^(?:(?!superconduct(?!ors\b)).)*superconductors\b(?:(?!superconduct(?!ors\b)).)*$", re.IGNORECASE
)
"""A clause that speaks of superconductors, several, and says of nothing that it is one."""
_SAME = re.compile(
    r"^\W*(?:it|its|this|these|both|we|our|the\s(?:\w+\s){0,2}(?:compound|material|sample|crystal|film|system|phase|superconduct"
    r"\w*|transition|onset|resist\w*|bulk|specific)s?|superconduct\w*|bulk|zero|a\s)",
    re.IGNORECASE,
)
"""How a clause begins that goes on about the material of the sentence before it."""
_FIELD = re.compile(r"\b\d+(?:\.\d+)?\s?(?:T|kOe|Oe|kG|G)\b")
_PRESSED = re.compile(
    r"\b(?:under|at|upon|with|by)\s(?:the\s)?(?:application of\s|applying\s)?(?:an?\s)?"
    r"(?:(?:high|hydrostatic|external|applied)\s)*pressures?\b(?!\scell)",
    re.IGNORECASE,
)
"""A pressure that is said and not told; ambient pressure is looked for first."""
_AMBIENT = re.compile(r"\b(?:ambient|atmospheric|zero|normal) pressure\b|\bat (?-i:AP)\b", re.IGNORECASE)
_CRITERIA = {
    "onset": re.compile(r"\bonset|\bsets? in\b|\bbegins?\b", re.IGNORECASE),
    "zero resistance": re.compile(
        r"zero resist|R\s?=\s?0|\bvanish\w*|(?:drops?|falls?) to zero", re.IGNORECASE
    ),
    "midpoint": re.compile(r"\bmid-?point|50 ?%", re.IGNORECASE),
    "magnetic": re.compile(r"susceptib|magneti[sz]ation|Meissner|diamagneti|SQUID", re.IGNORECASE),
    "specific heat": re.compile(r"specific heat|heat capacity", re.IGNORECASE),
    "resistive": re.compile(r"resisti", re.IGNORECASE),
}


@dataclass(frozen=True)
class Statement:
    """One thing that a paper says of a material.

    Attributes
    ----------
    kelvin
        The transition temperature, or the lowest temperature of a search, in K; None where none is stated.
    printed
        The same as printed.
    criterion
        A name of `_CRITERIA`, empty where none is stated.
    gigapascal
        None where no pressure is stated; 0 for ambient pressure said in words.
    pressure, field
        As printed, empty where none is stated; a pressure also in words, "under high pressure".
    standing
        Of the value: of the paper itself, of others, or calculated.
    quote
        Exact but for white space.
    named
        Where the material is named: in the ``clause``, the ``sentence``, a ``sentence before`` or the ``title``.
    """

    says: Says
    kelvin: float | None
    printed: str
    criterion: str
    gigapascal: float | None
    pressure: str
    field: str
    standing: Standing
    quote: str = ""
    page: int = 0
    named: str = ""


def statements(
    text: str,
    page: int,
    key: str,
    written: Mapping[str, str] | None = None,
    title_keys: Sequence[str] = (),
    of_magnet: bool = False,
    of_series: bool = False,
    raised: bool = True,
) -> Iterator[Statement]:
    """Yield what the text of a page, without markup of scripts, says of the material of a key.

    Parameters
    ----------
    key
        See `labrig_papers.corpus.mentions.key`.
    written
        How the page writes materials whose amounts stand elsewhere, each with its key.
    title_keys
        The materials that the title names.
    of_series
        The title names a compound that is doped or intercalated: what is not said of it by name is of the series.
    of_magnet
        The T_{C} of the paper is a Curie temperature, or the paper never speaks of superconductivity: what speaks of
        a transition alone says nothing.
    raised
        Raised numbers are citations; see `labrig_papers.attribution.standing.has_raised_marks`.
    """
    alone = title_keys[0] if len(set(title_keys)) == 1 and not of_series else ""
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = " ".join(re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", paragraph).split())
        if not _ABOUT.search(paragraph) and not _DENIED.search(paragraph):
            continue
        spans = list(_sentences(paragraph))
        for number, (start, end) in enumerate(spans):
            sentence = paragraph[start:end]
            if not _ABOUT.search(sentence) and not _DENIED.search(sentence):
                continue
            before, before_start = _before(paragraph, spans[:number], written or {})
            subject, by = (before[0], "sentence before") if len(before) == 1 else (alone, "title")
            subject = "" if len(before) > 1 else subject
            for first, stop in _clauses(sentence):
                clause = COMPARED.sub(lambda match: " " * len(match.group()), sentence[first:stop])
                only: set[int] | None = None
                if named := _named_or_written(clause, written or {}):
                    subject, by = (named[0], "clause") if len(named) == 1 else ("", "")
                    if len(named) > 1:
                        only = _paired_with(clause, key)
                        subject, by = (key, "clause") if only or _is_listed(clause, key) else ("", "")
                elif _OF_OTHERS.search(clause):
                    continue
                if not _SUPER.search(clause) and (of_magnet or _is_of_any_transition(clause, paragraph)):
                    continue
                quoted = paragraph[before_start if by == "sentence before" else start : end]
                if subject == key and not _of_series(key, quoted, by, of_series and key in title_keys):
                    is_cited = _goes_on(paragraph, start + first + 1, start + stop, key, raised)
                    for found in _read(clause, sentence, first, only, raised):
                        bare = found.says == "superconducting" and found.kelvin is None
                        is_claim = _CLAIMED.search(clause) and not _CLASS.search(clause)
                        if bare and not (is_claim and (by == "clause" or _SAME.search(clause))):
                            continue
                        standing = "cited" if is_cited else found.standing
                        if by == "title" and (standing == "cited" or sentence[:1].islower()):
                            continue  # of others, who knows on what; or its beginning stands elsewhere
                        quote = quoted[-LONGEST_QUOTE:]
                        yield replace(found, quote=quote, page=page, named=by, standing=standing)
                by = "sentence" if by == "clause" else by


_HYDRATED = re.compile(r"hydrat|\bH_?2_?O\b", re.IGNORECASE)
MOST_OF_PARENT = 9
"""Atoms of one element for each of another, in whole numbers: O7 of Y; in LaFeAsO0.9F0.1 there are 10."""


def _of_series(key: str, quoted: str, by: str, is_titled: bool) -> bool:
    """Tell whether sentences are of a series whose parent alone has this key: "in intercalated SnSe2"."""
    amounts = [float(each) for each in re.findall(r"\d\.\d+", key)]
    ratios = [each / min(amounts) for each in amounts]
    if _HYDRATED.search(quoted) and not re.search(r"\b[HD]\d", key):
        return True
    is_parent = all(abs(each - round(each)) < 0.01 and each < MOST_OF_PARENT for each in ratios)
    return (is_parent and SERIES.search(quoted) is not None) or (is_titled and by != "clause")


def _before(
    paragraph: str, spans: Sequence[tuple[int, int]], written: Mapping[str, str]
) -> tuple[list[str], int]:
    """Return the materials of the last of `BACK` sentences that names any but to compare, and where it begins."""
    for start, end in reversed(spans[-BACK:]):
        if named := _named_or_written(COMPARED.sub(" ", paragraph[start:end]), written):
            return named, start
        if not _SAME.match(paragraph[start:end]):
            break
    return [], 0


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(text):
        end = sentence_of(text, at, at + 1).end
        yield at, end
        at = end + (len(text) - end - len(text[end:].lstrip()))


def _clauses(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _CLAUSE.finditer(sentence):
        yield start, match.start()
        start = match.end()
    yield start, len(sentence)


def named_in(text: str, written: Mapping[str, str] | None = None) -> list[str]:
    """Return the keys of the materials that a text may be about, each once."""
    text = plain(text)
    found = dict.fromkeys(each.key for each in mentions(text) if may_be_subject(text, each))
    for printed, key in (written or {}).items():
        places = (Mention(printed, key, "", match.start()) for match in re.finditer(re.escape(printed), text))
        if any(may_be_subject(text, each) for each in places):
            found[key] = None
    return list(found)


def _named_or_written(text: str, written: Mapping[str, str]) -> list[str]:
    """Return the keys of the materials that a text names; what is written and told by no amounts stands for itself."""
    found = named_in(text, written)
    printed = {*(each.printed for each in mentions(text)), *written}
    unread = {name for _, _, name in written_in(text) if not any(name in each for each in printed)}
    unread |= {match.group() for match in GENERIC.finditer(text)}
    return [*found, *sorted(unread)]  # Li_x(THF)_ySnSe2


def _paired_with(clause: str, key: str) -> set[int]:
    """Return where the temperatures begin that the words of a clause pair with a material."""
    values = [(each.start, each.end, "temperature") for each in scan(clause) if _is(each, "temperature")]
    return {at for at, name in paired(clause, values).items() if key in named_in(name)}


def _is_of_any_transition(clause: str, paragraph: str) -> bool:
    """Tell whether a clause speaks of a transition or critical temperature where nothing around is superconducting."""
    return _ANY_TRANSITION.search(clause) is not None and _SHOWN.search(paragraph) is None


def _is_listed(clause: str, key: str) -> bool:
    """Tell whether a clause lists a material: "the superconducting TMDs Td-MoTe2 and 2H-NbSe2"."""
    names = written_in(clause)
    for match in _LISTED.finditer(clause):
        at = match.end()
        for start, end, name in names:
            if start >= at:
                if not _NEXT_OF_LIST.fullmatch(clause[at:start]):
                    break
                if key in named_in(name):
                    return True
                at = end
    return False


def _goes_on(paragraph: str, start: int, end: int, key: str, raised: bool) -> bool:
    """Tell whether a clause goes on about what a sentence before it cites of a material."""
    names = {name for _, _, name in written_in(paragraph[:end]) if key in named_in(name)}
    return any(goes_on_citing(paragraph, start, end, name, raised) for name in names)


def _read(clause: str, sentence: str, first: int, only: set[int] | None, raised: bool) -> Iterator[Statement]:
    """Yield what a clause says, still without its quote: one thing for each of its temperatures, or one without.

    Where the clause is of several materials, `only` has where the temperatures begin of the one that is meant.
    """
    if _UNSAID.search(clause):
        return
    denied = _DENIED.search(clause) is not None
    transition = not _OTHER_TRANSITION.search(clause) or _SUPER.search(clause)
    if denied and _NO_DENIAL.search(clause):
        return
    if not denied and (_NO_CLAIM.search(clause) or not _ABOUT.search(clause) or not transition):
        return
    values = [each for each in scan(clause) if each.value is not None]
    kelvins = [each for each in values if _is(each, "temperature") and 0 < _least(each) <= MOST_KELVIN]
    pressures = [each for each in values if _is(each, "pressure")]
    if not denied:
        are_transitions = transitions_in(
            clause, [(each.start, each.end) for each in values if each in kelvins]
        )
        kelvins = [each for each in kelvins if each.start in are_transitions]
    else:
        kelvins = [
            each for each in kelvins if _DOWN_TO.search(clause[: each.start]) or BOUND.match(each.text)
        ]
    if only is not None:
        kelvins = [each for each in kelvins if each.start in only]
        if denied and not kelvins:
            return
    if denied and kelvins:
        kelvins = [min(kelvins, key=_least)]
    if not denied and not kelvins and not _SUPER.search(clause):
        return
    said: Says = "not superconducting" if denied else "superconducting"
    field = match.group() if (match := _FIELD.search(clause)) else ""
    for number, kelvin in enumerate([*kelvins] or [None]):
        following = kelvins[number + 1].start if number + 1 < len(kelvins) else len(clause)
        pressure = _nearest(pressures, kelvin, following)
        before = kelvins[number - 1].end if number else 0
        if kelvin and pressure and pressure.start > following and _AMBIENT.search(clause, before, following):
            pressure = None
        ambient = _AMBIENT.search(clause) or (_AMBIENT.search(sentence) if not pressure else None)
        pressed = None if pressure or ambient else _PRESSED.search(clause)
        yield Statement(
            said,
            round(_least(kelvin), 9) if kelvin else None,
            kelvin.text if kelvin else "",
            _criterion(clause, kelvin, kelvins[number - 1].end if number else 0),
            round(_least(pressure) / 1e9, 9) if pressure else 0.0 if ambient else None,
            pressure.text if pressure else said_of.group() if (said_of := ambient or pressed) else "",
            field,
            standing_of(sentence, first + (kelvin.start if kelvin else 0), raised),
        )


def _is(found: Found, dimension: str) -> bool:
    return found.value is not None and found.value.unit.dimension == dimension


def _least(found: Found) -> float:
    """Return a value in SI, of a range its lower end."""
    assert found.value is not None
    return min(found.value.si())


def _nearest(pressures: Sequence[Found], kelvin: Found | None, following: int) -> Found | None:
    """Return the pressure that belongs to a temperature: the one behind it, else the one before it."""
    if kelvin is None or len(pressures) < 2:
        return pressures[0] if pressures else None
    behind = [each for each in pressures if kelvin.end <= each.start < following]
    return behind[0] if behind else min(pressures, key=lambda each: abs(each.start - kelvin.start))


def _criterion(clause: str, kelvin: Found | None, after: int) -> str:
    """Return the criterion of a temperature: in brackets behind it, else in the words before it, else anywhere."""
    behind = re.match(r"\s*\(([^()]{0,60})\)", clause[kelvin.end :]) if kelvin else None
    near = (behind[1] if behind else "", clause[after : kelvin.start] if kelvin else "", clause)
    return next((name for part in near for name, words in _CRITERIA.items() if words.search(part)), "")
